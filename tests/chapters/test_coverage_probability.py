"""Coverage by enumeration and by simulation (Gu et al. 2025, appendix B.6)."""

from fractions import Fraction

import numpy as np
import pytest

from grokbook.theory import coverage as cov
from grokbook_chapters.coverage import coverage_probability as cp
from refusals import refusals

# independent computation (project oracle): cover.exact.p3k2, m -> (covering, subsets, E[uncovered],
# E[prop])
EXACT = {
    True: {
        1: (0, 9, "4", "1/2"),
        2: (0, 36, "3/2", "11/14"),
        3: (48, 84, "3/7", "13/14"),
        4: (117, 126, "1/14", "69/70"),
        5: (126, 126, "0", "1"),
    },
    False: {
        1: (0, 9, "16/3", "1/3"),
        2: (0, 36, "53/18", "73/126"),
        3: (10, 84, "31/21", "95/126"),
        4: (57, 126, "9/14", "61/70"),
        5: (98, 126, "2/9", "17/18"),
        6: (80, 84, "1/21", "62/63"),
        7: (36, 36, "0", "1"),
    },
}


CASES = [(torus, m) for torus, rows in EXACT.items() for m in rows]


@pytest.mark.parametrize(("torus", "m"), CASES)
def test_enumeration_and_formulas_against_independent_numbers(torus, m):
    covering, subsets, mean, share = EXACT[torus][m]
    found = cp.enumerate_coverage(3, 2, m, torus=torus)
    assert (found.covering, found.subsets) == (covering, subsets)
    assert (found.expected_uncovered, found.expected_share) == (Fraction(mean), Fraction(share))
    assert cov.expected_uncovered(3, 2, m, torus=torus) == pytest.approx(
        float(Fraction(mean)), rel=1e-12
    )


@pytest.mark.parametrize(("torus", "m"), CASES)
def test_simulation_agrees_with_the_enumeration(torus, m):
    exact = float(cp.enumerate_coverage(3, 2, m, torus=torus).probability)
    found = cp.full_coverage(3, 2, m, torus=torus, draws=4000, seed=1)
    assert abs(found.value - exact) <= 4 * (exact * (1 - exact) / 4000) ** 0.5


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize(("p", "k"), [(5, 2), (6, 3), (7, 1), (9, 4)])
def test_the_covering_time_is_the_first_at_which_nothing_is_uncovered(p, k, torus):
    rng = np.random.default_rng(3)
    order = np.tile(np.arange(1, p * p + 1, dtype=np.int32), (5, 1))
    ranks = rng.permuted(order, axis=1).reshape(5, p, p)
    times = cp.cover_times(p, k, 5, seed=3, torus=torus)
    assert [cov.uncovered(r <= t, k, torus=torus) for r, t in zip(ranks, times, strict=True)] == [
        0
    ] * 5
    assert all(cov.uncovered(r < t, k, torus=torus) > 0 for r, t in zip(ranks, times, strict=True))


def test_the_printed_bound_holds_on_the_torus_and_breaks_on_the_grid():
    """Appendix B.6: exact at p = 3, k = 2."""
    bound = 1 - 9 * (1 - 5 / 9) ** np.arange(10)
    exact = [
        [float(cp.enumerate_coverage(3, 2, m, torus=t).probability) for m in range(10)]
        for t in (True, False)
    ]
    assert (exact[0] - bound).min() >= 0 > (exact[1] - bound).min()


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: cp.enumerate_coverage(7, 2, 20), "p = 7, m = 20 has more than 300000 training sets"),
)
