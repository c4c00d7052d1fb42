"""Trained toys beside the effective theory: accuracy, steps, trajectories (Liu et al. 2022, Figs 3, 4b, 4d, 5b, 10)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.claims.finding import some
from grokbook.experiments.base import Experiment
from grokbook.experiments.liu2022 import addition
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.tasks.addition import AdditionTask
from grokbook.theory.effective_flow import flow, limit
from grokbook.theory.parallelograms import (
    augmented_set,
    closed_set,
    grokking_rate,
    ideal_model,
    representation_quality_index,
)
from grokbook.topics.effective_theory.lines import STEP
from grokbook.training.schedule import Schedule

SIZES = (15, 20, 25, 30, 35, 45, 54)
TOLERANCE, GOAL, STEPS = 0.1, 0.95, 5_000
"""The code's rule for a closed parallelogram in one dimension; the RQI that counts as a line; steps of a run."""


RE_RUN = {"mean": 0.0193, "most": 0.127}
"""Accuracy against that predicted from the embedding in the authors' stored re-run of Fig. 3: mean and largest gap."""


def toys() -> dict[int, Experiment]:
    """The toy at p = 10 with these numbers of training pairs, embeddings of one dimension, kept along the way.

    Example:
        >>> list(toys()) == list(SIZES), toys()[45].config.n_train
        (True, 45)
    """
    found = {}
    for n in SIZES:
        config = dataclasses.replace(
            addition(samples=n, steps=STEPS, stop=None), log=Schedule(dense_until=STEPS, dense_every=25), snapshots=201
        )
        found[n] = Experiment(
            f"liu2022/fig3/{n}", config, (0, 1, 2), source="Liu et al. 2022, Figs 3, 4b, 4d, 5b and 10",
            statement="The accuracy that the embedding predicts is the accuracy of the network.",
            choices="Answers, split and first weights are drawn by our seeds; 5,000 steps, as in the authors' re-run.",
        )  # fmt: skip
    return found


RUNS = (toys,)


def pairs_of(n: int, seed: int) -> list[tuple[int, int]]:
    """The training pairs of a run, as its task draws them.

    Example:
        >>> len(pairs_of(45, 0))
        45
    """
    task = AdditionTask(10, n / 55, seed=seed)
    return [tuple(pair) for pair in task.inputs[task.train_index].tolist()]


def normalised(table: np.ndarray) -> np.ndarray:
    """Numbers (..., p) moved and stretched to mean 0 and mean square 1.

    Example:
        >>> normalised(np.array([0.0, 2.0])).tolist()
        [-1.0, 1.0]
    """
    return (table - table.mean(axis=-1, keepdims=True)) / table.std(axis=-1, keepdims=True)


