"""Few seeds: bounds with censored runs, the exact test against enumeration by hand, closed forms."""

from __future__ import annotations

from math import comb, log

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from grokbook.errors import ParameterError
from grokbook.measures.comparison import (
    chance_of_ratio,
    compare,
    earlier,
    least_p,
    median_bounds,
    pair_range,
    paired_p,
    permutation_p,
    pooled_spread,
    ratio_bounds,
    seeds_needed,
    sooner,
    steps_and_seen,
)


def table(steps, last=10_000):
    return pd.DataFrame({"grok_step": pd.array(steps, dtype="Int64"), "last_step": last})


steps = st.lists(st.one_of(st.none(), st.integers(1, 9_999)), min_size=1, max_size=5)


@given(steps, steps)
def test_bounds_hold_for_every_way_to_fill_in_the_censored_runs(a, b):
    """Whatever a censored run would have done after its last step, the median's ratio lies within the bounds."""
    rng = np.random.default_rng(0)
    low, high = ratio_bounds(table(a), table(b))
    least, most = pair_range(table(a), table(b))
    for _ in range(5):
        x, y = ([10_000 * rng.lognormal(1, 1) if v is None else v for v in values] for values in (a, b))
        x, y = (np.maximum(v, [10_000 if w is None else 0 for w in u]) for v, u in ((x, a), (y, b)))
        assert low - 1e-9 <= np.median(x) / np.median(y) <= high + 1e-9
        ratios = np.divide.outer(x, y)
        assert least - 1e-9 <= ratios.min() and ratios.max() <= most + 1e-9


@given(st.lists(st.integers(1, 50), min_size=2, max_size=4), st.lists(st.integers(1, 50), min_size=2, max_size=4))
def test_without_censoring_it_is_the_rank_test_of_mann_and_whitney(a, b):
    if len(set(a + b)) == len(a + b):
        p = mannwhitneyu(a, b, alternative="less", method="exact").pvalue
        assert np.isclose(permutation_p(table(a), table(b)), p)


@given(steps, steps)
def test_scores_are_antisymmetric(a, b):
    assert (earlier(table(a), table(b)) == -earlier(table(b), table(a)).T).all()


def test_a_censored_run_is_later_than_an_observed_one_and_equal_to_another():
    assert earlier(table([500, None]), table([None, 800])).tolist() == [[1, 1], [0, -1]]


def test_different_lengths_leave_pairs_open():
    assert earlier(table([None], last=400), table([500])).tolist() == [[0]]
    assert earlier(table([None], last=500), table([500])).tolist() == [[-1]]


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 3), (3, 5)])
def test_complete_separation_gives_the_smallest_p(n, m):
    found = permutation_p(table(list(range(1, n + 1))), table([100 + i for i in range(m)]))
    assert np.isclose(found, least_p(n, m)) and np.isclose(found, 1 / comb(n + m, n))


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=6))
def test_the_paired_p_value_is_two_to_the_minus_n_at_best_and_counts_itself(ratios):
    p = paired_p(ratios)
    assert p >= 2.0 ** -len(ratios)
    assert np.isclose(p * 2 ** len(ratios), round(p * 2 ** len(ratios)))


def test_the_paired_p_value_of_equal_signs():
    assert paired_p([0.9, 0.5, 0.1]) == 1 / 8 and paired_p([2.0, 3.0]) == 1.0
    assert np.isnan(paired_p([]))


def test_nothing_known_gives_a_p_of_one():
    assert permutation_p(table([None] * 3), table([None] * 3)) == 1.0
    assert ratio_bounds(table([None]), table([None])) == (0.0, np.inf)


def test_median_bounds():
    assert median_bounds(table([300, 500, None])) == (500.0, 500.0)
    assert median_bounds(table([300, None, None])) == (10_000.0, np.inf)


def test_the_pooled_spread_is_that_of_the_logarithm_within_settings():
    """Multiplying a whole setting by a number changes nothing; one setting of one run adds nothing."""
    a, b = table([100, 200, 400]), table([1000, 2000, 4000, None])
    assert np.isclose(pooled_spread([a]), log(2))
    assert np.isclose(pooled_spread([a, b, table([7])]), log(2))
    assert np.isnan(pooled_spread([table([7]), table([None, None])]))


