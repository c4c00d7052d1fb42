"""How runs scatter and how many seeds a comparison needs: closed forms, a known spread, the power
that is promised."""

from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm

from grokbook.curves.comparison import permutation_p
from grokbook_chapters.width_and_initialisation import planning
from refusals import refusals


def table(steps, last=10_000):
    return pd.DataFrame({"grok_step": pd.array(steps, dtype="Int64"), "last_step": last})


@pytest.mark.parametrize("seed", range(3))
def test_a_half_that_is_there_is_found_with_ten_runs_of_small_spread_and_not_with_three(seed):
    rng = np.random.default_rng(seed)
    many, few = (table(np.exp(rng.normal(7, 0.2, n)).round().astype(int)) for n in (10, 3))
    assert planning.p_of_a_half(many) < 0.01
    assert planning.p_of_a_half(few) >= 0.05


def test_the_pooled_spread_is_that_of_the_logarithm_within_settings():
    """Multiplying a whole setting by a number changes nothing; one setting of one run adds
    nothing."""
    a, b = table([100, 200, 400]), table([1000, 2000, 4000])
    assert np.isclose(planning.pooled_spread([a]), log(2))
    assert np.isclose(planning.pooled_spread([a, b, table([7])]), log(2))
    assert planning.pooled_spread([a, table([1000, 2000, None])]) > log(
        2
    )  # the late one is not left out
    assert np.isnan(planning.pooled_spread([table([7]), table([None, None])]))


def test_without_censored_runs_the_fit_is_the_closed_form():
    """s^2 = sum of squares about the settings' means over N - G."""
    logs = np.random.default_rng(1).normal(7, 0.5, (4, 5))
    closed = np.sqrt(((logs - logs.mean(axis=1, keepdims=True)) ** 2).sum() / (20 - 4))
    tables = [pd.DataFrame({"grok_step": np.exp(y), "last_step": 1e6}) for y in logs]
    assert np.isclose(planning.pooled_spread(tables), closed, rtol=1e-5)


def test_the_fit_finds_a_known_spread_in_spite_of_censored_runs():
    """s = 0.6, runs cut near the middle: leaving them out gives less than 0.5. The interval holds
    it."""
    rng, found, held, without = np.random.default_rng(3), [], [], []
    for _ in range(60):
        logs = rng.normal(0.6 * rng.normal(size=(8, 1)), 0.6, (8, 4))
        seen = logs <= 0.2
        tables = [
            table([int(1000 * np.exp(v)) if s else None for v, s in zip(*g, strict=True)], 1221)
            for g in zip(logs, seen, strict=True)
        ]
        known = [t for t in tables if t.grok_step.notna().any()]
        found.append(planning.pooled_spread(tables))
        without.append(planning.pooled_spread([t.dropna() for t in tables]))
        low, high = planning.spread_interval(found[-1], int(seen.sum()), len(known))
        held.append(low <= 0.6 <= high)
    assert abs(np.mean(found) - 0.6) < 0.05 and np.mean(without) < 0.5
    assert np.mean(held) >= 0.85


def test_the_interval_of_a_spread_is_that_of_the_variance():
    """f s^2 / sigma^2 is chi squared with f degrees of freedom."""
    low, high = planning.spread_interval(0.5, 12, 4)
    assert np.isclose(chi2.cdf(8 * 0.25 / low**2, 8), 0.975) and np.isclose(
        chi2.cdf(8 * 0.25 / high**2, 8), 0.025
    )


def test_the_chance_of_a_ratio_against_drawing():
    draws = np.random.default_rng(0).normal(scale=0.5, size=(200_000, 2))
    apart = np.abs(draws[:, 0] - draws[:, 1]) >= log(2)
    assert abs(apart.mean() - planning.chance_of_ratio(0.5)) < 5 * np.sqrt(0.25 / 200_000)
    assert planning.chance_of_ratio(0.5, 1.0) == 1.0


def test_seeds_needed_give_the_power_they_promise():
    """The exact test itself, on runs of its own: the z test's number alone falls short of the
    power."""
    s, rng = 0.5, np.random.default_rng(5)
    n, found = planning.seeds_needed(s), 0
    for _ in range(200):
        a, b = (np.exp(rng.normal(middle, s, n)) for middle in (log(1000), log(2000)))
        found += (
            permutation_p(*(pd.DataFrame({"grok_step": x, "last_step": 1e9}) for x in (a, b)))
            <= 0.05
        )
    assert found / 200 >= 0.8 - 3 * (0.8 * 0.2 / 200) ** 0.5
    assert n > 2 * ((norm.ppf(0.95) + norm.ppf(0.8)) * s / log(2)) ** 2
    assert (
        planning.seeds_needed(0.5, 2.0) == n
        and planning.seeds_needed(1e-3) == 3
        and planning.seeds_needed(1e-3, level=0.01) == 5
    )


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: planning.chance_of_ratio(0.0), "spread = 0.0"),
    (lambda: planning.chance_of_ratio(1.0, 0.5), "factor = 0.5"),
    (lambda: planning.seeds_needed(float("nan")), "spread = nan"),
    (lambda: planning.seeds_needed(1.0, 1.0), "factor = 1.0"),
)