def path(data: xr.Dataset, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The steps at which a run's embedding was kept, and the numbers then, (steps, p), normalised."""
    kept = data.embedding.sel(seed=seed).isel(feature=0)
    return kept.snapshot.to_numpy(), normalised(kept.to_numpy().astype(float))


def measured(runs: Mapping[int, xr.Dataset]) -> pd.DataFrame:
    """A row a run: samples, seed, accuracy on all pairs, that predicted from the embedding, RQI, steps, theory.

    `steps` is the first kept step with an RQI above 0.95 (NaN: none), `ideal rqi` and `ideal accuracy` are the bounds
    of appendix E, `predicted steps` is 3 / (lambda_3 eta) by Eq. 5 and `code steps` the same without the division by
    the number of parallelograms, as in the authors' code (both infinite where no line is forced).
    """
    rows = []
    for n, data in runs.items():
        for seed in data.seed.values.tolist():
            pairs, (steps, numbers) = pairs_of(n, seed), path(data, seed)
            quality = np.array([representation_quality_index(now, TOLERANCE) for now in numbers])
            last = data.sel(seed=seed).isel(step=-1)
            right = (n * float(last.train_accuracy) + (55 - n) * float(last.test_accuracy)) / 55
            predicted = len(augmented_set(pairs, closed_set(numbers[-1], TOLERANCE))) / 55
            reached = steps[quality > GOAL]
            ideal = ideal_model(pairs, 10)
            rates = (grokking_rate(pairs, 10, convention=kind) / 10 for kind in ("paper", "code"))
            printed, coded = (3 / (rate * STEP) if rate else np.inf for rate in rates)
            rows.append({
                "samples": n, "seed": seed, "accuracy": right, "predicted": predicted, "rqi": quality[-1],
                "steps": reached[0] if len(reached) else np.nan, "ideal rqi": ideal["rqi"],
                "ideal accuracy": ideal["accuracy"], "predicted steps": printed, "code steps": coded,
            })  # fmt: skip
    return pd.DataFrame(rows)


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


def told_flow(runs: Mapping[int, xr.Dataset]) -> str:
    """Of the runs that end on a line, how many end on the flow's, and whose path the flow tells better than `one_pace`.

    Normalised numbers on a line are one of two ladders, so that the end is one bit.
    """
    same, nearer = [], []
    for n, data in runs.items():
        for seed in data.seed.values.tolist():
            pairs, (steps, numbers) = pairs_of(n, seed), path(data, seed)
            if representation_quality_index(numbers[-1], TOLERANCE) <= GOAL:
                continue
            same.append(bool(limit(numbers[0], pairs) @ numbers[-1] > 0))
            if same[-1]:
                own, null = (fitted(steps, numbers, pairs, way)[1] for way in (flow, one_pace))
                nearer.append(own < null)
    if not same:
        return "No run ends on a line."
    said = f"Of the {len(same)} runs that end on a line, {sum(same)} end on the one on which the flow ends"
    said += ", the others on its mirror image." if sum(same) < len(same) else "."
    return (f"{said} Where both end alike, the flow is nearer to the run than a null in which every deviation dies out "
            f"at one rate in {some(sum(nearer), len(nearer))}.")  # fmt: skip


def _by_size(ax: Axes, table: pd.DataFrame, name: str, look: str, shade: str, label: str) -> None:
    ax.plot(table.samples / 55, table[name], look, ms=5, color=COLOURS[shade], alpha=0.8, label=label)


@styled
def accuracy_and_prediction(table: pd.DataFrame) -> Figure:
    """Fig. 3: accuracy on all pairs and the prediction from the embedding, by size; below, their difference."""
    fig, axes = panels(2, 1, height=4.6, sharex=True, height_ratios=[2, 1])
    above, below = axes[:, 0]
    _by_size(above, table, "accuracy", "o", "test", "accuracy")
    _by_size(above, table, "predicted", "_", "theory", "predicted from the embedding")
    above.plot([0.2, 1], [0.2, 1], ls=":", color=COLOURS["quiet"], label="training set alone")
    below.plot(table.samples / 55, table.accuracy - table.predicted, "o", ms=4, color=COLOURS["measure"])
    below.axhline(0, color=COLOURS["quiet"], lw=0.8)
    above.set(ylabel="share of all pairs", ylim=(0, 1.03))
    below.set(xlabel="share of samples $|D| / |D_0|$", ylabel="difference")
    above.legend(loc="lower right")
    return fig


@styled
def steps_to_a_line(table: pd.DataFrame) -> Figure:
    """Figs 4b and 5b: steps to an RQI of 0.95 by size (left) and against the predicted steps (right).

    Triangles at the top: not reached by the last step.
    """
    fig, ((left, right),) = panels(1, 2, height=3.2)
    for ax, x in ((left, table.samples / 55), (right, table["predicted steps"] / 1000)):
        ax.plot(x, table.steps, "o", ms=5, color=COLOURS["test"])
        never = table.steps.isna() & np.isfinite(x)
        ax.plot(x[never], np.full(int(never.sum()), STEPS), "^", ms=6, mfc="none", color=COLOURS["quiet"])
    left.set(xlabel="share of samples $|D| / |D_0|$", ylabel="steps to RQI > 0.95", ylim=(0, 1.06 * STEPS))
    right.set(xlabel=r"predicted $3 / (\lambda_3 \eta)$, thousand steps", ylim=(0, 1.06 * STEPS), xlim=(0, None))
    return fig


@styled
def beside_the_bounds(table: pd.DataFrame) -> Figure:
    """Fig. 10c: RQI and accuracy of the runs against those of ideal models of the same training sets."""
    fig, axes = panels(1, 2, height=3.2)
    for ax, name in zip(axes[0], ("rqi", "accuracy"), strict=True):
        ax.plot(table[f"ideal {name}"], table[name], "o", ms=5, color=COLOURS["test"], alpha=0.7)
        ax.plot([0, 1], [0, 1], ls="--", color=COLOURS["theory"], lw=1.1)
        said = {"rqi": "RQI"}.get(name, name)
        ax.set(xlabel=f"ideal {said}", ylabel=f"{said} of the run", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    return fig


@styled
def beside_the_flow(data: xr.Dataset, n: int) -> Figure:
    """Fig. 4c and d in one, a column a run: its numbers, the exact flow from its start (dashed), the gap below.

    The unit of time is fitted to each run (`fitted`).
    """
    seeds = data.seed.values.tolist()
    fig, axes = panels(2, len(seeds), height=5.2, sharex=True, height_ratios=[2, 1])
    for seed, (above, below) in zip(seeds, axes.T, strict=True):
        pairs, (steps, numbers) = pairs_of(n, seed), path(data, seed)
        theory = flow(numbers[0], pairs, fitted(steps, numbers, pairs)[0] * steps)
        above.plot(steps, numbers, color=COLOURS["test"], lw=1.2)
        above.plot(steps, theory, color=COLOURS["theory"], lw=1, ls="--")
        for k, value in enumerate(numbers[-1]):
            above.annotate(str(k), (steps[-1], value), (4, -3), textcoords="offset points", fontsize=9)
        below.plot(steps, np.sqrt(((numbers - theory) ** 2).mean(axis=1)), color=COLOURS["measure"])
        above.set(title=f"seed {seed}", ylabel="normalised $E_k$")
        below.set(xlabel="step", ylabel="root mean square gap", ylim=(0, None))
    return fig


def told(table: pd.DataFrame) -> str:
    """What the runs say on prediction and bounds, in sentences with their numbers.

    Example:
        >>> made = {"accuracy": [1.0, 0.4], "predicted": [1.0, 0.5], "rqi": [1.0, 0.2], "ideal rqi": [1.0, 0.1]}
        >>> print(told(pd.DataFrame(made | {"ideal accuracy": [1.0, 0.5]})))
        The two differ by 0.050 on average and by 0.100 at most (2 runs). The RQI is above its bound in 1 of the runs.
    """
    off = (table.accuracy - table.predicted).abs()
    found = f"The two differ by {off.mean():.3f} on average and by {off.max():.3f} at most ({len(table)} runs)."
    for name, what in (("rqi", "RQI"), ("accuracy", "accuracy")):
        over = int((table[name] > table[f"ideal {name}"] + 1e-9).sum())
        found += f" The {what} is above its bound in {over} of the runs." if over else ""
    return found


def told_steps(table: pd.DataFrame) -> str:
    """Which runs reach a line, and when, in sentences with their numbers: by whether their training sets force one.

    Example:
        >>> made = {"steps": [900.0, np.nan], "predicted steps": [3e4, np.inf]}
        >>> print(told_steps(pd.DataFrame(made)))
        Of the runs whose data force a line all 1 reach an RQI of 0.95 (at steps 900 to 900), of the others none of 1.
    """
    forced, reached = np.isfinite(table["predicted steps"]), table.steps.notna()
    line, beside = (some(int((reached & kind).sum()), int(kind.sum())) for kind in (forced, ~forced))
    span = f" (at steps {table.steps.min():,.0f} to {table.steps.max():,.0f})" if reached.any() else ""
    said = f"Of the runs whose data force a line {line} reach an RQI of 0.95{span}, of the others {beside}."
    both = table[forced & reached]
    if len(both) < 4:
        return said
    rank = both.steps.corr(both["predicted steps"], method="spearman")
    blind = -both.steps.corr(both.samples, method="spearman")
    printed, coded = (both[kind] / both.steps for kind in ("predicted steps", "code steps"))
    return (f"{said} Among those that do, the rank correlation of measured and predicted steps is {rank:.2f}; with the "
            f"number of pairs alone it is {blind:.2f}. Three time scales of Eq. 5 as printed are {printed.min():.0f} "
            f"to {printed.max():.0f} times too long; by the authors' code, without the division, they are "
            f"{coded.min():.1f} to {coded.max():.1f} times the measured steps.")  # fmt: skip


def told_transition(table: pd.DataFrame) -> str:
    """Whether the runs reach a line from the critical size of the theory on, 22 to 23 of 55 pairs, in a sentence.

    Example:
        >>> told_transition(pd.DataFrame({"samples": [25, 45], "steps": [np.nan, 900.0]}))
        'Here the smallest size at which a run gets there is 45 pairs; none of 1 with 25 to 44 pairs does.'
    """
    reached = table[table.steps.notna()]
    if reached.empty:
        return "Here no run gets there at any size."
    least = int(reached.samples.min())
    between = table[(table.samples >= min(SIZES[2], least)) & (table.samples < least)]
    said = f"Here the smallest size at which a run gets there is {least} pairs"
    if between.empty:
        return f"{said}, the first above the critical size."
    return f"{said}; {some(0, len(between))} with {SIZES[2]} to {least - 1} pairs does."
