"""What came out of runs: networks that were kept at a step, and measures of them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import torch
import xarray as xr
from torch import Tensor

from grokbook.errors import ParameterError, RecordError, checked_call, nearest, shown
from grokbook.measures.registry import registry
from grokbook.models.networks import parts_of
from grokbook.runs.experiment import available, default_store
from grokbook.runs.instruments import INSTRUMENTS, READ_OUTS
from grokbook.runs.listing import records
from grokbook.runs.recording import catalogue
from grokbook.runs.store import Store
from grokbook.training.varied import leaves
from grokbook.training.watching import View

SHOWN = 3
"""Settings by which records of one name are told apart in a sentence."""


@dataclass(frozen=True)
class Kept:
    """What was kept of one run at one step; printed, it tells what that is.

    `embedding` is the table (p, d) of the first operand, None where the network has none; `steps`
    are those at which something was kept. With `model`, a network, `model.forward(kept.weights,
    inputs)` is what it puts out.
    """

    name: str
    seed: int
    step: int
    steps: tuple[int, ...]
    embedding: np.ndarray | None = field(repr=False)
    parameters: dict[str, Tensor] | None = field(repr=False)

    @property
    def weights(self) -> dict[str, Tensor]:
        """All parameters by name; ParameterError where they were not kept."""
        if self.parameters is None:
            raise ParameterError(f"{self}; train it with keep='weights' to have them.")
        return self.parameters

    def __str__(self) -> str:
        """The run, the step, and what was kept."""
        count = sum(part.numel() for part in (self.parameters or {}).values())
        if self.parameters:
            what = f"all {count:,} parameters"
        elif self.embedding is None:
            what = "no embedding, no weights"
        else:
            what = f"the embedding {self.embedding.shape}, no weights"
        return f"{self.name}, seed {self.seed}, step {self.step:,}: {what}"


@checked_call
def load(name: str | xr.Dataset, seed: int = 0, step: int | None = None) -> Kept:
    """The network of a run at a step at which it was kept: its embedding, and its weights where
    these were kept.

    Args:
        name: a record's name or key (see `records`), or what `train` gave.
        seed: which run.
        step: one of the kept steps; default: the last.

    Raises ParameterError for a name, seed or step that is not there, saying which are.

    Example:
        >>> import grokbook as gb
        >>> task, net = gb.ModularTask(5), gb.Transformer(5, d_model=8)
        >>> runs = gb.train(task, net, seeds=1, steps=20, keep="weights", progress=False)
        >>> kept = gb.load(runs, step=10)
        >>> print(kept)
        own/ModularTask-Shape, seed 0, step 10: all 920 parameters
        >>> net.forward(kept.weights, torch.tensor([[1, 2, 5]])).shape
        torch.Size([1, 5])
    """
    runs = name if isinstance(name, xr.Dataset) else of_name(name)
    called = str(runs.attrs.get("experiment", "these runs"))
    if "seed" not in runs.coords:
        raise ParameterError(f"name = {shown(name)} has no seed, so it is no dataset of runs.")
    if seed not in (seeds := np.atleast_1d(runs.seed.values).tolist()):
        raise ParameterError(
            f"seed = {shown(seed)} is none of {called}, which has {', '.join(map(str, seeds))}."
        )
    if "snapshot" not in runs.dims:
        rule = "a sweep keeps the embedding at the end of each run"
        stored = rule if "embedding" in runs else "nothing but curves"
        raise ParameterError(f"no network of {called} was kept at a step: {stored}.")
    run = runs.sel(seed=seed) if "seed" in runs.dims else runs
    is_kept = np.zeros(run.sizes["snapshot"], dtype=bool)
    for table in ("embedding", "weights"):
        if table in run:
            is_kept |= run[table].notnull().any(run[table].dims[1:]).values
    steps = run.snapshot.values[is_kept].tolist()
    at = steps[-1] if step is None else step
    if at not in steps:
        raise ParameterError(
            f"step = {shown(step)} of {called} was not kept; {', '.join(map(str, steps))} were."
        )
    state = run.sel(snapshot=at)
    embedding = None
    if "embedding" in state and state.embedding.notnull().any():
        embedding = state.embedding.values
    parameters = None
    if "weights" in state:
        row = torch.from_numpy(state.weights.values.copy())
        parameters = parts_of(row, _shapes(state.weights))
    return Kept(called, int(seed), int(at), tuple(steps), embedding, parameters)


def _shapes(weights: xr.DataArray) -> dict[str, tuple[int, ...]]:
    """The shapes of the parameters in a row of weights, by name; ParameterError where it does not
    say them."""
    shapes: dict[str, tuple[int, ...]] = {}
    try:
        for name, shape in json.loads(weights.attrs["parameters"]).items():
            shapes[name] = tuple(map(int, shape))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        shapes = {}
    if sum(map(math.prod, shapes.values())) != weights.size:
        raise ParameterError(
            "the weights do not say which parameters they are: what is computed from runs may"
            " have lost the attribute `parameters` of the weights."
        )
    return shapes


def of_name(name: str) -> xr.Dataset:
    """The dataset with a name or key in the store of this machine or in the records, as it was
    made.

    So code of a reader's own need not be loaded, nor be what it was. Raises ParameterError for an
    unknown name, RecordError for a damaged file.
    """
    if not isinstance(name, str):
        raise ParameterError(
            f"name = {shown(name)} must be the name of a record or the runs themselves."
        )
    here = default_store()
    stores: dict[str, Store] = {}
    names: dict[str, str] = {}
    for store in (here, *here.fallbacks):
        for entry in store.entries().values():
            if name in (entry["experiment"], entry["key"]):
                # without the stores behind it
                stores.setdefault(entry["key"], Store(store.path, read_only=store.read_only))
                names.setdefault(entry["key"], entry["experiment"])
    if len(stores) > 1:
        raise ParameterError(
            f"{shown(name)} names {len(stores)} configurations; give one of their keys:"
            f" {_described(stores)}."
        )
    for key, store in stores.items():
        if (runs := store.load(key)) is None:
            raise RecordError(f"{names[key]} is damaged, see above; train it again.")
        return runs.assign_attrs(experiment=names[key])
    known = catalogue()
    if name in known and (runs := available(known[name])) is not None:
        return runs
    like = nearest(name, {*known, *records()["name"]})
    hint = f"did you mean {like}?" if like else "see records()."
    raise ParameterError(f"{shown(name)} is no record; {hint}")


@checked_call
def to_pandas(runs: str | xr.Dataset) -> pd.DataFrame:
    """The curves of runs as one tidy table: a row for each run and logged step, a column for each
    setting and variable.

    `runs` are what `train` or `sweep` gave, or the name or key of a record. Steps that a run did
    not reach are left out.

    Raises ParameterError for a name that is not there, and for runs without curves.

    Example:
        >>> curves = xr.Dataset(
        ...     {"loss": (("seed", "step"), [[2.0, 1.0]])}, {"seed": [3], "step": [0, 10]}
        ... )
        >>> to_pandas(curves).to_dict("list")
        {'seed': [3, 3], 'step': [0, 10], 'loss': [2.0, 1.0]}
    """
    runs = of_name(runs) if isinstance(runs, str) else runs
    curves = runs[[str(name) for name, v in runs.data_vars.items() if "step" in v.dims]]
    if not curves:
        raise ParameterError(
            "the dataset has no curves, that is, no variable over the dimension step."
        )
    values = list(curves.data_vars)
    table = curves.to_dataframe(dim_order=[*(d for d in curves.dims if d != "step"), "step"])
    return table.dropna(how="all", subset=values).reset_index()


def _described(stores: Mapping[str, Store]) -> str:
    """The keys of records, each with the first of those settings in which they differ."""
    settings: dict[str, dict[tuple[str, ...], Any]] = {}
    values: dict[tuple[str, ...], set[str]] = {}
    for key, store in stores.items():
        runs = store.load(key)
        if runs is not None:
            settings[key] = dict(leaves((), json.loads(runs.attrs["configuration"])))
            for path in settings[key]:
                values[path] = set()
    for path, distinct in values.items():
        distinct.update(repr(of_run.get(path)) for of_run in settings.values())
    differ = [path for path, distinct in values.items() if len(distinct) > 1]
    described = []
    for key in stores:
        words = []
        for path in differ[:SHOWN] if key in settings else ():
            words.append(f"{'.'.join(path)} = {shown(settings[key].get(path))}")
        described.append(f"{key} ({', '.join(words)})" if words else key)
    return ", ".join(described)


@checked_call
def measure(name: str, data: Any) -> float | xr.DataArray:
    """A measure of the registry by its name (`measures()` lists them), of whatever it can be taken
    on.

    Args:
        name: such as "med", "fourier_ipr", "weight_norm".
        data: an embedding (p, d); the weights by name; a `View` or what `load` gives; or a dataset
            of runs with `embedding`, for a number each seed and snapshot.

    Raises ParameterError for an unknown name, and for data that the measure is not of.

    Example:
        >>> measure("med", [[0.0], [1.0], [3.0]])
        2.0
    """
    if name not in (known := registry()):
        like = nearest(name, known) or next(iter(known))
        raise ParameterError(
            f"{shown(name)} is no measure; did you mean {like}? measures() lists all {len(known)}."
        )
    of = known[name].of
    function = known[name].function
    if isinstance(data, xr.Dataset):
        if of != "embedding" or "embedding" not in data:
            why = f"the measure is of {of}" if "embedding" in data else "has no embedding"
            raise ParameterError(f"{name} cannot be taken on this dataset: {why}.")

        def value(table: np.ndarray) -> float:
            # a run that has stopped has no table any more
            return float(function(table)) if np.isfinite(table).all() else float("nan")

        axes = [["token", "feature"]]
        values = xr.apply_ufunc(value, data.embedding, input_core_dims=axes, vectorize=True)
        return values.rename(name).assign_attrs(long_name=name)
    if of == "network":
        watches = INSTRUMENTS | READ_OUTS
        if not isinstance(data, View) or name not in watches:
            raise ParameterError(
                f"{name} is of a network with its task: give a View, as a watch has it."
            )
        return float(watches[name](data))
    if isinstance(data, View | Kept):
        data = data.embedding if of == "embedding" else data.weights
    if of == "weights" and not isinstance(data, Mapping):
        raise ParameterError(f"{name} is of all weights by name, not of {type(data).__name__}.")
    return float(function(data))
