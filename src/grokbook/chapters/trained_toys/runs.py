"""The toys of Liu et al. 2022, Figs 3, 4b to d, 5b and 10, with the authors' draws, and what is measured on them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.models.placed import PLACES, PlacedToy
from grokbook.runs.experiment import Experiment
from grokbook.runs.liu2022 import CAP, STEP, addition, rates
from grokbook.tasks.replayed import DrawnAddition
from grokbook.theory.effective_flow import flow, limit
from grokbook.theory.parallelograms import (
    all_samples,
    augmented_set,
    closed_set,
    equations,
    grokking_rate,
    ideal_model,
    implied_set,
    permissible_set,
)
from grokbook.training.config import RunConfig
from grokbook.training.schedule import Schedule

SIZES = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 54)
"""Training pairs, of 55."""

BATCH = 45
"""Pairs of an update in the authors' program; where there are fewer, all of them."""

STEPS, LONGER = 5_000, 10_000
"""Updates after which the program reads accuracies (Fig. 3), and up to which it waits for a line (Fig. 4b)."""

TOLERANCE, GOAL = 0.1, 0.95
"""The program's rule for a closed parallelogram in one dimension; the RQI above which it sees a line."""

FITTED = 0.9
"""Share of a set from which on the program counts it as learned."""


def config(samples: int, steps: int, log: Schedule) -> RunConfig:
    """A run of the authors' program with so many training pairs; every logged step has its embedding.

    Example:
        >>> one = config(50, 1_000, Schedule(dense_until=1_000))
        >>> one.n_train, one.batch_size
        (50, 45)
    """
    return dataclasses.replace(
        addition(samples=samples, steps=steps, stop=None), task=DrawnAddition(train_fraction=samples / 55), log=log,
        snapshots=steps + 1, batch_size=BATCH if samples > BATCH else None,
    )  # fmt: skip


def toys() -> dict[int, Experiment]:
    """The toy at p = 10 by its number of training pairs, twenty seeds each, of which 0 to 2 are those of the authors.

    Answers, split and first weights are as the authors' program draws them, but not the order of its batches.

    Example:
        >>> list(toys()) == list(SIZES), toys()[45].config.n_train
        (True, 45)
    """
    log = Schedule(dense_until=3_000, dense_every=50, points=28)
    return {n: Experiment(f"liu2022/fig3/{n}", config(n, LONGER, log), tuple(range(20))) for n in SIZES}


def longer() -> dict[tuple[str, int], Experiment]:
    """The toy at the two sizes beside the upper bound of LF4, up to the cap of the paper's diagrams; five seeds.

    The first 10,000 updates are those of `toys`.

    Example:
        >>> [run.config.steps for run in longer().values()]
        [100000, 100000]
    """
    log = Schedule(dense_until=LONGER, dense_every=500, points=90)
    return {("longer", n): Experiment(f"liu2022/fig4b/{n}", config(n, CAP, log), tuple(range(5))) for n in (25, 30)}


def fresh() -> dict[int, Experiment]:
    """Ten more seeds of the toy at three sizes, for rules that are younger than the runs of `toys`.

    Example:
        >>> [*fresh()], fresh()[45].seeds[0]
        ([45, 40, 35], 20)
    """
    log = Schedule(dense_until=3_000, dense_every=25, points=28)
    return {n: Experiment(f"liu2022/fig5b/{n}", config(n, LONGER, log), tuple(range(20, 30))) for n in (45, 40, 35)}


def small() -> dict[int, Experiment]:
    """Seeds 20 to 44 of the toy at the sizes where the bounds of appendix E are below one, up to the step of Fig. 3."""
    log = Schedule(dense_until=STEPS, dense_every=1_000)
    return {n: Experiment(f"liu2022/fig10/{n}", config(n, STEPS, log), tuple(range(20, 45))) for n in SIZES if n <= 30}


def placed() -> dict[str, Experiment]:
    """The decoder alone, for ten seeds, with embeddings that stay at a ladder, at its rungs shuffled, at random places.

    A rate of 1e-30 moves no number of the embeddings: each is rounded to what it was.

    Example:
        >>> list(placed())
        ['ladder', 'shuffled', 'random']
    """
    still = config(45, LONGER, Schedule(dense_until=LONGER, dense_every=200))
    still = dataclasses.replace(still, optimizer=rates(encoder_lr=1e-30), snapshots=2)
    return {
        name: Experiment(f"small/toy/{name}", dataclasses.replace(still, model=PlacedToy(10, places=name)),
                         tuple(range(10)))
        for name in PLACES
    }  # fmt: skip


