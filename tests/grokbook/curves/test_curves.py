"""Curves: fit and grok step with censoring, onset and limits, signs of increments, falls."""

import numpy as np
import pandas as pd
import pytest
import torch
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.curves import limits as of_limits
from grokbook.curves.delay import (
    GrokTime,
    grok_time,
    grok_times,
    median_delay,
    median_step,
)
from grokbook.curves.lead import accuracy_half_way
from grokbook.curves.limits import limits, limits_table, moving_mean, onset, plateau
from grokbook.curves.oscillation import falls
from grokbook.errors import ParameterError
from refusals import refusals

STEPS = np.arange(0, 4000, 100)


def rise(at: int, steps: np.ndarray = STEPS) -> np.ndarray:
    """An accuracy of 0.3 before the step and 1 from it on."""
    return np.where(steps >= at, 1.0, 0.3)


def high(*spans: tuple[int, int]) -> np.ndarray:
    """An accuracy of 1 within the spans [from, to) of steps and 0.3 outside."""
    return np.where([any(a <= step < b for a, b in spans) for step in STEPS], 1.0, 0.3)


END, FIT = 4000, [(200, 4000)]
# where the train and the test accuracy are high; fit, grok, reverted and settled step; in words
STORIES = {
    "plain": (
        FIT,
        [(2600, END)],
        (200, 2600, None, 2600),
        "fits at step 200; generalises at step 2600, 2400 steps later",
    ),
    "never generalises": (
        FIT,
        [],
        (200, None, None, None),
        "fits at step 200; does not generalise by step 3900",
    ),
    "never fits": (
        [],
        [],
        (None, None, None, None),
        "does not fit; does not generalise by step 3900",
    ),
    "test set first": ([(900, END)], [(400, END)], (900, 400, None, 400), "-500 steps later"),
    "late dip": (FIT, [(1000, 3000), (3100, END)], (200, 1000, None, 1000), "800 steps later"),
    "dip in the window": (
        FIT,
        [(1000, 1200), (1300, END)],
        (200, 1300, None, 1300),
        "1100 steps later",
    ),
    "an excursion of 3": (
        FIT,
        [(1000, 1300), (2500, END)],
        (200, 2500, None, 2500),
        "2300 steps later",
    ),
    "lost and found": (
        FIT,
        [(1000, 1600), (2500, END)],
        (200, 1000, 1600, 2500),
        "later, lost again at step 1600",
    ),
    "lost for good": (FIT, [(1000, 2000)], (200, 1000, 2000, None), "lost again at step 2000"),
}


@pytest.mark.parametrize(("train", "test", "steps", "words"), STORIES.values(), ids=STORIES)
def test_steps_of_made_curves(train, test, steps, words):
    """The first stay of more than `persistence` = 3 points counts; a loss of more than 3 is
    reported."""
    found = grok_time(STEPS, high(*train), high(*test))
    assert (found.fit_step, found.grok_step, found.reverted_step, found.settled_step) == steps
    assert (
        found.delay == (None if None in steps[:2] else steps[1] - steps[0])
        and found.last_step == 3900
    )
    assert found.censored is (found.grok_step is None) and words in str(found)
    assert found.stay == (None if steps[2] is None else steps[2] - steps[1])


def test_steps_come_back_as_plain_integers_from_any_kind_of_array():
    expected = grok_time(STEPS, rise(200), rise(700))
    assert type(expected.grok_step) is int and type(expected.censored) is bool
    for kind in (list, torch.tensor, lambda a: xr.DataArray(a, dims="step")):
        assert grok_time(kind(STEPS), kind(rise(200)), kind(rise(700))) == expected


def test_accuracies_in_single_precision_reach_what_they_reach_in_double():
    """19 of 20 is 0.94999999 in float32: not below 0.95."""
    exact = [0.1] + [19 / 20] * 6
    expected = grok_time(range(7), exact, exact)
    assert (expected.fit_step, expected.grok_step) == (1, 1)
    single = torch.tensor(exact)
    assert grok_time(range(7), single, single.numpy()) == expected
    assert (
        accuracy_half_way(single, single.numpy())
        == accuracy_half_way(exact, exact)
        == (1, None, True)
    )
    assert grok_time(range(7), exact, [min(value, 0.9499) for value in exact]).censored


curves = st.lists(st.sampled_from([0.2, 0.9, 0.95, 1.0]), min_size=1, max_size=40)


