"""Does the present code still give the recorded numbers? The first steps of a record, trained again and compared."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
import xarray as xr

from grokbook.errors import ParameterError
from grokbook.files import atomic_write, read_json
from grokbook.paths import records_path
from grokbook.runs.experiment import Experiment
from grokbook.runs.store import Store, present_code, present_fingerprint
from grokbook.training.config import RunConfig
from grokbook.training.ensemble import train

CONFIRMED = "CONFIRMED.json"
STEPS = 150
"""Steps that are trained again: enough for every rate, moment and measure to have been used many times."""

LIKE = 1e-4
"""Largest relative difference at which two runs count as the same: float32 sums in another order."""

MOVED = 3
"""Starts that are one rounding off, from which a run that came out otherwise is trained for comparison."""

TIMES = 10
"""How many times the largest difference among these starts may be what another order of summation makes.

Of 36 small runs at rates that are too large, each with its hidden units in another order, none came above 3; with one
per cent more weight decay none came below 50.
"""


def moved(config: RunConfig, number: int) -> RunConfig:
    """The run with every initial weight at the next float32 above or below it; `number` seeds the choice."""
    kind = type(config.model)

    def draw(self: Any, seed: int, *start: str) -> dict[str, torch.Tensor]:
        signs = torch.Generator().manual_seed(number)
        weights = kind.draw(self, seed, *start)
        ends = {name: (torch.rand(w.shape, generator=signs) - 0.5) * torch.inf for name, w in weights.items()}
        return {name: torch.nextafter(w, ends[name]) for name, w in weights.items()}

    model = copy.copy(config.model)
    object.__setattr__(model, "__class__", type(kind.__name__, (kind,), {"draw": draw}))
    return dataclasses.replace(config, model=model)


def first_steps(
    experiment: Experiment, seed: int, steps: int, compiled: bool = False, *, number: int | None = None
) -> xr.Dataset:
    """What a run of an experiment logs up to `steps`, or the next logged step, trained now on one CPU thread.

    Of a sweep it is the first cell, trained with those that share its program; with a `number` the run is `moved`.
    """
    configs = [config if number is None else moved(config, number) for config in experiment.chunks([seed])[0]]
    logged = configs[0].log.steps(configs[0].steps)
    last = int(logged[min(np.searchsorted(logged, steps), logged.size - 1)])
    options = {"device": "cpu", "progress": False, "steps": last, "compiled": compiled}
    return train(configs, rows=len(configs), **options).isel(run=0)


def differences(ours: xr.Dataset, theirs: xr.Dataset) -> np.ndarray:
    """Largest |a - b| / max(|a|, |b|) of the variables up to each step of ours; infinite where theirs lack one.

    Also where ours have none, which confirms nothing.
    """
    curves = [name for name in ours.data_vars if ours[name].dims == ("step",)]
    worst = np.full(ours.sizes["step"], 0.0 if curves else np.inf)
    for name in curves:
        if name not in theirs:
            return np.full(worst.size, np.inf)
        a, b = ours[name].values, theirs[name].sel(step=ours.step).values
        apart = abs(a - b) / np.maximum(np.maximum(abs(a), abs(b)), 1e-300)
        apart = np.where(np.isnan(a) & np.isnan(b), 0.0, np.where(np.isnan(a) | np.isnan(b), np.inf, apart))
        worst = np.fmax(worst, apart)
    return np.maximum.accumulate(worst)


def confirmations(path: Path | None = None) -> dict[str, list[dict[str, Any]]]:
    """What was confirmed, record key -> entries; empty without the file.

    Raises RecordError when the file cannot be read.
    """
    path = (path or records_path()) / CONFIRMED
    return read_json(path) if path.exists() else {}


def confirmed(
    key: str, code: str, path: Path | None = None, *, seeds: Collection[int] | None = None
) -> dict[str, Any] | None:
    """The entry that says that code of fingerprint `code` repeats the record `key`, in one of `seeds` (default: any).

    None when nobody has tried.
    """
    known = (e for e in confirmations(path).get(key, []) if e["fingerprint"] == code)
    return next((e for e in known if seeds is None or e["seed"] in seeds), None)


def makers(parts: Iterable[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Parts of a provenance, by the code that made them and its way, eager or compiled.

    Example:
        >>> made = [{"seeds": [0], "fingerprint": "a"}, {"seeds": [1], "fingerprint": "b"}]
        >>> [[part["seeds"] for part in some] for some in makers([*made, made[0] | {"seeds": [2]}])]
        [[[0], [2]], [[1]]]
    """
    found: dict[tuple[str | None, str], list[Mapping[str, Any]]] = {}
    for part in parts:
        found.setdefault((part.get("fingerprint"), part.get("update", "eager")), []).append(part)
    return list(found.values())


