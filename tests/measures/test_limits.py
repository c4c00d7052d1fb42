"""Onset, upper and lower limit of an accuracy curve (Table 1 of Gu et al. 2025): closed forms and invariances."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures.limits import LimitRule, limits, limits_table, moving_mean, onset, plateau

STEPS = np.arange(0, 6001, 20)


def ramp(start: float, stop: float, low: float = 0.1, high: float = 0.9, steps: np.ndarray = STEPS) -> np.ndarray:
    """Straight from `low` at step `start` to `high` at step `stop`, constant outside."""
    return np.interp(steps, [start, stop], [low, high])


# The moving mean


def test_the_mean_of_a_straight_line_is_the_line():
    middle, mean = moving_mean(STEPS, 0.1 + STEPS / 1e4, 100)
    assert mean == pytest.approx(0.1 + middle / 1e4, abs=1e-12)
    assert (middle[0], middle[-1]) == (60, 5940)


def test_the_mean_of_a_parabola_differs_by_the_variance_of_the_window():
    """Mean of s^2 over [t - w/2, t + w/2] is t^2 + w^2 / 12; the broken line through it is h^2 / 6 too high."""
    middle, mean = moving_mean(STEPS, STEPS.astype(float) ** 2, 400)
    assert mean - middle**2 == pytest.approx(np.full(middle.size, 400**2 / 12 + 20**2 / 6), rel=1e-6)


@given(st.lists(st.floats(0, 1), min_size=3, max_size=20), st.floats(1, 40))
def test_points_on_the_broken_line_change_nothing(values, window):
    """Logging at twice as many steps, with the line's own values, gives the same means at the old steps."""
    t = 30.0 * np.arange(len(values))
    fine = 15.0 * np.arange(2 * len(values) - 1)
    middle, mean = moving_mean(t, values, window)
    finer, means = moving_mean(fine, np.interp(fine, t, values), window)
    assert np.interp(middle, finer, means) == pytest.approx(mean, abs=1e-9)


def test_a_window_of_zero_is_the_curve():
    middle, mean = moving_mean(STEPS, ramp(1000, 2000), 0)
    assert np.array_equal(middle, STEPS) and np.array_equal(mean, ramp(1000, 2000))


def test_a_single_spike_weighs_its_area():
    """A triangle of height 1 and base 2 h has the area h: its mean over a window of w is h / w."""
    spike = np.where(STEPS == 3000, 1.0, 0.0)
    assert limits(STEPS, spike, LimitRule(window=200)).upper == pytest.approx(20 / 200)
    assert limits(STEPS, spike, LimitRule(window=0)).upper == 1


# Onset


def test_the_onset_of_a_ramp():
    """0.1 + 0.8 (t - 1000) / 1000 = 0.15 at t = 1062.5; the first logged step at or after it is 1080."""
    assert onset(STEPS, ramp(1000, 2000)) == 1080
    assert onset(STEPS, ramp(1000, 2000), LimitRule(rise=0.4)) == 1500


@pytest.mark.parametrize("shift", [-0.1, 0.05])
def test_a_constant_added_moves_no_onset(shift):
    assert onset(STEPS, ramp(1000, 2000) + shift) == onset(STEPS, ramp(1000, 2000))


def test_time_stretched_with_the_rule_stretches_the_onset():
    rule = LimitRule(window=300, plateau=(600, 1500), persistence=900)
    assert onset(3 * STEPS, ramp(1000, 2000), rule) == 3 * 1080


def test_an_excursion_shorter_than_the_persistence_does_not_count():
    curve = ramp(3000, 3400)
    curve[(STEPS >= 1500) & (STEPS <= 1700)] = 0.9
    assert onset(STEPS, curve) == onset(STEPS, ramp(3000, 3400))
    assert onset(STEPS, curve, LimitRule(persistence=200)) == 1500


@pytest.mark.parametrize("high", [0.1, 0.14])
def test_a_curve_that_stays_within_the_rise_is_censored(high):
    assert onset(STEPS, ramp(1000, 2000, high=high)) is None


def test_a_rise_too_late_to_have_persisted_is_censored():
    assert onset(STEPS, ramp(5600, 5700)) == 5620
    assert onset(STEPS, ramp(5800, 5900)) is None


def test_a_longer_record_of_the_same_run_keeps_the_onset():
    curve = ramp(1000, 5000)
    short = STEPS <= 3000
    assert onset(STEPS[short], curve[short]) == onset(STEPS, curve)


