"""Lead and lag: known lags come back, on unrelated curves the tests are wrong as often as they say; tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from grokbook.errors import ParameterError
from grokbook.measures import lead
from grokbook.measures import lead_tables as lt

STEPS = np.arange(0, 2510, 10)
DRAWS = 300


def walk(rng: np.random.Generator, n: int = 251) -> np.ndarray:
    return rng.normal(size=n).cumsum()


def bursts(rng: np.random.Generator, n: int = 251) -> np.ndarray:
    """A walk that is thirty times as restless in its middle: what happens to every curve at an event."""
    t = np.arange(n)
    return np.cumsum(rng.normal(size=n) * (1 + 29 * np.exp(-(((t - n / 2) / 15) ** 2))))


def accepted(count: int, rate: float) -> bool:
    """Whether `count` false alarms in DRAWS are compatible with a rate of at most `rate` (error one in a thousand)."""
    return count <= binom.ppf(0.999, DRAWS, rate)


@pytest.mark.parametrize("lag", [-5, -2, 0, 3, 5])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_known_lag_comes_back_with_its_sign(lag, sign):
    rng = np.random.default_rng(5)
    long = walk(rng, 300)
    accuracy, measure = long[20:271], long[20 + lag : 271 + lag]
    found = lead.lead_lag(STEPS, sign * measure + 0.2 * rng.normal(size=251), accuracy)
    assert found.lag == 10 * lag
    assert np.sign(found.correlation) == sign and abs(found.correlation) > 0.7
    assert found.p_value == pytest.approx(found.least_p, abs=3 / 250)


@pytest.mark.parametrize("kind", [walk, bursts])
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_false_alarms_on_independent_curves_are_as_rare_as_the_p_value_says(kind, level):
    rng = np.random.default_rng(7)
    low = sum(lead.lead_lag(STEPS, kind(rng), kind(rng)).p_value <= level for _ in range(DRAWS))
    assert accepted(low, level), low
    assert level < 0.1 or low > 0.25 * level * DRAWS  # and it is no test that never speaks


@given(st.integers(0, 2**31), st.floats(0.01, 100), st.floats(-100, 100))
def test_scale_and_offset_of_a_curve_do_not_matter(seed, scale, offset):
    rng = np.random.default_rng(seed)
    x, y = walk(rng), walk(rng)
    one, two = lead.lead_lag(STEPS, x, y), lead.lead_lag(STEPS, scale * x + offset, y)
    assert one.lag == two.lag and one.p_value == pytest.approx(two.p_value, abs=0.02)
    assert one.correlation == pytest.approx(two.correlation, abs=1e-6)


@given(st.integers(0, 2**31))
def test_swapping_the_curves_turns_the_lag_round(seed):
    rng = np.random.default_rng(seed)
    x, y = walk(rng), walk(rng)
    one, two = lead.lead_lag(STEPS, x, y), lead.lead_lag(STEPS, y, x)
    assert one.lag == -two.lag and one.p_value == pytest.approx(two.p_value)
    assert -1 <= one.correlation <= 1 and one.least_p <= one.p_value <= 1


@given(st.integers(0, 2**31), st.integers(0, 249))
def test_correlogram_is_the_sum_it_says(seed, k):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=250), rng.normal(size=250)
    direct = (x * np.roll(y, -k)).sum() / np.linalg.norm(x) / np.linalg.norm(y)
    assert lead.correlogram(x, y)[k] == pytest.approx(direct, abs=1e-12)


def curves(half: int = 500, fit: int = 100) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    t = np.arange(0, 1500, 10)
    return t, np.where(t < fit, 0.1, 1.0), np.where(t < half, 0.1, 1.0)


@pytest.mark.parametrize("at", [200, 350, 500, 700])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_step_in_the_measure_is_found_where_it_is(at, sign):
    t, train, test = curves()
    found = lead.lead_time(t, train, test, sign * np.where(t < at, 0.0, 2.0), "rises" if sign > 0 else "falls")
    assert found == lead.LeadTime(500 - at, (500 - at) / 400, at, 500, 100, "ok")


@given(st.floats(0.001, 100), st.integers(200, 700), st.integers(0, 10))
def test_steady_drift_has_lead_zero_whenever_the_accuracy_comes(rate, half, fit):
    t, train, test = curves(10 * (half // 10), 10 * fit)
    assert lead.lead_time(t, train, test, 7 - rate * t, "falls").lead == 0


def test_what_does_not_happen_is_said_and_is_no_number():
    t, train, test = curves()
    still = np.zeros(t.size)
    noise = np.random.default_rng(0).normal(size=t.size)
    cases = {
        "not fitted": (np.full(t.size, 0.1), test, still, "falls"),
        "not generalised": (train, np.full(t.size, 0.3), -t, "falls"),
        "no delay": (train, train, -t, "falls"),
        "other way": (train, test, t, "falls"),
        "undefined": (train, test, still * np.nan, "falls"),
        "not recorded": (train, np.where(t < 1000, 0.1, 1.0), -t, "falls"),
    }
    for state, (a, b, measure, direction) in cases.items():
        found = lead.lead_time(t, a, b, measure.astype(float), direction)
        assert found.state == state and found.lead is None and found.share is None, state
    assert lead.lead_time(t, train, test, noise, "falls").state in ("other way", "no clear move")
    assert lead.half_way(still, 0, 20, "falls") == (None, "no clear move")


def test_a_passing_excursion_is_not_half_way():
    values = np.zeros(60)
    values[5:8] = 1.0
    values[30:] = 1.0
    assert lead.half_way(values, 0, 50, "rises") == (30, "ok")


def sigmoid_runs(delays: list[int], own: bool, n: int = 400) -> list[np.ndarray]:
    """Measures that fall at half the delay of their own run, or all at the same time."""
    t = np.arange(n)
    middles = [d / 2 for d in delays] if own else [20] * len(delays)
    return [1 / (1 + np.exp((t - m) / 3)) for m in middles]


def test_matching_tells_a_measure_of_its_run_from_a_clock():
    delays = [40, 60, 80, 100, 120, 140, 160, 180]
    own = lead.matching_test(lead.cross_leads(sigmoid_runs(delays, True), delays, "falls"))
    clock = lead.matching_test(lead.cross_leads(sigmoid_runs(delays, False), delays, "falls"))
    assert own.median == pytest.approx(0.5, abs=0.03) and own.spread < 0.03 and own.spread_p < 0.01
    assert clock.spread_p > 0.05 and clock.p_value > 0.05
    assert clock.low <= clock.median <= clock.high and clock.runs == 8


def test_matching_is_level_where_runs_are_exchangeable():
    """Measures without any knowledge of the accuracy: small p-values are rare."""
    rng, low, spread = np.random.default_rng(4), 0, 0
    for _ in range(60):
        test = lead.matching_test(rng.normal(size=(9, 1)) + 0.3 * rng.normal(size=(9, 9)), draws=99, seed=1)
        low += test.p_value <= 0.1
        spread += test.spread_p <= 0.1
    assert max(low, spread) <= binom.ppf(0.999, 60, 0.1)


def test_within_tasks_a_measure_of_the_task_alone_does_not_stand_out():
    """Its pace is that of the task, three runs of each have nearly one delay: it tells tasks apart, never seeds."""
    rng = np.random.default_rng(3)
    delays = [d + int(j) for d in (40, 70, 100, 130) for j in rng.integers(-6, 7, 3)]
    tasks = [name for name in "abcd" for _ in range(3)]
    leads = lead.cross_leads(sigmoid_runs([d for d in (40, 70, 100, 130) for _ in range(3)], True), delays, "falls")
    assert lead.matching_test(leads).spread_p < 0.01
    assert lead.matching_test(leads, tasks).spread_p > 0.05
    own = lead.cross_leads(sigmoid_runs(delays, True), delays, "falls")
    assert lead.matching_test(own, tasks).spread_p < 0.05


def test_within_groups_every_matching_is_as_likely():
    """Two pairs: the diagonal, one swap, the other, both; only the diagonal has a median of 1."""
    test = lead.matching_test(np.eye(4), [0, 0, 1, 1], draws=4000)
    assert test.p_value == pytest.approx(1 / 4, abs=0.03)


def test_half_of_a_move_is_looked_for_up_to_its_end():
    """The curve is there for four values only after the window has closed."""
    curve = np.array([0.0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 2, 2, 2, 2])
    assert lead.half_way(curve, 0, 8, "rises") == (None, "no clear move")
    assert lead.half_way(curve, 0, 11, "rises")[0] == 9


def test_undefined_leads_are_left_out_and_counted():
    table = np.full((3, 3), 0.2)
    table[0, 0] = np.nan
    assert lead.matching_test(table).runs == 2


def test_rows_of_a_dataset():
    t, train, test = curves()
    rng = np.random.default_rng(0)
    noisy = np.clip(test + 0.01 * rng.normal(size=t.size), 0, 1)
    data = xr.Dataset(
        {
            "train_accuracy": (("seed", "step"), [train, train]),
            "test_accuracy": (("seed", "step"), [noisy, np.full(t.size, 0.2)]),
            "loss": (("seed", "step"), [-noisy, -noisy]),
            "none": (("seed", "step"), np.full((2, t.size), np.nan)),
        },
        {"seed": [4, 9], "step": t},
    )
    table = lead.lead_rows(data, {"loss": "falls", "none": "rises"}).set_index(["measure", "seed"])
    assert table.state.tolist() == ["ok", "not generalised", "undefined", "not generalised"]
    assert table.loc[("loss", 4), "lag"] == 0 and table.loc[("loss", 4), "correlation"] == pytest.approx(-1)
    assert np.isnan(table.loc[("none", 4), "p_value"])
    with pytest.raises(ParameterError, match="no measure 'other'"):
        lead.lead_rows(data, {"other": "falls"})


LOGGED = np.arange(0, 2010, 10)
WAYS = {"early": "falls", "late": "rises", "clock": "falls", "none": "falls"}


def run(middle: int, generalises: bool = True) -> xr.Dataset:
    """Fits at 100; accuracy half way at `middle`; `early` drops half of that time before, `late` as much after."""
    before, after = 100 + (middle - 100) // 2, middle + (middle - 100) // 2
    test = np.where(middle > LOGGED, 0.1, 1.0 if generalises else 0.2)
    curves = {
        "train_accuracy": np.where(LOGGED < 100, 0.1, 1.0),
        "test_accuracy": test,
        "early": np.where((before > LOGGED) | (not generalises), 4.0, 1.0),
        "late": np.where(after > LOGGED, 0.0, 2.0),
        "clock": 5.0 - LOGGED / 1000,
        "none": np.full(LOGGED.size, np.nan),
    }
    return xr.Dataset({name: ("step", values) for name, values in curves.items()}, {"step": LOGGED})


def task(*middles: int, generalises: bool = True) -> xr.Dataset:
    parts = [run(m, generalises).assign_coords(seed=s) for s, m in enumerate(middles)]
    return xr.concat(parts, "seed")


RUNS = {"a": task(500, 700), "b": task(300, 900), "c": task(500, generalises=False)}


def test_summary_counts_and_medians_by_hand():
    table = lt.summary_table(RUNS, WAYS)
    assert table.loc["early", ["runs", "defined", "first"]].tolist() == [4, 4, 4]
    assert table.loc["late", ["runs", "defined", "first"]].tolist() == [4, 4, 0]
    assert table.loc["early", "median"] == pytest.approx(0.5) and table.loc["late", "median"] == pytest.approx(-0.5)
    assert table.loc["clock", "median"] == pytest.approx(0) and table.loc["none", "defined"] == 0
    assert table.loc["early", "tasks"] == "2 of 2" and table.loc["late", "tasks"] == "0 of 2"
    assert table.loc["early", "least"] <= table.loc["early", "median"] <= table.loc["early", "most"]
    assert np.isnan(table.loc["none", ["median", "p_value", "holm", "lag"]].astype(float)).all()
    assert table.loc["none", "tested"] == 0


def test_too_few_runs_or_no_lead_cannot_be_matched():
    assert lt.matched({"c": RUNS["c"]}, "early", "falls") is None
    assert lt.matched(RUNS, "none", "falls") is None
    single = {name: RUNS[name].isel(seed=[0]) for name in "ab"}
    assert lt.matched(single, "early", "falls") is None


def test_cells_say_the_lead_or_why_there_is_none():
    cells = lt.cell_table(lt.lead_table(RUNS, WAYS))
    assert cells.loc["early", "a"] == "250 (200 to 300)"
    assert cells.loc["early", "c"] == "not generalised" and cells.loc["none", "b"] == "undefined"
    mixed = pd.DataFrame(
        {"task": ["a"] * 3, "measure": ["m"] * 3, "lead": [10, None, None], "state": ["ok", "other way", "other way"]}
    )
    assert lt.cell_table(mixed).loc["m", "a"] == "10; 2 other way"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_is_monotone_at_least_the_p_value_and_at_most_bonferroni(values):
    p = pd.Series(values)
    adjusted = lt.holm(p)
    assert (adjusted >= p - 1e-12).all() and (adjusted <= np.minimum(p * len(p), 1) + 1e-12).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(adjusted.to_numpy()[order]) >= -1e-12).all()


def test_holm_leaves_undefined_values_out():
    assert lt.holm(pd.Series([0.02, np.nan, 0.03])).tolist()[0] == pytest.approx(0.04)
    assert lt.holm(pd.Series([np.nan])).isna().all()


def test_alarms_go_off_where_the_measure_has_moved_as_far_as_elsewhere():
    alarms = lt.alarm_table(RUNS, WAYS)
    early = alarms[alarms.measure == "early"].set_index(["task", "seed"])
    assert early.loc[("a", 0), "alarm_step"] == 300 and early.loc[("a", 0), "lead"] == 200
    assert early.loc[("c", 0), "state"] == "silent"
    clock = alarms[(alarms.measure == "clock") & (alarms.task == "c")].iloc[0]
    assert clock.state == "alarm" and clock.outcome == "open"
    assert (alarms[alarms.measure == "none"].state == "undefined").all()
    table = lt.alarm_summary(lt.alarm_table(RUNS, WAYS, controls=["c"]))
    assert table.loc["early", ["early", "late_or_silent", "false", "others"]].tolist() == [4, 0, 0, 1]
    assert table.loc["late", ["early", "false"]].tolist() == [0, 1]
    assert table.loc["none", ["generalise", "others"]].tolist() == [0, 0]


def test_an_alarm_in_a_run_that_may_generalise_later_is_neither_right_nor_false():
    table = lt.alarm_summary(lt.alarm_table(RUNS, WAYS))
    assert table.loc["late", ["false", "others", "undecided"]].tolist() == [0, 0, 1]
    assert table.loc["early", "undecided"] == 0
    generalising = lt.alarm_table(RUNS, WAYS, controls=["a", "b", "c"])
    assert set(generalising[generalising.task != "c"].outcome) == {"generalises"}


def test_groups_follow_the_counts():
    found = lt.groups(lt.summary_table(RUNS, WAYS))
    assert found["first"] == ["early"] and set(found["last"]) == {"late", "clock"} and found["no lead"] == ["none"]
    assert lt.in_words(found["first"]) == "early" and lt.in_words([]) == "none"


Y = walk(np.random.default_rng(0))
REFUSALS = [
    (lambda: lead.lead_lag(STEPS**2, Y, Y), "evenly spaced"),
    (lambda: lead.lead_lag(STEPS[:31], Y[:31], Y[:31]), "at least 44"),
    (lambda: lead.lead_lag(STEPS, Y, np.ones(251)), "does not move"),
    (lambda: lead.lead_lag(STEPS, Y * np.nan, Y), "finite"),
    (lambda: lead.half_way(Y, 0, 20, "sideways"), "direction"),
    (lambda: lead.half_way(Y, 0, 20, "falls", 1.5), "share"),
    (lambda: lead.cross_leads([Y], [0], "falls"), "delays"),
    (lambda: lead.matching_test(np.eye(4), [0, 0, 1]), "3 groups"),
    (lambda: lead.matching_test(np.zeros((2, 3))), "R, R"),
    (lambda: lead.matching_test(np.full((3, 3), np.nan)), "nothing to test"),
    (lambda: lt.matched(RUNS | {"b": RUNS["b"].isel(step=slice(None, None, 2))}, "early", "falls"), "one spacing"),
    (lambda: lt.holm(pd.Series([1.5])), r"\[0, 1\]"),
    (lambda: lt.groups(lt.summary_table(RUNS, WAYS), 0.4), "share"),
    (lambda: lt.lead_table({}, WAYS), "no dataset"),
    (lambda: lt.alarm_table({}, WAYS), "no dataset"),
    (lambda: lt.cell_table(pd.DataFrame()), "no rows"),
    (lambda: lt.alarm_summary(pd.DataFrame()), "no alarms"),
]


@pytest.mark.parametrize(("call", "message"), REFUSALS)
def test_refusals_name_the_value_and_the_rule(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
