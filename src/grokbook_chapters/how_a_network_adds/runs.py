"""The runs of chapter 02a: four kinds of networks that learn to add modulo 29, each read at its
end."""

from __future__ import annotations

from typing import Any

import xarray as xr

from grokbook.models.networks import Parameters
from grokbook.models.quadratic import Quadratic
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training import AdamW, RunConfig, Schedule
from grokbook_chapters.how_a_network_adds.frequencies import faded_shares, wave_shares
from grokbook_chapters.how_a_network_adds.trained import all_logits, reading, trained

TRANSFORMER = "transformer"
UNIFORM = "uniform attention"
RELU = "two layers, ReLU"
SQUARE = "two layers, squares"
# last seeds of both transformers: of an eighth that turns five or more do in 97 of 100 cases (p =
# 1/32)
PAIRS = 80
SEEDS = {TRANSFORMER: 28 + PAIRS, UNIFORM: 28 + PAIRS, RELU: 12, SQUARE: 12}
# What is recorded of a `reading`, under names with `_`; beside it `keys`, the number of key
# frequencies.
READ = (
    "accuracy",
    "margin",
    "loss",
    "restricted",
    "excluded",
    "distance irrelevance",
    "gradient symmetricity",
)


def read(config: RunConfig, weights: Parameters) -> xr.Dataset:
    """One network as it is recorded: `READ` and `keys`, shares of clock and pizza (frequency,)."""
    logits = all_logits(config.model, weights, config.task)
    clock = wave_shares(logits)
    shares = {"clock": ("frequency", clock), "pizza": ("frequency", faded_shares(logits))}
    measured = reading(config, weights)
    numbers = {name.replace(" ", "_"): float(measured[name]) for name in READ}
    numbers["keys"] = float(len(measured["key"]))
    return xr.Dataset(numbers | shares, {"frequency": range(1, len(clock) + 1)})


def two_layers(activation: str, p: int = 29, width: int = 128) -> RunConfig:
    """The transformer's task, optimiser and steps with the two-layer network of chapter 17
    instead."""
    return RunConfig(
        ModularTask(p, train_fraction=0.8),
        Quadratic(p, width=width, activation=activation),
        AdamW(learning_rate=5e-3, weight_decay=1.0),
        steps=2_000,
        log=Schedule(100, 10, 200),
        snapshots=0,
    )


def kinds() -> Experiments:
    """Each kind of network with its seeds: of the transformers 28, which left Z01 open, and `PAIRS`
    after them."""
    return {
        TRANSFORMER: _kind("transformer", trained().config, SEEDS[TRANSFORMER]),
        UNIFORM: _kind("uniform", trained(uniform=True).config, SEEDS[UNIFORM]),
        RELU: _kind("relu", two_layers("relu"), SEEDS[RELU]),
        SQUARE: _kind("square", two_layers("square"), SEEDS[SQUARE]),
    }


def _kind(name: str, config: RunConfig, seeds: int) -> Experiment:
    """The runs of one kind of network, each of which is `read` at its end."""
    in_key = {"read": "frequencies"}
    runs = tuple(range(seeds))
    return Experiment(f"adding/{name}[p=29]", config, runs, read_at_end=read, in_key=in_key)


RUNS = (kinds,)


def plan(p_trained: int, d_model: int, steps: int, n_seeds: int, **_: Any) -> Experiments:
    """Plan of chapter 02a: the transformers that the page trains; raises ParameterError as
    `trained`."""
    return {"live": trained(p_trained, d_model, steps=steps, n_seeds=n_seeds)}