RUNS = (toys, placed, fresh, small, longer)


def pairs_of(n: int, seed: int) -> list[tuple[int, int]]:
    """The training pairs of a run, as its task draws them.

    Example:
        >>> len(pairs_of(45, 0))
        45
    """
    task = DrawnAddition(train_fraction=n / 55, seed=seed)
    return [tuple(pair) for pair in task.inputs[task.train_index].tolist()]


def normalised(table: np.ndarray) -> np.ndarray:
    """Numbers (..., p) moved to mean 0 and stretched to an unbiased variance of 1, as by the program: Z_0 = p - 1.

    Example:
        >>> normalised(np.array([0.0, 1.0, 2.0])).tolist()
        [-1.0, 0.0, 1.0]
    """
    return (table - table.mean(axis=-1, keepdims=True)) / table.std(axis=-1, ddof=1, keepdims=True)


def quality(numbers: np.ndarray, pairs: list[tuple[int, int]] | None = None) -> np.ndarray:
    """The RQI of normalised numbers (..., p) by the program's rule, (...,): the share of equations met.

    With `pairs` it is that of the parallelograms of these pairs alone, NaN where they make none.

    Example:
        >>> quality(np.stack([normalised(np.arange(10.0)), 5 * np.arange(10.0) ** 2])).tolist()
        [1.0, 0.0]
    """
    p = numbers.shape[-1]
    every = equations(permissible_set(all_samples(p) if pairs is None else pairs), p)
    met = np.abs(numbers @ every.T) <= TOLERANCE
    return met.mean(axis=-1) if len(every) else np.full(met.shape[:-1], np.nan)


