"""Runs in one call: `train` over seeds, `sweep` over a grid; results are xarray, kept by what was
run."""

from __future__ import annotations

import dataclasses
import inspect
import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import torch
import xarray as xr
from torch import nn

from grokbook.errors import OTHER_WORDS, ParameterError, checked_call, meant, shown, unknown
from grokbook.machine import cores
from grokbook.own_code import held
from grokbook.runs import cluster
from grokbook.runs.experiment import Experiment, default_store, load_or_run
from grokbook.runs.store import Store
from grokbook.runs.sweep import ROWS, Axis, Sweep, worded
from grokbook.tasks.table import TableTask
from grokbook.tasks.table import task as table_task
from grokbook.training import accelerators, optim
from grokbook.training.config import RunConfig
from grokbook.training.optimisers import AdamW, Muon, Sgd
from grokbook.training.watching import Watch

OPTIMIZER, SEEDS, STEPS = AdamW(), 5, 10_000
"""What a call that says nothing else trains with: the optimiser, the number of runs, updates of
each."""

SHORT = 20.0
"""Runs of fewer predicted seconds, all together, are not worth the start of a process each."""

FEW = 20_000
"""Updates of a sweep, all together, up to which a second core would not be worth its start."""

_MAKERS = {optim.AdamW: AdamW, optim.Sgd: Sgd, accelerators.Muon: Muon, TableTask: table_task}
"""By what a reader made a part of a run."""

CACHE = 3_000_000
"""Bytes of parameters, gradients and moments that stay in a core's cache: those of `ROWS` of Liu et
al.'s toys."""


@checked_call
def train(
    task: Any,
    model: Any = None,
    optimizer: Any = OPTIMIZER,
    *,
    seeds: int | Sequence[int] = SEEDS,
    steps: int = STEPS,
    watch: Mapping[str, Watch] | None = None,
    keep: str = "embedding",
    rows: int | str = "auto",
    workers: int | None = None,
    store: Store | str | Path | bool | None = None,
    name: str | None = None,
    progress: bool = True,
    **settings: Any,
) -> xr.Dataset:
    """Train a network on a task with several seeds; what was trained before is loaded.

    A seed draws the initial weights and, where the task has a `seed`, its training set; with
    `split_seed` all runs have the training set that it draws.

    Args:
        task: `ModularTask`, `GroupTask`, `task(inputs, targets, train_fraction)`, or any frozen
            dataclass with `inputs`, `targets`, `train_index` and `groups()`; or an `Experiment`,
            which says itself what is trained and what is recorded: beside it only rows, workers,
            store and progress are asked.
        model: `Transformer`, `MLP`, `from_module(factory)`, or any frozen dataclass with
            `shapes()`, `draw(seed)` and `forward(weights, inputs)`.
        optimizer: `AdamW`, `Sgd`, `Muon`, `from_torch_optim(cls)`, or any frozen dataclass with
            `init`, `numbers` and `update`.
        seeds: how many (0, 1, ...), or which.
        steps: updates of each run.
        watch: name -> function of a `View` of the network at a logged step; each is a variable
            (seed, step).
        keep: "embedding" (tables of networks that have one) or "weights" (these and all parameters)
            at `snapshots` steps; `load` gives them back. Until a run ends, "weights" and a watch
            hold every logged step in memory.
        rows: runs that share a program. "auto": one on a CPU, all of them on a GPU.
        workers: processes side by side. Default: one a core, and none where that takes longer than
            the runs.
        store: a folder for results, False for none. Default: this machine's, which a line tells at
            the first run.
        name: what the runs are called by `records` and `load`. Default: task and network, whatever
            the settings; where several have one name, `load` says their keys and in what they
            differ.
        settings: more fields of `RunConfig`: `log`, `stop`, `snapshots`, `loss`, `batch_size`,
            `dtype`, `start`, `split_seed`.

    Returns:
        Dataset with variables (seed, step): losses, accuracies (of real answers the share of
        outputs to which no other answer of the task is nearer than the right one; `grok_times(runs,
        below=0.01)` goes by loss), weight norm, embedding measures, each watch; and `embedding`
        (seed, snapshot, token, feature) and `weights` (seed, snapshot, parameter) where they are
        kept. NaN from where a run had stopped.

    Raises:
        ParameterError: one sentence with the value and the rule it breaks, before anything is
            trained.
        TrainingError: a loss became NaN or infinite, or a watch ended in an error; `history` has
            what there is.

    Example:
        >>> import grokbook as gb
        >>> runs = gb.train(
        ...     gb.ModularTask(5), gb.Transformer(5, d_model=8), seeds=2, steps=20, progress=False
        ... )
        >>> dict(runs.test_accuracy.sizes), runs.embedding.dims
        ({'seed': 2, 'step': 3}, ('seed', 'snapshot', 'token', 'feature'))
    """
    if isinstance(task, Experiment):
        asked = {"model": model, "optimizer": optimizer, "seeds": seeds, "steps": steps}
        asked |= {"watch": watch, "keep": keep, "name": name, **settings}
        usual = {"optimizer": OPTIMIZER, "seeds": SEEDS, "steps": STEPS, "keep": "embedding"}
        for what, value in asked.items():
            if value is not usual.get(what):
                raise ParameterError(
                    f"{what} = {shown(value)} is said by the experiment {task.name} itself."
                )
        made = task
    else:
        config = _config(task, model, optimizer, steps, settings)
        called = _name(name or f"own/{type(task).__name__}-{type(model).__name__}")
        made = Experiment(called, config, _seeds(seeds), watch=dict(watch or {}), keep=keep)
    options: dict[str, Any] = {"workers": _workers(made, workers)}
    if rows != "auto":
        options["rows"] = _rows(rows)
    return _results(made, store, progress, options)


