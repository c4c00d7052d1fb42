"""When a run fits its training set, when it generalises, and how long that takes: with censoring.

The rule. An accuracy curve *reaches* a threshold at the first logged step at which it is at or
above the threshold and stays so at the next `persistence` logged steps. So an excursion of
`persistence` points or fewer does not count, and what comes after the window is not asked: a dip
later on does not undo a crossing, and a longer record of the same run never moves a step that was
already reported. A curve that ends inside its window has not reached the threshold *yet*: it is
censored, "not by step T". A run that loses what it had, that is, is below the threshold at more
than `persistence` logged steps in a row, is reported: `reverted_step` says when first,
`settled_step` when its last stay began (None if it is not there at the end), `stay` how long the
first one was. A first stay that the record's end cuts off has no length: it lasted `last_step` -
`grok_step` steps at least.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import CensoredData, ecdf

from grokbook.errors import ParameterError, checked_call, shown
from grokbook.measures.inputs import Array, to_numpy, whole

THRESHOLD = 0.95
PERSISTENCE = 3

ONSET = 0.05
"""Share of the test cells with an untrained transpose that must be right where the test accuracy
begins to rise."""

ROUNDING = 1e-6
"""What an accuracy may be below a threshold: in single precision 19 of 20 is 0.94999999."""
_STEPS = ["fit_step", "grok_step", "delay", "last_step", "reverted_step", "settled_step", "stay"]


@dataclass(frozen=True)
class GrokTime:
    """When a run fitted and generalised, in optimiser steps; None is "not within the record".

    `delay` = `grok_step` - `fit_step`, None unless both are known (negative if the test set came
    first). `stay` = `reverted_step` - `grok_step`, how long the accuracy stays, None where it was
    not lost within the record. `censored`: the test accuracy did not reach `threshold` by
    `last_step`. `reverted_step`, `settled_step`: see the module.
    """

    fit_step: int | None
    grok_step: int | None
    delay: int | None
    censored: bool
    threshold: float = THRESHOLD
    persistence: int = PERSISTENCE
    last_step: int | None = None
    reverted_step: int | None = None
    settled_step: int | None = None
    stay: int | None = None

    def describe(self) -> str:
        """The result in words."""
        fit = "does not fit" if self.fit_step is None else f"fits at step {self.fit_step}"
        if self.grok_step is None:
            return f"{fit}; does not generalise{self._by()}"
        fit += self._by() if self.fit_step is None else ""
        delay = "" if self.delay is None else f", {self.delay} steps later"
        lost = "" if self.reverted_step is None else f", lost again at step {self.reverted_step}"
        return f"{fit}; generalises at step {self.grok_step}{delay}{lost}"

    def _by(self) -> str:
        return "" if self.last_step is None else f" by step {self.last_step}"

    __str__ = describe


def grok_time(
    steps: Array,
    train_accuracy: Array,
    test_accuracy: Array,
    *,
    threshold: float = THRESHOLD,
    persistence: int = PERSISTENCE,
) -> GrokTime:
    """Fit step, grok step and delay of one run, censored if the record ends first.

    `steps` (n,) whole and strictly increasing, `train_accuracy` and `test_accuracy` (n,) in [0, 1].
    A curve reaches `threshold` at the first logged step from which it is at or above it there and
    at the next `persistence` logged steps.

    Raises ParameterError for curves of unequal length, accuracies that are not numbers in [0, 1],
    unsorted steps, a threshold outside (0, 1], or a negative persistence.

    >>> train = [0.1, 1, 1, 1, 1, 1, 1, 1]
    >>> test = [0.1, 0.2, 0.2, 0.97, 0.99, 1, 1, 1]
    >>> grok_time(range(0, 800, 100), train, test).delay
    200
    >>> print(grok_time(range(0, 500, 100), train[:5], test[:5]))
    fits at step 100; does not generalise by step 400
    """
    if not isinstance(threshold, int | float | np.number) or not 0 < threshold <= 1:
        raise ParameterError(
            f"threshold is {shown(threshold)}, but must be an accuracy in (0, 1], such as"
            f" {THRESHOLD}."
        )
    times, train, test = _check_curves(steps, train_accuracy, test_accuracy)
    fits = train >= threshold - ROUNDING
    groks = test >= threshold - ROUNDING
    return _timed(times, fits, groks, threshold, persistence)


def _timed(
    times: np.ndarray, fits: np.ndarray, groks: np.ndarray, threshold: float, persistence: int
) -> GrokTime:
    """The same from where the training and the test set are on the wanted side of the threshold,
    bool (n,) each."""
    whole(persistence, "persistence", least=0)
    fit = first_stay(fits, persistence)
    grok = first_stay(groks, persistence)
    reverted, settled = _after(groks, grok, persistence)
    delay = None if fit is None or grok is None else int(times[grok] - times[fit])
    stay = None if grok is None or reverted is None else int(times[reverted] - times[grok])
    return GrokTime(
        _step(times, fit),
        _step(times, grok),
        delay,
        censored=grok is None,
        threshold=float(threshold),
        persistence=int(persistence),
        last_step=int(times[-1]),
        reverted_step=_step(times, reverted),
        settled_step=_step(times, settled),
        stay=stay,
    )


def _step(times: np.ndarray, index: int | None) -> int | None:
    """The step at an index, None for none."""
    return None if index is None else int(times[index])


def _check_curves(*curves: Array) -> tuple[np.ndarray, ...]:
    """Steps, train and test accuracy as arrays, after checking them."""
    arrays = _check_steps(*curves)
    for name, curve in zip(("train_accuracy", "test_accuracy"), arrays[1:], strict=True):
        good = (curve >= 0) & (curve <= 1 + 1e-6)
        if not good.all():
            i = int(np.argmin(good))
            raise ParameterError(
                f"{name} is {curve[i]:g} at step {arrays[0][i]:g}, but must be a share in [0, 1]."
            )
    return arrays


def _check_steps(*curves: Array) -> tuple[np.ndarray, ...]:
    """The same, of any curves of the training and the test set."""
    arrays = tuple(map(to_numpy, curves))
    steps = arrays[0]
    shapes = [curve.shape for curve in arrays]
    if len(set(shapes)) > 1 or steps.ndim != 1 or not steps.size:
        raise ParameterError(
            f"steps, train and test accuracy have shapes {shapes}, but must be (n,), n > 0, alike."
        )
    bad = np.append(False, np.diff(steps) <= 0) | (steps % 1 != 0)
    if bad.any():
        i = int(np.argmax(bad))
        raise ParameterError(
            f"steps has {steps[i]:g} at index {i}, but must be whole and strictly increasing."
        )
    return arrays


def first_stay(above: np.ndarray, persistence: int) -> int | None:
    """Index of the first True followed by `persistence` more."""
    return next((start for start, end in _runs(above) if end - start > persistence), None)


def _runs(flags: np.ndarray) -> list[tuple[int, int]]:
    """[start, end) of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(int)))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _after(above: np.ndarray, grok: int | None, persistence: int) -> tuple[int | None, int | None]:
    """Indices of the first loss after `grok`, and of the stay that lasts to the end of the
    record."""
    if grok is None:
        return None, None
    reverted = None
    settled: int | None = grok
    for start, end in _runs(~above):
        if start > grok and end - start > persistence:
            reverted = start if reverted is None else reverted
            stay = first_stay(above[end:], persistence)
            settled = None if stay is None else end + stay
    return reverted, settled


