"""Plan of chapter 07: small networks, narrow enough for separability of classes to say something."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.depth import LAYERS, depth_run
from grokbook.experiments.gu2025 import live_run
from grokbook.experiments.weights import WeightRun, final_weights
from grokbook.measures.separability import class_separability, shuffled_share
from grokbook.models.activations import activations
from grokbook.models.transformer import Parameters, Shape, initialise
from grokbook.tasks.arithmetic import ModularTask


def separability_and_depth(
    p: int,
    train_fraction: float,
    d_model: int,
    early: int,
    steps: int,
    n_seeds: int,
    p_depth: int,
    d_depth: int,
    depths: int,
    depth_steps: int,
) -> dict[str, Experiment]:
    """Plan of chapter 07: the same networks after `early` and after all `steps`, and one of each depth up to `depths`.

    Two classes of the full grid have 2p points, and by Cover's count more than half of the ways to label n points in
    general position in d dimensions are separable as soon as n < 2(d + 1). So the widths must be below p - 1.

    Raises ParameterError for a wider network, an early stage that is not before the last, and more than four layers.

    Example:
        >>> list(separability_and_depth(31, 0.5, 16, 10, 20, 1, 31, 20, 2, 10))
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
    early_run, late_run = (WeightRun(f"{e.name[:-1]}, {n} steps]", e.config, e.seeds) for n, e in runs.items())
    deep = {f"layers {n}": live_depth(n, p_depth, d_depth, depth_steps) for n in range(1, depths + 1)}
    return {"early": early_run, "late": late_run, **deep}


def live_depth(n_layers: int, p: int, d_model: int, steps: int) -> WeightRun:
    """One network of the family of `grokbook.experiments.depth`, seed 0, whose final weights are wanted.

    Example:
        >>> live_depth(2, 31, 20, 100).name
        'gu2025/depth[layers=2, p=31], 100 steps'
    """
    run = depth_run(n_layers, p=p, d_model=d_model, steps=steps, n_seeds=1)
    return WeightRun(f"{run.name}, {steps} steps", run.config, run.seeds)


def network_stages(plan: dict[str, Experiment], *, progress: bool = True) -> dict[str, list[Parameters]]:
    """The parameters of the plan's networks at the start, after `early` and after all steps: name -> one a seed."""
    late = plan["late"]
    start = [initialise(late.config.model, seed) for seed in late.seeds]
    trained = {name: final_weights(plan[name], progress=progress) for name in ("early", "late")}
    return {"start": start, "memorising": trained["early"], "end": trained["late"]}


def stage_shares(w: Parameters, task: ModularTask, shape: Shape, *, pairs: int, seed: int = 0) -> pd.DataFrame:
    """Share of class pairs that are convexly separable, by stage of the network and set of cells, beside its null.

    One row for each stage of `grokbook.models.activations.activations` except the hidden units, and for all cells and
    the training cells. `pairs` class pairs are drawn (seeded); `null` is the share with shuffled labels.

    Example:
        >>> task, shape = ModularTask(7, train_fraction=0.9), Shape(7, d_model=4)
        >>> stage_shares(initialise(shape, 0), task, shape, pairs=3).columns.tolist()
        ['stage', 'cells', 'share', 'null']
    """
    found = activations(w, torch.from_numpy(task.pairs), shape)
    sets = {"all": np.arange(task.p**2), "train": task.train_index}
    rows = []
    for stage, values in found.items():
        for cells, index in sets.items() if not stage.startswith("hidden") else ():
            points, labels = values[index].double().numpy(), task.labels[index]
            share = class_separability(points, labels, pairs=pairs, seed=seed).share
            null = shuffled_share(points, labels, pairs=pairs, seed=seed).share
            rows.append({"stage": stage, "cells": cells, "share": share, "null": null})
    return pd.DataFrame(rows)


def separability_table(plan: dict[str, Experiment], *, pairs: int) -> pd.DataFrame:
    """`stage_shares` of every network of the plan, with its accuracies: columns when, seed, and those of the shares."""
    parts = []
    for when, networks in network_stages(plan).items():
        for seed, w in zip(plan["late"].seeds, networks, strict=True):
            config = plan["late"].config.with_seed(seed)
            shares = stage_shares(w, config.task, config.model, pairs=pairs, seed=seed)
            parts.append(shares.assign(when=when, seed=seed, **accuracies(w, config.task, config.model)))
    return pd.concat(parts, ignore_index=True)


def depth_shares(plan: dict[str, Experiment], *, pairs: int, progress: bool = True) -> pd.DataFrame:
    """`stage_shares` of the plan's networks of each depth, with their accuracies: columns layers and those of both."""
    parts = []
    for run in (experiment for name, experiment in plan.items() if name.startswith("layers")):
        config = run.config.with_seed(run.seeds[0])
        w = final_weights(run, progress=progress)[0]
        shares = stage_shares(w, config.task, config.model, pairs=pairs)
        parts.append(shares.assign(layers=config.model.n_layers, **accuracies(w, config.task, config.model)))
    return pd.concat(parts, ignore_index=True)


def half_apart(shares: pd.DataFrame) -> dict[int, str]:
    """First stage at which at least half of the class pairs are separable on all cells: layers -> stage or "none".

    Example:
        >>> rows = [(1, "attention 1", "all", 0.4), (1, "MLP 1", "all", 0.5), (2, "MLP 1", "all", 0.1)]
        >>> half_apart(pd.DataFrame(rows, columns=["layers", "stage", "cells", "share"]))
        {1: 'MLP 1', 2: 'none'}
    """
    found = {}
    for layers, rows in shares[shares.cells == "all"].groupby("layers"):
        reached = rows.stage[rows.share >= 0.5]
        found[int(layers)] = reached.iloc[0] if len(reached) else "none"
    return found


def accuracies(w: Parameters, task: ModularTask, shape: Shape) -> dict[str, float]:
    """Share of the training cells and of the test cells with an untrained transpose that are answered right.

    Example:
        >>> task, shape = ModularTask(7, train_fraction=0.5), Shape(7, d_model=4)
        >>> sorted(accuracies(initialise(shape, 0), task, shape))
        ['test_unmirrored', 'train']
    """
    answers = activations(w, torch.from_numpy(task.pairs), shape)["logits"].argmax(dim=1).numpy()
    right = (answers == task.labels).reshape(task.p, task.p)
    unmirrored = task.test_groups()["unmirrored"]
    return {"train": float(right[task.train_mask].mean()), "test_unmirrored": float(right[unmirrored].mean())}
