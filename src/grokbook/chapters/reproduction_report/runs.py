"""Ways to train: the same settings in other numbers and with another program, and how their grok steps compare."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping

import pandas as pd
import xarray as xr

from grokbook.runs.comparison import permutation_p
from grokbook.runs.delay import grok_times, median_step
from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5, modular_run
from grokbook.training.schedule import Schedule

BFLOAT16_SEEDS = {"p = 59": 5, "p = 97": 3}  # runs in bfloat16 that are compared with those in float32


def in_float32() -> dict[str, Experiment]:
    """Two settings that are recorded in float32: the small companion of chapter 09, and Fig. 5 at p = 97.

    Example:
        >>> list(in_float32())
        ['p = 59', 'p = 97']
    """
    small = dataclasses.replace(modular_run(59, 0.5, d_model=64, steps=4_000), log=Schedule(points=200))
    return {"p = 59": Experiment("small/fig20[start=normal, frac=0.5]", small, tuple(range(13))), "p = 97": fig5(97)}


def in_bfloat16() -> dict[str, Experiment]:
    """The same settings with products in bfloat16.

    Example:
        >>> [run.name for run in in_bfloat16().values()]
        ['small/bfloat16[p = 59]', 'small/bfloat16[p = 97]']
    """
    return {
        label: Experiment(
            f"small/bfloat16[{label}]",
            dataclasses.replace(run.config, dtype="bfloat16"),
            tuple(range(BFLOAT16_SEEDS[label])),
        )
        for label, run in in_float32().items()
    }


LEVEL = 0.05  # level at which two ways to train differ

RUNS = (in_bfloat16,)


def by_update(dataset: xr.Dataset) -> dict[str, xr.Dataset]:
    """The runs of a record apart by how they were trained: number format and update ("eager" or "compiled").

    Example:
        >>> made = [{"seeds": [0], "dtype": "float32"}, {"seeds": [1], "dtype": "float32", "update": "compiled"}]
        >>> data = xr.Dataset({"x": ("seed", [1, 2])}, {"seed": [0, 1]}, {"provenance": json.dumps(made)})
        >>> list(by_update(data))
        ['float32, eager', 'float32, compiled']
    """
    found: dict[str, list[int]] = {}
    for made in json.loads(dataset.attrs["provenance"]):
        way = f"{made['dtype']}, {made.get('update', 'eager')}"
        found.setdefault(way, []).extend(s for s in made["seeds"] if s in dataset.seed)
    return {way: dataset.sel(seed=seeds) for way, seeds in found.items() if seeds}


def ways_table(datasets: Mapping[str, list[xr.Dataset]]) -> pd.DataFrame:
    """One row a setting and way to train: runs, how many generalise, when, and how it compares with the first way.

    `p` is two-sided: twice the smaller of the exact `permutation_p` of "not earlier" and "not later", at most 1; NaN
    for the first way itself.
    """
    rows = []
    for label, parts in datasets.items():
        times = {way: grok_times(runs) for part in parts for way, runs in by_update(part).items()}
        first = next(iter(times.values()), None)
        for way, table in times.items():
            seen = table.grok_step.dropna().astype(float)
            both = [permutation_p(table, first), permutation_p(first, table)]
            rows.append({"setting": label, "numbers, update": way, "runs": len(table), "generalise": len(seen),
                         "median grok step": median_step(table), "first": seen.min(), "last": seen.max(),
                         "p": float("nan") if table is first else min(1.0, 2 * min(both))})  # fmt: skip
    columns = ["setting", "numbers, update", "runs", "generalise", "median grok step", "first", "last", "p"]
    return pd.DataFrame(rows, columns=columns)