@settings(max_examples=100)
@given(curves, st.integers(0, 5), st.integers(1, 40))
def test_a_longer_record_never_moves_a_reported_step(curve, persistence, cut):
    steps = np.arange(len(curve)) * 10
    whole = grok_time(steps, curve, curve, persistence=persistence)
    part = grok_time(steps[:cut], curve[:cut], curve[:cut], persistence=persistence)
    assert part.censored or part.grok_step == whole.grok_step
    assert part.reverted_step is None or part.reverted_step == whole.reverted_step


@settings(max_examples=100)
@given(curves, st.integers(0, 5))
def test_the_rule_as_written(curve, persistence):
    """The first step at or above the threshold there and at the next `persistence` points, by brute
    force."""
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


def runs(*grok_steps: int | None, dim: str = "seed") -> xr.Dataset:
    """One run a grok step (None: never), all fitting at step 200."""
    test = [rise(10**9 if step is None else step) for step in grok_steps]
    train = [rise(200) for _ in grok_steps]
    coordinates = {"step": STEPS, dim: np.arange(len(grok_steps)) + 40}
    return xr.Dataset(
        {"train_accuracy": ((dim, "step"), train), "test_accuracy": ((dim, "step"), test)},
        coords=coordinates,
    )


def test_a_run_that_stopped_early_is_followed_to_its_own_end():
    data = runs(None, 1000)
    for name in ("train_accuracy", "test_accuracy"):
        data[name][0, 30:] = np.nan
    assert list(grok_times(data)["last_step"]) == [2900, 3900]
    alone = grok_times(runs(1000).isel(seed=0, drop=True))
    assert alone.iloc[0].to_dict() == grok_times(runs(1000)).iloc[0].to_dict(), (
        "one run needs no dimension"
    )
    data["test_accuracy"][1, 5] = np.nan
    with pytest.raises(ParameterError, match="test_accuracy is nan at step 500"):
        grok_times(data)


@pytest.mark.parametrize(
    ("steps", "median"),
    [
        ((1000, 3000, 1500), 1300),
        ((1000, 1500, 2000, 3000), 1300),
        ((1000, None, 1500, None, 2000), 1800),
        ((1000, None, None), None),
        ((None, None), None),
    ],
)
def test_the_median_is_known_while_half_have_grokked(steps, median):
    assert median_delay(grok_times(runs(*steps))) == median


def test_the_median_step_counts_unfinished_runs_as_later():
    """Kaplan and Meier: of 7080, 8738, 9332 and two runs lost at 10,000 the third is the median,
    not the second."""
    times = pd.DataFrame(
        {"grok_step": pd.array([9332, 7080, None, 8738, None], "Int64"), "last_step": 10_000}
    )
    assert median_step(times) == 9332 != times.grok_step.median()
    with pytest.raises(ParameterError, match="last_step None"):
        median_step(times.assign(last_step=None))


def test_runs_that_never_fitted_have_no_delay_to_count():
    times = [
        GrokTime(0, 100, 100, False),
        GrokTime(None, 50, None, False),
        GrokTime(None, None, None, True),
    ]
    assert median_delay(times) == 100
    assert median_delay([]) is None


FINE = np.arange(0, 6001, 20)


def ramp(
    start: float, stop: float, low: float = 0.1, high: float = 0.9, steps: np.ndarray = FINE
) -> np.ndarray:
    """Straight from `low` at step `start` to `high` at step `stop`, constant outside."""
    return np.interp(steps, [start, stop], [low, high])


@given(st.lists(st.floats(0, 1), min_size=3, max_size=20), st.floats(1, 40))
def test_points_on_the_broken_line_change_nothing(values, window):
    """Logging at twice as many steps, with the line's own values, gives the same means at the old
    steps."""
    t = 30.0 * np.arange(len(values))
    fine = 15.0 * np.arange(2 * len(values) - 1)
    middle, mean = moving_mean(t, values, window)
    finer, means = moving_mean(fine, np.interp(fine, t, values), window)
    assert np.interp(middle, finer, means) == pytest.approx(mean, abs=1e-9)


def test_a_single_spike_weighs_its_area():
    """A triangle of height 1 and base 2 h has the area h: its mean over a window of w is h / w."""
    spike = np.where(FINE == 3000, 1.0, 0.0)
    assert limits(FINE, spike, window=200).upper == pytest.approx(20 / 200)
    assert limits(FINE, spike, window=0).upper == 1


