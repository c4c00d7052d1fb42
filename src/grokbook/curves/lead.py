r"""Does a measure's event go with that of the test accuracy, and come before it? Ranks within
tasks, and controls.

Two questions that are easily mixed up. *Before*: has the measure made half of its move when the
accuracy has made half of its own (`events`)? A clock that strikes early does that in every run.
*With*: is the measure early in those runs of a task that generalise early (`rank_test`)? That no
clock does. `with_controls` adds an oracle, the same oracle early, and a clock to the measures of a
dataset. One run is one observation; curves are raw, never smoothed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from statistics import NormalDist

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.curves.delay import PERSISTENCE, ROUNDING, THRESHOLD, first_stay
from grokbook.errors import ParameterError, check_choice
from grokbook.measures.inputs import Array, to_numpy, whole

SIGNS = {"rises": 1.0, "falls": -1.0}
LEAST_DELAY = 4  # logged steps between fitting and half way below which nothing can come first


def half_move(
    values: Array, start: int, direction: str, share: float = 0.5
) -> tuple[int | None, float]:
    """Index at which a curve has made `share` of its move, or None, and the size of the move.

    The move of a curve (n,) that "falls" is its largest fall from an earlier value at or after the
    index `start`, wherever it ends; of one that "rises", its largest rise. The curve is there at
    the first index from which it is that far from its extreme so far, for four logged values in a
    row. A curve that never goes that way: None and 0.

    Raises ParameterError for another direction, a share outside (0, 1), or a start outside the
    curve.
    """
    sign = SIGNS[check_choice("direction", direction, SIGNS)]
    curve = sign * to_numpy(values)
    if not 0 < share < 1 or not 0 <= start < curve.size:
        raise ParameterError(
            f"share = {share} must be in (0, 1) and start = {start} within {curve.size} values."
        )
    gone = curve[start:] - np.minimum.accumulate(curve[start:])
    move = float(gone.max())
    if not move > 0:
        return None, 0.0
    step = first_stay(gone >= share * move * (1 - 1e-9), PERSISTENCE)
    return (None if step is None else start + step), move


def accuracy_half_way(
    train: Array, test: Array, share: float = 0.5
) -> tuple[int | None, int | None, bool]:
    """Indices of fitting and of the test accuracy `share` of the way from its value there to 1;
    does it generalise?

    Accuracies (n,); fitting and generalising are 0.95 of the training and test set, by the rule of
    `grok_time`.
    """
    fit = first_stay(to_numpy(train) >= THRESHOLD - ROUNDING, PERSISTENCE)
    if fit is None:
        return None, None, False
    later = to_numpy(test)[fit:]
    half = first_stay(later >= later[0] + share * (1 - later[0]), PERSISTENCE)
    grokked = first_stay(to_numpy(test) >= THRESHOLD - ROUNDING, PERSISTENCE) is not None
    return fit, None if half is None else fit + half, grokked


def events(
    dataset: xr.Dataset, directions: Mapping[str, str], *, share: float = 0.5
) -> pd.DataFrame:
    """When every measure and the test accuracy have made half of their moves: one row a run and
    measure.

    `dataset` has dims `seed` and `step` with both accuracies and the measures, `directions` maps
    these to "rises" or "falls". Columns: `seed`, `measure`, `fit_step`; `accuracy_delay` and
    `measure_delay`, optimiser steps from fitting to half way, infinite where that does not happen
    within the record, NaN where the measure is not defined or the training set is never fitted;
    `move`, the size of the measure's; `generalises`, with a delay of four logged steps or more;
    `lead` = 1 - measure_delay / accuracy_delay of such runs.

    Raises ParameterError for a measure the dataset does not have.
    """
    absent = [name for name in directions if name not in dataset]
    if absent:
        raise ParameterError(f"the dataset has no measure {absent[0]!r}.")
    curves = dataset[["train_accuracy", "test_accuracy", *directions]].load()
    rows: list[dict[str, object]] = []
    for seed in curves.seed.values:
        rows += _events_of_run(curves.sel(seed=seed), directions, share)
    return pd.DataFrame(rows)


def _events_of_run(
    run: xr.Dataset, directions: Mapping[str, str], share: float
) -> list[dict[str, object]]:
    """The rows of one run, one a measure."""
    steps = run.step.values
    fit, half, generalises = accuracy_half_way(run.train_accuracy, run.test_accuracy, share)
    slow = generalises and fit is not None and half is not None and half - fit >= LEAST_DELAY
    fit_step = np.nan if fit is None else float(steps[fit])
    accuracy_delay = _delay(steps, fit, half)
    rows: list[dict[str, object]] = []
    for name, direction in directions.items():
        delay = move = lead = np.nan
        if fit is not None and np.isfinite(run[name].values[fit:]).all():
            moved, move = half_move(run[name].values, fit, direction, share)
            delay = _delay(steps, fit, moved)
            if slow and moved is not None:
                lead = 1 - delay / accuracy_delay
        row: dict[str, object] = {"seed": int(run.seed), "fit_step": fit_step, "generalises": slow}
        row |= {"accuracy_delay": accuracy_delay, "measure": name}
        rows.append(row | {"measure_delay": delay, "move": move, "lead": lead})
    return rows


def _delay(steps: np.ndarray, fit: int | None, index: int | None) -> float:
    """Optimiser steps from fitting to an index: infinite where it is None, NaN without a fit."""
    if fit is None:
        return np.nan
    return np.inf if index is None else float(steps[index] - steps[fit])


@dataclass(frozen=True)
class RankTest:
    """Somers' D of a measure given the accuracy, within groups, joined: `tau` in [-1, 1], p-value,
    pairs it rests on.

    `pairs` counts the pairs of runs of one group whose accuracies differ in time; without any,
    `tau` and `p_value` are NaN.
    """

    tau: float
    p_value: float
    pairs: int


def _signs(values: np.ndarray) -> np.ndarray:
    """Who is later: (n, n) signs, 0 for equal values, two infinite ones among them."""
    row = values[:, None]
    other = values[None, :]
    return (row > other).astype(np.float32) - (row < other)


@lru_cache(maxsize=32)
def _orders(sizes: tuple[int, ...], draws: int, seed: int) -> list[np.ndarray]:
    """Random orders of each group of n, (n, draws)."""
    rng = np.random.default_rng(seed)
    orders = []
    for n in sizes:
        shuffled = rng.permuted(np.tile(np.arange(n), (draws, 1)), axis=1)
        orders.append(np.ascontiguousarray(shuffled.T))
    return orders


def rank_test(
    groups: Sequence[tuple[Array, Array]],
    *,
    draws: int = 9999,
    seed: int = 0,
    together: bool = False,
) -> RankTest:
    r"""Is the measure early in those runs of a group in which the accuracy is? Somers' D, permuted
    within groups.

    Each group is a pair of times (n,), of the measure and of the accuracy in the runs of one task;
    infinite is "not within the record" and later than all else. With C pairs of runs of one group
    in one order, D in opposite ones, and N whose accuracies differ, $\tau = (C - D)/N$. The p-value
    is the share, among `draws` random permutations of the accuracies within their groups and the
    true order, of those with at least this C - D: runs of one task are exchangeable, those of
    different tasks are not. With `together` the k-th runs of all groups have something in common,
    such as a start: each permutation is then one for all groups.

    Raises ParameterError for a group whose times are NaN or not equally many, and with `together`
    for groups of different sizes.
    """
    observed = 0.0
    pairs = 0
    drawn = np.zeros(whole(draws, "draws", least=1))
    sizes = tuple(len(measure) for measure, _ in groups)
    if together and len(set(sizes)) > 1:
        raise ParameterError(f"groups of {[*sizes]} runs cannot be permuted together.")
    if together:
        shuffled = _orders(sizes[:1], draws, seed) * len(sizes)
    else:
        shuffled = _orders(sizes, draws, seed)
    for (measure, accuracy), orders in zip(groups, shuffled, strict=True):
        first = np.asarray(measure, dtype=float)
        second = np.asarray(accuracy, dtype=float)
        if first.shape != second.shape or first.ndim != 1 or np.isnan([*first, *second]).any():
            raise ParameterError(
                f"a group has times of shapes {first.shape} and {second.shape}; not (n,), no NaN."
            )
        i, j = np.triu_indices(len(first), 1)
        x = _signs(first)[i, j]
        y = _signs(second)[i, j]
        later = np.unique(second, return_inverse=True)[1].astype(np.int16)[orders]
        drawn += x @ np.sign(later[i] - later[j]).astype(np.float32)
        observed += float((x * y).sum())
        pairs += int(np.abs(y).sum())
    if not pairs:
        return RankTest(np.nan, np.nan, 0)
    as_high = int((drawn >= observed).sum())
    return RankTest(observed / pairs, (1 + as_high) / (1 + draws), pairs)


def rank_interval(groups: Sequence[tuple[Array, Array]]) -> tuple[float, float, float]:
    r"""Somers' D of `rank_test`, and the lower and upper end of its 95 % interval by a jackknife.

    The k-th runs of all groups are left out together, as they have something in common, such as a
    start. With $D_{-k}$ the value without the k-th of n, the variance is $\frac{n-1}{n}\sum_k
    (D_{-k} - \bar D)^2$, and the interval is that of the normal distribution. NaN where no
    accuracies differ, or do without one of the runs.

    Raises ParameterError for groups of different sizes or of fewer than two runs.

    Example:
        >>> rank_interval([(np.arange(9), np.arange(9) ** 2)])
        (1.0, 1.0, 1.0)

    Source: Arvesen 1969, Jackknifing U-statistics.
    """
    sizes = sorted({len(times) for times in chain.from_iterable(groups)})
    if len(sizes) != 1 or sizes[0] < 2:
        raise ParameterError(f"groups of {sizes} runs must be of one size, two or more.")
    agree = np.zeros((sizes[0], sizes[0]), np.float32)
    differ = np.zeros_like(agree)
    for measure, accuracy in groups:
        x = _signs(np.asarray(measure, dtype=float))
        y = _signs(np.asarray(accuracy, dtype=float))
        agree += x * y
        differ += np.abs(y)
    with np.errstate(invalid="ignore"):
        value = float(agree.sum() / differ.sum())
        without = (agree.sum() - 2 * agree.sum(axis=1)) / (differ.sum() - 2 * differ.sum(axis=1))
    spread = np.sqrt((len(without) - 1) * without.var())
    off = float(NormalDist().inv_cdf(0.975) * spread)
    return value, value - off, value + off


def event_table(
    runs: Mapping[str, xr.Dataset], directions: Mapping[str, str], *, share: float = 0.5
) -> pd.DataFrame:
    """`events` of every dataset in one table, the task's name in the first column.

    Raises ParameterError for no dataset, and as `events`.
    """
    if not runs:
        raise ParameterError("there is no dataset, but a table of events needs at least one.")
    parts = []
    for task, dataset in runs.items():
        table = events(dataset, directions, share=share)
        table.insert(0, "task", task)
        parts.append(table)
    return pd.concat(parts, ignore_index=True)


def ranked(rows: pd.DataFrame) -> RankTest:
    """`rank_test` of one measure over its rows that generalise, a group a task; runs in which it is
    not defined are left out.

    A run that has not generalised by its last step is later than others by its accuracy, and its
    measure has made a part of its move. Half of that part comes early: to rank such a run would
    count as lateness of the one what is earliness of the other.
    """
    known = rows[rows.generalises].dropna(subset=["measure_delay", "accuracy_delay"])
    groups = []
    for _, part in known.groupby("task", sort=False):
        groups.append((part.measure_delay, part.accuracy_delay))
    return rank_test(groups)