@checked_call
def sweep(
    task: Any,
    model: Any,
    optimizer: Any = OPTIMIZER,
    *,
    grid: Mapping[str, Sequence[float]],
    seeds: int | Sequence[int] = 1,
    steps: int = 10_000,
    scheduler: str | None = None,
    rows: int | str = "auto",
    workers: int | None = None,
    store: Store | str | Path | bool | None = None,
    name: str | None = None,
    progress: bool = True,
    **settings: Any,
) -> xr.Dataset:
    """Train every combination of the values of a grid, each with every seed; what was trained
    before is loaded.

    Args:
        grid: setting -> its values: `lr`, `weight_decay`, a field of the run, network or task that
            is a number, or GROUP_lr and GROUP_weight_decay of a group of the network's parameters.
        scheduler: address of a Dask cluster, `tcp://host:8786`. Default, and "local": processes
            here.
        store: as `train`.
        rows: runs that share a program; "auto": on a CPU 4, and up to 16 of networks so small that
            a core's cache holds them where the runs are many or short; on a cluster always 4.
        settings: as `train`; so are the other arguments.

    Returns:
        Dataset with dims `seed`, one for each name of the grid, and `step`: losses and accuracies,
        and the `embedding` at the end where there is one. What `grok_times` and `phases` need.

    Raises ParameterError as `train`, and for a name that no part of the run has; GrokbookError
    where there is no Dask.

    Example:
        >>> import grokbook as gb
        >>> net, lr = gb.Transformer(5, d_model=8), [1e-3, 1e-2]
        >>> gb.sweep(
        ...     gb.ModularTask(5), net, grid={"lr": lr}, steps=20, progress=False
        ... ).test_loss.dims
        ('seed', 'lr', 'step')
    """
    if not isinstance(grid, Mapping) or not grid:
        raise ParameterError(
            f"grid = {shown(grid)} must give settings their values: {{'lr': [1e-3, 1e-2]}}."
        )
    config = _config(task, model, optimizer, steps, settings)
    axes = tuple(
        Axis(worded(config, asked), tuple(map(float, values))) for asked, values in grid.items()
    )
    called = _name(name or f"own/sweep-{type(task).__name__}-{type(model).__name__}")
    made = Sweep(called, config, _seeds(seeds), axes=axes)
    names = {axis.name: asked for axis, asked in zip(axes, grid, strict=True) if axis.name != asked}
    if scheduler is not None:
        if rows != "auto":
            raise ParameterError(
                f"rows = {shown(rows)} must be 'auto' on a cluster, whose programs have 4 runs."
            )
        kept = _store(store)
        if kept is None:
            raise ParameterError(
                "store = False keeps nothing, but a sweep on a cluster is gathered in a store."
            )
        address = None if scheduler == "local" else scheduler
        return cluster.sweep(made, address, workers=workers, store=kept).rename(names)
    options: dict[str, Any] = {"workers": _workers(made, workers)}
    options["rows"] = _together(made) if rows == "auto" else _rows(rows)
    return _results(made, store, progress, options).rename(names)


def _config(
    task: Any, model: Any, optimizer: Any, steps: int, settings: Mapping[str, Any]
) -> RunConfig:
    """The run that the arguments say, or what is wrong with them in one sentence."""
    if model is None:
        raise ParameterError(
            "model is missing: a task is trained with one, such as Transformer(p)."
        )
    if isinstance(model, nn.Module) or isinstance(model, type) and issubclass(model, nn.Module):
        raise ParameterError(
            "model is a torch.nn.Module; give what makes it: model = from_module(factory)."
        )
    if isinstance(optimizer, torch.optim.Optimizer | type):
        kind = optimizer.__name__ if isinstance(optimizer, type) else type(optimizer).__name__
        raise ParameterError(
            f"optimizer = {kind} is one of torch; give from_torch_optim(torch.optim.{kind},"
            " lr=...)."
        )
    known = {f.name for f in dataclasses.fields(RunConfig)} - {
        "task",
        "model",
        "optimizer",
        "steps",
        "seed",
    }
    for name, value in settings.items():
        if name not in known:
            parts = {"task": task, "model": model, "optimizer": optimizer}
            raise _no_setting(name, value, known, parts)
    return RunConfig(task, model, optimizer, steps, **settings)