def confirm(
    experiment: Experiment, store: Store | None = None, *, steps: int = STEPS, seed: int | None = None
) -> dict[str, Any]:
    """Train the first steps of a seed of a record (default: its first) again, compare, write down what was found.

    Returns the entry: fingerprint of the present code, seed, steps, largest relative difference, date. Where the
    difference is above `LIKE`, another order of summation may have made it, that of another processor: then the steps
    are trained again from starts that are one rounding off (`moved`). `rounding` is the largest difference that these
    make, `ratio` the largest over the steps of our difference to max(`LIKE`, theirs), both without accuracies, which
    jump; up to `TIMES` the page says that rounding can have made it, above that the code gives other numbers.

    Raises ParameterError when the experiment or the seed is not recorded, or `steps` is below 1.
    """
    store = store or Store(records_path())
    if steps < 1:
        raise ParameterError(f"steps = {steps} must be 1 or more.")
    seeds = store.seeds(experiment.key)
    record = store.load(experiment.key) if seeds else None
    if record is None:
        raise ParameterError(f"{experiment.name} is not recorded, so there is nothing to confirm.")
    seed = int(seeds[0]) if seed is None else seed
    if seed not in seeds:
        raise ParameterError(f"seed = {seed} is not recorded; choose of {', '.join(map(str, seeds))}.")
    made = next(p for p in json.loads(record.attrs["provenance"]) if seed in p["seeds"])
    compiled = made.get("update") == "compiled"
    fresh = first_steps(experiment, seed, steps, compiled)
    first_cell = {axis.name: axis.values[0] for axis in getattr(experiment, "axes", ())}
    whole = record.sel(seed=seed, **first_cell)
    if type(experiment) is not Experiment:  # kinds of their own may keep less than what is logged
        fresh = fresh[[name for name in fresh.data_vars if name in whole]]
    apart = differences(fresh, whole)
    entry = {
        "experiment": experiment.name,
        "fingerprint": present_fingerprint(made),
        "seed": seed,
        "steps": int(fresh.step.max()),
        "difference": float(apart[-1]),
        "confirmed_on": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    if apart[-1] > LIKE:
        smooth = fresh.drop_vars([name for name in fresh.data_vars if "accuracy" in str(name)])
        starts = (first_steps(experiment, seed, steps, compiled, number=number) for number in range(MOVED))
        spread = np.max([differences(smooth, start) for start in starts], axis=0)
        ratio = np.max(differences(smooth, whole) / np.maximum(spread, LIKE))
        entry |= {"rounding": float(spread[-1]), "ratio": float(ratio)}
    with store.manifest_lock():
        known = confirmations(store.path)
        same = entry["fingerprint"], seed
        others = [e for e in known.get(experiment.key, []) if (e["fingerprint"], e["seed"]) != same]
        known[experiment.key] = [*others, entry]
        atomic_write(store.path / CONFIRMED, (json.dumps(dict(sorted(known.items())), indent=1) + "\n").encode())
    return entry


def confirm_outdated(store: Store | None = None, *, steps: int = STEPS) -> list[dict[str, Any]]:
    """Confirm the records of the catalogue, a seed of each other code that made one, where nobody has for this one."""
    from grokbook.runs.recording import catalogue

    store = store or Store(records_path())
    waiting: dict[tuple[str, int], Experiment] = {}
    for experiment in {e.key: e for e in catalogue().values()}.values():
        found = store.find(experiment.key)
        for parts in makers(p for p in found[1]["provenance"] if not present_code(p)) if found else ():
            seeds = [seed for part in parts for seed in part["seeds"]]
            if confirmed(experiment.key, present_fingerprint(parts[0]), store.path, seeds=seeds) is None:
                waiting[experiment.key, min(seeds)] = experiment
    return [confirm(experiment, store, steps=steps, seed=seed) for (_, seed), experiment in waiting.items()]
