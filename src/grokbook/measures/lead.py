r"""Does a measure move before the test accuracy? Lags of increments with an exact null, and lead times of events.

Two questions that are easily mixed up. *Step by step*: do deviations of the measure from its own trend come before
or after deviations of the accuracy from its trend (`lead_lag`)? *Event by event*: has the measure made half of its
move when the accuracy has made half of its own (`lead_time`), and earlier than it would in step with
the accuracy of some other run (`matching_test`)? One run is one observation; curves are raw, never smoothed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import median_abs_deviation

from grokbook.errors import ParameterError
from grokbook.measures.delay import PERSISTENCE, first_stay, grok_time
from grokbook.measures.inputs import Array, one_of, to_numpy, whole
from grokbook.measures.tracking import detrended_increments

MAX_LAG = 5
WINDOW = 25
END_POINTS = 5  # the end of a move is the median of so many logged values about it
NOISE = 3.0  # a move is clear when it is larger than so many typical increments
SIGNS = {"rises": 1.0, "falls": -1.0}


@dataclass(frozen=True)
class LeadLag:
    """The strongest association of two curves' increments within a range of lags, and how often chance is as strong.

    `lag` is in optimiser steps, positive when the measure moves first; `correlation` is the one at that lag;
    `null` the median of the greatest absolute correlation over all circular shifts and `p_value` the share of shifts
    (no shift included) that are at least as strong. `least_p` is the smallest p-value that so short a record can
    give, `intervals` the number of increments.
    """

    lag: int
    correlation: float
    null: float
    p_value: float
    least_p: float
    intervals: int


def local_increments(x: Array, window: int = WINDOW) -> np.ndarray:
    """Detrended increments divided by their own moving root mean square over `window` points, shape (n-1,).

    Two curves that are both restless around the same event have large increments there, and products of these
    would dominate any correlation although their signs agree by chance alone. Here every stretch counts alike. A
    stretch in which nothing moves is 0.

    Raises ParameterError as `detrended_increments`.

    >>> rng = np.random.default_rng(0)
    >>> burst = np.cumsum(rng.normal(size=200) * np.where(np.arange(200) < 100, 1, 50))
    >>> scaled = local_increments(burst)
    >>> bool(0.7 < scaled[:80].std() / scaled[120:].std() < 1.4)
    True
    """
    increments = detrended_increments(x, window)
    ones = np.ones(window)
    power = np.convolve(increments**2, ones, "same") / np.convolve(np.ones_like(increments), ones, "same")
    least = 1e-12 * max(float(np.abs(to_numpy(x)).max()), np.finfo(float).tiny)
    scale = np.sqrt(np.clip(power, 0, None))
    return np.where(scale > least, increments / np.maximum(scale, least), 0.0)


def correlogram(dx: np.ndarray, dy: np.ndarray) -> np.ndarray:
    r"""Circular cross-correlation $c_k = \sum_t x_t\,y_{t+k} / (\lVert x\rVert\lVert y\rVert)$, k = 0, ..., n-1.

    $c_k$ for k > 0 is large when x moves k intervals before y; k and k - n are one lag. Both series have shape (n,).

    Raises ParameterError if one of them is zero throughout.

    >>> x = np.array([0.0, 1, 0, 0, 0])
    >>> int(np.argmax(correlogram(x, np.roll(x, 2))))
    2
    """
    size = np.linalg.norm(dx) * np.linalg.norm(dy)
    if size == 0:
        raise ParameterError("a curve does not move apart from its trend, so that it has no correlation.")
    return np.fft.irfft(np.conj(np.fft.rfft(dx)) * np.fft.rfft(dy), n=len(dx)) / size


def lead_lag(steps: Array, measure: Array, accuracy: Array, *, max_lag: int = MAX_LAG, window: int = WINDOW) -> LeadLag:
    r"""At which lag the increments of a measure and of the accuracy are most alike, tested by circular shifts.

    With x, y the `local_increments` of measure and accuracy at evenly spaced `steps` (n+1,) and c their circular
    cross-correlation, the statistic is $T_0$, where $T_s = \max_{|k|\le m} |c_{s+k}|$ with m = `max_lag`. The
    p-value is the share of *all* shifts s = 0, ..., n-1 with $T_s \ge T_0$. If the curves are independent and one
    of them is stationary, all $T_s$ have one distribution, and P(p <= a) <= a for every a: the search over lags
    is paid for. Its price: no p-value is below (2m+1)/n, since 2m+1 shifts see the same peak. A test that leaves
    out the near shifts would give smaller values and be wrong (2m+1) times more often than it says.

    Raises ParameterError for uneven steps, curves that are not finite or of other length, a curve without
    movement, or a record shorter than 4 (2m+1) increments.

    >>> rng = np.random.default_rng(0)
    >>> y = rng.normal(size=301).cumsum()
    >>> found = lead_lag(np.arange(0, 3010, 10), np.roll(y, -3), y)
    >>> found.lag, found.p_value <= 0.05
    (30, True)

    Source: this book; the null is the one chapter 5 uses for signs, with the search over lags included.
    """
    times = to_numpy(steps)
    gaps = np.diff(times)
    if times.ndim != 1 or times.size < 3 or not np.allclose(gaps, gaps[0]) or gaps[0] <= 0:
        raise ParameterError("steps must be evenly spaced and increasing; log with Schedule(dense_until=0).")
    dx, dy = local_increments(measure, window), local_increments(accuracy, window)
    reach = 2 * whole(max_lag, "max_lag", least=0) + 1
    if not len(dx) == len(dy) == len(gaps) or len(dx) < 4 * reach:
        raise ParameterError(
            f"{len(dx)} and {len(dy)} increments at {len(gaps)} intervals; they must be as many, and at least "
            f"{4 * reach} for max_lag = {max_lag}."
        )
    c = correlogram(dx, dy)
    lags = np.arange(-max_lag, max_lag + 1)
    around = np.abs(c[(np.arange(len(c))[:, None] + lags) % len(c)]).max(axis=1)
    best = int(lags[np.argmax(np.abs(c[lags]))])
    p_value = float((around >= around[0] * (1 - 1e-12)).mean())
    return LeadLag(round(best * gaps[0]), float(c[best]), float(np.median(around)), p_value, reach / len(dx), len(dx))


@dataclass(frozen=True)
class LeadTime:
    """When a measure and the accuracy have made half of their moves after fitting, in optimiser steps.

    `lead` = `accuracy_step` - `measure_step` (positive: the measure is first), `share` the lead over the accuracy's
    own time, `accuracy_step` - `fit_step`, in [-1, 1]. A value that is not defined is None, and `state` says why:
    "not fitted", "not generalised", "no delay" (fewer than four logged steps between fitting and half way), "not
    recorded" (the record ends before the window does), "undefined", "other way", "no clear move" or "ok".
    """

    lead: int | None
    share: float | None
    measure_step: int | None
    accuracy_step: int | None
    fit_step: int | None
    state: str


def half_way(values: Array, start: int, stop: int, direction: str, share: float = 0.5) -> tuple[int | None, str]:
    """Index at which a curve has made `share` of its move between two indices, and "ok" or why there is none.

    The move goes from the value at `start` to the median of the five values about `stop`. It must be in the
    `direction` ("rises" or "falls") and larger than three times the median absolute increment. The curve counts as
    half way at the first index, up to `stop`, from which it is there for four logged values in a row.

    Raises ParameterError for another direction, a share outside (0, 1), or indices outside the curve.

    >>> half_way([9.0, 9, 8, 6, 4, 2, 1, 1, 1, 1, 1], 0, 10, "falls")
    (4, 'ok')
    """
    sign = SIGNS[one_of(direction, SIGNS, "direction")]
    curve = to_numpy(values)
    if not 0 < share < 1 or not 0 <= start < stop < curve.size:
        raise ParameterError(
            f"share = {share} must be in (0, 1) and indices {start} < {stop} within {curve.size} values."
        )
    if not np.isfinite(curve[start : stop + 1 + END_POINTS // 2]).all():
        return None, "undefined"
    y = sign * (curve - curve[start])
    move = float(np.median(y[max(start + 1, stop - END_POINTS // 2) : stop + 1 + END_POINTS // 2]))
    if move < 0:
        return None, "other way"
    typical = float(np.median(np.abs(np.diff(y[start : stop + 1])))) if stop - start > 2 * NOISE else 0.0
    if move <= NOISE * typical:
        return None, "no clear move"
    found = first_stay(y[start:] >= share * move * (1 - 1e-9), PERSISTENCE)
    return (None, "no clear move") if found is None or start + found > stop else (start + found, "ok")


def accuracy_half_way(
    steps: Array, train_accuracy: Array, test_accuracy: Array, share: float = 0.5
) -> tuple[int | None, int | None, str]:
    """Indices of fitting and of the accuracy `share` of the way from its value there to 1, and "ok" or why not.

    The run must have generalised by the rule of `grok_time`. Raises ParameterError as `grok_time`.

    >>> train = [0.1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    >>> test = [0.0, 0.2, 0.2, 0.3, 0.5, 0.7, 1, 1, 1, 1]
    >>> accuracy_half_way(range(0, 100, 10), train, test)
    (1, 5, 'ok')
    """
    times = grok_time(steps, train_accuracy, test_accuracy)
    if times.fit_step is None:
        return None, None, "not fitted"
    fit = int(np.searchsorted(to_numpy(list(steps)), times.fit_step))
    if times.censored:
        return fit, None, "not generalised"
    test = to_numpy(test_accuracy)
    half = first_stay(test[fit:] >= test[fit] + share * (1 - test[fit]), PERSISTENCE)
    if half is None or half < 4:
        return fit, None, "no delay"
    return fit, fit + half, "ok"


def lead_time(
    steps: Array, train_accuracy: Array, test_accuracy: Array, measure: Array, direction: str, *, share: float = 0.5
) -> LeadTime:
    r"""By how many steps a measure is half way before the test accuracy is, after the training set is fitted.

    With f the fit step and a the step at which the accuracy is half way from its value at f to 1, the measure's
    move is taken over the window from f to 2a - f, which has a in its middle. So a quantity that
    drifts at a constant rate, whatever the network does, has lead 0; one that has done its work early
    leads; one that follows lags. `direction` is the one in which the measure is claimed to move.

    Raises ParameterError as `grok_time` and `half_way`.

    >>> t = np.arange(0, 1200, 10)
    >>> train, test = np.where(t < 100, 0.1, 1.0), np.where(t < 500, 0.1, 1.0)
    >>> lead_time(t, train, test, np.where(t < 300, 5.0, 1.0), "falls").lead
    200
    >>> lead_time(t, train, test, 5 - 0.01 * t, "falls").lead
    0

    Source: this book; no paper defines when a measure has given its signal.
    """
    times = to_numpy(list(steps))
    fit, half, state = accuracy_half_way(times, train_accuracy, test_accuracy, share)
    fit_step = None if fit is None else int(times[fit])
    if half is None:
        return LeadTime(None, None, None, None, fit_step, state)
    stop, accuracy_step = 2 * half - fit, int(times[half])
    if stop >= times.size:
        return LeadTime(None, None, None, accuracy_step, fit_step, "not recorded")
    found, state = half_way(measure, fit, stop, direction, share)
    if found is None:
        return LeadTime(None, None, None, accuracy_step, fit_step, state)
    lead = accuracy_step - int(times[found])
    return LeadTime(lead, lead / (accuracy_step - fit_step), int(times[found]), accuracy_step, fit_step, "ok")


def lead_rows(dataset: xr.Dataset, directions: dict[str, str], *, share: float = 0.5) -> pd.DataFrame:
    """Lead time and lag of every measure in every run of a dataset: one row a seed and measure.

    `dataset` has dims `seed` and `step` with `train_accuracy`, `test_accuracy` and the measures; `directions` maps
    the measures to "rises" or "falls". A lag that is not defined (the curve does not move, or has no value) is NaN.

    Raises ParameterError for a measure the dataset does not have.

    >>> t = np.arange(0, 1200, 10)
    >>> curve = np.where(t < 500, 0.1, 1.0)[None]
    >>> data = xr.Dataset({"test_accuracy": (("seed", "step"), curve)}, {"seed": [0], "step": t})
    >>> data = data.assign(train_accuracy=data.test_accuracy * 0 + 1, loss=-data.test_accuracy)
    >>> int(lead_rows(data, {"loss": "falls"}).lead[0])
    0
    """
    absent = [name for name in directions if name not in dataset]
    if absent:
        raise ParameterError(f"the dataset has no measure {absent[0]!r}.")
    found = [
        {"measure": name, "seed": int(seed), **_one(dataset.sel(seed=seed), name, direction, share)}
        for name, direction in directions.items()
        for seed in dataset.seed.values
    ]
    return pd.DataFrame(found)


def _one(run: xr.Dataset, name: str, direction: str, share: float) -> dict[str, object]:
    """Lead time and lag of one measure in one run, as a row."""
    curves = (run.step.values, run.train_accuracy.values, run.test_accuracy.values)
    time = lead_time(*curves, run[name].values, direction, share=share)
    try:
        lag = asdict(lead_lag(curves[0], run[name].values, curves[2]))
    except ParameterError:
        lag = dict.fromkeys(("lag", "correlation", "p_value"), np.nan)
    return asdict(time) | {key: lag[key] for key in ("lag", "correlation", "p_value")}


@dataclass(frozen=True)
class MatchingTest:
    """The median lead over runs beside that of the same measures matched with the accuracy of other runs.

    Leads are shares of the accuracy's own time. `low` and `high` are the 5 % and 95 % quantiles of the median over
    random matchings within groups, `p_value` the share of matchings (the true one included) with at least its median.
    `spread` is the median absolute deviation of the leads, `spread_p` the share of matchings with at most that spread:
    small when the measure's event goes with the accuracy of its own run. `runs` is the number of defined leads.
    """

    median: float
    low: float
    high: float
    p_value: float
    spread: float
    spread_p: float
    runs: int


def cross_leads(curves: list[np.ndarray], delays: list[int], direction: str, *, share: float = 0.5) -> np.ndarray:
    """Leads of every run's measure against every run's accuracy, (R, R), as shares of the accuracy's time.

    `curves` are measures from the fit step on, `delays` the numbers of logged intervals from fitting to the accuracy's
    half way. Entry [a, b] takes the measure of run a and the delay of run b; the diagonal holds the runs as they are.
    NaN where the measure has no clear move in the window, or the record is too short for it.

    Raises ParameterError for unequal numbers of curves and delays, or a delay below 1.

    >>> drift = [-np.arange(50.0)] * 2
    >>> cross_leads(drift, [10, 20], "falls").tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    if len(curves) != len(delays) or min(delays, default=1) < 1:
        raise ParameterError(f"{len(curves)} curves need as many delays of 1 or more, got {list(delays)}.")
    return np.array([[_cross_lead(curve, delay, direction, share) for delay in delays] for curve in curves])


def _cross_lead(curve: np.ndarray, delay: int, direction: str, share: float) -> float:
    if 2 * delay >= len(curve):
        return np.nan
    found, _ = half_way(curve, 0, 2 * delay, direction, share)
    return np.nan if found is None else (delay - found) / delay


def matching_test(
    leads: np.ndarray, groups: Sequence[object] | None = None, *, draws: int = 999, seed: int = 0
) -> MatchingTest:
    """Do measures lead the accuracy of their own run by more than that of other runs, and more evenly?

    `leads` (R, R) are those of `cross_leads`; the null draws `draws` random matchings of measures with accuracies, each
    within its group: runs of one task are exchangeable, those of different tasks are not. Without `groups` all runs
    form one. The unit is the run; a run alone in its group stays matched with itself.

    Raises ParameterError if the table is not square with two runs or more, if no lead of its diagonal is defined, or
    if there is not one group to a run.

    >>> test = matching_test(np.full((4, 4), 0.25))
    >>> test.median, test.p_value
    (0.25, 1.0)
    >>> matching_test(np.eye(4), ["a", "a", "b", "b"]).p_value < matching_test(np.eye(4), [0, 1, 2, 3]).p_value
    True
    """
    table = to_numpy(leads)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise ParameterError(f"leads has shape {table.shape}, but must be (R, R) with R of 2 or more runs.")
    labels = [0] * len(table) if groups is None else list(groups)
    if len(labels) != len(table):
        raise ParameterError(f"there are {len(labels)} groups, but there must be one to each of {len(table)} runs.")
    own = np.diag(table)
    if np.isnan(own).all():
        raise ParameterError("no run has a lead that is defined, so there is nothing to test.")
    rng, rows = np.random.default_rng(seed), np.arange(len(table))
    members = [np.array([i for i, one in enumerate(labels) if one == label]) for label in dict.fromkeys(labels)]
    drawn = [own]
    for _ in range(whole(draws, "draws", least=1)):
        order = rows.copy()
        for group in members:
            order[group] = rng.permutation(group)
        drawn.append(table[rows, order])
    kept = np.array([leads for leads in drawn if not np.isnan(leads).all()])
    medians, spreads = np.nanmedian(kept, axis=1), median_abs_deviation(kept, axis=1, nan_policy="omit")
    low, high = np.quantile(medians, [0.05, 0.95])
    later, tighter = (medians >= medians[0] - 1e-12).mean(), (spreads <= spreads[0] + 1e-12).mean()
    numbers = (medians[0], low, high, later, spreads[0], tighter)
    return MatchingTest(*map(float, numbers), int((~np.isnan(own)).sum()))
