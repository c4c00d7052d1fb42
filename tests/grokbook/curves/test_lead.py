"""Events and ranks: an oracle passes, clocks and noise do not; half of a move is where it is;
tables by hand."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, kendalltau

from grokbook.curves import lead
from grokbook.curves import lead_tables as lt
from refusals import refusals

STEPS = np.arange(0, 2510, 10)
WAYS = {"early": "falls", "late": "rises", "started": "falls", "noise": "falls", "none": "falls"}


def run(middle: int, fit: int = 100, generalises: bool = True) -> xr.Dataset:
    """Fits at `fit`, then its accuracy rises about `middle`; measures before it, after it, and
    without knowledge."""
    rng = np.random.default_rng(middle + fit)
    rise = 1 / (1 + np.exp(-(STEPS - middle) / 40)) * (1.0 if generalises else 0.2)
    curves = {
        "train_accuracy": np.where(fit > STEPS, 0.1, 1.0),
        "test_accuracy": rise,
        "early": 3 - np.interp(STEPS + (middle - fit) / 4, STEPS, rise),
        "late": np.interp(STEPS - (middle - fit) / 4, STEPS, rise)
        - 0.001 * np.maximum(STEPS - 2000, 0),
        "started": np.exp(-np.maximum(STEPS - fit, 0) / 300),
        "noise": rng.normal(size=STEPS.size).cumsum(),
        "none": np.full(STEPS.size, np.nan),
    }
    return xr.Dataset({name: ("step", values) for name, values in curves.items()}, {"step": STEPS})


def task(*middles: int, generalises: bool = True) -> xr.Dataset:
    """Runs that fit the later, the later they generalise: what misled a test that counts from step
    0."""
    parts = [
        run(m, 100 + 20 * (m // 200), generalises).assign_coords(seed=s)
        for s, m in enumerate(middles)
    ]
    return xr.concat(parts, "seed")


RUNS = {
    "a": task(500, 700, 900, 1100, 1300),
    "b": task(600, 800, 1000, 1200),
    "c": task(500, 700, generalises=False),
}
ROWS = lt.controlled(RUNS, WAYS)
TABLE = lt.summary_table(ROWS, ["c"])


# ---------------------------------------------------------------------------------------- controls


@pytest.mark.parametrize("name", ["oracle", "oracle_early", "early", "late"])
def test_what_moves_at_its_own_time_in_each_run_passes(name):
    assert (
        TABLE.tau[name] > 0.95
        and TABLE.p_value[name] < 0.01
        and TABLE.anyway[name].startswith("0 of 2")
    )


@pytest.mark.parametrize("name", ["clock", "started", "noise"])
def test_clocks_and_noise_do_not_pass(name):
    """prop-clock: the same time after fitting in all runs has tau 0 and p 1."""
    assert TABLE.p_value[name] > 0.05
    if name != "noise":
        assert TABLE.tau[name] == 0 and TABLE.p_value[name] == 1


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_the_controls_come_out_alike_at_other_shares_of_the_move(share):
    table = lt.summary_table(lt.controlled(RUNS, {}, share=share), ["c"])
    assert table.p_value["oracle"] < 0.01 and table.p_value["clock"] == 1


def test_only_the_early_oracle_sees_it_coming_and_a_clock_is_early_all_the_same():
    assert TABLE.says.to_dict() == {
        "oracle": "goes with it",
        "oracle_early": "sees it coming",
        "clock": "early, as a clock",
        "early": "sees it coming",
        "late": "goes with it",
        "started": "early, as a clock",
        "noise": "neither",
        "none": "neither",
    }
    assert TABLE.anyway["clock"] == "2 of 2" and TABLE.anyway["none"] == "not asked"


def test_counted_from_step_zero_a_clock_that_fitting_starts_would_pass():
    """Why both times are counted from fitting."""
    rows = ROWS[ROWS.measure == "started"]
    from_zero = rows.assign(
        measure_delay=rows.measure_delay + rows.fit_step,
        accuracy_delay=rows.accuracy_delay + rows.fit_step,
    )
    assert lt.ranked(from_zero).p_value < 0.05 and lt.ranked(rows).p_value == 1


def test_controls_are_the_accuracy_and_one_clock():
    data = lead.with_controls(RUNS["a"])
    assert np.array_equal(data.oracle, RUNS["a"].test_accuracy)
    assert np.array_equal(data.oracle_early.values[:, :-10], RUNS["a"].test_accuracy.values[:, 10:])
    assert (
        np.allclose(data.clock, np.exp(-STEPS / 100)) and data.clock.dims == data.test_accuracy.dims
    )


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


def test_every_order_of_a_small_group_is_as_likely():
    """Three runs have six orders, one of them the right one: p = 1/6."""
    assert lead.rank_test([([1, 2, 3], [4, 5, 6])]).p_value == pytest.approx(1 / 6, abs=0.02)


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


def test_runs_that_have_something_in_common_are_left_out_together():
    """Twice the same group is no more than once: its interval is as wide, and only two other groups
    narrow it."""
    rng = np.random.default_rng(1)
    first, second = rng.normal(size=(2, 2, 60))
    once, twice, two = (
        lead.rank_interval(groups) for groups in ([first], [first, first], [first, second])
    )
    assert once == pytest.approx(twice) and two[2] - two[1] < 0.9 * (once[2] - once[1])
    value, *_ = lead.rank_interval([first, second])
    assert value == pytest.approx(lead.rank_test([first, second], draws=1).tau)
    assert np.isnan(lead.rank_interval([([1, 2], [np.inf, np.inf])])).all()


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


@given(st.floats(0.01, 100), st.floats(-100, 100), st.integers(0, 2**31))
def test_scale_and_offset_of_a_measure_do_not_matter(scale, offset, seed):
    curve = np.random.default_rng(seed).normal(size=60).cumsum()
    assert (
        lead.half_move(scale * curve + offset, 3, "falls")[0]
        == lead.half_move(curve, 3, "falls")[0]
    )


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


def test_summary_counts_by_hand():
    assert TABLE.loc["early", ["runs", "moved", "first"]].tolist() == [9, 9, 9]
    assert TABLE.loc["late", ["runs", "first"]].tolist() == [9, 0]
    assert TABLE.loc["early", "lead"] == pytest.approx(0.25, abs=0.03)
    assert TABLE.loc["none", "runs"] == 0 and np.isnan(TABLE.loc["none", "p_value"])


def test_p_values_of_measures_pay_for_their_number_and_those_of_controls_do_not():
    alone = lt.summary_table(lt.event_table(RUNS, {"noise": "falls"}))
    both = lt.summary_table(lt.event_table(RUNS, {"noise": "falls", "early": "falls"}))
    assert both.p_value["early"] == pytest.approx(
        2 * lt.ranked(ROWS[ROWS.measure == "early"]).p_value
    )
    assert both.p_value["noise"] == alone.p_value["noise"]


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: lead.half_move(STEPS, 0, "sideways"), "direction"),
    (lambda: lead.half_move(STEPS, 0, "falls", 1.5), "share"),
    (lambda: lead.half_move(STEPS, 999, "falls"), "start"),
    (lambda: lead.rank_test([([1, 2], [1, 2, 3])]), "shapes"),
    (lambda: lead.rank_test([([1, np.nan], [1, 2])]), "NaN"),
    (lambda: lead.rank_interval([([1, 2], [1, 2]), ([1, 2, 3], [1, 2, 3])]), "of one size"),
    (lambda: lead.rank_interval([([1, 2], [1, 2])], level=1.0), "level = 1.0"),
    (lambda: lead.events(RUNS["a"], {"other": "falls"}), "no measure 'other'"),
    (lambda: lead.with_controls(RUNS["a"].isel(step=[0, 1, 3])), "evenly spaced"),
    (lambda: lead.with_controls(RUNS["a"].isel(step=slice(None, None, 20))), "at most 100"),
    (lambda: lt.event_table({}, WAYS), "no dataset"),
    (lambda: lt.summary_table(pd.DataFrame()), "no events"),
)