def test_the_memorising_rise_is_before_the_plateau():
    """An accuracy that climbs within the first 200 steps and stays has no onset."""
    assert onset(STEPS, ramp(0, 150, low=0.01, high=0.3)) is None
    assert plateau(STEPS, ramp(0, 150, low=0.01, high=0.3)) == 0.3


# Limits


def test_limits_of_a_rise_and_a_dip():
    curve = ramp(1000, 2000) - 0.3 * ((STEPS >= 4000) & (STEPS < 4500))
    found = limits(STEPS, curve)
    assert (found.upper, found.lower) == pytest.approx((0.9, 0.6))
    assert 2050 <= found.upper_step <= 2080 and 4050 <= found.lower_step <= 4450 and not found.truncated


def test_the_lower_limit_counts_only_what_follows_the_upper():
    found = limits(STEPS, ramp(1000, 2000))
    assert found.lower == pytest.approx(found.upper)


@pytest.mark.parametrize(("stop", "truncated"), [(5300, False), (5900, True), (9000, True)])
def test_a_curve_that_still_rises_is_truncated(stop, truncated):
    assert limits(STEPS, ramp(1000, stop)).truncated is truncated


def test_a_slow_creep_is_not_truncated():
    """0.8 / 60,000 a step: 0.7 points in the last 500 steps, under the gain of one point."""
    assert not limits(STEPS, ramp(0, 60_000)).truncated
    assert limits(STEPS, ramp(0, 60_000), LimitRule(gain=0.005)).truncated


@given(st.lists(st.floats(0, 1), min_size=30, max_size=30))
def test_upper_bounds_lower_and_a_wider_window_lowers_no_bound_of_the_curve(values):
    t = 50.0 * np.arange(30)
    raw, smooth = (limits(t, values, LimitRule(window=w)) for w in (0, 200))
    assert min(values) - 1e-9 <= smooth.lower <= smooth.upper <= raw.upper + 1e-9 == max(values) + 1e-9
    assert raw.upper_step <= raw.lower_step


# Input


@pytest.mark.parametrize("kind", [list, np.asarray, torch.tensor])
def test_lists_numpy_and_torch_alike(kind):
    assert onset(kind(STEPS.tolist()), kind(ramp(1000, 2000).tolist())) == 1080


def test_a_dataset_of_two_seeds():
    curves = np.stack([ramp(1000, 2000), np.full(STEPS.size, 0.1)])
    curves[1, -50:] = np.nan
    data = xr.Dataset({"a": (("seed", "step"), curves)}, {"seed": [0, 3], "step": STEPS})
    table = limits_table(data, variable="a")
    assert table.onset.tolist()[0] == 1080 and table.onset.isna().tolist() == [False, True]
    assert table.last_step.tolist() == [6000, 5000] and table.index.tolist() == [0, 3]
    assert table.upper.tolist() == pytest.approx([0.9, 0.1])


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"window": -1}, "window = -1 must be a number of steps, 0 or more."),
        ({"persistence": float("nan")}, "persistence = nan must be a number of steps, 0 or more."),
        ({"rise": 5}, "rise = 5 must be an accuracy in (0, 1]."),
        ({"gain": 0}, "gain = 0 must be an accuracy in (0, 1]."),
        ({"end": 0}, "end = 0 must be a number of steps above 0."),
        ({"plateau": (500, 200)}, "plateau = (500, 200) must be two steps in order, such as (200, 500)."),
    ],
)
def test_rules_that_are_refused(values, message):
    with pytest.raises(ParameterError) as caught:
        LimitRule(**values)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("steps", "values", "message"),
    [
        ([0, 1], [0.0], "steps and values have shapes (2,) and (1,), but must be (n,), n > 1, alike."),
        ([0, 1, 2], [0.0, np.nan, 1.0], "the curve is not finite at index 1, but must be."),
        ([0, 2, 2], [0.0, 0.1, 1.0], "steps do not increase at index 2, but must."),
        ([0, 50, 90], [0.0, 0.1, 1.0], "window = 100 is longer than the record, which has 90 steps."),
    ],
)
def test_curves_that_are_refused(steps, values, message):
    with pytest.raises(ParameterError) as caught:
        limits(steps, values)
    assert str(caught.value) == message


def test_a_record_without_the_plateau_is_refused():
    with pytest.raises(ParameterError, match=r"^no step from 200 to 500 was logged; the record has 0 to 100\.$"):
        plateau([0, 100], [0.0, 0.1])


def test_a_dataset_without_the_variable_is_refused():
    with pytest.raises(ParameterError, match="^the dataset has no 'test_accuracy'.$"):
        limits_table(xr.Dataset(coords={"seed": [0], "step": [0, 1]}))
