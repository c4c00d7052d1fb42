"""Lemma B.1 of Gu et al. 2025, corrected: the least norm, its certificate, and when the printed value is right."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from grokbook.errors import ParameterError
from grokbook.theory.minimal_map import has_map, nearest_to_zero, pair_sums, printed_norm, smallest_map


def gaussian(p, d, seed=0):
    return np.random.default_rng(seed).normal(size=(p, d))


@pytest.mark.parametrize(("p", "d", "m"), [(3, 2, 1), (5, 4, 2), (7, 9, 3), (11, 8, 1), (6, 5, 2)])
def test_the_map_meets_its_constraints_and_has_its_norm(p, d, m):
    x, r = gaussian(p, d), gaussian(1, m, seed=1)[0]
    found = smallest_map(x, r)
    for i in range(p):
        assert found.matrix @ (x[i] + x[-i % p]) == pytest.approx(r)
    assert np.linalg.norm(found.matrix, 2) == pytest.approx(found.norm)
    assert np.linalg.norm(found.matrix) == pytest.approx(found.norm), "rank one: both norms agree"


@given(st.sampled_from([3, 5, 7, 11]), st.integers(0, 200))
def test_no_map_is_smaller_by_duality(p, seed):
    """The weights prove it: sum(a) = 1, so every admissible map sends v = sum a_i s_i to r."""
    x = gaussian(p, p, seed)
    found = smallest_map(x, [2.0])
    assert found.weights.sum() == pytest.approx(1)
    assert found.weights @ pair_sums(x) == pytest.approx(found.nearest, abs=1e-9)
    assert 2 / np.linalg.norm(found.nearest) == pytest.approx(found.norm)


@pytest.mark.parametrize("seed", range(5))
def test_admissible_maps_found_at_random_are_no_smaller(seed):
    """Any other admissible map is the best one plus a map that vanishes on all pair sums."""
    rng = np.random.default_rng(seed)
    x, r = gaussian(5, 6, seed), rng.normal(size=2)
    best = smallest_map(x, r)
    free = np.linalg.svd(pair_sums(x))[2][np.linalg.matrix_rank(pair_sums(x)) :]
    others = [best.matrix + rng.normal(size=(2, len(free))) @ free for _ in range(50)]
    assert min(np.linalg.norm(o, 2) for o in others) >= best.norm * (1 - 1e-12)


def test_distance_against_a_general_optimiser():
    points = gaussian(4, 6, 3)
    shift = lambda t: np.linalg.norm((1 - t.sum()) * points[0] + t @ points[1:])  # noqa: E731
    found = minimize(shift, np.zeros(3), tol=1e-12)
    assert np.linalg.norm(nearest_to_zero(points)[0]) == pytest.approx(found.fun, rel=1e-6)


def test_the_counterexample_of_three_vectors():
    """x = (1,0), (1,1), (1,-1) and r = 1: 1/2, where the lemma prints 1/(2 sqrt 2)."""
    x = [[1, 0], [1, 1], [1, -1]]
    assert smallest_map(x, [1.0]).norm == pytest.approx(0.5)
    assert printed_norm(x, [1.0]) == pytest.approx(1 / (2 * np.sqrt(2)))


@given(st.sampled_from([3, 5, 7]), st.integers(0, 100))
def test_the_printed_value_is_a_lower_bound(p, seed):
    x = gaussian(p, p + 1, seed)
    assert printed_norm(x, [1.0]) < smallest_map(x, [1.0]).norm


@pytest.mark.parametrize("p", [3, 5, 8])
def test_the_printed_value_is_right_exactly_at_collapse(p):
    """Equal vectors attain it; moving one of them by 1e-3 does not."""
    x = np.tile([3.0, 4.0], (p, 1))
    assert smallest_map(x, [1.0]).norm == pytest.approx(printed_norm(x, [1.0])) == 0.1
    moved = x.copy()
    moved[1] += [1e-3 * 4 / 5, -1e-3 * 3 / 5]
    assert smallest_map(moved, [1.0]).norm > printed_norm(moved, [1.0]) * (1 + 1e-9)


def test_opposite_vectors_have_no_map():
    with pytest.raises(ParameterError, match="0 lies in the affine hull"):
        smallest_map([[1, 1], [1, 0], [-1, 0]], [1.0])


@pytest.mark.parametrize(("p", "d"), [(7, 3), (7, 4), (11, 5), (11, 6), (6, 3), (6, 4)])
def test_general_position_has_a_map_exactly_if_the_sums_are_few(p, d):
    """floor(p/2) + 1 different sums: their affine hull is the whole space from d + 1 of them on."""
    try:
        smallest_map(gaussian(p, d), [1.0])
        exists = True
    except ParameterError:
        exists = False
    assert exists == has_map(p, d)


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: smallest_map([[1.0]], [0.0]), "r is zero"), (lambda: smallest_map([[np.inf]], [1.0]), "not finite"),
     (lambda: smallest_map([[1.0]], [np.nan]), "not finite"), (lambda: printed_norm([[0.0]], [1.0]), "are zero")],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
