"""Steps of a Toeplitz start (Gu 2024, Eq. 13; Gu et al. 2025, Eq. 19): closed forms against draws."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.measures import expected_initial_med, med
from grokbook.theory.toeplitz_start import (
    draw_start,
    expected_squared_step,
    spread_between,
    spread_within,
    squared_steps,
    step_covariance,
)  # fmt: skip


def draws(kind, p, d, n=4000):
    rng = np.random.default_rng(0)
    return np.array([squared_steps(draw_start(kind, p, d, rng)) for _ in range(n)])


@pytest.mark.parametrize(("kind", "p", "d"), [("independent", 7, 5), ("toeplitz", 7, 5), ("toeplitz", 5, 9),
                                              ("circulant", 6, 6)])  # fmt: skip
def test_the_mean_squared_step_is_the_same(kind, p, d):
    steps = draws(kind, p, d).mean(axis=1)
    assert abs(steps.mean() - expected_squared_step(d)) < 4 * steps.std() / np.sqrt(len(steps))


@pytest.mark.parametrize(("kind", "p", "d"), [("independent", 8, 5), ("toeplitz", 8, 4), ("toeplitz", 5, 9),
                                              ("circulant", 6, 6)])  # fmt: skip
def test_covariances_of_the_steps(kind, p, d):
    steps = draws(kind, p, d, 40_000)[:, :-1]
    measured = np.cov(steps.T)[0]
    expected = [step_covariance(kind, d, h) for h in range(p - 1)]
    assert np.abs(measured - expected).max() < 0.06 * expected[0]


@pytest.mark.parametrize(("kind", "p", "d"), [("independent", 8, 5), ("toeplitz", 8, 4), ("circulant", 6, 6)])
def test_spreads_within_and_between(kind, p, d):
    steps = draws(kind, p, d, 40_000)[:, :-1] / (2 * d)
    assert steps.var(axis=1).mean() == pytest.approx(spread_within(kind, p, d), rel=0.05, abs=1e-12)
    assert steps.mean(axis=1).var() == pytest.approx(spread_between(kind, p, d), rel=0.05)


@pytest.mark.parametrize("p", [47, 97])
def test_toeplitz_steps_differ_less_inside_and_more_between_tables(p):
    assert spread_within("toeplitz", p, p) < spread_within("independent", p, p)
    assert spread_between("toeplitz", p, p) > spread_between("independent", p, p)


def test_circulant_tables_have_equal_steps():
    assert spread_within("circulant", 97, 97) == pytest.approx(0, abs=1e-12)
    steps = squared_steps(draw_start("circulant", 11, 11, np.random.default_rng(1)))
    assert steps == pytest.approx(np.full(11, steps[0]))


def test_a_toeplitz_table_is_constant_along_diagonals_and_in_general_not_circulant():
    table = draw_start("toeplitz", 6, 6, np.random.default_rng(0))
    assert np.array_equal(table[1:, 1:], table[:-1, :-1])
    assert not np.allclose(table[1], np.roll(table[0], 1))


def test_independent_steps_against_the_mean_of_the_chi_distribution():
    """Independent computation, MED.iid: E|x - y| = 15.968780814967540406 for unit normals in 128 dimensions."""
    rng = np.random.default_rng(0)
    values = [med(draw_start("independent", 97, 128, rng)) for _ in range(50)]
    assert expected_initial_med(97, 128, 1.0) == pytest.approx(15.968780814967540406, rel=1e-12)
    assert np.mean(values) == pytest.approx(15.968780814967540406, rel=2e-3)


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: draw_start("random", 3, 3, np.random.default_rng(0)), "is unknown"),
     (lambda: draw_start("circulant", 3, 4, np.random.default_rng(0)), "the nearest has d = 3"),
     (lambda: step_covariance("random", 3, 0), "is unknown")],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