def test_the_chance_of_a_ratio_against_drawing():
    draws = np.random.default_rng(0).normal(scale=0.5, size=(200_000, 2))
    apart = np.abs(draws[:, 0] - draws[:, 1]) >= log(2)
    assert abs(apart.mean() - chance_of_ratio(0.5)) < 5 * np.sqrt(0.25 / 200_000)
    assert chance_of_ratio(0.5, 1.0) == 1.0


def test_seeds_needed_give_the_power_they_promise():
    """Normal theory: with n seeds a side the z test of the log ratio has the power asked for, with n - 1 it has not."""
    from scipy.stats import norm

    n, s = seeds_needed(0.7), 0.7
    power = [norm.cdf(log(2) / (s * np.sqrt(2 / k)) - norm.ppf(0.95)) for k in (n, n - 1)]
    assert power[0] >= 0.8 > power[1]
    assert seeds_needed(0.7, 2.0) == n and seeds_needed(1e-3) == 3 and seeds_needed(1e-3, level=0.01) == 5


def test_compare_pairs_runs_of_one_seed():
    found = compare(table([100, 400, None]), table([200, 400]))
    assert found.same_seed == (0.5, 1.0)
    assert found.generalised == (2, 2) and found.n == (3, 2)
    assert "p = " in found.describe()
    assert "not known" in compare(table([None]), table([None])).describe()
    assert "at most 0.05" in compare(table([500]), table([None])).describe()


@pytest.mark.parametrize(
    "call",
    [
        lambda: steps_and_seen(table([])),
        lambda: permutation_p(table([1] * 10), table([1] * 9)),
        lambda: least_p(0, 3),
        lambda: paired_p([0.5, 0.0]),
        lambda: paired_p([0.5] * 19),
        lambda: chance_of_ratio(0.0),
        lambda: chance_of_ratio(1.0, 0.5),
        lambda: seeds_needed(float("nan")),
        lambda: seeds_needed(1.0, 1.0),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    with pytest.raises(ParameterError):
        call()


@given(steps, steps)
def test_sooner_one_way_is_later_the_other(a, b):
    """The test of "not earlier" one way is that of "not later" the other way."""
    answer = {True: False, False: True, None: None}
    assert sooner(table(a), table(b)) is answer[sooner(table(b), table(a))]


@given(steps, steps, st.integers(1, 50))
def test_the_unit_of_the_steps_does_not_matter_and_factors_and_gaps_are_taken_out(a, b, scale):
    first, second = table(a), table(b)
    times = first * scale, second * scale
    assert sooner(*times) is sooner(first, second)
    assert sooner(times[0], second, factor=scale) is sooner(first, second)
    assert sooner(first, second + scale, gap=scale) is sooner(first, second)


@given(st.lists(st.integers(1, 9_999), min_size=1, max_size=2), st.lists(st.integers(1, 9_999), min_size=1, max_size=3))
def test_fewer_than_three_seeds_a_side_decide_nothing(a, b):
    """The least p value of two against three is 1/10."""
    assert sooner(table(a), table(b)) is None


def test_a_longer_record_alone_makes_nothing_later():
    """Runs of one distribution, the second followed four times as long: it decides in no more than 5 % of the cases."""
    rng, decided = np.random.default_rng(2), 0
    for _ in range(300):
        a, b = (np.exp(rng.normal(7, 1, 3)).round() for _ in range(2))
        first = table([int(x) if x <= 1000 else None for x in a], 1000)
        second = table([int(x) if x <= 4000 else None for x in b], 4000)
        decided += sooner(first, second) is not None
    assert decided <= 0.1 * 300 + 3 * (300 * 0.1 * 0.9) ** 0.5  # 5 % on either side


def test_a_factor_must_be_positive():
    with pytest.raises(ParameterError, match="factor = 0 must be positive"):
        sooner(table([1]), table([2]), factor=0)
