"""What is measured on the embeddings of trained toys: their lines, their way there, and what they
predict."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims.runs import every_run
from grokbook.curves.lead import RankTest, rank_test
from grokbook.measures.fourier import energy_share
from grokbook.tasks.replayed import DrawnAddition
from grokbook.theory import linear_probability
from grokbook.theory.effective_flow import flow, limit
from grokbook.theory.parallelograms import (
    all_samples,
    augmented_set,
    closed_set,
    equations,
    grokking_rate,
    ideal_model,
    implied_set,
    nullity,
    permissible_set,
    representation_quality_index,
)
from grokbook_chapters.labelled import Datasets, Row
from grokbook_chapters.liu2022 import STEP
from grokbook_chapters.trained_toys.runs import STEPS, TOLERANCE, P, fig2

Pairs = list[tuple[int, int]]

# The RQI above which the program sees a line.
GOAL = 0.95

# Share of a set from which on the program counts it as learned.
FITTED = 0.9


def pairs_of(n: int, seed: int) -> Pairs:
    """The training pairs of a run, as its task draws them."""
    task = DrawnAddition(train_fraction=n / 55, seed=seed)
    return [tuple(pair) for pair in task.inputs[task.train_index].tolist()]


def normalised(table: np.ndarray) -> np.ndarray:
    """Numbers (..., p) moved to mean 0 and stretched to an unbiased variance of 1, as by the
    program: Z_0 = p - 1."""
    deviation = table - table.mean(axis=-1, keepdims=True)
    return deviation / table.std(axis=-1, ddof=1, keepdims=True)


def quality(numbers: np.ndarray, pairs: Pairs | None = None) -> np.ndarray:
    """The RQI of normalised numbers (..., p) by the program's rule, (...,): the share of equations
    met.

    With `pairs` it is that of the parallelograms of these pairs alone, NaN where they make none.

    Example:
        >>> quality(np.stack([normalised(np.arange(10.0)), 5 * np.arange(10.0) ** 2])).tolist()
        [1.0, 0.0]
    """
    p = numbers.shape[-1]
    every = equations(permissible_set(all_samples(p) if pairs is None else pairs), p)
    met = np.abs(numbers @ every.T) <= TOLERANCE
    return met.mean(axis=-1) if len(every) else np.full(met.shape[:-1], np.nan)


class Path(NamedTuple):
    """The steps at which the embedding of a run was kept, and the numbers then, (steps, p),
    normalised."""

    steps: np.ndarray
    numbers: np.ndarray


def path(run: xr.Dataset) -> Path:
    """The path of the numbers of one run."""
    snapshots = run.embedding.isel(feature=0).transpose("snapshot", "token")
    return Path(snapshots.snapshot.to_numpy(), normalised(snapshots.to_numpy().astype(float)))


@lru_cache(maxsize=2_000)
def _three_scales(n: int, seed: int) -> Row:
    """Updates in which an effective loss has three of its time scales: as printed, and without the
    division."""
    pairs = pairs_of(n, seed)
    rate = grokking_rate(pairs, 10, convention="code") / 9
    steps = 3 / (rate * STEP) if rate else np.inf
    return {"predicted steps": steps * max(1, len(permissible_set(pairs))), "code steps": steps}


def first_steps(run: xr.Dataset) -> Row:
    """The first logged steps of one run with 90 % of its `train` and `test` set right and on a
    `line` (NaN: none)."""
    steps, numbers = path(run)
    on_line = steps[quality(numbers) > GOAL]
    return {
        "train": _first_fitted(run.train_accuracy),
        "test": _first_fitted(run.test_accuracy),
        "line": float(on_line[0]) if len(on_line) else np.nan,
    }


def starts(runs: Datasets, table: pd.DataFrame) -> pd.DataFrame:
    """A row a seed: how much of its first numbers is a ladder, `slope` (a cosine without its sign),
    and at how many sizes it is `reached`.

    A seed begins with the same numbers at every size; `table` is that of `measured`.
    """
    ladder = normalised(np.arange(10.0))
    counts = table.steps.notna().groupby(table.seed).sum()
    rows = []
    for _, seed, run in every_run({0: next(iter(runs.values()))}):
        start = path(run).numbers[0]
        cosine = abs(start @ ladder) / (ladder @ ladder)
        rows.append({"seed": seed, "slope": cosine, "reached": int(counts.get(seed, 0))})
    return pd.DataFrame(rows)


def lines(runs: Datasets) -> pd.DataFrame:
    """A row a run of `rated`: samples, seed, the first logged step with an RQI above 0.95
    (infinite: none), theory.

    The theory is `predicted steps` and `code steps`, as in `measured`.
    """
    rows = []
    for n, seed, own in every_run(runs):
        on_line = own.step.values[own.rqi.values > GOAL]
        first = float(on_line[0]) if len(on_line) else np.inf
        rows.append({"samples": n, "seed": seed, "steps": first} | _three_scales(n, seed))
    return pd.DataFrame(rows)


def measured(runs: Datasets) -> pd.DataFrame:
    """A row a run: samples, seed, accuracy on all pairs, that predicted from the embedding, RQI,
    steps, loss, theory.

    Accuracy, prediction and `rqi` are those after `STEPS` updates. `steps` is the first kept step
    with an RQI above 0.95 (NaN: none), `before` the kept step before it, `fitted` the first logged
    step with 90 % of the training set right (NaN: none). `loss` and `closed`, the share of the
    parallelograms of training pairs that are closed (NaN: there are none), are those of the last
    step. `predicted steps` is 3 / (lambda_3 eta) by Eq. 5 and `code steps` the same without the
    division by the number of parallelograms, as in the authors' code (both infinite where no line
    is forced).
    """
    rows = []
    for n, seed, own in every_run(runs):
        steps, numbers = path(own)
        pairs = pairs_of(n, seed)
        then = own.sel(step=STEPS)
        right = n * float(then.train_accuracy) + (55 - n) * float(then.test_accuracy)
        now = steps.tolist().index(STEPS)
        closed = closed_set(numbers[now], TOLERANCE, normalise=False)
        index = quality(numbers)
        on_line = np.flatnonzero(index > GOAL)
        first = on_line[0] if len(on_line) else None
        row = {
            "samples": n,
            "seed": seed,
            "rqi": index[now],
            "accuracy": right / 55,
            "predicted": len(augmented_set(pairs, closed)) / 55,
            "steps": np.nan if first is None else steps[first],
            "before": steps[(first or 0) - 1],
            "fitted": _first_fitted(own.train_accuracy),
            "loss": float(own.train_loss[-1]),
            "closed": quality(numbers[-1], pairs),
        }
        rows.append(row | _three_scales(n, seed))
    return pd.DataFrame(rows)


def _first_fitted(curve: xr.DataArray) -> float:
    """The first logged step of an accuracy at or above `FITTED`, NaN for none."""
    return float(curve.step.where(curve >= FITTED).min())


def bounds(runs: Datasets, tolerance: float, draws: int = 100) -> pd.DataFrame:
    """Each run after `STEPS` updates beside the bounds of appendix E, and `draws` random embeddings
    in its place.

    Columns: `who` ("trained" or "random"), whether RQI and predicted accuracy at the
    tolerance are above the ideal ones, `rqi above` and `predicted above` (Eq. 16 and 17), and `not
    implied`: whether a parallelogram is closed that the pairs do not imply (Eq. 15).
    """
    rng = np.random.default_rng(0)
    places = all_samples(10)
    every = permissible_set(places)
    gaps = equations(every, 10).T
    holds = np.array([[place in two for place in places] for two in every])
    tables = []
    for n, seed, own in every_run(runs):
        pairs = pairs_of(n, seed)
        steps, numbers = path(own)
        ideal = ideal_model(pairs, 10)
        forced = implied_set(pairs, 10)
        known = np.array([place in pairs for place in places])
        implied = np.array([two in forced for two in every])
        trained = numbers[steps == STEPS]
        embeddings = normalised(np.vstack([trained, rng.uniform(size=(draws, 10))]))
        closed = np.abs(embeddings @ gaps) <= tolerance
        answers = closed & (holds & known).any(axis=1)
        right = known | answers @ holds  # Eq. 12
        columns = {
            "who": ["trained"] + ["random"] * draws,
            "rqi above": closed.mean(axis=1) > ideal["rqi"] + 1e-9,
            "predicted above": right.mean(axis=1) > ideal["accuracy"] + 1e-9,
            "not implied": (closed & ~implied).any(axis=1),
        }
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def answered(runs: Datasets) -> pd.DataFrame:
    """A row a run of `placed`: `places`, `seed`, `right`, `train`, `fitted`, `known at`.

    `right` is the share that is right at the end of the known test pairs, those whose label a
    training pair has (others have an answer that was never shown, and count as wrong); `train` that
    of the training pairs; `fitted` and `known at` are the first logged steps with nine in ten of
    each (NaN: none).
    """
    rows = []
    for places, seed, own in every_run(runs):
        trained = set(pairs_of(45, seed))
        labels = {i + j for i, j in trained}
        tested = set(all_samples(10)) - trained
        known = sum(i + j in labels for i, j in tested)
        right = own.test_accuracy * len(tested) / known
        row = {
            "places": places,
            "seed": seed,
            "right": float(right[-1]),
            "train": float(own.train_accuracy[-1]),
            "fitted": _first_fitted(own.train_accuracy),
            "known at": _first_fitted(right),
        }
        rows.append(row)
    columns = ["places", "seed", "right", "train", "fitted", "known at"]
    return pd.DataFrame(rows, columns=columns)


# From a start, training pairs and times to the numbers at those times.
Way = Callable[[np.ndarray, Pairs, np.ndarray], np.ndarray]


class Fit(NamedTuple):
    """The time of a way that passes in a step of training, and the gap that is left."""

    unit: float
    gap: float


def fitted(steps: np.ndarray, numbers: np.ndarray, pairs: Pairs, way: Way = flow) -> Fit:
    """The time of a way, from the run's own start, that fits a run best.

    The time is the only number that is fitted: of 241, evenly spaced in the logarithm, the one with
    the least gap, the root of the mean square over steps and numbers.
    """
    units = np.geomspace(1e-4, 1, 241)
    times = np.outer(units, steps).ravel()
    ways = way(numbers[0], pairs, times).reshape(len(units), *numbers.shape)
    gaps = np.sqrt(((ways - numbers) ** 2).mean(axis=(1, 2)))
    return Fit(float(units[gaps.argmin()]), float(gaps.min()))


def one_pace(start: np.ndarray, pairs: Pairs, times: np.ndarray) -> np.ndarray:
    """The way to the flow's own end on which every deviation dies out at one rate: the null for the
    flow, (T, p).

    Example:
        >>> one_pace(np.array([1.0, 0.0, 0.0]), [(0, 2), (1, 1)], np.array([0.0, 99.0])).round(
        ...     3
        ... ).tolist()
        [[1.0, 0.0, 0.0], [0.913, 0.365, -0.183]]
    """
    end = limit(start, pairs)
    end = end * (start @ end) / (end @ end)
    way = end + np.exp(-times)[:, None] * (start - end)
    return way * np.linalg.norm(start) / np.linalg.norm(way, axis=1, keepdims=True)


def ends_as_the_flow(numbers: np.ndarray, pairs: Pairs) -> bool:
    """Whether the numbers of a run (steps, p) end on that of the two ladders, up or down, on which
    the flow from their start ends."""
    return bool(limit(numbers[0], pairs) @ numbers[-1] > 0)


def ends_alike(runs: Datasets) -> list[bool]:
    """For each run that ends on a line whether it `ends_as_the_flow`."""
    alike = []
    for n, seed, run in every_run(runs):
        numbers = path(run).numbers
        if quality(numbers[-1]) > GOAL:
            alike.append(ends_as_the_flow(numbers, pairs_of(n, seed)))
    return alike


def paths(runs: Datasets) -> pd.DataFrame:
    """A row for each run that ends on a line: samples, seed, and how it got there beside the flow
    from its own start.

    `alike`: it ends on that of the two ladders, up or down, on which the flow ends. `nearer`: the
    flow is nearer to its path than `one_pace` is (None where they do not end alike).
    """
    rows = []
    for n, seed, own in every_run(runs):
        pairs = pairs_of(n, seed)
        steps, numbers = path(own)
        if quality(numbers[-1]) <= GOAL:
            continue
        alike = ends_as_the_flow(numbers, pairs)
        nearer = None
        if alike:
            to_flow = fitted(steps, numbers, pairs, flow).gap
            nearer = to_flow < fitted(steps, numbers, pairs, one_pace).gap
        rows.append((n, seed, alike, nearer))
    return pd.DataFrame(rows, columns=["samples", "seed", "alike", "nearer"])


def there(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Whether a run has a finite value in a column, a row a seed that has all sizes, a column a
    size."""
    flags = table.assign(there=np.isfinite(table[column]).astype(float))
    return flags.pivot(index="seed", columns="samples", values="there").dropna()


