"""What trained runs logged, as an xarray dataset."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import xarray as xr
from torch.nn.utils.rnn import pad_sequence

from grokbook.errors import TrainingError
from grokbook.training.config import RunConfig, canonical
from grokbook.training.loop import Stack
from grokbook.training.varied import varied

DESCRIPTIONS = {
    "train_loss": "mean cross entropy on the training set, in nats",
    "test_loss": "mean cross entropy on the test set, in nats",
    "train_accuracy": "share of the training set answered correctly",
    "train_accuracy_in_batches": (
        "share of the training set answered correctly, each batch by its own statistics"
    ),
    "test_accuracy": "share of the test set answered correctly",
    "test_accuracy_mirrored": "accuracy on test cells (i, j) with (j, i) in the training set",
    "test_accuracy_unmirrored": "accuracy on test cells (i, j) with (j, i) not in the training set",
    "test_accuracy_in_hole": "accuracy on the test cells inside the hole",
    "test_accuracy_outside_hole": "accuracy on the test cells outside the hole",
    "weight_norm": "square root of the sum of squares of all parameters",
    "embedding": "word-embedding rows of the first operand's tokens at a few steps",
}


def run_dataset(stack: Stack, r: int) -> xr.Dataset:
    """What run r of a stack logged: dims `step`, and `embedding` over (snapshot, token,
    feature)."""
    config = stack.configs[r]
    history = stack.history[r]
    length = _length(config, history)
    variables: dict[str, Any] = {}
    for name, values in history.items():
        series = np.full(stack.logged.size, np.nan)
        series[:length] = values[:length]
        description = DESCRIPTIONS.get(name, name)
        if config.loss != "cross_entropy":
            description = description.replace("cross entropy", config.loss.replace("_", " "))
            description = description.removesuffix(", in nats")
        variables[name] = ("step", series, {"long_name": description})
    last = stack.logged[length - 1] if length else -1
    logged = {step: table for step, table in stack.snapshots[r].items() if step <= last}
    note = {"long_name": "optimiser updates made"}
    coords: dict[str, Any] = {"step": ("step", stack.logged, note), "seed": config.seed}
    if logged:
        tables = np.stack(list(map(np.asarray, logged.values())))
        note = {"long_name": DESCRIPTIONS["embedding"]}
        variables["embedding"] = (("snapshot", "token", "feature"), tables, note)
        note = {"long_name": "step of the snapshot"}
        coords["snapshot"] = ("snapshot", np.array(list(logged)), note)
    return xr.Dataset(variables, coords)


def _length(config: RunConfig, history: dict[str, list[float]]) -> int:
    """Number of logged steps that count: up to the stopping rule's, where there is one."""
    total = max((len(v) for v in history.values()), default=0)
    if config.stop is None or not total:
        return total
    return config.stop.logs_needed(history[config.stop.variable]) or total


def collect(
    rows: list[tuple[Stack, int]], weights: bool = False, steps: int | None = None
) -> xr.Dataset:
    """One dataset, dims `run` and `step`, of runs given as (stack, row); with their weights, and up
    to `steps`.

    What varies between the runs is a coordinate on `run`.

    Raises TrainingError, with the dataset as its `history`, when the loss of a run became NaN or
    infinite.
    """
    parts = [run_dataset(stack, r) for stack, r in rows]
    dataset = xr.concat(
        parts, dim="run", join="outer", data_vars="all", coords="different", compat="equals"
    )
    if "seed" in dataset.coords and dataset.seed.ndim == 0:
        dataset = dataset.assign_coords(seed=("run", [int(part.seed) for part in parts]))
    if weights:
        ends = [stack.weights[r].detach().cpu() for stack, r in rows]
        note = {"long_name": "parameters at the end, in a row"}
        table = pad_sequence(ends, True, float("nan")).numpy()
        dataset["weights"] = (("run", "parameter"), table, note)
    if steps is not None:
        dataset = dataset.sel(step=slice(None, steps))
    configs = [stack.configs[r] for stack, r in rows]
    names = [*map(str, dataset.variables), *map(str, dataset.dims)]
    for name, values in varied(configs, names).items():
        dataset = dataset.assign_coords({name: ("run", values)})
    dataset.attrs["configs"] = json.dumps([config.as_dict() for config in configs], default=str)
    dataset.attrs["device"] = rows[0][0].weights.device.type
    lost = []
    for stack, r in rows:
        if r in stack.diverged:
            config = canonical(stack.configs[r].as_dict())
            lost.append(f"at step {stack.diverged[r]} of {config}")
    if lost:
        raise TrainingError(
            f"the training loss became NaN or infinite {'; '.join(lost)}.", history=dataset
        )
    return dataset
