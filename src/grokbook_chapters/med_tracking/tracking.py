"""Does one curve track another? Signs of increments with a null, levels crossed, ends of declines;
one row a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.curves.delay import ONSET, PERSISTENCE, GrokTime, first_stay, grok_time
from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array, to_numpy, whole
from grokbook_chapters.labelled import Row

SETTLED = 0.1
"""Two events of a run of T steps count as one when they are at most this share of T apart."""

WINDOW = 25
"""Points of the moving average that detrending takes away, unless another is given."""

SHIFTS = 20
"""Lags, half before and half after, from which a shift test can say 0.05: its least p-value is one
in so many."""

STAY = 16
"""Detrended increments of one sign in a row from which they count as what is left of the trend."""


@dataclass(frozen=True)
class ShiftTest:
    """Agreement of the signs of two curves' increments and how often chance does as well.

    `agreement` is the observed share; `null` the median share over all lags and `p_value` the share
    of lags (lag zero counted in) at which they agree at least as well. `intervals` is the number of
    increments compared at lag zero.
    """

    agreement: float
    null: float
    p_value: float
    intervals: int


def _curve(values: Array, name: str) -> np.ndarray:
    curve = to_numpy(values)
    if curve.ndim != 1 or curve.size < 3 or not np.isfinite(curve).all():
        raise ParameterError(
            f"{name} must be at least 3 finite numbers in a row, got shape {curve.shape}."
        )
    return curve


def _pair(
    x: Array, y: Array, one: str = "the first curve", two: str = "the second curve"
) -> tuple[np.ndarray, np.ndarray]:
    first = _curve(x, one)
    second = _curve(y, two)
    if first.size != second.size:
        raise ParameterError(
            f"{one} and {two} have {first.size} and {second.size} points; they must be equally"
            " long."
        )
    return first, second


def sign_agreement(x: Array, y: Array) -> float:
    r"""Share of steps at which both curves move the same way, in [0, 1].

    .. math:: \frac{1}{n-1} \sum_t [\operatorname{sign}(x_{t+1}-x_t) =
        \operatorname{sign}(y_{t+1}-y_t)]

    Property 2 of Gu 2024 says that it is 1 for the test loss and MED. Curves x and y: (n,), n >= 3,
    raw, never smoothed. Raises ParameterError for other input.

    >>> sign_agreement([0, 1, 2, 1], [5, 6, 7, 8])
    0.6666666666666666

    Source: Gu 2024, section 4.3, Property 2.
    """
    first, second = np.sign(np.diff(_pair(x, y)))
    return float((first == second).mean())


def detrended_increments(x: Array, window: int = WINDOW) -> np.ndarray:
    """Increments of a curve minus their centred moving average over `window` points (odd), shape
    (n-window,).

    Two curves that merely share a slow trend have increments of equal sign for that reason alone;
    what is left here moves for reasons of its own. The ends, which have no full window, are left
    out: there the average lags behind the trend, and curves that share only that would agree.

    Raises ParameterError for a window that is even or below 3, and for a curve that is not finite
    numbers or is shorter than the window and three more.
    """
    if window < 3 or window % 2 == 0:
        rule = "must be an odd number of 3 or more points"
        raise ParameterError(f"window = {window} {rule}.")
    step = np.diff(_curve(x, "the curve"))
    if step.size < window + 2:
        few = f"{step.size} increments are fewer than {window + 2}"
        raise ParameterError(f"{few}; log more steps.")
    half = window // 2
    slow = np.convolve(step, np.full(window, 1 / window), "valid")
    return step[half : step.size - half] - slow


def shift_test(x: Array, y: Array, *, window: int | None = WINDOW) -> ShiftTest:
    """Sign agreement of two curves' increments against the agreement at other lags.

    With `window` the increments are detrended first (see `detrended_increments`), and `STAY` or
    more of one sign in a row are left out as a rest of the trend; with None they are raw. The
    middle half of one curve is laid beside equally long pieces of the other, a quarter of the whole
    earlier to a quarter later. Nothing wraps round: the seam of a circular shift breaks a common
    period. Compared is the excess of agreements over disagreements, in units of the root of their
    number. A clock, whose detrended increments have one sign, has p-value 1. Not allowed for is a
    pace that changes in both curves alike: only curves of other runs are a null for that.

    Raises ParameterError as `detrended_increments`, and for fewer than 8 increments.

    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=400).cumsum()
    >>> shift_test(noise, noise).agreement, shift_test(noise, np.exp(-np.arange(400) / 50)).p_value
    (1.0, 1.0)

    Source: the null is this book's; a test on smoothed or trending curves finds agreement
    everywhere.
    """
    first, second = _pair(x, y)
    first = _signs(first, window)
    second = _signs(second, window)
    n = first.size
    quarter = n // 4
    if quarter < 2:
        raise ParameterError(f"{n} increments are fewer than 8; log more steps.")
    pieces = np.lib.stride_tricks.sliding_window_view(second, n - 2 * quarter)
    products = first[quarter : n - quarter] * pieces
    compared = (products != 0).sum(axis=1)
    counts = np.maximum(compared, 1)
    shares = (products > 0).sum(axis=1) / counts
    excess = products.sum(axis=1) / np.sqrt(counts)
    as_high = excess >= excess[quarter] - 1e-12
    return ShiftTest(
        agreement=float(shares[quarter]),
        null=float(np.median(shares)),
        p_value=float(as_high.mean()),
        intervals=int(compared[quarter]),
    )


def _signs(curve: np.ndarray, window: int | None) -> np.ndarray:
    """Signs of the increments, raw, or detrended and without what is left of a trend."""
    if window is None:
        return np.sign(np.diff(curve))
    return _without_stays(np.sign(detrended_increments(curve, window)))


def _without_stays(signs: np.ndarray) -> np.ndarray:
    """The signs with 0 wherever one stays for `STAY` or more in a row."""
    starts = np.flatnonzero(np.append(True, np.diff(signs) != 0))
    lengths = np.diff(np.append(starts, signs.size))
    return np.where(np.repeat(lengths >= STAY, lengths), 0, signs)


def first_below(
    steps: Array, values: Array, level: float, *, persistence: int = PERSISTENCE
) -> int | None:
    """First logged step at which a curve is below `level` and stays so at the next `persistence`
    points.

    None when that does not happen within the record. The persistence rule is that of `grok_time`.

    Raises ParameterError for steps or a curve that are not 3 or more finite numbers, equally many.
    """
    times, curve = _pair(steps, values, "steps", "the curve")
    found = first_stay(curve < level, persistence)
    return None if found is None else int(times[found])


def end_of_decline(steps: Array, values: Array, *, tolerance: float = 0.05, smooth: int = 5) -> int:
    """The logged step after which a curve makes no more overall downward progress.

    With m the trailing median of the curve over `smooth` points: the first step at or after the
    maximum of m from which m never again falls by more than `tolerance` times its whole fall, the
    difference between that maximum and the least value after it. A curve that only rises ends its
    decline where it is highest.

    Use `end_of_decline(steps, -accuracy)` for the step at which an accuracy stops increasing.

    Raises ParameterError for steps or a curve that are not 3 or more finite numbers, equally many,
    and for a `smooth` that is not a whole number of 1 or more.
    """
    times, curve = _pair(steps, values, "steps", "the curve")
    width = whole(smooth, "smooth")
    m = pd.Series(curve).rolling(width, min_periods=1).median().to_numpy()
    top = int(np.argmax(m))
    floor = np.minimum.accumulate(m[::-1])[::-1]
    fall = m[top] - floor[top]
    settled = m[top:] - floor[top:] <= tolerance * fall
    return int(times[top + int(np.argmax(settled))])


def agreement(run: xr.Dataset, measure: str = "med") -> Row:
    """How far the measure of one run (dims: step) moves as its test loss does, once it has fitted.

    `agreement` is the share of logged intervals in which both move the same way; `detrended`,
    `null` and `p_value` are those of `shift_test`, NaN where detrending leaves fewer than `SHIFTS`
    lags.

    Raises ParameterError for a measure that the dataset does not have.
    """
    return _moves(run, measure, _read(run, _timed(run, "test_accuracy").fit_step))


def _moves(run: xr.Dataset, measure: str, read: np.ndarray) -> Row:
    """`agreement` over the logged steps that are read."""
    if measure not in run:
        raise ParameterError(f"the dataset has no measure {measure!r}.")
    loss = run.test_loss.values[read]
    value = run[measure].values[read]
    # detrending leaves an increment a point beyond the window
    tested = (loss.size - WINDOW) // 4 >= SHIFTS // 2
    test = shift_test(loss, value) if tested else ShiftTest(np.nan, np.nan, np.nan, 0)
    return {
        "agreement": sign_agreement(loss, value),
        "detrended": test.agreement,
        "null": test.null,
        "p_value": test.p_value,
    }


def track(run: xr.Dataset, measure: str = "med") -> dict[str, float | int | None]:
    """The three observations of Gu 2024, section 5.1, on one run (dims: step), as numbers.

    - `agreement`, `detrended`, `null` and `p_value`: see `agreement`.
    - `fit_step`, `grok_step`: see `grok_time`; `onset_step`: the accuracy on test cells whose
      transpose was not trained reaches `ONSET`.
    - `below_step`: the measure falls below its initial value (after the run has fitted) and stays
      there.
    - `measure_settles`, `accuracy_settles`: end of the measure's decline and of the accuracy's
      rise.

    Source: Gu 2024, section 5.1 (three bullets) and section 4.3 (Property 2).
    """
    timed = _timed(run, "test_accuracy")
    read = _read(run, timed.fit_step)
    onset = _timed(run, "test_accuracy_unmirrored", threshold=ONSET)
    moves = _moves(run, measure, read)
    steps = run.step.values[read]
    value = run[measure].values[read]
    return {
        "fit_step": timed.fit_step,
        "onset_step": onset.grok_step,
        "grok_step": timed.grok_step,
        **moves,
        "below_step": first_below(steps, value, float(run[measure].sel(step=0))),
        "measure_settles": end_of_decline(steps, value),
        "accuracy_settles": end_of_decline(steps, -run.test_accuracy.values[read]),
        "last_step": int(run.step[-1]),
    }


def _timed(run: xr.Dataset, accuracy: str, **options: float) -> GrokTime:
    return grok_time(run.step.values, run.train_accuracy.values, run[accuracy].values, **options)


def _read(run: xr.Dataset, fit_step: int | None) -> np.ndarray:
    """Which logged steps are read: those evenly apart, after the dense beginning, from the fit on,
    where the test loss is known."""
    steps = run.step.values
    gap = np.diff(steps)
    even = np.arange(steps.size) >= np.argmax(gap >= 0.9 * np.median(gap))
    return even & (steps >= (fit_step or 0)) & run.test_loss.notnull().values


def agreement_table(dataset: xr.Dataset, measure: str = "med") -> pd.DataFrame:
    """`agreement` for each seed of a dataset: index seed."""
    return _by_seed(dataset, partial(agreement, measure=measure))


def _by_seed(dataset: xr.Dataset, row: Callable[[xr.Dataset], Mapping[str, Any]]) -> pd.DataFrame:
    """A table with a row for the run of each seed: index seed."""
    rows = {int(seed): row(dataset.sel(seed=seed)) for seed in dataset.seed}
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("seed")


def tracking_table(dataset: xr.Dataset, measure: str = "med") -> pd.DataFrame:
    """`track` for each seed of a dataset: index seed, steps as whole numbers with missing ones as
    NA."""
    table = _by_seed(dataset, partial(track, measure=measure))
    steps = [name for name in table if name.endswith(("_step", "_settles"))]
    return table.astype(dict.fromkeys(steps, "Int64"))


def falls_with_grokking(table: pd.DataFrame) -> pd.Series:
    """Whether the step from which the measure is below its start is nearer to generalising than to
    fitting, by run.

    False where one of the two does not happen. `table` is one of `tracking_table`.

    >>> rows = {"fit_step": [100, 100], "below_step": [800, 200], "grok_step": [1000, 1000]}
    >>> falls_with_grokking(pd.DataFrame(rows)).tolist()
    [True, False]
    """
    steps = table[["fit_step", "below_step", "grok_step"]].astype(float)
    to_grok = (steps.below_step - steps.grok_step).abs()
    return to_grok < (steps.below_step - steps.fit_step).abs()
