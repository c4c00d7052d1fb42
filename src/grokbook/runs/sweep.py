"""A grid of settings times seeds as one experiment: hundreds of runs, batched, each cell
measured."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import torch
import xarray as xr

from grokbook.errors import ParameterError, TrainingError, meant, shown
from grokbook.machine import plain_torch
from grokbook.runs.experiment import Experiment
from grokbook.training.config import RunConfig
from grokbook.training.cost import Cost, predict
from grokbook.training.ensemble import train
from grokbook.training.forward import split_weights
from grokbook.training.optim import Group

ROWS = 4
"""Runs of one program on a CPU core: more fall out of its cache."""

LOGGED = ("train_accuracy", "test_accuracy", "train_loss", "test_loss")
RATES = {"lr": "learning_rate", "weight_decay": "weight_decay"}
_WORDS = {"lr": "learning_rate", "momentum": "beta1"}


def spaced(low: float, high: float, count: int, digits: int = 6) -> tuple[float, ...]:
    """Values with equal ratios from `low` to `high`, to so many digits.

    Example:
        >>> spaced(1e-4, 1e-2, 3)
        (0.0001, 0.001, 0.01)
    """
    return tuple(float(f"{value:.{digits}g}") for value in np.geomspace(low, high, count))


@dataclass(frozen=True)
class Axis:
    """What varies along one side of a grid: a `name` that `with_value` knows, and its values.

    Raises ParameterError for no values, repeated ones, and one that is not finite.
    """

    name: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        distinct = len(set(self.values))
        if distinct < max(1, len(self.values)) or not np.isfinite(self.values).all():
            raise ParameterError(
                f"the axis {shown(self.name)} must have different finite values, not"
                f" {shown(self.values)}."
            )


def with_value(config: RunConfig, name: str, value: float) -> RunConfig:
    """The run with another value of one setting.

    `name` is GROUP_lr or GROUP_weight_decay for a group of the network's parameters, else a field
    of the run, its optimiser, its network or its task, looked for in this order. What follows from
    it, a width of 4 d, follows it.

    Raises ParameterError for an unknown name, a value that its place refuses, and a rate of the
    optimiser where every group of the parameters has one of its own.
    """
    groups: dict[str, Any] = getattr(config.model, "groups", dict)()
    rates = {group.name: group for group in getattr(config.optimizer, "groups", ())}
    for rate, field in RATES.items():
        group = name.removesuffix(f"_{rate}")
        if group != name and group in groups:
            rates[group] = dataclasses.replace(rates.get(group, Group(group)), **{field: value})
            optimizer = dataclasses.replace(config.optimizer, groups=tuple(rates.values()))
            return dataclasses.replace(config, optimizer=optimizer)
    own = {group.name for group in rates.values() if name in group.changes()}
    if own and own >= set(groups):
        rate = next(rate for rate, field in RATES.items() if field == name)
        others = " or ".join(f"{group}_{rate}" for group in groups)
        raise ParameterError(
            f"{name} reaches no parameter, since every group has its own; vary {others}."
        )
    known = ["lr"]
    for where in ("", "optimizer", "model", "task"):
        part = getattr(config, where) if where else config
        kinds = {field.name: field.type for field in dataclasses.fields(part)}
        if name in kinds and isinstance(getattr(part, name), int | float | None):
            changes = _derived(part) | {name: _as(kinds[name], name, value)}
            changed = dataclasses.replace(part, **changes)
            if not where:
                return changed
            whole: Any = config
            return dataclasses.replace(whole, **{where: changed})
        known += kinds
    near = meant(name, known)
    hint = f"did you mean {near}?" if near else f"it has {', '.join(dict.fromkeys(known))}."
    raise ParameterError(f"{shown(name)} is no setting of this run that a grid can vary; {hint}")


def _as(kind: object, name: str, value: float) -> float | int | bool:
    """A value of a grid as its field has it; ParameterError for another number than a whole one, or
    0 or 1, there."""
    if "bool" in str(kind):
        if value not in (0, 1):
            raise ParameterError(f"{name} = {value:g} must be 0 or 1.")
        return bool(value)
    if "int" not in str(kind):
        return value
    if value % 1:  # NaN leaves NaN
        raise ParameterError(f"{name} = {value:g} must be a whole number.")
    return round(value)


def _derived(part: Any) -> dict[str, Any]:
    """Fields left open that the others decide (a width of 4 d): they are left open again."""
    derived: dict[str, Any] = {}
    for field in dataclasses.fields(part):
        if field.init and field.default is None and getattr(part, field.name) is not None:
            with contextlib.suppress(ParameterError):  # a hole is no such field: a split needs it
                if dataclasses.replace(part, **{field.name: None}) == part:
                    derived[field.name] = None
    return derived


def worded(config: RunConfig, name: str) -> str:
    """A setting by the name of its field: `lr` is the learning rate of an optimiser that has no
    `lr` itself."""
    fields = {field.name for field in dataclasses.fields(config.optimizer)}
    word = _WORDS.get(name, name)
    return word if name not in fields and word in fields else name


@lru_cache(maxsize=64)
def _over(config: RunConfig, axes: tuple[Axis, ...], spelled: str = "") -> tuple[RunConfig, ...]:
    """The run with every combination of the values: many topics ask for one diagram. `spelled`
    tells 0 from 0.0."""
    configs: tuple[RunConfig, ...] = (config,)
    for axis in axes:
        varied = []
        for config in configs:
            for value in axis.values:
                varied.append(with_value(config, axis.name, value))
        configs = tuple(varied)
    return configs


@dataclass(frozen=True)
class Sweep(Experiment):
    """An experiment whose configuration is run with every combination of the values of its `axes`.

    Its dataset has dims `seed`, the names of the axes and `step`: losses and accuracies (float32),
    and, where the networks have embeddings of one shape, `embedding` (..., token, feature) at the
    end of each run; with `read_at_end` what that gives instead, with `kept` those of what is logged
    alone. A cell whose loss became infinite
    is NaN from there on. It is a class of its own because its runs share programs whatever they
    are, and its dataset has no embedding measures.

    Raises ParameterError for no axes, two of one name, one named seed (seeds are a dim of their
    own), a cell that the run refuses, and a watch, since a cell that diverges has none of its
    values.

    Example:
        >>> from grokbook_chapters.liu2022 import addition
        >>> Sweep(
        ...     "made/up", addition(steps=10), (0, 1), axes=(Axis("decoder_lr", (1e-4, 1e-3)),)
        ... ).shape
        {'decoder_lr': 2}
    """

    axes: tuple[Axis, ...] = ()
    rows: ClassVar[int] = ROWS

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [axis.name for axis in self.axes]
        if not names or len({*names, "seed"}) <= len(names):
            raise ParameterError(
                "a sweep needs one or more axes of different names, none the seed, not"
                f" {', '.join(names) or 'none'}."
            )
        if self.watch or self.keep != "embedding":
            raise ParameterError(
                "a sweep watches nothing, and keeps no weights; read_at_end says what it keeps."
            )
        self.cells(self.seeds[0])

    @property
    def shape(self) -> dict[str, int]:
        """Number of values along each axis."""
        return {axis.name: len(axis.values) for axis in self.axes}

    def configuration(self) -> dict[str, Any]:
        """The configuration without its seeds, as plain values, with the axes."""
        return super().configuration() | {
            "axes": [[axis.name, list(axis.values)] for axis in self.axes]
        }

    def cells(self, seed: int) -> list[RunConfig]:
        """The runs of one seed, the last axis fastest."""
        # `_gridded` keeps the end alone
        config = dataclasses.replace(self.config.with_seed(seed), snapshots=0)
        try:
            return list(_over(config, self.axes, repr((config, self.axes))))
        except TypeError:  # parts of a reader's own need no hash
            return list(_over.__wrapped__(config, self.axes))

    def run(self, seeds: tuple[int, ...] | None = None, **options: Any) -> xr.Dataset:
        """Train the seeds (default: all) in every cell; `options` are those of
        `grokbook.training.train`."""
        seeds = self.seeds if seeds is None else seeds
        configs = self.to_train(seeds)
        if not torch.cuda.is_available():
            options = {"rows": ROWS} | options
        try:
            dataset = train(configs, keep_weights=True, **options)
        except TrainingError as error:
            if error.history is None:
                raise
            dataset = error.history
        return self.described(self._gridded(dataset, configs, seeds), dataset.attrs)

    @plain_torch()
    def _gridded(
        self, dataset: xr.Dataset, configs: Sequence[RunConfig], seeds: Sequence[int]
    ) -> xr.Dataset:
        logged = list(self.kept or LOGGED)
        curves = dataset[logged].reset_coords(drop=True).astype(np.float32, keep_attrs=True)
        if self.read_at_end is not None:
            curves = curves.merge(
                self.ends(dataset, configs, "run").drop_vars("seed", errors="ignore")
            )
        elif not self.kept and hasattr(self.config.model, "embeddings"):
            tables = []
            for config, row in zip(configs, dataset.weights.values, strict=True):
                network: Any = config.model
                weights = split_weights(config, torch.from_numpy(row))
                tables.append(network.embeddings(weights)[0].numpy())
            if len({table.shape for table in tables}) == 1:
                dims = ("run", "token", "feature")
                curves["embedding"] = (
                    dims,
                    np.stack(tables),
                    {"long_name": "embedding at the end"},
                )
        sides = {"seed": list(seeds)} | {axis.name: list(axis.values) for axis in self.axes}
        index = pd.MultiIndex.from_product(sides.values(), names=sides)
        coordinates = xr.Coordinates.from_pandas_multiindex(index, "run")
        return curves.assign_coords(coordinates).unstack("run").transpose(*sides, "step", ...)

    def to_train(self, seeds: Sequence[int]) -> list[RunConfig]:
        """Every cell of every seed."""
        configs = []
        for seed in seeds:
            configs += self.cells(seed)
        return configs

    def counted(self, seeds: int) -> Cost:
        """Seconds on one core of this machine if no cell stops early, by the work, and memory of
        one program."""
        cells = prod(self.shape.values()) * seeds
        cost = predict(self.config, rows=ROWS)
        return Cost(cells * cost.seconds, cost.memory_mb)