# 0.1 + 0.8 (t - 1000) / 1000 = 0.15 at t = 1062.5: the first logged step at or after it is 1080
ONSETS = {
    "a ramp": (FINE, ramp(1000, 2000), 1080),
    "within the rise": (FINE, ramp(1000, 2000, high=0.14), None),
    "persisted": (FINE, ramp(5600, 5700), 5620),
    "too late to have persisted": (FINE, ramp(5800, 5900), None),
    "torch": (torch.tensor(FINE), torch.tensor(ramp(1000, 2000)), 1080),
}


@pytest.mark.parametrize(("steps", "curve", "expected"), ONSETS.values(), ids=ONSETS)
def test_onsets(steps, curve, expected):
    assert onset(steps, curve) == expected


@pytest.mark.parametrize(
    ("stop", "gain", "truncated"),
    [
        (4700, 0.01, False),
        (5300, 0.01, True),
        (9000, 0.01, True),
        (60_000, 0.02, False),
        (60_000, 0.01, True),
    ],
)
def test_a_curve_that_still_rises_is_truncated(stop, gain, truncated, monkeypatch):
    """Straight to step 60,000: 0.8 / 60,000 a step, so 1.6 points in the last fifth of 6,000
    steps."""
    monkeypatch.setattr(of_limits, "GAIN", gain)
    found = limits(FINE, ramp(0 if stop > 9000 else 1000, stop))
    assert found.truncated is truncated


def test_an_excursion_shorter_than_the_persistence_does_not_count(monkeypatch):
    curve = ramp(3000, 3400)
    curve[(FINE >= 1500) & (FINE <= 1700)] = 0.9
    assert onset(FINE, curve) == onset(FINE, ramp(3000, 3400))
    monkeypatch.setattr(of_limits, "PERSISTENCE", 200)
    assert onset(FINE, curve) == 1500


def test_the_memorising_rise_is_before_the_plateau():
    """An accuracy that climbs within the first 200 steps and stays has no onset."""
    assert onset(FINE, ramp(0, 150, low=0.01, high=0.3)) is None
    assert plateau(FINE, ramp(0, 150, low=0.01, high=0.3)) == 0.3


