"""Separability inside trained networks, stage by stage: the plan of chapter 07, what it measures, and its pictures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import seaborn as sns
import torch
from matplotlib.figure import Figure

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import live_run
from grokbook.experiments.weights import WeightRun, final_weights
from grokbook.measures.separability import class_separability, shuffled_share
from grokbook.models.activations import activations
from grokbook.models.transformer import Parameters, initialise
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.topics.separability_and_depth.depth import LAYERS, depth_run
from grokbook.training.config import RunConfig


def plan(
    p: int, train_fraction: float, d_model: int, early: int, steps: int, n_seeds: int,
    p_depth: int, d_depth: int, depths: int, depth_steps: int,
) -> dict[str, Experiment]:  # fmt: skip
    """Plan of chapter 07: the same networks after `early` and after all `steps`, and one of each depth up to `depths`.

    Two classes of the full grid have 2p points, and by Cover's count more than half of the ways to label n points in
    general position in d dimensions are separable as soon as n < 2(d + 1). So the widths must be below p - 1.

    Raises ParameterError for a wider network, an early stage that is not before the last, and more than four layers.

    Example:
        >>> list(plan(31, 0.5, 16, 10, 20, 1, 31, 20, 2, 10))
        ['early', 'late', 'layers 1', 'layers 2']

    Source: Gu et al. 2025, section 5; Cover's count of 1965 is the reason for the width.
    """
    for name, width, modulus, of in (("d_model", d_model, p, "p"), ("d_depth", d_depth, p_depth, "p_depth")):
        if width >= modulus - 1:
            raise ParameterError(
                f"{name} = {width} must be below {of} - 1 = {modulus - 1}: in more dimensions shuffled classes are "
                "separable too."
            )
    if not 0 < early < steps:
        raise ParameterError(f"early = {early} must be between 1 and steps - 1 = {steps - 1}.")
    if not 1 <= depths <= max(LAYERS):
        raise ParameterError(f"depths = {depths} must be between 1 and {max(LAYERS)}.")
    runs = {n: live_run(p, train_fraction, d_model, n, n_seeds) for n in (early, steps)}
    first, last = (WeightRun(f"{e.name[:-1]}, {n} steps]", e.config, e.seeds) for n, e in runs.items())
    deep = {n: depth_run(n, p=p_depth, d_model=d_depth, steps=depth_steps, n_seeds=1) for n in LAYERS[:depths]}
    named = {f"layers {n}": WeightRun(f"{e.name}, {depth_steps} steps", e.config, e.seeds) for n, e in deep.items()}
    return {"early": first, "late": last} | named


def stage_shares(w: Parameters, config: RunConfig, *, pairs: int) -> pd.DataFrame:
    """Share of class pairs that are convexly separable, by stage of the network and set of cells, beside its null.

    One row for each stage of `grokbook.models.activations.activations` except the hidden units, and for all cells and
    the training cells. `pairs` class pairs are drawn (by the run's seed); `null` is the share with shuffled labels.
    `train` and `test_unmirrored` are the shares of the training cells, and of the test cells with an untrained
    transpose, that the network answers right.

    Example:
        >>> config = live_run(7, 0.5, 4, 10, 1).config
        >>> stage_shares(initialise(config.model, 0), config, pairs=3).columns.tolist()
        ['stage', 'cells', 'share', 'null', 'train', 'test_unmirrored']
    """
    task, drawn = config.task, {"pairs": pairs, "seed": config.seed}
    found = activations(w, torch.from_numpy(task.pairs), config.model)
    sets = {"all": np.arange(task.p**2), "train": task.train_index}
    rows = []
    for stage, values in found.items():
        for cells, index in sets.items() if not stage.startswith("hidden") else ():
            points, labels = values[index].double().numpy(), task.labels[index]
            share = class_separability(points, labels, **drawn).share
            rows.append((stage, cells, share, shuffled_share(points, labels, **drawn).share))
    right = found["logits"].argmax(dim=1).numpy() == task.labels
    unmirrored = task.groups()["unmirrored"]
    answered = {"train": right[task.train_index].mean(), "test_unmirrored": right[unmirrored].mean()}
    return pd.DataFrame(rows, columns=["stage", "cells", "share", "null"]).assign(**answered)


def separability_table(plan: dict[str, Experiment], *, pairs: int) -> pd.DataFrame:
    """`stage_shares` of the plan's networks at the start, after `early` and after all steps: columns when, seed."""
    late = plan["late"]
    start = [initialise(late.config.model, seed) for seed in late.seeds]
    networks = {"start": start, "memorising": final_weights(plan["early"]), "end": final_weights(late)}
    parts = [
        stage_shares(w, late.config.with_seed(seed), pairs=pairs).assign(when=when, seed=seed)
        for when, found in networks.items()
        for seed, w in zip(late.seeds, found, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def depth_shares(plan: dict[str, Experiment], *, pairs: int) -> pd.DataFrame:
    """`stage_shares` of the plan's networks of each depth: a column layers beside those."""
    deep = [run for name, run in plan.items() if name.startswith("layers")]
    parts = [stage_shares(final_weights(run)[0], run.config.with_seed(run.seeds[0]), pairs=pairs) for run in deep]
    layers = [run.config.model.n_layers for run in deep]
    return pd.concat([part.assign(layers=n) for n, part in zip(layers, parts, strict=True)], ignore_index=True)


def half_apart(shares: pd.DataFrame) -> dict[int, str]:
    """First stage at which at least half of the class pairs are separable on all cells: layers -> stage or "none".

    Example:
        >>> rows = [(1, "attention 1", "all", 0.4), (1, "MLP 1", "all", 0.5), (2, "MLP 1", "all", 0.1)]
        >>> half_apart(pd.DataFrame(rows, columns=["layers", "stage", "cells", "share"]))
        {1: 'MLP 1', 2: 'none'}
    """
    reached = {int(n): rows.stage[rows.share >= 0.5] for n, rows in shares[shares.cells == "all"].groupby("layers")}
    return {n: stages.iloc[0] if len(stages) else "none" for n, stages in reached.items()}


# ------------------------------------------------------------------------------------------------------- pictures

CELLS = {"all": "all cells", "train": "training cells"}


@styled
def shares_by_stage(table: pd.DataFrame) -> Figure:
    """Share of separable class pairs by stage: one mark a network, hollow marks with shuffled labels; all, train."""
    fig, axes = panels(1, 2, height=3.4, sharey=True)
    stages, whens = list(dict.fromkeys(table.stage)), list(dict.fromkeys(table.when))
    colours = dict(zip(whens, (COLOURS["quiet"], COLOURS["test"], COLOURS["measure"]), strict=False))
    for ax, (cells, title) in zip(axes[0], CELLS.items(), strict=True):
        for n, when in enumerate(whens):
            rows = table[(table.cells == cells) & (table.when == when)]
            x = rows.stage.map(stages.index) + 0.24 * (n - 1)
            ax.plot(x - 0.05, rows.share, "o", ms=5, color=colours[when], label=when)
            ax.plot(x + 0.05, rows.null, "o", ms=5, mfc="none", color=colours[when])
        ax.set_xticks(range(len(stages)), [stage.replace(" of ", "\nof ") for stage in stages])
        ax.set(title=title, ylim=(-0.05, 1.05))
    axes[0, 0].plot([], [], "o", mfc="none", color=COLOURS["theory"], label="labels shuffled")
    axes[0, 0].set_ylabel("share of class pairs")
    axes[0, 0].legend(loc="upper left")
    return fig


@styled
def shares_by_depth(table: pd.DataFrame) -> Figure:
    """Share of separable class pairs on all cells (left) and training cells by stage, one line a depth; null hollow.

    `table` has columns layers, stage, cells, share, null; seeds are averaged.
    """
    fig, axes = panels(1, 2, height=3.6, sharey=True)
    stages = sorted(dict.fromkeys(table.stage), key=_order)
    table = table.assign(at=table.stage.map(stages.index))
    dashes = dict(zip(sorted(table.layers.unique()), ("", (4, 1.5), (1, 1), (3, 1, 1, 1)), strict=False))
    same = {"x": "at", "style": "layers", "dashes": dashes, "markers": dict.fromkeys(dashes, "o"), "errorbar": None}
    for ax, (cells, title) in zip(axes[0], CELLS.items(), strict=True):
        rows = table[table.cells == cells]
        hollow = {"mfc": "none", "mec": COLOURS["quiet"], "lw": 0.8}
        sns.lineplot(rows, y="null", color=COLOURS["quiet"], ms=5, ax=ax, legend=False, **hollow, **same)
        sns.lineplot(rows, y="share", color=COLOURS["measure"], ms=5, mew=0, ax=ax, legend=False, **same)
        ax.set_xticks(range(len(stages)), stages, rotation=45, ha="right")
        ax.set(title=title, ylim=(-0.05, 1.05), xlabel="", ylabel="share of class pairs")
    for layers, line in zip(dashes, axes[0, 1].lines[len(dashes) :], strict=True):
        line.set_label(f"{layers} layer{'' if layers == 1 else 's'}")
    axes[0, 1].plot([], [], "o-", mfc="none", color=COLOURS["quiet"], label="labels shuffled")
    fig.legend(*axes[0, 1].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return fig


def _order(stage: str) -> tuple[int, int, int]:
    """Sum first, then attention and MLP of each layer in turn, the logits last."""
    kind, _, layer = stage.rpartition(" ")
    if kind not in ("attention", "MLP"):
        return (2 if stage == "logits" else 0), 0, 0
    return 1, int(layer), int(kind == "MLP")
