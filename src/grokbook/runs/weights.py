"""The parameters that a run ends with: trained once on this machine, kept in a store of its own,
never committed."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import torch
import xarray as xr
from torch import Tensor

from grokbook.paths import local_store_path
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.runs.store import Store
from grokbook.training.forward import split_weights


@dataclass(frozen=True)
class WeightRun(Experiment):
    """An experiment whose final parameters are wanted: a variable `weights` (seed, parameter)
    beside what is logged."""

    def run(self, seeds: tuple[int, ...] | None = None, **options: Any) -> xr.Dataset:
        """Train the seeds (default: all); options and dataset as those of `Experiment.run`, with
        the weights."""
        return super().run(seeds, keep_weights=True, **options)

    def missing_seeds(self, store: Store | None = None) -> tuple[int, ...]:
        """Seeds whose parameters are not kept here; all of them for a given store, since records
        hold no parameters."""
        return self.seeds if store is not None else super().missing_seeds(weight_store())


def weight_store() -> Store:
    """The store of this machine whose runs have their parameters."""
    return Store(local_store_path() / "weights")


def final_weights(experiment: Experiment, *, progress: bool = True) -> list[dict[str, Tensor]]:
    """The parameters after the last step, one mapping name -> tensor for each seed of the
    experiment.

    What is missing, damaged or was made by other code is trained, all cores in use; an interrupted
    call continues where it was. The page is told what was used.

    Raises TrainingError when a loss became NaN or infinite, RecordError when the store cannot be
    written.
    """
    fields = {
        field.name: getattr(experiment, field.name) for field in dataclasses.fields(Experiment)
    }
    run = WeightRun(**fields | {"name": f"{experiment.name} (weights)"})
    rows = torch.from_numpy(load_or_run(run, weight_store(), progress=progress).weights.values)
    return [split_weights(experiment.config, row) for row in rows]