@pytest.mark.parametrize("spacing", [43, 47])
def test_a_level_reached_before_a_dip_is_its_first_maximum_whatever_its_means_are_rounded_to(
    spacing,
):
    """Means of ones are 1 up to rounding, here above 1 after the dip; the lowest value is in the
    dip."""
    t = np.arange(0, 5_000, spacing)
    curve = np.minimum(t / 1_000, 1)
    curve[t.size // 2] = 0.5
    window = 4 * spacing
    found = limits(t, curve, window)
    assert found.upper_step <= 1_000 + window and found.lower == pytest.approx(
        1 - 0.5 * spacing / window
    )


def test_a_dataset_of_two_seeds():
    curves = np.stack([ramp(1000, 2000), np.full(FINE.size, 0.1)])
    curves[1, -50:] = np.nan
    data = xr.Dataset({"test_accuracy": (("seed", "step"), curves)}, {"seed": [0, 3], "step": FINE})
    table = limits_table(data)
    assert table.onset.tolist()[0] == 1080 and table.onset.isna().tolist() == [False, True]
    assert table.last_step.tolist() == [6000, 5000] and table.index.tolist() == [0, 3]
    assert table.upper.tolist() == pytest.approx([0.9, 0.1])


shares = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(shares)
def test_the_largest_fall_is_over_all_pairs_of_steps(values):
    pairs = [values[s] - values[t] for t in range(len(values)) for s in range(t + 1)]
    assert falls(values).largest == pytest.approx(max(pairs))


@given(shares)
def test_rises_less_falls_are_the_way_from_first_to_last_and_repeats_do_not_count(values):
    found, rises = falls(values), falls(-np.array(values)).total
    assert rises - found.total == pytest.approx(values[-1] - values[0], abs=1e-9)
    assert found.total >= found.largest - 1e-12 >= -1e-12
    again = falls(np.repeat(values, 3))
    assert (again.largest, again.total) == pytest.approx((found.largest, found.total))


def test_a_grid_of_runs_has_a_row_a_cell_by_all_of_its_dimensions():
    """Each row is that of the run alone; a cell that was not run has none; what differs along `run`
    is a column."""
    cells = {
        (wd, lr): 1000 + 100 * i
        for i, (wd, lr) in enumerate([(0.0, 1e-3), (0.0, 1e-2), (1.0, 1e-3)])
    }
    test = np.full((2, 2, STEPS.size), np.nan)
    for (wd, lr), at in cells.items():
        test[int(wd), int(lr > 5e-3)] = rise(at)
    sides = {"weight_decay": [0.0, 1.0], "learning_rate": [1e-3, 1e-2], "step": STEPS}
    grid = xr.Dataset({"test_accuracy": (tuple(sides), test)}, sides)
    grid = grid.assign(train_accuracy=grid.test_accuracy).transpose("step", ...)
    found = grok_times(grid)
    assert (
        found.index.names == ["weight_decay", "learning_rate"]
        and found.grok_step.to_dict() == cells
    )
    assert len(found) == 3 and median_step(found) == 1100
    alone = grok_times(grid.isel(weight_decay=0, learning_rate=1))
    assert alone.index.tolist() == [0] and alone.grok_step.tolist() == [1100]
    listed = grid.stack(run=("weight_decay", "learning_rate")).reset_index("run")
    listed = listed.assign_coords(rule=("run", list("aaaa")))
    table = grok_times(listed.dropna("run", how="all"))
    assert table.index.tolist() == [0, 1, 2] and table.columns[:2].tolist() == [
        "weight_decay",
        "learning_rate",
    ]
    assert (
        table.set_index(["weight_decay", "learning_rate"]).grok_step.to_dict() == cells
        and "rule" not in table
    )


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: grok_time([0, 1], [0.1, np.nan], [0.1, 0.2]), "train_accuracy is nan at step 1"),
    (lambda: grok_time([0, 1], [0.1], [0.1, 0.2]), r"shapes \[\(2,\), \(1,\), \(2,\)\]"),
    (
        lambda: grok_time([0, 2, 1], [0.1] * 3, [0.1] * 3),
        "steps has 1 at index 2.*strictly increasing",
    ),
    (lambda: grok_time([0], [0.1], [0.1], persistence=-1), "persistence is -1"),
    (
        lambda: limits([0, 1, 2], [0.0, np.nan, 1.0]),
        "the curve is not finite at index 1, but must be.",
    ),
    (
        lambda: limits([0, 50, 90], [0.0, 0.1, 1.0]),
        "window = 100 is longer than the record, which has 90 steps.",
    ),
    (lambda: grok_times(runs(1000).drop_vars("test_accuracy")), "no test_accuracy"),
    (lambda: median_delay([GrokTime(0, None, None, True)]), "last_step None"),
    (
        lambda: plateau([0, 100], [0.0, 0.1]),
        r"^no step from 200 to 500 was logged; the record has 0 to 100\.$",
    ),
    (
        lambda: limits_table(xr.Dataset(coords={"seed": [0], "step": [0, 1]})),
        "^the dataset has no 'test_accuracy'.$",
    ),
)


LOSSES = st.lists(st.sampled_from([3.0, 0.2, 0.1, 0.01, float("inf")]), min_size=12, max_size=12)


@given(train=LOSSES, test=LOSSES, below=st.sampled_from([0.1, 0.5]), persistence=st.integers(0, 3))
def test_the_rule_by_loss_is_that_of_accuracies_which_say_whether_a_loss_is_low(
    train, test, below, persistence
):
    both = {"train": np.array([train]), "test": np.array([test])}
    curves = {f"{name}_loss": (("seed", "step"), loss) for name, loss in both.items()}
    low = {f"{name}_accuracy": (("seed", "step"), loss <= below) for name, loss in both.items()}
    coords = {"seed": [0], "step": np.arange(0, 120, 10)}
    by_loss = grok_times(xr.Dataset(curves, coords), below=below, persistence=persistence)
    share = xr.Dataset(low, coords).astype(float)
    by_share = grok_times(share, threshold=1, persistence=persistence)
    pd.testing.assert_frame_equal(
        by_loss.drop(columns="threshold"), by_share.drop(columns="threshold")
    )
    assert by_loss.threshold.tolist() == [below]


EMPTY = xr.Dataset(coords={"step": [0, 1]})
test_a_rule_by_loss_is_refused_in_a_sentence = refusals(
    (lambda: grok_times(EMPTY, below=0), "^below is 0, but must be a loss, a positive number"),
    (lambda: grok_times(EMPTY, below="0.1"), "^below = .0.1. must be a number or None"),
    (
        lambda: grok_times(EMPTY, below=0.1),
        "^dataset has no train_loss, but needs train_loss, test_loss",
    ),
)
