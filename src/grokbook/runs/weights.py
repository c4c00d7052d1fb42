"""The parameters that a run ends with: trained once on this machine, kept in its store, never
committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import torch
import xarray as xr
from torch import Tensor

from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.training.config import RunConfig
from grokbook.training.forward import split_weights


def parameters(config: RunConfig, weights: Mapping[str, Tensor]) -> xr.Dataset:
    """All parameters of a network in a row, variable `weights` (parameter)."""
    row = torch.cat([weight.reshape(-1) for weight in weights.values()])
    return xr.Dataset({"weights": ("parameter", row.numpy())})


def with_weights(experiment: Experiment) -> Experiment:
    """An experiment of whose runs the final parameters are kept too: a variable `weights` (seed,
    parameter)."""
    if experiment.read_at_end is parameters:
        return experiment
    return replace(experiment, name=f"{experiment.name} (weights)", read_at_end=parameters)


def final_weights(experiment: Experiment) -> list[dict[str, Tensor]]:
    """The parameters after the last step, one mapping name -> tensor for each seed of the
    experiment.

    What is missing, damaged or was made by other code is trained, all cores in use; an interrupted
    call continues where it was. The page is told what was used.

    Raises TrainingError when a loss became NaN or infinite, RecordError when the store cannot be
    written.
    """
    dataset = load_or_run(with_weights(experiment))
    rows = torch.from_numpy(dataset.weights.values)
    return [split_weights(experiment.config, row) for row in rows]