@checked_call
def grok_times(
    dataset: xr.Dataset,
    *,
    threshold: float = THRESHOLD,
    persistence: int = PERSISTENCE,
    below: float | None = None,
) -> pd.DataFrame:
    """`grok_time` of each run of a dataset: a table, one row a run, one column a field of
    `GrokTime`.

    `dataset` has variables `train_accuracy` and `test_accuracy` over the coordinate `step` and any
    other dimensions (`run`, `seed`, axes of a grid), which become the index; coordinates along them
    that vary are the first columns. A run that stopped early is filled up with NaN at its end:
    those steps are left out. A cell of a grid without any value was not run and has no row.

    With `below` the rule is by loss, as real answers may need: a set is reached at the first logged
    step at which `train_loss` or `test_loss` is at or below it, and stays so as long; `threshold`
    is then this loss.

    Raises ParameterError if a variable or `step` is missing, a curve is refused, or `below` is no
    positive number.

    >>> curve = ("seed", "step"), [[2.0, 0.5, 0.1, 0.1, 0.1, 0.1]]
    >>> run = xr.Dataset({"train_loss": curve, "test_loss": curve}, {"step": range(6), "seed": [0]})
    >>> grok_times(run, below=0.2).grok_step.tolist()
    [2]
    """
    by = "accuracy" if below is None else "loss"
    number = isinstance(below, int | float | np.number) and not isinstance(below, bool)
    if below is not None and not (number and 0 < below < np.inf):
        raise ParameterError(
            f"below is {shown(below)}, but must be a loss, a positive number such as 0.01."
        )
    wanted = (f"train_{by}", f"test_{by}", "step")
    for name in wanted:
        if name not in dataset.variables:
            raise ParameterError(
                f"dataset has no {name}, but needs {wanted[0]}, {wanted[1]} and step."
            )
    both = xr.broadcast(dataset[f"test_{by}"], dataset[f"train_{by}"])
    curves = xr.concat(both, "set", coords="minimal", join="exact")
    dims = [str(name) for name in curves.dims if name not in ("set", "step")]
    if not dims:
        dims = ["run"]
        curves = curves.expand_dims("run")
    rows = curves.transpose(*dims, "set", "step").values.reshape(-1, 2, curves.sizes["step"])
    # a cell of a grid without any value was not run; a single run is timed, or refused, as it is
    was_run = np.isfinite(rows).any((1, 2)) | (len(rows) == 1)
    settings = _settings(curves.isel(set=0, step=0), dims)[was_run]
    times = []
    for test, train in rows[was_run]:
        known = np.flatnonzero(~(np.isnan(train) & np.isnan(test)))
        end = int(known[-1]) + 1 if known.size else 0
        run = dataset.step.values[:end], train[:end], test[:end]
        if below is None:
            times.append(grok_time(*run, threshold=threshold, persistence=persistence))
            continue
        logged, fits, groks = _check_steps(*run)
        times.append(_timed(logged, fits <= below, groks <= below, below, persistence))
    return settings.join(_table(times).set_index(settings.index))


