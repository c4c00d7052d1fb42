"""Lead and lag: known lags come back, and on unrelated curves the test is wrong as often as it says."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from grokbook.errors import ParameterError
from grokbook.measures.lead import (
    LeadTime,
    correlogram,
    cross_leads,
    half_way,
    lead_lag,
    lead_rows,
    lead_time,
    local_increments,
    matching_test,
)

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
    found = lead_lag(STEPS, sign * measure + 0.2 * rng.normal(size=251), accuracy)
    assert found.lag == 10 * lag
    assert np.sign(found.correlation) == sign and abs(found.correlation) > 0.7
    assert found.p_value == pytest.approx(found.least_p, abs=3 / 250)


@pytest.mark.parametrize("kind", [walk, bursts])
@pytest.mark.parametrize("level", [0.05, 0.2])
def test_false_alarms_on_independent_curves_are_as_rare_as_the_p_value_says(kind, level):
    rng = np.random.default_rng(7)
    low = sum(lead_lag(STEPS, kind(rng), kind(rng)).p_value <= level for _ in range(DRAWS))
    assert accepted(low, level), low
    assert level < 0.1 or low > 0.25 * level * DRAWS  # and it is no test that never speaks


def test_a_shared_trend_alone_is_no_association():
    rng = np.random.default_rng(3)
    trend = 60 * np.tanh((np.arange(251) - 120) / 40)
    low = sum(lead_lag(STEPS, walk(rng) + trend, walk(rng) - trend).p_value <= 0.05 for _ in range(DRAWS))
    assert accepted(low, 0.05), low


def test_leaving_out_near_shifts_would_be_wrong():
    """The naive p-value, over shifts farther than 2m alone, is at its least about (2m+1)/n of the time."""
    rng, low = np.random.default_rng(11), 0
    for _ in range(DRAWS):
        c = correlogram(local_increments(walk(rng)), local_increments(walk(rng)))
        around = np.abs(c[(np.arange(250)[:, None] + np.arange(-5, 6)) % 250]).max(axis=1)
        far = around[11:-10]
        low += (1 + (far >= around[0]).sum()) / (1 + far.size) <= 0.005
    assert not accepted(low, 0.005), low


def test_without_local_scaling_bursts_would_be_mistaken_for_association():
    from grokbook.measures.tracking import detrended_increments

    rng, low = np.random.default_rng(2), 0
    for _ in range(100):
        c = correlogram(detrended_increments(bursts(rng)), detrended_increments(bursts(rng)))
        around = np.abs(c[(np.arange(250)[:, None] + np.arange(-5, 6)) % 250]).max(axis=1)
        low += (around >= around[0]).mean() <= 0.05
    assert low > binom.ppf(0.999, 100, 0.05), low


@given(st.integers(0, 2**31), st.floats(0.01, 100), st.floats(-100, 100))
def test_scale_and_offset_of_a_curve_do_not_matter(seed, scale, offset):
    rng = np.random.default_rng(seed)
    x, y = walk(rng), walk(rng)
    one, two = lead_lag(STEPS, x, y), lead_lag(STEPS, scale * x + offset, y)
    assert one.lag == two.lag and one.p_value == pytest.approx(two.p_value, abs=0.02)
    assert one.correlation == pytest.approx(two.correlation, abs=1e-6)


@given(st.integers(0, 2**31))
def test_swapping_the_curves_turns_the_lag_round(seed):
    rng = np.random.default_rng(seed)
    x, y = walk(rng), walk(rng)
    one, two = lead_lag(STEPS, x, y), lead_lag(STEPS, y, x)
    assert one.lag == -two.lag and one.p_value == pytest.approx(two.p_value)
    assert -1 <= one.correlation <= 1 and one.least_p <= one.p_value <= 1


@given(st.integers(0, 2**31), st.integers(0, 249))
def test_correlogram_is_the_sum_it_says(seed, k):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=250), rng.normal(size=250)
    direct = (x * np.roll(y, -k)).sum() / np.linalg.norm(x) / np.linalg.norm(y)
    assert correlogram(x, y)[k] == pytest.approx(direct, abs=1e-12)


def curves(half: int = 500, fit: int = 100) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    t = np.arange(0, 1500, 10)
    return t, np.where(t < fit, 0.1, 1.0), np.where(t < half, 0.1, 1.0)


@pytest.mark.parametrize("at", [200, 350, 500, 700])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_step_in_the_measure_is_found_where_it_is(at, sign):
    t, train, test = curves()
    found = lead_time(t, train, test, sign * np.where(t < at, 0.0, 2.0), "rises" if sign > 0 else "falls")
    assert found == LeadTime(500 - at, (500 - at) / 400, at, 500, 100, "ok")


@given(st.floats(0.001, 100), st.integers(200, 700), st.integers(0, 10))
def test_steady_drift_has_lead_zero_whenever_the_accuracy_comes(rate, half, fit):
    t, train, test = curves(10 * (half // 10), 10 * fit)
    assert lead_time(t, train, test, 7 - rate * t, "falls").lead == 0


def test_the_accuracy_against_itself_has_lead_zero():
    t = np.arange(0, 1500, 10)
    test = 0.2 + 0.8 / (1 + np.exp(-(t - 500) / 60))
    train = np.where(t < 100, 0.0, 1.0)
    assert lead_time(t, train, test, test, "rises").lead in (-10, 0)
    assert lead_time(t, train, test, -test, "falls").lead in (-10, 0)


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
        found = lead_time(t, a, b, measure.astype(float), direction)
        assert found.state == state and found.lead is None and found.share is None, state
    assert lead_time(t, train, test, noise, "falls").state in ("other way", "no clear move")
    assert half_way(still, 0, 20, "falls") == (None, "no clear move")


def test_a_passing_excursion_is_not_half_way():
    values = np.zeros(60)
    values[5:8] = 1.0
    values[30:] = 1.0
    assert half_way(values, 0, 50, "rises") == (30, "ok")


def test_shares_other_than_a_half():
    values = np.arange(101.0)
    assert [half_way(values, 0, 90, "rises", share)[0] for share in (0.25, 0.5, 0.75)] == [23, 45, 68]


def sigmoid_runs(delays: list[int], own: bool, n: int = 400) -> list[np.ndarray]:
    """Measures that fall at half the delay of their own run, or all at the same time."""
    t = np.arange(n)
    middles = [d / 2 for d in delays] if own else [20] * len(delays)
    return [1 / (1 + np.exp((t - m) / 3)) for m in middles]


def test_matching_tells_a_measure_of_its_run_from_a_clock():
    delays = [40, 60, 80, 100, 120, 140, 160, 180]
    own = matching_test(cross_leads(sigmoid_runs(delays, True), delays, "falls"))
    clock = matching_test(cross_leads(sigmoid_runs(delays, False), delays, "falls"))
    assert own.median == pytest.approx(0.5, abs=0.03) and own.spread < 0.03 and own.spread_p < 0.01
    assert clock.spread_p > 0.05 and clock.p_value > 0.05
    assert clock.low <= clock.median <= clock.high and clock.runs == 8


def test_matching_is_level_where_runs_are_exchangeable():
    """Measures without any knowledge of the accuracy: small p-values are rare."""
    rng, low, spread = np.random.default_rng(4), 0, 0
    for _ in range(60):
        test = matching_test(rng.normal(size=(9, 1)) + 0.3 * rng.normal(size=(9, 9)), draws=99, seed=1)
        low += test.p_value <= 0.1
        spread += test.spread_p <= 0.1
    assert max(low, spread) <= binom.ppf(0.999, 60, 0.1)


def test_within_tasks_a_measure_of_the_task_alone_does_not_stand_out():
    """Its pace is that of the task, three runs of each have nearly one delay: it tells tasks apart, never seeds."""
    rng = np.random.default_rng(3)
    delays = [d + int(j) for d in (40, 70, 100, 130) for j in rng.integers(-6, 7, 3)]
    tasks = [name for name in "abcd" for _ in range(3)]
    leads = cross_leads(sigmoid_runs([d for d in (40, 70, 100, 130) for _ in range(3)], True), delays, "falls")
    assert matching_test(leads).spread_p < 0.01
    assert matching_test(leads, tasks).spread_p > 0.05
    own = cross_leads(sigmoid_runs(delays, True), delays, "falls")
    assert matching_test(own, tasks).spread_p < 0.05


def test_within_groups_every_matching_is_as_likely():
    """Two pairs: the diagonal, one swap, the other, both; only the diagonal has a median of 1."""
    test = matching_test(np.eye(4), [0, 0, 1, 1], draws=4000)
    assert test.p_value == pytest.approx(1 / 4, abs=0.03)
    with pytest.raises(ParameterError, match="3 groups"):
        matching_test(np.eye(4), [0, 0, 1])


def test_half_of_a_move_is_looked_for_up_to_its_end():
    """The curve is there for four values only after the window has closed."""
    curve = np.array([0.0, 0, 0, 0, 0, 0, 0, 2, 0, 2, 2, 2, 2, 2])
    assert half_way(curve, 0, 8, "rises") == (None, "no clear move")
    assert half_way(curve, 0, 11, "rises")[0] == 9


def test_undefined_leads_are_left_out_and_counted():
    table = np.full((3, 3), 0.2)
    table[0, 0] = np.nan
    assert matching_test(table).runs == 2
    with pytest.raises(ParameterError, match="nothing to test"):
        matching_test(np.full((3, 3), np.nan))
    with pytest.raises(ParameterError, match="R, R"):
        matching_test(np.zeros((2, 3)))


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
    table = lead_rows(data, {"loss": "falls", "none": "rises"}).set_index(["measure", "seed"])
    assert table.state.to_dict() == {
        ("loss", 4): "ok",
        ("loss", 9): "not generalised",
        ("none", 4): "undefined",
        ("none", 9): "not generalised",
    }
    assert table.loc[("loss", 4), "lag"] == 0 and table.loc[("loss", 4), "correlation"] == pytest.approx(-1)
    assert np.isnan(table.loc[("none", 4), "p_value"])
    with pytest.raises(ParameterError, match="no measure 'other'"):
        lead_rows(data, {"other": "falls"})


def test_bad_input_is_named():
    y = walk(np.random.default_rng(0))
    with pytest.raises(ParameterError, match="evenly spaced"):
        lead_lag(STEPS**2, y, y)
    with pytest.raises(ParameterError, match="at least 44"):
        lead_lag(STEPS[:31], y[:31], y[:31])
    with pytest.raises(ParameterError, match="does not move"):
        lead_lag(STEPS, y, np.ones(251))
    with pytest.raises(ParameterError, match="finite"):
        lead_lag(STEPS, y * np.nan, y)
    with pytest.raises(ParameterError, match="direction"):
        half_way(y, 0, 20, "sideways")
    with pytest.raises(ParameterError, match="share"):
        half_way(y, 0, 20, "falls", 1.5)
    with pytest.raises(ParameterError, match="delays"):
        cross_leads([y], [0], "falls")
