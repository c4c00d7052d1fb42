"""Does the present code still give the recorded numbers? The first steps of a record, trained again and compared."""

from __future__ import annotations

import datetime
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.sweep import Sweep
from grokbook.files import atomic_write, read_json
from grokbook.paths import records_path
from grokbook.records.store import Store, present_code, present_fingerprint
from grokbook.training.ensemble import train

CONFIRMED = "CONFIRMED.json"
STEPS = 150
"""Steps that are trained again: enough for every rate, moment and measure to have been used many times."""

LIKE = 1e-4
"""Largest relative difference at which two runs count as the same: float32 sums in another order."""


def first_steps(experiment: Experiment, seed: int, steps: int, compiled: bool = False) -> xr.Dataset:
    """What a run of an experiment logs up to `steps`, or the next logged step, trained now on one CPU thread.

    Of a sweep it is the first cell, trained with those that share its program.

    Example:
        >>> from grokbook.experiments.gu2025 import live_run
        >>> int(first_steps(live_run(5, 0.5, 8, 100, 1), 0, 20).step.max())
        20
    """
    configs = experiment.chunks([seed])[0] if isinstance(experiment, Sweep) else [experiment.config.with_seed(seed)]
    logged = configs[0].log.steps(configs[0].steps)
    last = int(logged[min(np.searchsorted(logged, steps), logged.size - 1)])
    options = {"device": "cpu", "progress": False, "steps": last, "compiled": compiled}
    return train(configs, rows=len(configs), **options).isel(run=0)


def _recorded_run(experiment: Experiment, record: xr.Dataset, seed: int) -> xr.Dataset:
    """The run of a record that `first_steps` trains again: of a sweep the first cell."""
    return record.sel(seed=seed, **{axis.name: axis.values[0] for axis in getattr(experiment, "axes", ())})


def largest_difference(ours: xr.Dataset, theirs: xr.Dataset) -> float:
    """Largest |a - b| / max(|a|, |b|) over the variables and steps that two runs share; infinite where one is missing.

    Example:
        >>> a = xr.Dataset({"x": ("step", [1.0, 2.0])}, {"step": [0, 10]})
        >>> largest_difference(a, a + 1)
        0.5
    """
    worst = 0.0
    for name in ours.data_vars:
        if ours[name].dims != ("step",):
            continue
        if name not in theirs:
            return float("inf")
        a, b = ours[name].values, theirs[name].sel(step=ours.step).values
        if (np.isnan(a) != np.isnan(b)).any():
            return float("inf")
        scale = np.maximum(np.maximum(abs(a), abs(b)), 1e-300)
        worst = max(worst, float(np.nanmax(abs(a - b) / scale, initial=0.0)))
    return worst


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

    Returns the entry: fingerprint of the present code, seed, steps, largest relative difference, date. A difference
    above `LIKE` is written down too: the page then says that the present code, or the processor, gives other numbers.

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
    fresh = first_steps(experiment, seed, steps, made.get("update") == "compiled")
    whole = _recorded_run(experiment, record, seed)
    if isinstance(experiment, Sweep):
        fresh = fresh[[name for name in fresh.data_vars if name in whole]]
    entry = {
        "experiment": experiment.name,
        "fingerprint": present_fingerprint(made),
        "seed": seed,
        "steps": int(fresh.step.max()),
        "difference": largest_difference(fresh, whole),
        "confirmed_on": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
    with store.manifest_lock():
        known = confirmations(store.path)
        same = entry["fingerprint"], seed
        others = [e for e in known.get(experiment.key, []) if (e["fingerprint"], e["seed"]) != same]
        known[experiment.key] = [*others, entry]
        atomic_write(store.path / CONFIRMED, (json.dumps(dict(sorted(known.items())), indent=1) + "\n").encode())
    return entry


def confirm_outdated(store: Store | None = None, *, steps: int = STEPS) -> list[dict[str, Any]]:
    """Confirm the records of the catalogue, a seed of each other code that made one, where nobody has for this one."""
    from grokbook.experiments.recording import catalogue

    store = store or Store(records_path())
    waiting: dict[tuple[str, int], Experiment] = {}
    for experiment in {e.key: e for e in catalogue().values()}.values():
        found = store.find(experiment.key)
        for parts in makers(p for p in found[1]["provenance"] if not present_code(p)) if found else ():
            seeds = [seed for part in parts for seed in part["seeds"]]
            if confirmed(experiment.key, present_fingerprint(parts[0]), store.path, seeds=seeds) is None:
                waiting[experiment.key, min(seeds)] = experiment
    return [confirm(experiment, store, steps=steps, seed=seed) for (_, seed), experiment in waiting.items()]