def path(data: xr.Dataset, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The steps at which a run's embedding was kept, and the numbers then, (steps, p), normalised."""
    kept = data.embedding.sel(seed=seed).isel(feature=0)
    return kept.snapshot.to_numpy(), normalised(kept.to_numpy().astype(float))


def measured(runs: Mapping[int, xr.Dataset]) -> pd.DataFrame:
    """A row a run: samples, seed, accuracy on all pairs, that predicted from the embedding, RQI, steps, loss, theory.

    Accuracy, prediction, `rqi` and `trained`, the accuracy on the training set, are those after `STEPS` updates.
    `steps` is the first kept step with an RQI above 0.95 (NaN: none), `before` the kept step before it, `on a line`
    whether the last one has it, `fitted` the first logged step with 90 % of the training set right (NaN: none). `loss`
    and `closed`, the share of the parallelograms of training pairs that are closed (NaN: there are none), are those of
    the last step. `ideal rqi` and `ideal accuracy` are the bounds of appendix E, `predicted steps` is
    3 / (lambda_3 eta) by Eq. 5 and `code steps` the same without the division by the number of parallelograms, as in
    the authors' code (both infinite where no line is forced).
    """
    rows = []
    for n, data in runs.items():
        for seed in data.seed.values.tolist():
            (steps, numbers), own = path(data, seed), data.sel(seed=seed)
            index, then = quality(numbers), own.sel(step=STEPS)
            now = steps.tolist().index(STEPS)
            right = (n * float(then.train_accuracy) + (55 - n) * float(then.test_accuracy)) / 55
            closed = closed_set(numbers[now], TOLERANCE, normalise=False)
            line = int((index > GOAL).argmax()) if (index > GOAL).any() else None
            fitted_at = own.step.values[own.train_accuracy.values >= FITTED]
            rows.append({
                "samples": n, "seed": seed, "accuracy": right, "rqi": index[now],
                "predicted": len(augmented_set(pairs_of(n, seed), closed)) / 55,
                "steps": np.nan if line is None else steps[line], "before": steps[(line or 0) - 1],
                "on a line": bool(index[-1] > GOAL), "fitted": fitted_at[0] if len(fitted_at) else np.nan,
                "loss": float(own.train_loss[-1]), "trained": float(then.train_accuracy),
                "closed": quality(numbers[-1], pairs_of(n, seed)),
            } | _theory(n, seed))  # fmt: skip
    return pd.DataFrame(rows)


def bounds(runs: Mapping[int, xr.Dataset], tolerance: float, draws: int = 100) -> pd.DataFrame:
    """Each run after `STEPS` updates beside the bounds of appendix E, and `draws` random embeddings in its place.

    Columns: samples, seed, tolerance, `who` ("trained" or "random"), `rqi` and `predicted` accuracy at the tolerance,
    `ideal rqi` and `ideal accuracy`, whether the first two are above these (Eq. 16 and 17), and `not implied`: whether
    a parallelogram is closed that the pairs do not imply (Eq. 15).
    """
    rng, every, rows = np.random.default_rng(0), permissible_set(all_samples(10)), []
    for n, data in runs.items():
        for seed in data.seed.values.tolist():
            pairs, (steps, numbers), ideal = pairs_of(n, seed), path(data, seed), _theory(n, seed)
            implied = set(implied_set(pairs, 10))
            tables = normalised(np.vstack([numbers[steps.tolist().index(STEPS)], rng.uniform(size=(draws, 10))]))
            for k, met in enumerate(np.abs(tables @ equations(every, 10).T) <= tolerance):
                closed = [every[q] for q in np.flatnonzero(met)]
                rows.append({
                    "samples": n, "seed": seed, "tolerance": tolerance, "who": "random" if k else "trained",
                    "rqi": met.mean(), "predicted": len(augmented_set(pairs, closed)) / 55,
                    "not implied": not implied.issuperset(closed),
                } | {name: ideal[name] for name in ("ideal rqi", "ideal accuracy")})  # fmt: skip
    found = pd.DataFrame(rows)
    above = found[["rqi", "predicted"]].to_numpy() > found[["ideal rqi", "ideal accuracy"]] + 1e-9
    return found.assign(**{"rqi above": above["ideal rqi"], "predicted above": above["ideal accuracy"]})


def answered(runs: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """A row a run of `placed`: `places`, `seed`, `right`, `train`, `fitted`, `known`.

    `right` is the share that is right at the end of the `known` test pairs, those whose label a training pair has
    (others have an answer that was never shown, and count as wrong); `train` that of the training pairs; `fitted` and
    `known at` are the first logged steps with nine in ten of each (NaN: none).
    """
    rows = []
    for places, data in runs.items():
        for seed in data.seed.values.tolist():
            told, own = pairs_of(45, seed), data.sel(seed=seed)
            labels = {i + j for i, j in told}
            known = sum(i + j in labels for i, j in set(all_samples(10)) - set(told))
            right = own.test_accuracy * (55 - len(told)) / known
            first = [float(own.step[curve >= FITTED][0]) if (curve >= FITTED).any() else np.nan
                     for curve in (own.train_accuracy.values, right.values)]  # fmt: skip
            rows.append((places, seed, float(right[-1]), float(own.train_accuracy[-1]), known, *first))
    return pd.DataFrame(rows, columns=["places", "seed", "right", "train", "known", "fitted", "known at"])


@lru_cache(maxsize=1_000)
def _theory(n: int, seed: int) -> dict[str, float]:
    pairs = pairs_of(n, seed)
    ideal = ideal_model(pairs, 10)
    rates = (grokking_rate(pairs, 10, convention=kind) / 9 for kind in ("paper", "code"))
    printed, coded = (3 / (rate * STEP) if rate else np.inf for rate in rates)
    return {"ideal rqi": ideal["rqi"], "ideal accuracy": ideal["accuracy"], "predicted steps": printed,
            "code steps": coded}  # fmt: skip


Way = Callable[[np.ndarray, list[tuple[int, int]], np.ndarray], np.ndarray]
"""From a start, training pairs and times to the numbers at those times."""


def fitted(
    steps: np.ndarray, numbers: np.ndarray, pairs: list[tuple[int, int]], way: Way = flow
) -> tuple[float, float]:
    """The time of a way, from the run's own start, that passes in a step of training, and the gap that is left.

    The time is the only number that is fitted: of 241, evenly spaced in the logarithm, the one with the least gap, the
    root of the mean square over steps and numbers.
    """
    tried = np.geomspace(1e-4, 1, 241)
    ways = way(numbers[0], pairs, np.outer(tried, steps).ravel()).reshape(len(tried), *numbers.shape)
    off = np.sqrt(((ways - numbers) ** 2).mean(axis=(1, 2)))
    return float(tried[off.argmin()]), float(off.min())


def one_pace(start: np.ndarray, pairs: list[tuple[int, int]], times: np.ndarray) -> np.ndarray:
    """The way to the flow's own end on which every deviation dies out at one rate: the null for the flow, (T, p).

    Example:
        >>> one_pace(np.array([1.0, 0.0, 0.0]), [(0, 2), (1, 1)], np.array([0.0, 99.0])).round(3).tolist()
        [[1.0, 0.0, 0.0], [0.913, 0.365, -0.183]]
    """
    end = limit(start, pairs)
    end = end * (start @ end) / (end @ end)
    way = end + np.exp(-times)[:, None] * (start - end)
    return way * np.linalg.norm(start) / np.linalg.norm(way, axis=1, keepdims=True)


def paths(runs: Mapping[int, xr.Dataset]) -> pd.DataFrame:
    """A row for each run that ends on a line: samples, seed, and how it got there beside the flow from its own start.

    `alike`: it ends on that of the two ladders, up or down, on which the flow ends. `nearer`: the flow is nearer to its
    path than `one_pace` is (None where they do not end alike).
    """
    rows = []
    for n, data in runs.items():
        for seed in data.seed.values.tolist():
            pairs, (steps, numbers) = pairs_of(n, seed), path(data, seed)
            if quality(numbers[-1]) <= GOAL:
                continue
            alike = bool(limit(numbers[0], pairs) @ numbers[-1] > 0)
            row = {"samples": n, "seed": seed, "alike": alike, "nearer": None}
            if alike:
                flowing, null = (fitted(steps, numbers, pairs, way)[1] for way in (flow, one_pace))
                row["nearer"] = flowing < null
            rows.append(row)
    return pd.DataFrame(rows, columns=["samples", "seed", "alike", "nearer"])


def starts(runs: Mapping[int, xr.Dataset], table: pd.DataFrame) -> pd.DataFrame:
    """A row a seed: `slope`, how much of its start is a ladder, and at how many sizes a line was reached.

    `slope` is the cosine, without its sign, of the first numbers and 0, 1, ..., p - 1, both with mean 0; the runs of a
    seed at all sizes have one start.
    """
    data = next(iter(runs.values()))
    ladder = normalised(np.arange(data.sizes["token"], dtype=float))
    rows = []
    for seed in data.seed.values.tolist():
        first = path(data, seed)[1][0]
        rows.append((seed, abs(first @ ladder) / (ladder @ ladder), int(table[table.seed == seed].steps.notna().sum())))
    return pd.DataFrame(rows, columns=["seed", "slope", "reached"])


def there(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Whether a run has a finite value in a column, a row a seed that has all sizes, a column a size.

    Example:
        >>> there(pd.DataFrame({"samples": [20, 30], "seed": 0, "steps": [np.nan, 900.0]}), "steps").values.tolist()
        [[0.0, 1.0]]
    """
    return table.assign(there=np.isfinite(table[column]).astype(float)).pivot(
        index="seed", columns="samples", values="there"
    ).dropna()


def crossing(flags: pd.DataFrame) -> float:
    """The share of pairs at which half of the runs of a table of `there` have it (infinite: none), between the sizes.

    The share of runs is made to rise with the size: the largest share up to it.

    Example:
        >>> 55 * crossing(pd.DataFrame([[0.0, 1.0]], columns=[20, 30]))
        25.0
    """
    return _half(flags.columns.to_numpy() / 55, flags.to_numpy())


def crossing_interval(flags: pd.DataFrame, draws: int = 2_000) -> tuple[float, float]:
    """95 % of the crossings of seeds drawn with replacement (infinite: none); the runs of a seed stay together."""
    if flags.empty:
        return np.nan, np.nan
    rng, sizes, of = np.random.default_rng(0), flags.columns.to_numpy() / 55, flags.to_numpy()
    drawn = [_half(sizes, of[rng.integers(0, len(of), len(of))]) for _ in range(draws)]
    low, high = np.quantile(drawn, [0.025, 0.975], method="inverted_cdf")
    return float(low), float(high)


def _half(sizes: np.ndarray, flags: np.ndarray) -> float:
    if not flags.size:
        return np.nan
    shares = np.maximum.accumulate(flags.mean(axis=0))
    if shares[-1] < 0.5:
        return np.inf
    k = int((shares >= 0.5).argmax())
    if not k:
        return float(sizes[0])
    return float(sizes[k - 1] + (sizes[k] - sizes[k - 1]) * (0.5 - shares[k - 1]) / (shares[k] - shares[k - 1]))