def _no_setting(
    name: str, value: Any, known: Collection[str], parts: Mapping[str, Any]
) -> ParameterError:
    """The error for an argument that no run has: the part of the run whose it is, or what was
    meant."""
    words, own = {name, *OTHER_WORDS.get(name, ())}, {*known, *parts, "steps", "seeds"}
    for where, part in parts.items():
        maker = _MAKERS.get(type(part), type(part))
        takes = list(inspect.signature(maker).parameters) if callable(maker) else []
        if words & set(takes) and not words & own:
            near = name if name in takes else meant(name, takes)
            said = f"{name} = {shown(value)} is no argument of a run, but of its {where}"
            return ParameterError(f"{said}: {maker.__name__} takes {near}.")
    return unknown(name, value, "a run", sorted(own))


def _seeds(seeds: int | Sequence[int]) -> tuple[int, ...]:
    if isinstance(seeds, int | np.integer):
        found = () if isinstance(seeds, bool) else tuple(range(int(seeds)))
    else:
        try:
            found = tuple(seeds)
        except TypeError:
            found = ()
    if not found or not all(
        isinstance(s, int | np.integer) and not isinstance(s, bool) and s >= 0 for s in found
    ):
        raise ParameterError(
            f"seeds = {shown(seeds)} must be how many, 1 or more, or which, such as (0, 1, 2)."
        )
    return tuple(map(int, found))


def _name(name: str) -> str:
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w.+-]*(/\w[\w.+-]*)*", name):
        raise ParameterError(
            f"name = {shown(name)} must be words of letters, digits and _.+- joined by /."
        )
    return name


def _rows(rows: int | str) -> int:
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
        raise ParameterError(f"rows = {shown(rows)} must be 'auto' or a number of runs, 1 or more.")
    return rows


def _together(made: Sweep) -> int | None:
    """How many runs of a sweep share a program: what a core's cache holds, and in long sweeps a
    quarter of them.

    Of each parameter there are four numbers, weight, gradient and two moments. Neither processes
    nor cores change it, so that they change no bit either.
    """
    parameters = sum(map(prod, made.config.model.shapes().values()))
    runs = len(made.seeds) * prod(made.shape.values())
    fit = min(
        CACHE // (16 * parameters), runs if runs * made.config.steps <= FEW else runs // 4, 16
    )
    return None if torch.cuda.is_available() else max(ROWS, fit)


def _workers(made: Experiment, workers: int | None) -> int | None:
    """How many processes: the number asked for, else one where the runs are short; a line where
    they cannot travel."""
    configs = made.to_train(made.seeds[:1])
    count = (workers or cores()) if not torch.cuda.is_available() else 1
    several = len(made.seeds) * len(configs) > (ROWS if len(configs) > 1 else 1)
    parts = (configs[0].task, configs[0].model, configs[0].optimizer)
    if (
        count > 1
        and several
        and any(kind.__module__ == "__main__" for part in parts for kind in held(part))
    ):
        said = (
            "a part of these runs is written in a notebook or script, so they are trained in this"
            " process"
        )
        print(
            f"grokbook: {said}; put it in a module to use every core.", file=sys.stderr, flush=True
        )
    return 1 if workers is None and made.predicted().seconds < SHORT else workers


def _store(store: Store | str | Path | bool | None) -> Store | None:
    """Where results are kept; None for nowhere. Tells where that is when the first run of this
    machine is kept."""
    if store is False:
        return None
    if isinstance(store, Store):
        return store
    if isinstance(store, str) and "://" in store:
        raise ParameterError(f"store = {store!r} is an address, but results are kept in a folder.")
    if store is not None and store is not True:
        return Store(Path(store))
    found = default_store()
    if not found.path.exists() and "GROKBOOK_STORE" not in os.environ:
        where = f"runs are kept in {found.path}, and loaded when the same ones are asked for again"
        print(
            f"grokbook: {where} (store=False keeps none, GROKBOOK_STORE names another folder).",
            file=sys.stderr,
        )
    return found


def _results(made: Experiment, store: Any, progress: bool, options: dict[str, Any]) -> xr.Dataset:
    kept = _store(store)
    try:
        if kept is not None:
            return load_or_run(made, kept, progress=progress, **options)
        found = made.run(progress=progress, **options)
    except KeyboardInterrupt:
        # where it was in torch helps nobody
        raise KeyboardInterrupt(_stopped(made, kept)) from None
    return found.assign_attrs(experiment=made.name, origin="trained")


def _stopped(made: Experiment, store: Store | None) -> str:
    """What is kept of runs that Ctrl-C ended."""
    if store is None:
        return f"{made.name} was stopped, and store = False keeps nothing of it"
    if not any(store.checkpoints(made).glob("*.pt")):
        return f"{made.name} was stopped before its first checkpoint, so nothing of it is kept"
    kept = "finished runs and the others up to their last checkpoint"
    return f"{made.name} was stopped; {kept} are in {store.path}: the same call goes on from there"
