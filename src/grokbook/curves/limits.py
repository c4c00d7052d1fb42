"""When a test accuracy begins to rise, how high it gets, and how low it falls after that: Table 1
of Gu et al. 2025.

The paper prints GO-Epoch, U-Acc and L-Acc and defines none of them. Here each is one function of
the logged curve, with the choices below. All windows are in optimiser steps, not in
logged points, so that a run logged twice as often gives the same numbers where its curve is a
straight line between the points.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.errors import ParameterError, shown
from grokbook.measures.inputs import Array, to_numpy

WINDOW = 100.0
"""The limits are those of a moving mean over this many steps."""

PLATEAU = (200, 500)
"""The plateau is the median of the accuracies logged from the first of these steps to the other."""

RISE = 0.05
PERSISTENCE = 300
"""The onset is where the accuracy is this far above its plateau, and stays so for this many
steps."""

END = 0.2
GAIN = 0.01
"""A curve still rises where the last share `END` of its steps raises the upper limit by more."""


@dataclass(frozen=True)
class Limits:
    """What `limits` found: the upper limit (U-Acc), the lowest value after it (L-Acc), where, and
    whether it was over.

    `truncated`: the record ends before the upper limit was reached, as far as its last steps can
    tell; then `upper` is a lower bound and `lower` says little. Steps are the middles of the
    windows.
    """

    upper: float
    upper_step: int
    lower: float
    lower_step: int
    truncated: bool


def moving_mean(steps: Array, values: Array, window: float) -> tuple[np.ndarray, np.ndarray]:
    r"""Mean of a curve over a window of `window` steps around each logged step that has a whole
    window; steps, means.

    The curve is the straight line between logged points, and its mean is exact:

    .. math:: m(t) = \frac1w \int_{t - w/2}^{t + w/2} f(s)\,ds, \qquad w = window.

    `steps` (n,) strictly increasing, `values` (n,), both finite. With a window of 0 the curve comes
    back as it is. Raises ParameterError for curves that are refused, for a window that is negative
    or NaN, and where the record is shorter than the window.
    """
    t, f = _curve(steps, values)
    if not window >= 0:
        raise ParameterError(f"window = {shown(window)} must be a number of steps, 0 or more.")
    if window == 0:
        return t, f
    if window > t[-1] - t[0]:
        raise ParameterError(
            f"window = {window:g} is longer than the record, which has {t[-1] - t[0]:g} steps."
        )
    area = np.concatenate([[0.0], np.cumsum(np.diff(t) * (f[1:] + f[:-1]) / 2)])
    whole = (t - window / 2 >= t[0]) & (t + window / 2 <= t[-1])
    middle = t[whole] if whole.any() else np.array([(t[0] + t[-1]) / 2])
    until_end = _area(middle + window / 2, t, f, area)
    until_start = _area(middle - window / 2, t, f, area)
    return middle, (until_end - until_start) / window


def _area(x: np.ndarray, t: np.ndarray, f: np.ndarray, area: np.ndarray) -> np.ndarray:
    """The integral of the broken line through (t, f) from t[0] to each x."""
    left = np.clip(np.searchsorted(t, x, side="right") - 1, 0, t.size - 2)
    return area[left] + (x - t[left]) * (f[left] + np.interp(x, t, f)) / 2


def _curve(steps: Array, values: Array) -> tuple[np.ndarray, np.ndarray]:
    t = to_numpy(steps)
    f = to_numpy(values)
    if t.ndim != 1 or t.shape != f.shape or t.size < 2:
        raise ParameterError(
            f"steps and values have shapes {t.shape} and {f.shape}, but must be (n,), n > 1, alike."
        )
    if not (np.isfinite(t).all() and np.isfinite(f).all()):
        bad = int(np.argmin(np.isfinite(t) & np.isfinite(f)))
        raise ParameterError(f"the curve is not finite at index {bad}, but must be.")
    if (np.diff(t) <= 0).any():
        raise ParameterError(
            f"steps do not increase at index {int(np.argmax(np.diff(t) <= 0)) + 1}, but must."
        )
    return t, f


def plateau(steps: Array, accuracy: Array) -> float:
    """Median of the accuracies logged in the plateau's steps: the level before the test accuracy
    begins to rise.

    Raises ParameterError where no step of the plateau was logged.
    """
    first, last = PLATEAU
    t, f = _curve(steps, accuracy)
    inside = (t >= first) & (t <= last)
    if not inside.any():
        raise ParameterError(
            f"no step from {first:g} to {last:g} was logged; the record has {t[0]:g} to {t[-1]:g}."
        )
    return float(np.median(f[inside]))


def onset(steps: Array, accuracy: Array) -> int | None:
    """GO-Epoch: the first logged step after the plateau with the accuracy `RISE` above it for
    `PERSISTENCE` steps.

    That is at every logged step t' with t <= t' <= t + `PERSISTENCE`; a record that ends before
    has not shown it yet. None is "not by the end of the record" (censored).

    Raises ParameterError for a curve that is not finite or whose steps do not increase.

    Example:
        >>> curve = [0.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.3, 0.3, 0.3]
        >>> onset(range(0, 1000, 100), curve)
        600

    Source: GO-Epoch of Gu et al. 2025, Table 1, which the paper does not define.
    """
    t, f = _curve(steps, accuracy)
    above = f >= plateau(t, f) + RISE - 1e-12
    below = np.append(t[~above], np.inf)
    stays = below[np.searchsorted(below, t)] > t + PERSISTENCE
    known = (t > PLATEAU[1]) & (t + PERSISTENCE <= t[-1])
    starts = t[above & stays & known]
    return int(starts[0]) if starts.size else None


def limits(steps: Array, accuracy: Array, window: float = WINDOW) -> Limits:
    """U-Acc and L-Acc: the maximum of the moving mean, and its minimum from there to the end of the
    record.

    Where the maximum is reached more than once the first counts. A curve is `truncated` when the
    last share `END` of its steps raises the maximum of the moving mean by more than `GAIN`. With
    `window` = 0 the limits are those of the raw logged values.

    Example:
        >>> found = limits([0, 500, 1000, 1500, 2000], [0, 0.8, 0.6, 0.7, 0.7], window=0)
        >>> found.upper, found.lower, found.truncated
        (0.8, 0.6, False)

    Source: U-Acc and L-Acc of Gu et al. 2025, Table 1, which the paper describes but does not
    define.
    """
    middle, mean = moving_mean(steps, accuracy, window)
    first = float(steps[0])
    last = float(steps[-1])
    top = int(np.argmax(mean >= mean.max() - 1e-9))  # means of equal stretches differ by rounding
    low = top + int(mean[top:].argmin())
    before = mean[middle <= last - END * (last - first)]
    truncated = not before.size or mean[top] - before.max() > GAIN
    return Limits(
        upper=float(mean[top]),
        upper_step=round(middle[top]),
        lower=float(mean[low]),
        lower_step=round(middle[low]),
        truncated=bool(truncated),
    )


def limits_table(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a seed of a dataset: of its test accuracy the fields of `Limits`, `plateau`, `onset`
    (NA: not by `last_step`), `last_step`.

    Steps that a run has not logged are left out. Raises ParameterError where there is no accuracy.
    """
    if "test_accuracy" not in dataset:
        raise ParameterError("the dataset has no 'test_accuracy'.")
    rows = {}
    for seed in dataset.seed.values:
        curve = dataset.test_accuracy.sel(seed=seed).dropna("step")
        run = curve.step.values, curve.values
        began = {"plateau": plateau(*run), "onset": onset(*run), "last_step": int(run[0][-1])}
        rows[int(seed)] = asdict(limits(*run)) | began
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("seed")
    return table.astype({"onset": "Int64"})
