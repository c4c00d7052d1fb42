"""Fit step, grok step, delay and censoring on made curves."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures import GrokTime, grok_time, grok_times, median_delay

STEPS = np.arange(0, 4000, 100)


def rise(at: int, steps: np.ndarray = STEPS) -> np.ndarray:
    """An accuracy of 0.3 before the step and 1 from it on."""
    return np.where(steps >= at, 1.0, 0.3)


def logistic(centre: float, width: float) -> np.ndarray:
    return 1 / (1 + np.exp(-(STEPS - centre) / width))


# One run


def test_monotone_curves():
    result = grok_time(STEPS, logistic(300, 50), logistic(2000, 200))
    first = STEPS[np.argmax(logistic(2000, 200) >= 0.95)]
    assert (result.fit_step, result.grok_step) == (500, first) == (500, 2600)
    assert result.delay == 2100
    assert not result.censored
    assert (result.reverted_step, result.settled_step) == (None, 2600)
    assert str(result) == "fits at step 500; generalises at step 2600, 2100 steps later"


def test_never_generalises():
    result = grok_time(STEPS, rise(200), np.full(STEPS.size, 0.3))
    assert (result.fit_step, result.grok_step, result.delay, result.censored) == (200, None, None, True)
    assert (result.last_step, result.settled_step) == (3900, None)
    assert str(result) == "fits at step 200; does not generalise by step 3900"


def test_train_never_fits():
    result = grok_time(STEPS, np.full(STEPS.size, 0.9), np.full(STEPS.size, 0.3))
    assert (result.fit_step, result.grok_step, result.delay, result.censored) == (None, None, None, True)
    assert str(result) == "does not fit; does not generalise by step 3900"


def test_generalises_without_fitting_has_no_delay():
    result = grok_time(STEPS, np.full(STEPS.size, 0.9), rise(500))
    assert (result.grok_step, result.delay, result.censored) == (500, None, False)
    assert str(result) == "does not fit by step 3900; generalises at step 500"


def test_already_there_at_the_start():
    result = grok_time(STEPS, np.ones(STEPS.size), np.ones(STEPS.size))
    assert (result.fit_step, result.grok_step, result.delay) == (0, 0, 0)


def test_test_set_first_gives_a_negative_delay():
    assert grok_time(STEPS, rise(900), rise(400)).delay == -500


@pytest.mark.parametrize("seed", range(5))
def test_noise_about_the_threshold_on_the_way_up_is_not_taken_for_it(seed):
    """One lucky point counts under persistence 0; under the rule the step lies where the curve is up."""
    noise = 0.02 * np.random.default_rng(seed).standard_normal(STEPS.size)
    clean = np.interp(STEPS, [0, 1000, 3000], [0.90, 0.935, 1.0])
    noisy = np.clip(clean + noise, 0, 1)
    result = grok_time(STEPS, np.ones(STEPS.size), noisy)
    window = noisy[result.grok_step <= STEPS][: 1 + result.persistence]
    assert (window >= 0.95).all()
    assert result.grok_step >= grok_time(STEPS, np.ones(STEPS.size), noisy, persistence=0).grok_step
    assert clean[result.grok_step == STEPS][0] > 0.93


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_short_excursion_does_not_count(length):
    test = rise(2000)
    test[5 : 5 + length] = 0.99
    assert grok_time(STEPS, rise(0), test).grok_step == 2000


def test_a_late_dip_does_not_undo_the_crossing():
    test = rise(1000)
    test[30] = 0.2
    result = grok_time(STEPS, rise(200), test)
    assert (result.grok_step, result.reverted_step, result.settled_step) == (1000, None, 1000)


def test_a_dip_inside_the_window_moves_the_step_behind_it():
    test = rise(1000)
    test[12] = 0.2
    assert grok_time(STEPS, rise(200), test).grok_step == 1300
    assert grok_time(STEPS, rise(200), test, persistence=1).grok_step == 1000


def test_groks_twice_the_first_too_short_to_count():
    test = rise(2500)
    test[10:13] = 1.0
    result = grok_time(STEPS, rise(200), test)
    assert (result.grok_step, result.reverted_step, result.settled_step) == (2500, None, 2500)


def test_groks_twice_the_first_long_enough_to_count():
    test = rise(2500)
    test[10:16] = 1.0
    result = grok_time(STEPS, rise(200), test)
    assert (result.grok_step, result.reverted_step, result.settled_step) == (1000, 1600, 2500)
    assert str(result) == "fits at step 200; generalises at step 1000, 800 steps later, lost again at step 1600"


def test_the_last_stay_is_the_settled_one():
    test = rise(3000)
    test[5:10] = test[15:20] = 1.0
    result = grok_time(STEPS, rise(200), test)
    assert (result.grok_step, result.reverted_step, result.settled_step) == (500, 1000, 3000)


def test_loses_it_for_good():
    test = np.where((STEPS >= 1000) & (STEPS < 2000), 1.0, 0.3)
    result = grok_time(STEPS, rise(200), test)
    assert (result.grok_step, result.reverted_step, result.settled_step) == (1000, 2000, None)


def test_a_record_that_ends_inside_the_window_is_censored():
    steps = np.arange(0, 1000, 100)
    for crossing, censored in ((600, False), (700, True), (900, True)):
        result = grok_time(steps, rise(0, steps), rise(crossing, steps))
        assert result.censored is censored
        assert result.grok_step == (None if censored else crossing)


def test_an_accuracy_equal_to_the_threshold_counts():
    assert grok_time(STEPS, rise(0), np.where(STEPS >= 700, 0.95, 0.0)).grok_step == 700
    assert grok_time(STEPS, rise(0), rise(700), threshold=1.0).grok_step == 700
    assert grok_time(STEPS, rise(0), np.where(STEPS >= 700, 0.95, 0.0), threshold=0.96).censored


def test_the_rule_goes_with_the_result():
    result = grok_time(STEPS, rise(0), rise(700), threshold=0.9, persistence=2)
    assert (result.threshold, result.persistence, result.last_step) == (0.9, 2, 3900)
    with pytest.raises(FrozenInstanceError):
        result.delay = 0


def test_steps_come_back_as_plain_integers_from_any_kind_of_array():
    expected = grok_time(STEPS, rise(200), rise(700))
    assert type(expected.grok_step) is int and type(expected.censored) is bool
    for kind in (list, torch.tensor, lambda a: xr.DataArray(a, dims="step")):
        assert grok_time(kind(STEPS), kind(rise(200)), kind(rise(700))) == expected


curves = st.lists(st.sampled_from([0.2, 0.9, 0.95, 1.0]), min_size=1, max_size=40)


@settings(max_examples=200, deadline=None)
@given(curves, st.integers(0, 5), st.integers(1, 40))
def test_a_longer_record_never_moves_a_reported_step(curve, persistence, cut):
    steps = np.arange(len(curve)) * 10
    whole = grok_time(steps, curve, curve, persistence=persistence)
    part = grok_time(steps[:cut], curve[:cut], curve[:cut], persistence=persistence)
    assert part.censored or part.grok_step == whole.grok_step
    assert part.reverted_step is None or part.reverted_step == whole.reverted_step


@settings(max_examples=200, deadline=None)
@given(curves, st.integers(0, 5))
def test_the_rule_as_written(curve, persistence):
    """The first step at or above the threshold there and at the next `persistence` points, by brute force."""
    windows = [curve[i : i + 1 + persistence] for i in range(len(curve) - persistence)]
    first = next((i for i, window in enumerate(windows) if min(window) >= 0.95), None)
    result = grok_time(range(len(curve)), curve, curve, persistence=persistence)
    assert result.grok_step == result.fit_step == first
    assert result.censored == (first is None)
    if result.reverted_step is not None:
        lost = curve[result.reverted_step : result.reverted_step + persistence + 1]
        assert len(lost) == persistence + 1 and max(lost) < 0.95
    if result.settled_step is not None:
        assert min(curve[result.settled_step : result.settled_step + persistence + 1]) >= 0.95


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0, 1], [0.1, np.nan], [0.1, 0.2]), {}, "train_accuracy is nan at step 1"),
        (([0, 1], [0.1, 0.2], [57.3, 0.2]), {}, r"test_accuracy is 57.3 at step 0.*\[0, 1\]"),
        (([0, 1], [0.1, -0.2], [0.3, 0.2]), {}, "train_accuracy is -0.2"),
        (([0, 1], [0.1], [0.1, 0.2]), {}, r"shapes \[\(2,\), \(1,\), \(2,\)\]"),
        (([], [], []), {}, r"shapes .*n > 0"),
        (([[0]], [[0.5]], [[0.5]]), {}, r"must be \(n,\)"),
        (([0, 2, 1], [0.1] * 3, [0.1] * 3), {}, "steps has 1 at index 2.*strictly increasing"),
        (([0, 1, 1], [0.1] * 3, [0.1] * 3), {}, "strictly increasing"),
        (([0, 1.5], [0.1] * 2, [0.1] * 2), {}, "steps has 1.5 at index 1"),
        (([0, np.nan], [0.1] * 2, [0.1] * 2), {}, "steps has nan"),
        (([0], [0.1], [0.1]), {"threshold": 0}, r"threshold is 0.*\(0, 1\]"),
        (([0], [0.1], [0.1]), {"threshold": 95}, "threshold is 95"),
        (([0], [0.1], [0.1]), {"threshold": np.nan}, "threshold is nan"),
        (([0], [0.1], [0.1]), {"threshold": "high"}, "threshold is 'high'"),
        (([0], [0.1], [0.1]), {"persistence": -1}, "persistence is -1"),
        (([0], [0.1], [0.1]), {"persistence": 1.5}, "persistence is 1.5"),
    ],
)
def test_bad_curves_are_refused_by_name(arguments, options, message):
    with pytest.raises(ParameterError, match=message):
        grok_time(*arguments, **options)


# Many runs


def runs(*grok_steps: int | None, dim: str = "seed") -> xr.Dataset:
    """One run a grok step (None: never), all fitting at step 200."""
    test = [rise(10**9 if step is None else step) for step in grok_steps]
    train = [rise(200) for _ in grok_steps]
    coordinates = {"step": STEPS, dim: np.arange(len(grok_steps)) + 40}
    return xr.Dataset(
        {"train_accuracy": ((dim, "step"), train), "test_accuracy": ((dim, "step"), test)}, coords=coordinates
    )


@pytest.mark.parametrize("dim", ["seed", "run"])
def test_a_table_of_runs(dim):
    table = grok_times(runs(1000, None, 3000, dim=dim))
    assert table.index.name == dim and list(table.index) == [40, 41, 42]
    assert list(table["censored"]) == [False, True, False]
    assert list(table["delay"].dropna()) == [800, 2800]
    assert list(table["last_step"]) == [3900] * 3
    assert set(table.columns) == set(GrokTime.__dataclass_fields__)


def test_each_row_is_grok_time_of_that_run():
    data = runs(1000, 2000).transpose("step", "seed")
    table = grok_times(data, threshold=0.9, persistence=1)
    for seed, row in table.iterrows():
        run = data.sel(seed=seed)
        single = grok_time(STEPS, run.train_accuracy, run.test_accuracy, threshold=0.9, persistence=1)
        assert GrokTime(**{k: None if v is pd.NA else v for k, v in row.items()}) == single


def test_a_single_run_without_a_run_dimension():
    table = grok_times(runs(1000).isel(seed=0, drop=True))
    assert list(table["grok_step"]) == [1000]
    assert list(table.index) == [0]


def test_a_run_that_stopped_early_is_followed_to_its_own_end():
    data = runs(None, 1000)
    for name in ("train_accuracy", "test_accuracy"):
        data[name][0, 30:] = np.nan
    assert list(grok_times(data)["last_step"]) == [2900, 3900]
    data["test_accuracy"][1, 5] = np.nan
    with pytest.raises(ParameterError, match="test_accuracy is nan at step 500"):
        grok_times(data)


def test_datasets_that_are_not_runs_are_refused():
    with pytest.raises(ParameterError, match="no test_accuracy"):
        grok_times(runs(1000).drop_vars("test_accuracy"))
    with pytest.raises(ParameterError, match="besides step"):
        grok_times(runs(1000).expand_dims(model=2))
    with pytest.raises(ParameterError, match="no step"):
        grok_times(runs(1000).drop_vars("step"))


# The median delay


def test_median_without_censoring_is_the_median():
    assert median_delay(grok_times(runs(1000, 3000, 1500))) == 1300
    assert median_delay(grok_times(runs(1000, 1500, 2000, 3000))) == 1300


def test_median_with_censoring_is_known_while_half_have_grokked():
    assert median_delay(grok_times(runs(1000, None, 1500, None, 2000))) == 1800
    assert median_delay(grok_times(runs(1000, None, None))) is None
    assert median_delay(grok_times(runs(None, None))) is None


def test_a_run_followed_for_a_short_time_is_not_taken_for_a_slow_one():
    """Kaplan and Meier by hand: delays 3, 5, 8, two runs lost at 4. S = 4/5 at 3, then 2 are left: 2/5 at 5."""
    times = [GrokTime(0, d, d, False, last_step=9) for d in (3, 5, 8)]
    lost = [GrokTime(0, None, None, True, last_step=4) for _ in range(2)]
    assert median_delay(times + lost) == 5
    slow = [GrokTime(0, None, None, True, last_step=9) for _ in range(2)]
    assert median_delay(times + slow) == 8


def test_runs_that_never_fitted_have_no_delay_to_count():
    times = [GrokTime(0, 100, 100, False), GrokTime(None, 50, None, False), GrokTime(None, None, None, True)]
    assert median_delay(times) == 100
    assert median_delay([]) is None


def test_a_censored_run_must_say_how_long_it_was_followed():
    with pytest.raises(ParameterError, match="last_step None"):
        median_delay([GrokTime(0, None, None, True)])
