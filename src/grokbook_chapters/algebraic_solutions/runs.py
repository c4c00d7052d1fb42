"""The runs of chapter 16: two-layer networks of which each hidden node's frequency and wave at the
end are recorded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import load
from grokbook.models.networks import Parameters
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.runs.weights import with_weights
from grokbook.training import RunConfig, Schedule
from grokbook.training.watching import View, Watch
from grokbook_chapters.algebraic_solutions.hidden_nodes import (
    frequency_table,
    node_frequencies,
    node_waves,
    orders,
)
from grokbook_chapters.labelled import Tables
from grokbook_chapters.tian2025 import pairs_of


def waves_of(weights: Parameters) -> np.ndarray:
    """The waves (3, p, K) of a network's parameters.

    Example:
        >>> import torch
        >>> waves_of({"W_E": torch.ones(6, 2), "W_U": torch.ones(3, 2)}).shape
        (3, 3, 2)
    """
    first, second = weights["W_E"].chunk(2, dim=-2)
    return node_waves(first, second, weights["W_U"])


def of_order(view: View, order: int) -> float:
    """How many frequencies of a network have this order."""
    return float((orders(waves_of(view.weights)) == order).sum())


def sum_of_orders(view: View) -> float:
    """The sum of the orders of all frequencies."""
    return float(orders(waves_of(view.weights)).sum())


WATCHED: Mapping[str, Watch] = {
    "order_4": partial(of_order, order=4),
    "order_6": partial(of_order, order=6),
    "order_0": partial(of_order, order=0),
    "waves": sum_of_orders,
}


def impurity(waves: np.ndarray) -> np.ndarray:
    """Of each node the share of the squared waves of layers a and b that is not at its frequency,
    their constant parts counted in, (K,)."""
    power = (np.abs(waves[:2]) ** 2).sum(axis=0)
    at_its_own = power[node_frequencies(waves), np.arange(waves.shape[2])]
    return 1 - 2 * at_its_own / power.sum(axis=0)


def at_the_end(config: RunConfig, weights: Parameters) -> xr.Dataset:
    """Of each node of a network its frequency, its wave there, and its `impurity`.

    Variables `node_frequency` (node), `node_wave` (layer, node, part), and `node_rest` (node).
    """
    waves = waves_of(weights)
    k = node_frequencies(waves)
    at = waves[:, k, np.arange(len(k))].astype(np.complex64)
    wave = (("layer", "node", "part"), np.stack([at.real, at.imag], axis=-1))
    return xr.Dataset(
        {
            "node_frequency": ("node", k.astype(np.int16)),
            "node_wave": wave,
            "node_rest": ("node", impurity(waves).astype("f4")),
        },
        {"layer": ["a", "b", "c"], "part": ["real", "imaginary"]},
    )


def recorded_waves(run: xr.Dataset, p: int) -> np.ndarray:
    """The waves (3, p, K) of one recorded run, each node at its own frequency alone."""
    real = run.node_wave.sel(part="real").values
    imaginary = run.node_wave.sel(part="imaginary").values
    at = real + 1j * imaginary
    k = run.node_frequency.values.astype(int)
    nodes = np.arange(len(k))
    waves = np.zeros((3, p, len(k)), dtype=complex)
    waves[:, k, nodes] = at
    waves[:, p - k, nodes] = at.conj()
    return waves


def frequency_tables(data: xr.Dataset) -> pd.DataFrame:
    """The frequencies of all runs of a record: the columns of `frequency_table`, and `seed`."""
    p = json.loads(data.attrs["configuration"])["model"]["p"]
    tables = []
    for seed in data.seed.values.tolist():
        table = frequency_table(recorded_waves(data.sel(seed=seed), p))
        tables.append(table.assign(seed=seed))
    return pd.concat(tables, ignore_index=True)


def cogo_run(
    p: int, width: int, steps: int, train_fraction: float = 0.9, decay: float = 5e-5
) -> RunConfig:
    """A run of the two-layer network on addition modulo p, with the settings of CoGO's logged
    sweep."""
    log = Schedule(min(100, steps), 10, max(1, min(99, steps // 100)))
    return pairs_of(
        f"Z{p}",
        width,
        train_fraction,
        rate=0.01,
        decay=decay,
        steps=steps,
        start="uniform",
        log=log,
    )


def solved(name: str, config: RunConfig, seeds: int) -> Experiment:
    """An experiment that also records `WATCHED`, and each node `at_the_end`."""
    return Experiment(
        name,
        config,
        tuple(range(seeds)),
        watch=WATCHED,
        read_at_end=at_the_end,
        in_key={"solved": list(WATCHED)},
    )


def cogo_table() -> Experiments:
    """The runs of Table 2 of CoGO by modulus: 512 nodes, decay 5e-5, 10,000 steps; the authors'
    sweep of 2024-09-12."""
    experiments = {}
    for p, seeds in {23: 10, 71: 10, 127: 5}.items():
        config = cogo_run(p, 512, 10_000)
        experiments[p] = solved(f"tian2025/cogo[d={p}]", config, seeds)
    return experiments


def by_decay() -> Experiments:
    """Small networks, 23 numbers and 128 nodes, by weight decay: the decay of the table, a fifth of
    it, none."""
    experiments = {}
    for decay, seeds in {5e-5: 4, 1e-5: 3, 0.0: 3}.items():
        config = cogo_run(23, 128, 6_000, decay=decay)
        experiments[decay] = solved(f"tian2025/orders[decay={decay:g}]", config, seeds)
    return experiments


RUNS = (cogo_table, by_decay)


class Recorded(NamedTuple):
    """The frequencies of recorded networks: those of CoGO's table by modulus, small ones by weight
    decay."""

    by_modulus: Tables
    by_decay: Tables


def recorded() -> Recorded:
    """What is recorded of both, as `frequency_tables` gives it; nothing is trained."""
    return Recorded(load(cogo_table(), frequency_tables), load(by_decay(), frequency_tables))


def plan(p: int, width: int, weight_decay: float, train_fraction: float, steps: int) -> Experiments:
    """Plan of chapter 16: the run that the page trains; p is odd, as at p/2 a frequency has no four
    or six nodes."""
    config = cogo_run(p, width, steps, train_fraction, weight_decay)
    return {"live": with_weights(Experiment(f"live/quadratic[p={p}]", config, seeds=(0,)))}