def crossing(flags: pd.DataFrame) -> float:
    """The share of pairs from which half of the runs of a table of `there` have it (infinite:
    none), between the sizes.

    Example:
        >>> round(55 * crossing(pd.DataFrame([[0.0, 1.0]], columns=[20, 30])), 9)
        25.0
    """
    if flags.empty:
        return np.nan
    share = linear_probability.crossing(flags.to_numpy().mean(axis=0), places=flags.columns / 55)
    return np.inf if np.isnan(share) else share


def crossing_interval(flags: pd.DataFrame) -> tuple[float, float]:
    """95 % of the crossings of seeds drawn with replacement (infinite: none); the runs of a seed
    stay together."""
    if flags.empty:
        return np.nan, np.nan
    rng = np.random.default_rng(0)
    seeds = len(flags)
    drawn = [crossing(flags.iloc[rng.integers(0, seeds, seeds)]) for _ in range(2_000)]
    low, high = np.quantile(drawn, [0.025, 0.975], method="inverted_cdf")
    return float(low), float(high)


def planes(runs: Datasets) -> pd.DataFrame:
    """A row a run of `fig2`: `kind`, `seed`, accuracy `train`, what its pairs force, what its
    embedding is.

    `mirrored` is the share of the test pairs whose mirror image was trained, `free` the accuracy on
    these (NaN where there are none), `new` that on the others; `shown` is the
    number of unordered pairs trained. `nullity` is that of the training pairs, 2 where they force a
    line (not used for sums modulo p), `rqi` the representation quality index at tolerance 0.1,
    `closed` the same of the parallelograms of training pairs alone, `ring` the share of the
    embedding's variance at its strongest frequency, and `ring_before` that before training.
    """
    rows = []
    for kind, seed, run in every_run(runs):
        task = fig2()[kind].config.with_seed(seed).task
        start = at_end(run, 0)
        points = at_end(run)
        right = run.answered.values == task.targets
        tested = ~np.isin(np.arange(task.samples), task.train_index)
        new = tested & ~task.mirrored
        unordered = np.unique(np.sort(task.inputs[task.train_index], axis=1), axis=0)
        pairs = [(i, j) for i, j in unordered.tolist()]
        forced = set(permissible_set(pairs))
        closed = forced & set(closed_set(points, TOLERANCE))
        row = {
            "kind": kind,
            "seed": seed,
            "train": right[task.train_index].mean(),
            "mirrored": task.mirrored.sum() / tested.sum(),
            "new": right[new].mean(),
            "shown": len(pairs),
            "free": right[task.mirrored].mean() if task.mirrored.any() else np.nan,
            "nullity": nullity(pairs, P),
            "rqi": representation_quality_index(points, TOLERANCE),
            "ring": energy_share(points, 1),
            "ring_before": energy_share(start, 1),
            "closed": len(closed) / len(forced),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def at_end(run: xr.Dataset, snapshot: int = -1) -> np.ndarray:
    """The vectors of one run's symbols at its end, (p, 2), or at an earlier snapshot."""
    return run.embedding.isel(snapshot=snapshot).to_numpy().astype(float)


def linked(rows: pd.DataFrame, measure: str, accuracy: str) -> RankTest:
    """Somers' D of a measure and the accuracy over runs of one kind, all kinds joined, with its
    p-value.

    Runs of one seed share draws, so that the seeds of all kinds are permuted together; a seed that
    a kind lacks is left out.
    """
    both = rows.groupby("seed").kind.transform("nunique") == rows.kind.nunique()
    kinds = rows[both].sort_values("seed").groupby("kind")
    return rank_test([(-own[measure], -own[accuracy]) for _, own in kinds], together=True)
