"""Full coverage by simulation and by enumeration, each against the other and an independent computation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.theory.coverage import expected_share, expected_uncovered, least_training_size, uncovered
from grokbook.theory.coverage_probability import (
    Estimate,
    cover_times,
    enumerate_coverage,
    full_coverage,
    printed_bound,
)

# independent computation (project oracle): cover.exact.p3k2, m -> (covering, subsets, E[uncovered], E[prop])
EXACT = {
    True: {1: (0, 9, "4", "1/2"), 2: (0, 36, "3/2", "11/14"), 3: (48, 84, "3/7", "13/14"),
           4: (117, 126, "1/14", "69/70"), 5: (126, 126, "0", "1")},
    False: {1: (0, 9, "16/3", "1/3"), 2: (0, 36, "53/18", "73/126"), 3: (10, 84, "31/21", "95/126"),
            4: (57, 126, "9/14", "61/70"), 5: (98, 126, "2/9", "17/18"), 6: (80, 84, "1/21", "62/63"),
            7: (36, 36, "0", "1")},
}  # fmt: skip
CASES = [(torus, m) for torus, rows in EXACT.items() for m in rows]


@pytest.mark.parametrize(("torus", "m"), CASES)
def test_enumeration_against_independent_numbers(torus, m):
    covering, subsets, mean, share = EXACT[torus][m]
    found = enumerate_coverage(3, 2, m, torus=torus)
    assert (found.covering, found.subsets) == (covering, subsets)
    assert (found.expected_uncovered, found.expected_share) == (Fraction(mean), Fraction(share))


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize(("p", "k", "m"), [(3, 1, 4), (3, 2, 3), (4, 2, 5), (5, 3, 3), (5, 2, 4)])
def test_formulas_of_expectations_are_those_of_the_enumeration(p, k, m, torus):
    found = enumerate_coverage(p, k, m, torus=torus)
    assert expected_uncovered(p, k, m, torus=torus) == pytest.approx(float(found.expected_uncovered), rel=1e-12)
    assert expected_share(p, k, m, torus=torus) == pytest.approx(float(found.expected_share), rel=1e-12)


@pytest.mark.parametrize(("torus", "m"), CASES)
def test_simulation_agrees_with_the_enumeration(torus, m):
    exact = float(enumerate_coverage(3, 2, m, torus=torus).probability)
    found = full_coverage(3, 2, m, torus=torus, draws=4000, seed=1)
    assert abs(found.value - exact) <= 4 * (exact * (1 - exact) / 4000) ** 0.5


@pytest.mark.parametrize(("torus", "value"), [(True, 0.8075), (False, 0.46)])
def test_simulation_at_the_printed_threshold_agrees_with_an_independent_one(torus, value):
    """cover.Pfull.mc: p = 97, k = 5, m = 2100, 400 draws, standard errors 0.02 and 0.025."""
    found = full_coverage(97, 5, 2100, torus=torus, draws=400)
    other = (value * (1 - value) / 400) ** 0.5
    assert abs(found.value - value) < 4 * np.hypot(found.error, other)


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize(("p", "k"), [(5, 2), (6, 3), (7, 1), (9, 4)])
def test_the_covering_time_is_the_first_at_which_nothing_is_uncovered(p, k, torus):
    rng = np.random.default_rng(3)
    order = np.tile(np.arange(1, p * p + 1, dtype=np.int32), (5, 1))
    ranks = rng.permuted(order, axis=1).reshape(5, p, p)
    times = cover_times(p, k, 5, seed=3, torus=torus)
    assert [uncovered(r <= t, k, torus=torus) for r, t in zip(ranks, times, strict=True)] == [0] * 5
    assert all(uncovered(r < t, k, torus=torus) > 0 for r, t in zip(ranks, times, strict=True))


def test_one_in_markov_is_kept():
    """P(U >= 1) <= E[U]: at the least m with E[U] < eps the simulated probability is above 1 - eps."""
    for torus in (True, False):
        m = least_training_size(23, 4, 0.1, torus=torus)
        found = full_coverage(23, 4, m, torus=torus, draws=1000)
        assert found.value + 4 * found.error >= 1 - 0.1


def test_draws_with_replacement_cover_less():
    """At the same m fewer cells differ; exact at p = 3, k = 1: all nine cells within nine draws, 9!/9^9."""
    found = full_coverage(3, 1, 9, draws=4000, replacement=True)
    exact = 362880 / 9**9
    assert abs(found.value - exact) <= 4 * (exact / 4000) ** 0.5
    assert full_coverage(3, 1, 9, draws=10).value == 1


def test_the_printed_bound_holds_on_the_torus_and_breaks_on_the_grid():
    """Appendix B.6: exact at p = 3, k = 2."""
    torus = [float(enumerate_coverage(3, 2, m, torus=True).probability) - printed_bound(3, 2, m) for m in range(10)]
    grid = [float(enumerate_coverage(3, 2, m).probability) - printed_bound(3, 2, m) for m in range(10)]
    assert min(torus) >= 0 > min(grid)


def test_seeds_batches_and_intervals():
    assert np.array_equal(cover_times(7, 2, 70, seed=4), cover_times(7, 2, 70, seed=4))
    assert not np.array_equal(cover_times(7, 2, 70, seed=4), cover_times(7, 2, 70, seed=5))
    assert cover_times(7, 2, 64).shape == (64,) and cover_times(7, 2, 65).shape == (65,)
    low, high = Estimate.of(40, 40).interval()
    assert low < 1 == high


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: enumerate_coverage(7, 2, 20), "p = 7, m = 20 has more than 300000 training sets"),
        (lambda: cover_times(7, 2, 0), "draws = 0 is not a whole number of 1 or more; the smallest draws is 1."),
        (lambda: full_coverage(7, 2, 50, draws=2), "m = 50 is not a whole number of training cells from 0 to p"),
        (lambda: cover_times(7, 5, torus=True), "k = 5 makes a disc of width 9 overlap itself on a torus of side 7"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ParameterError) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_too_many_sets_are_refused_without_being_counted():
    with pytest.raises(ParameterError, match="^p = 300, m = 45000 has more than 300000 training sets"):
        enumerate_coverage(300, 2, 45_000)


def test_a_radius_beyond_the_grid_is_the_whole_grid():
    assert cover_times(5, 10**9, draws=3).tolist() == [1, 1, 1]
