"""Events and ranks: half of a move is where it is; ranks within groups."""

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, kendalltau

from grokbook.curves import lead
from refusals import refusals

STEPS = np.arange(0, 2510, 10)


# ------------------------------------------------------------------------------------ the rank test


@given(st.permutations(range(7)))
def test_tau_without_ties_is_kendalls(order):
    expected = kendalltau(order, range(7)).statistic
    assert lead.rank_test([(order, range(7))], draws=1).tau == pytest.approx(expected)


def test_false_alarms_are_as_rare_as_the_p_value_says():
    """prop-clock, second part: at most alpha in small groups with censored runs, and not a test
    that never speaks."""
    rng, draws, level = np.random.default_rng(4), 400, 0.1
    values = []
    for _ in range(draws):
        groups = [
            (rng.normal(size=n), np.where(rng.random(n) < 0.3, np.inf, rng.normal(size=n)))
            for n in (3, 3, 8)
        ]
        values.append(lead.rank_test(groups, draws=199).p_value)
    low = sum(p <= level for p in values)
    assert 0.25 * level * draws < low <= binom.ppf(0.999, draws, level)


def test_runs_of_different_tasks_are_not_compared_and_censored_ones_are_last():
    test = lead.rank_test([([1, 1], [5, 6]), ([9, 9], [70, 80])])
    assert (test.tau, test.p_value, test.pairs) == (0, 1, 2)
    assert lead.rank_test([([1, 2, 3], [5, 6, np.inf])]).tau == 1
    assert lead.rank_test([([1, 2, 3], [5, np.inf, np.inf])]).pairs == 2
    nothing = lead.rank_test([([1, 2], [np.inf, np.inf])])
    assert nothing.pairs == 0 and np.isnan([nothing.tau, nothing.p_value]).all()


# ---------------------------------------------------------------------------------------- events


def test_the_interval_of_somers_d_is_that_of_kendall_1938_where_nothing_goes_together():
    """Without ties D is Kendall's tau, whose variance is then 2 (2n + 5) / (9n (n - 1)); 95 % have
    0 within."""
    rng, n = np.random.default_rng(0), 40
    found = []
    for _ in range(300):
        pair = rng.normal(size=(2, n))
        value, low, high = lead.rank_interval([tuple(pair)])
        assert value == pytest.approx(
            kendalltau(*pair).statistic
        ) and high - value == pytest.approx(value - low)
        found.append((low <= 0 <= high, (high - value) / 1.96))
    inside, spread = np.mean(found, axis=0)
    assert 0.91 <= inside <= 0.98 and spread == pytest.approx(
        (2 * (2 * n + 5) / (9 * n * (n - 1))) ** 0.5, rel=0.05
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_half_of_the_largest_move_wherever_it_ends(sign):
    way = "rises" if sign > 0 else "falls"
    curve = sign * np.array([5, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4, 1, 1, 1, 1.0])
    assert lead.half_move(curve, 0, way) == (5, 4.0)
    assert lead.half_move(curve, 0, way, share=0.75) == (6, 4.0)
    assert lead.half_move(curve, 8, way) == (None, 0.0)


def test_a_passing_excursion_is_not_half_way():
    values = np.zeros(60)
    values[5:8], values[30:] = 1.0, 1.0
    assert lead.half_move(values, 0, "rises") == (30, 1.0)


def test_events_by_hand():
    t = np.arange(0, 1200, 10)
    train, test = np.where(t < 100, 0.1, 1.0), np.where(t < 500, 0.1, 1.0)
    curves = {"train_accuracy": [train] * 2 + [0 * t], "test_accuracy": [test, 0.3 * test, test]}
    curves["m"] = [np.where(t < 300, 5.0, 1.0)] * 3
    data = xr.Dataset(
        {k: (("seed", "step"), v) for k, v in curves.items()}, {"seed": [4, 9, 11], "step": t}
    )
    one, never, unfit = lead.events(data, {"m": "falls"}).itertuples()
    assert (one.fit_step, one.accuracy_delay, one.measure_delay, one.lead) == (
        100,
        400,
        200,
        0.5,
    ) and one.generalises
    assert np.isinf(never.accuracy_delay) and never.measure_delay == 200 and not never.generalises
    assert np.isnan([unfit.accuracy_delay, unfit.measure_delay, unfit.lead, never.lead]).all()


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: lead.event_table({}, {}), "no dataset"),
    (lambda: lead.half_move(STEPS, 0, "sideways"), "direction"),
    (lambda: lead.half_move(STEPS, 0, "falls", 1.5), "share"),
    (lambda: lead.rank_test([([1, 2], [1, 2, 3])]), "shapes"),
    (lambda: lead.rank_test([([1, np.nan], [1, 2])]), "NaN"),
    (lambda: lead.events(xr.Dataset(), {"other": "falls"}), "no measure 'other'"),
)
