"""Representation quality modulo p (after Liu et al. 2022, section 3.1): enumeration, closed forms, invariances."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures.representation import mean_squared_defect, representation_quality, spread

from .tables import circles, gaussian, rotation, tables


def enumerated(table: np.ndarray, tolerance: float) -> float:
    """The definition, pair by pair."""
    p = len(table)
    scale = np.sqrt(4 * ((table - table.mean(axis=0)) ** 2).sum(axis=1).mean())
    pairs = list(combinations_with_replacement(range(p), 2))
    inside = [
        np.linalg.norm(table[a] + table[b] - table[c] - table[d]) <= tolerance * scale
        for (a, b), (c, d) in combinations(pairs, 2)
        if (a + b) % p == (c + d) % p
    ]
    return float(np.mean(inside))


@pytest.mark.parametrize("p", [5, 7, 8, 11])
@pytest.mark.parametrize("tolerance", [0.3, 0.75, 1.1])
def test_it_is_the_enumeration(p, tolerance):
    table = gaussian(p, 3, seed=p)
    assert representation_quality(table, tolerance) == pytest.approx(enumerated(table, tolerance), abs=1e-12)


def test_circle_from_its_angles():
    """phi_i + phi_j = 2 cos(pi k (i - j) / p) e_(i+j): the defect is a difference of cosines."""
    p, k = 13, 4
    inside = []
    for r in range(p):
        pairs = [(i, (r - i) % p) for i in range(p) if i <= (r - i) % p]
        sums = [(np.exp(2j * np.pi * k * i / p) + np.exp(2j * np.pi * k * j / p)) for i, j in pairs]
        inside += [abs(a - b) <= 2 * 0.75 for a, b in combinations(sums, 2)]
    assert representation_quality(circles(p, [k])) == pytest.approx(np.mean(inside), abs=1e-12)


@given(tables(least=4))
def test_the_mean_squared_defect_is_four_times_the_spread(table):
    assert mean_squared_defect(table) == pytest.approx(4 * spread(table), rel=1e-9)


@given(st.integers(0, 999), st.floats(0.01, 100), st.integers(1, 10))
def test_invariances(seed, scale, c):
    """Scale, shift, rotation of the space; renaming i -> c i maps parallelograms to parallelograms."""
    table = gaussian(11, 4, seed)
    here = representation_quality(table)
    assert representation_quality(scale * table @ rotation(4, seed) + 3.0) == pytest.approx(here, abs=2e-3)
    assert representation_quality(table[np.arange(11) * c % 11]) == pytest.approx(here, abs=2e-3)
    assert 0 <= here <= 1


def test_wide_noise_has_none_a_wide_tolerance_takes_all():
    assert representation_quality(gaussian(13, 500), 0.5) == 0
    assert representation_quality(gaussian(13, 5), 10.0) == 1
    assert representation_quality(torch.tensor(circles(13, [1]))) > 0.3


def test_bad_input_is_named():
    with pytest.raises(ParameterError, match="equal rows"):
        representation_quality(np.ones((5, 2)))
    with pytest.raises(ParameterError, match="at least 4"):
        representation_quality(np.eye(3))
    with pytest.raises(ParameterError, match="tolerance"):
        representation_quality(np.eye(5), -1.0)