def _settings(runs: xr.DataArray, dims: list[str]) -> pd.DataFrame:
    """The coordinates along `dims` that vary from run to run, a row a run; the index is `dims`."""
    table = runs.rename("value").transpose(*dims).to_dataframe(dim_order=dims)
    varying = []
    for name, part in runs.coords.items():
        if part.dims and name not in dims and table[name].nunique(dropna=False) > 1:
            varying.append(name)
    return table[varying]


def _table(times: Iterable[GrokTime]) -> pd.DataFrame:
    table = pd.DataFrame(
        [asdict(time) for time in times], columns=list(GrokTime.__dataclass_fields__)
    )
    return table.astype({column: "Int64" for column in _STEPS})


def median_delay(times: pd.DataFrame | Iterable[GrokTime]) -> float | None:
    r"""Median delay of several runs by Kaplan and Meier, or None if too many are censored to know
    it.

    The smallest t with $\hat S(t) = \prod_{t_i \le t}(1 - n_i/m_i) \le 1/2$, where $n_i$ runs grok
    with delay $t_i$ and $m_i$ have a delay (or are followed) at least that long. `times` is a table
    of `grok_times` or GrokTime objects. A run that fitted and did not generalise counts as followed
    for `last_step - fit_step` steps; one that did not fit has not started its delay and is left
    out. For an even number of uncensored runs it is the lower of the middle two.

    Raises ParameterError if a censored run does not say its last step.
    """
    table = times if isinstance(times, pd.DataFrame) else _table(times)
    fitted = table[table["fit_step"].notna()]
    observed = ~fitted["censored"].to_numpy(dtype=bool)
    followed = fitted["delay"].where(observed, fitted["last_step"] - fitted["fit_step"])
    return _kaplan_meier_median(followed, observed)


def middle(steps: pd.Series) -> float:
    """The median of some steps; infinite where half of them or more are missing.

    Example:
        >>> middle(pd.Series([100, None, 300], dtype="Int64")), middle(pd.Series([None, None, 7.0]))
        (300.0, inf)
    """
    return float(steps.astype(float).fillna(np.inf).median())


def median_step(times: pd.DataFrame, column: str = "grok_step") -> float | None:
    """Median of a column of steps by Kaplan and Meier: a run without one counts as later than its
    `last_step`.

    `times` has the column and `last_step`, as the table of `grok_times` does. None where too many
    runs are censored to know it; never the median of those that finished, which is too early.

    Raises ParameterError if a run without the step does not say its last step.
    """
    observed = times[column].notna().to_numpy(dtype=bool)
    return _kaplan_meier_median(times[column].where(observed, times["last_step"]), observed)


def _kaplan_meier_median(followed: pd.Series, observed: np.ndarray) -> float | None:
    """The least time at which the estimated survival is at most one half."""
    if followed.isna().any():
        raise ParameterError(
            "a censored run has last_step None, but needs it to say how long it was followed."
        )
    if not observed.any():
        return None
    survival = ecdf(CensoredData.right_censored(followed.to_numpy(dtype=float), ~observed)).sf
    reached = survival.quantiles[survival.probabilities <= 0.5 + 1e-12]
    return float(reached[0]) if reached.size else None


def delay_summary(times: pd.DataFrame) -> dict[str, int | float | None]:
    """What a sentence needs of the table of `grok_times`; None where no run got there.

    `runs`, `generalised` and `censored` count runs; `fit` is the median fit step (see
    `median_step`), `earliest` and `latest` the first and last grok step, `delay` the median delay
    with censored runs, `last` the last logged step.

    Raises ParameterError where `median_delay` does.

    >>> curve = ("seed", "step"), [[0.1, 1, 1, 1, 1]]
    >>> run = xr.Dataset(
    ...     {"train_accuracy": curve, "test_accuracy": curve}, {"step": range(5), "seed": [0]}
    ... )
    >>> delay_summary(grok_times(run))["earliest"]
    1
    """
    grok = times.grok_step.dropna()
    return {
        "runs": len(times),
        "generalised": len(grok),
        "censored": len(times) - len(grok),
        "fit": median_step(times, "fit_step"),
        "earliest": int(grok.min()) if len(grok) else None,
        "latest": int(grok.max()) if len(grok) else None,
        "delay": median_delay(times),
        "last": int(times.last_step.max()),
    }
