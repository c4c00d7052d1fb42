"""Runs in one call: `train` over seeds, `sweep` over a grid; results are xarray, kept by what was
run."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Collection, Mapping, Sequence
from math import prod
from pathlib import Path
from typing import Any

import torch
import xarray as xr

from grokbook.errors import OTHER_WORDS, ParameterError, checked_call, meant, shown, unknown
from grokbook.machine import cores, say
from grokbook.models.networks import sizes_of
from grokbook.own_code import held
from grokbook.runs import cluster
from grokbook.runs.experiment import Experiment, default_store, load_or_run, which_seeds
from grokbook.runs.store import Store
from grokbook.runs.sweep import ROWS, Axis, Sweep, worded
from grokbook.tasks.table import TableTask
from grokbook.tasks.table import task as table_task
from grokbook.training import accelerators, optim
from grokbook.training.config import RunConfig
from grokbook.training.optimisers import AdamW, Muon, Sgd
from grokbook.training.watching import Watch

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
    optimizer: Any = AdamW(),  # noqa: B008 - it is frozen
    *,
    seeds: int | Sequence[int] = 5,
    steps: int = 10_000,
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
        given = {"model": model, "optimizer": optimizer, "seeds": seeds, "steps": steps}
        given |= {"watch": watch, "keep": keep, "name": name, **settings}
        _refuse_beside(task, given)
        experiment = task
    else:
        config = _config(task, model, optimizer, steps, settings)
        experiment = Experiment(
            name or f"own/{type(task).__name__}-{type(model).__name__}",
            config,
            which_seeds(seeds),
            watch=dict(watch or {}),
            keep=keep,
        )
    return _results(experiment, store, progress, rows, workers)


@checked_call
def sweep(
    task: Any,
    model: Any,
    optimizer: Any = AdamW(),  # noqa: B008 - it is frozen
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
        scheduler: address of a Dask cluster, `tcp://host:8786`. Default: processes here.
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
    axes = []
    other_names = {}
    for given, values in grid.items():
        axis = Axis(worded(config, given), tuple(map(float, values)))
        axes.append(axis)
        if axis.name != given:
            other_names[axis.name] = given
    called = name or f"own/sweep-{type(task).__name__}-{type(model).__name__}"
    result = Sweep(called, config, which_seeds(seeds), axes=tuple(axes))
    if scheduler is None:
        rows = shared_rows(result) if rows == "auto" else rows
        return _results(result, store, progress, rows, workers).rename(other_names)
    where = _store(store)
    if rows != "auto" or where is None:
        raise ParameterError(
            f"rows = {shown(rows)}, store = {shown(store)}: a cluster has programs of 4 runs, so"
            " rows must be 'auto', and is gathered in a store, which cannot be False."
        )
    return cluster.sweep(result, scheduler, store=where, progress=progress).rename(other_names)


def _refuse_beside(experiment: Experiment, given: Mapping[str, Any]) -> None:
    """Refuse arguments that an experiment says itself (ParameterError)."""
    parameters = inspect.signature(train).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    for name, value in given.items():
        if value is not defaults.get(name):
            raise ParameterError(
                f"{name} = {shown(value)} is said by the experiment {experiment.name} itself."
            )


def _config(
    task: Any, model: Any, optimizer: Any, steps: int, settings: Mapping[str, Any]
) -> RunConfig:
    """The run that the arguments say, or what is wrong with them in one sentence."""
    parts = {"task": task, "model": model, "optimizer": optimizer}
    if model is None:
        raise ParameterError(
            "model is missing: a task is trained with one, such as Transformer(p)."
        )
    known = {field.name for field in dataclasses.fields(RunConfig)} - {*parts, "steps", "seed"}
    for name, value in settings.items():
        if name not in known:
            raise _no_setting(name, value, {*known, *parts, "steps", "seeds"}, parts)
    return RunConfig(task, model, optimizer, steps, **settings)


def _no_setting(
    name: str, value: Any, known: Collection[str], parts: Mapping[str, Any]
) -> ParameterError:
    """The error for an argument that no run has: the part of the run whose it is, or what was
    meant."""
    words = {name, *OTHER_WORDS.get(name, ())}
    if words.isdisjoint(known):
        for where, part in parts.items():
            maker: Any = _MAKERS.get(type(part), type(part))
            takes = list(inspect.signature(maker).parameters)
            if not words.isdisjoint(takes):
                near = name if name in takes else meant(name, takes)
                return ParameterError(
                    f"{name} = {shown(value)} is no argument of a run, but of its {where}:"
                    f" {maker.__name__} takes {near}."
                )
    return unknown(name, value, "a run", sorted(known))


def shared_rows(grid: Sweep) -> int | str:
    """How many runs of a sweep share a program where nobody says it: what a core's cache holds, in
    long sweeps a quarter of the runs.

    Of each parameter there are four numbers, weight, gradient and two moments. Neither processes
    nor cores change it, so that they change no bit either.
    """
    if torch.cuda.is_available():
        return "auto"
    parameters = sum(sizes_of(grid.config.model.shapes()))
    runs = len(grid.seeds) * prod(grid.shape.values())
    is_short = runs * grid.config.steps <= FEW
    fit = min(CACHE // (16 * parameters), runs if is_short else runs // 4, 16)
    return max(ROWS, fit)


def _workers(experiment: Experiment, workers: int | None) -> int | None:
    """How many processes: the number asked for, else one where the runs are short; a line where
    they cannot travel."""
    configs = experiment.to_train(experiment.seeds[:1])
    count = 1 if torch.cuda.is_available() else workers or cores()
    in_one = ROWS if len(configs) > 1 else 1
    if count > 1 and len(experiment.seeds) * len(configs) > in_one:
        parts = [configs[0].task, configs[0].model, configs[0].optimizer]
        if any(kind.__module__ == "__main__" for kind in held(parts)):
            say(
                "a part of these runs is written in a notebook or script, so they are"
                " trained in this process; put it in a module to use every core."
            )
    if workers is None and experiment.predicted().seconds < SHORT:
        return 1
    return workers


def _store(store: Store | str | Path | bool | None) -> Store | None:
    """Where results are kept; None for nowhere. Tells where that is when the first run of this
    machine is kept."""
    if store is False:
        return None
    if isinstance(store, Store):
        return store
    if isinstance(store, str) and "://" in store:
        raise ParameterError(
            f"store = {shown(store)} is an address, but results are kept in a folder."
        )
    if store is not None and store is not True:
        return Store(Path(store))
    default = default_store()
    if not default.path.exists() and "GROKBOOK_STORE" not in os.environ:
        say(
            f"runs are kept in {default.path}, and loaded when the same ones are asked"
            " for again (store=False keeps none, GROKBOOK_STORE names another folder)."
        )
    return default


def _results(
    experiment: Experiment,
    store: Store | str | Path | bool | None,
    progress: bool,
    rows: int | str,
    workers: int | None,
) -> xr.Dataset:
    """The dataset of an experiment, loaded or trained."""
    options: dict[str, Any] = {"workers": _workers(experiment, workers), "progress": progress}
    if rows != "auto":
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise ParameterError(
                f"rows = {shown(rows)} must be 'auto' or a number of runs, 1 or more."
            )
        options["rows"] = rows
    where = _store(store)
    try:
        if where is not None:
            return load_or_run(experiment, where, **options)
        trained = experiment.run(**options)
    except KeyboardInterrupt:
        # where it was in torch helps nobody
        raise KeyboardInterrupt(_stopped(experiment, where)) from None
    return trained.assign_attrs(experiment=experiment.name, origin="trained")


def _stopped(experiment: Experiment, store: Store | None) -> str:
    """What is kept of runs that Ctrl-C ended."""
    name = experiment.name
    if store is None:
        return f"{name} was stopped, and store = False keeps nothing of it"
    if not any(store.checkpoints(experiment).glob("*.pt")):
        return f"{name} was stopped before its first checkpoint, so nothing of it is kept"
    saved = "finished runs and the others up to their last checkpoint"
    return f"{name} was stopped; {saved} are in {store.path}: the same call goes on from there"
