"""Tracking: signs of increments with a null, levels crossed, ends of declines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook_chapters.med_tracking import tracking
from refusals import refusals

walks = st.lists(st.floats(-1e3, 1e3), min_size=4, max_size=40)


@given(walks)
def test_a_curve_agrees_with_itself_and_with_every_positive_multiple(values):
    x = np.array(values)
    assert tracking.sign_agreement(x, x) == 1
    assert tracking.sign_agreement(x, 2 * x) == 1


@given(st.floats(-5, 5), st.integers(0, 2**32 - 1))
def test_a_linear_trend_leaves_detrended_increments_as_they_are(slope, seed):
    x = np.random.default_rng(seed).normal(size=60).cumsum()
    trend = slope * np.arange(60)
    assert np.allclose(
        tracking.detrended_increments(x + trend, 7), tracking.detrended_increments(x, 7), atol=1e-9
    )


def test_shared_jolts_are_found_and_a_shared_trend_alone_is_not():
    rng = np.random.default_rng(1)
    trend = 40 * np.sin(np.linspace(0, np.pi, 400))
    jolts = rng.normal(size=400).cumsum()
    assert tracking.shift_test(trend + jolts, trend + 2 * jolts).p_value < 0.01
    found = [
        tracking.shift_test(trend + rng.normal(size=400), trend + rng.normal(size=400)).p_value
        for _ in range(40)
    ]
    # 0.05 expected; 9 or more of 40 has probability below 1e-3
    assert np.mean(np.array(found) < 0.05) <= 0.2


def test_the_p_value_counts_lags_exactly():
    x = np.array([0.0, 1, 0, 1, 0, 1, 0, 1, 0])
    test = tracking.shift_test(x, x, window=None)
    assert test.agreement == 1
    # lags -2 to 2 of 8 alternating signs: every even lag agrees fully
    assert test.p_value == pytest.approx(3 / 5) and test.intervals == 4


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([2, 3, 1, 1, 1, 1], 20),
        ([2, 1, 3, 1, 1, 1], 30),
        ([2, 3, 3, 3, 3, 3], None),
        ([2, 1, 1, 3, 3, 1], None),
    ],
)
def test_first_below_needs_a_stay(values, expected):
    assert tracking.first_below(range(0, 60, 10), values, 2, persistence=2) == expected


def test_end_of_decline_of_made_curves():
    steps = np.arange(100)
    falling = np.concatenate([np.linspace(0, 10, 20), np.linspace(10, 0, 40), np.zeros(40)])
    assert 55 <= tracking.end_of_decline(steps, falling, smooth=1, tolerance=0.05) <= 60
    # a rise ends where it is highest
    assert tracking.end_of_decline(steps, steps.astype(float), smooth=1) == 99
    assert (
        tracking.end_of_decline(
            steps, -np.minimum(steps, 30).astype(float), tolerance=0.0, smooth=1
        )
        == 30
    )


def test_a_larger_tolerance_never_ends_later():
    curve = np.random.default_rng(3).normal(size=200).cumsum()
    ends = [tracking.end_of_decline(range(200), curve, tolerance=t) for t in (0, 0.05, 0.2, 0.5, 1)]
    assert ends == sorted(ends, reverse=True)


test_refusals_name_the_value_and_the_rule = refusals(
    (
        lambda: tracking.sign_agreement(range(5), range(4)),
        "5 and 4 points; they must be equally long",
    ),
    (lambda: tracking.sign_agreement([0, np.nan, 1], [0, 1, 2]), "at least 3 finite numbers"),
    (
        lambda: tracking.first_below(range(2), [2, 1, 1], 2, persistence=0),
        "steps must be at least 3 finite numbers",
    ),
    (
        lambda: tracking.first_below(range(4), [2, 1, 1], 2),
        "steps and the curve have 4 and 3 points; they must be",
    ),
    (
        lambda: tracking.end_of_decline(range(3), [3, 2, 1, 0]),
        "steps and the curve have 3 and 4 points; they must be",
    ),
    (
        lambda: tracking.end_of_decline(range(3), [3, 2, 1], smooth=0),
        "smooth is 0, but must be a whole number",
    ),
    (lambda: tracking.detrended_increments(range(10), 4), "window = 4 must be an odd number"),
    (
        lambda: tracking.shift_test(range(27), range(27), window=25),
        "26 increments are fewer than 27; log more",
    ),
    (
        lambda: tracking.shift_test(range(8), range(8), window=None),
        "7 increments are fewer than 8; log more",
    ),
)
