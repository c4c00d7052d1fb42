"""What came out of runs: networks that were kept at a step, and measures of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
import xarray as xr
from torch import Tensor

from grokbook.errors import ParameterError, RecordError, checked_call, nearest, shown
from grokbook.measures.registry import registry
from grokbook.runs.experiment import available, default_store
from grokbook.runs.instruments import INSTRUMENTS
from grokbook.runs.listing import records
from grokbook.runs.recording import catalogue
from grokbook.runs.store import Store
from grokbook.training.varied import leaves
from grokbook.training.watching import View

TOLD = 3
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
        table = (
            "no embedding" if self.embedding is None else f"the embedding {self.embedding.shape}"
        )
        what = f"all {count:,} parameters" if self.parameters else f"{table}, no weights"
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
    runs = name if isinstance(name, xr.Dataset) else found(name)
    called = str(runs.attrs.get("experiment", "these runs"))
    if seed not in (seeds := np.atleast_1d(runs.seed.values).tolist()):
        raise ParameterError(
            f"seed = {shown(seed)} is none of {called}, which has {', '.join(map(str, seeds))}."
        )
    if "snapshot" not in runs.dims:
        kept = (
            "a sweep keeps the embedding at the end of each run"
            if "embedding" in runs
            else "nothing but curves"
        )
        raise ParameterError(f"no network of {called} was kept at a step: {kept}.")
    run = runs.sel(seed=seed) if "seed" in runs.dims else runs
    there = [n for n in ("embedding", "weights") if n in run]
    known = xr.concat([run[n].notnull().any(run[n].dims[1:]) for n in there], "kind").any("kind")
    steps = [int(s) for s in run.snapshot.values[known.values]]
    at = steps[-1] if step is None else step
    if at not in steps:
        raise ParameterError(
            f"step = {shown(step)} of {called} was not kept; {', '.join(map(str, steps))} were."
        )
    one = run.sel(snapshot=at)
    table = one.embedding.values if "embedding" in one and one.embedding.notnull().any() else None
    parts = None
    if "weights" in one:
        shapes = json.loads(one.weights.attrs["parameters"])
        row = torch.from_numpy(one.weights.values.copy()).split(
            [int(np.prod(shape)) for shape in shapes.values()]
        )
        parts = {
            name: part.view(shape) for (name, shape), part in zip(shapes.items(), row, strict=True)
        }
    return Kept(called, int(seed), int(at), tuple(steps), table, parts)


def found(name: str) -> xr.Dataset:
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
    there: dict[str, tuple[Store, str]] = {}
    for store in (here, *here.fallbacks):
        for entry in store.entries().values():
            if name in (entry["experiment"], entry["key"]):
                there.setdefault(entry["key"], (store, entry["experiment"]))
    if len(there) > 1:
        each = _told_apart({key: store for key, (store, _) in there.items()})
        raise ParameterError(
            f"{name!r} names {len(there)} configurations; give one of their keys: {each}."
        )
    for key, (store, called) in there.items():
        if (runs := Store(store.path, read_only=store.read_only).load(key)) is None:
            raise RecordError(f"{called} is damaged, see above; train it again.")
        return runs.assign_attrs(experiment=called)
    if name in (known := catalogue()) and (runs := available(known[name])) is not None:
        return runs
    names = {*known, *records()["name"]}
    like = nearest(name, names)
    raise ParameterError(
        f"{name!r} is no record" + (f"; did you mean {like}?" if like else "; see records().")
    )


def _told_apart(stores: Mapping[str, Store]) -> str:
    """The keys of records, each with the first of those settings in which they differ."""
    known: dict[str, dict[tuple[str, ...], Any]] = {}
    for key, store in stores.items():
        runs = Store(store.path, read_only=store.read_only).load(key)
        said = "{}" if runs is None else runs.attrs["configuration"]
        known[key] = dict(leaves((), json.loads(said)))
    differ = []
    for path in dict.fromkeys(path for settings in known.values() for path in settings):
        if len({repr(settings.get(path)) for settings in known.values()}) > 1:
            differ.append(path)
    each = []
    for key, settings in known.items():
        told = [f"{'.'.join(path)} = {shown(settings.get(path))}" for path in differ[:TOLD]]
        each.append(f"{key} ({', '.join(told)})" if told else key)
    return ", ".join(each)


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
            f"{name!r} is no measure; did you mean {like}? measures() lists all {len(known)}."
        )
    found = known[name]
    if isinstance(data, xr.Dataset):
        if found.of != "embedding" or "embedding" not in data:
            there = (
                "has no embedding" if "embedding" not in data else f"the measure is of {found.of}"
            )
            raise ParameterError(f"{name} cannot be taken on this dataset: {there}.")
        tables = data.embedding
        value = xr.apply_ufunc(
            _or_nan(found.function), tables, input_core_dims=[["token", "feature"]], vectorize=True
        )
        return value.rename(name).assign_attrs(long_name=name)
    if found.of == "network":
        if not isinstance(data, View) or name not in INSTRUMENTS:
            raise ParameterError(
                f"{name} is of a network with its task: give a View, as a watch has it."
            )
        return float(INSTRUMENTS[name](data))
    if found.of == "embedding" and isinstance(data, View | Kept):
        data = data.embedding
    if found.of == "weights" and isinstance(data, View | Kept):
        data = data.weights
    if found.of == "weights" and not isinstance(data, Mapping):
        raise ParameterError(f"{name} is of all weights by name, not of {type(data).__name__}.")
    return float(found.function(data))


def _or_nan(function: Any) -> Any:
    """The measure, NaN where a run has no table any more."""
    return lambda table: float(function(table)) if np.isfinite(table).all() else float("nan")
