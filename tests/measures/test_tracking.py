"""Gu 2024, Property 2 and section 5.1: signs of increments, their null, levels crossed, ends of declines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures.tracking import (
    detrended_increments,
    end_of_decline,
    first_below,
    shift_test,
    sign_agreement,
)

curves = st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=40)


@given(curves)
def test_a_curve_agrees_with_itself_and_with_every_positive_multiple(values):
    x = np.array(values)
    assert sign_agreement(x, x) == 1
    assert sign_agreement(x, 2 * x) == 1


def test_opposite_curves_never_agree():
    x = np.array([0.0, 1, 3, 2, 5])
    assert sign_agreement(x, -x) == 0


@given(st.floats(-5, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_a_linear_trend_leaves_detrended_increments_as_they_are(slope, seed):
    x = np.random.default_rng(seed).normal(size=60).cumsum()
    trend = slope * np.arange(60)
    assert np.allclose(detrended_increments(x + trend, 7), detrended_increments(x, 7), atol=1e-9)


def test_detrended_increments_of_a_line_vanish():
    assert np.allclose(detrended_increments(3.0 * np.arange(50), 9), 0)


def test_shared_jolts_are_found_and_a_shared_trend_alone_is_not():
    rng = np.random.default_rng(1)
    trend = 40 * np.sin(np.linspace(0, np.pi, 400))
    jolts = rng.normal(size=400).cumsum()
    assert shift_test(trend + jolts, trend + 2 * jolts).p_value < 0.01
    found = [shift_test(trend + rng.normal(size=400), trend + rng.normal(size=400)).p_value for _ in range(40)]
    assert np.mean(np.array(found) < 0.05) <= 0.2  # 0.05 expected; 9 or more of 40 has probability below 1e-3


def test_smoothed_trending_curves_fool_the_raw_test():
    rng = np.random.default_rng(0)
    trend = 40 * np.sin(np.linspace(0, np.pi, 400))
    x, y = (np.convolve(trend + rng.normal(size=400), np.ones(25) / 25, "valid") for _ in range(2))
    assert sign_agreement(x, y) > 0.8
    assert shift_test(x, y, window=None).p_value < 0.05


def test_the_p_value_counts_shifts_exactly():
    x = np.array([0.0, 1, 0, 1, 0, 1, 0, 1, 0])
    test = shift_test(x, x, window=None)
    assert test.agreement == 1
    # shifts 1..7 of 8 alternating signs: every even shift agrees fully (3 of 7)
    assert test.p_value == pytest.approx((1 + 3) / (1 + 7))


@pytest.mark.parametrize(
    ("values", "expected"),
    [([2, 3, 1, 1, 1, 1], 20), ([2, 1, 3, 1, 1, 1], 30), ([2, 3, 3, 3, 3, 3], None), ([2, 1, 1, 3, 3, 1], None)],
)
def test_first_below_needs_a_stay(values, expected):
    assert first_below(range(0, 60, 10), values, 2, persistence=2) == expected


def test_end_of_decline_of_made_curves():
    steps = np.arange(100)
    falling = np.concatenate([np.linspace(0, 10, 20), np.linspace(10, 0, 40), np.zeros(40)])
    assert 55 <= end_of_decline(steps, falling, smooth=1, tolerance=0.05) <= 60
    assert end_of_decline(steps, steps.astype(float), smooth=1) == 99  # a rise ends where it is highest
    assert end_of_decline(steps, -np.minimum(steps, 30).astype(float), tolerance=0.0, smooth=1) == 30


def test_a_larger_tolerance_never_ends_later():
    curve = np.random.default_rng(3).normal(size=200).cumsum()
    ends = [end_of_decline(range(200), curve, tolerance=t) for t in (0, 0.05, 0.2, 0.5, 1)]
    assert ends == sorted(ends, reverse=True)


def test_refusals_name_value_and_rule():
    with pytest.raises(ParameterError, match="5 and 4 points; they must be equally long"):
        sign_agreement(range(5), range(4))
    with pytest.raises(ParameterError, match="at least 3 finite numbers"):
        sign_agreement([0, np.nan, 1], [0, 1, 2])
    with pytest.raises(ParameterError, match="window = 4 must be an odd number"):
        detrended_increments(range(10), 4)
    with pytest.raises(ParameterError, match="log more steps"):
        shift_test(range(30), range(30), window=25)
