"""All parameters of a network at the steps at which its embedding is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import torch
import xarray as xr

from grokbook.training.config import RunConfig
from grokbook.training.schedule import snapshot_steps
from grokbook.training.watching import View


class WeightSnapshots:
    """A watch that notes the weights of a run at the steps at which its embedding would be kept.

    Example:
        >>> from grokbook.models.transformer import Shape
        >>> from grokbook.tasks.arithmetic import ModularTask
        >>> config = RunConfig(ModularTask(5), Shape(5, d_model=8), steps=20, snapshots=3)
        >>> sorted(WeightSnapshots(config).steps)
        [0, 10, 20]
    """

    name = "kept_here"

    def __init__(self, config: RunConfig) -> None:
        self.shapes = config.model.shapes()
        logged = config.log.steps(config.steps)
        self.steps = {int(step) for step in snapshot_steps(logged, config.snapshots)}
        self.rows: dict[tuple[int, int], np.ndarray] = {}

    def __call__(self, view: View) -> float:
        if view.step in self.steps or view.final is None:
            row = torch.cat([weight.reshape(-1) for weight in view.weights.values()])
            self.rows[view.config.seed, view.step] = row.numpy()
        return 0.0

    def table(self, seeds: Sequence[int]) -> xr.DataArray:
        """What was noted, dims (seed, snapshot, parameter); NaN where a run had stopped."""
        steps = sorted({step for _, step in self.rows})
        first = next(iter(self.rows.values()))
        table = np.full((len(seeds), len(steps), first.size), np.nan, first.dtype)
        for (seed, step), row in self.rows.items():
            table[list(seeds).index(seed), steps.index(step)] = row
        note = {
            "long_name": "parameters in a row, in the order of `parameters`",
            "parameters": json.dumps({name: list(shape) for name, shape in self.shapes.items()}),
        }
        snapshots = ("snapshot", steps, {"long_name": "step of the snapshot"})
        coords = {"seed": list(seeds), "snapshot": snapshots}
        return xr.DataArray(table, coords, ("seed", "snapshot", "parameter"), "weights", note)
