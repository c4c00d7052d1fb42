"""Runs of the two-layer network of which each hidden node is recorded: its frequency at the end and its wave there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import torch
import xarray as xr
from torch import Tensor

from grokbook.measures.hidden_nodes import frequency_table, node_frequencies, node_waves, orders
from grokbook.runs.tian2025 import pairs_of
from grokbook.runs.watched import Watched
from grokbook.training import RunConfig, Schedule, split_weights
from grokbook.training.watching import View

PARTS = ("real", "imaginary")


def waves_of(weights: Mapping[str, Tensor]) -> np.ndarray:
    """The waves (3, p, K) of a network's parameters.

    Example:
        >>> waves_of({"W_E": torch.ones(6, 2), "W_U": torch.ones(3, 2)}).shape
        (3, 3, 2)
    """
    first, second = weights["W_E"].chunk(2, dim=-2)
    return node_waves(first, second, weights["W_U"])


def _count(view: View, chosen: Callable[[np.ndarray], np.ndarray]) -> float:
    return float(chosen(orders(waves_of(view.weights))).sum())


WATCHED: Mapping[str, Callable[[View], float]] = {
    "order_4": lambda view: _count(view, lambda order: order == 4),
    "order_6": lambda view: _count(view, lambda order: order == 6),
    "order_0": lambda view: _count(view, lambda order: order == 0),
    "waves": lambda view: _count(view, lambda order: order),
}
"""How many frequencies have order 4, 6 and 0, and the sum of all orders: each a variable (seed, step)."""


@dataclass(frozen=True)
class Solved(Watched):
    """An experiment that also records `WATCHED`, and of each node at the end its frequency and its wave there.

    Variables `node_frequency` (seed, node), `node_wave` (seed, layer, node, part), and `node_rest` (seed, node): the
    share of the squared waves of layers a and b that is not at that frequency, their constant parts counted in.
    """

    watched = WATCHED
    listed_as = "solved"

    def run(self, seeds: tuple[int, ...] | None = None, **options: Any) -> xr.Dataset:
        """Train and watch the seeds (default: all); options and dataset as those of `Experiment.run`."""
        found = super().run(seeds, keep_weights=True, **options)
        each = [at_the_end(split_weights(self.config, torch.from_numpy(row))) for row in found.weights.values]
        return found.drop_vars("weights").merge(xr.concat(each, found.seed), combine_attrs="override")


def at_the_end(weights: Mapping[str, Tensor]) -> xr.Dataset:
    """The nodes of a network as `Solved` records them."""
    waves = waves_of(weights)
    k = node_frequencies(waves)
    at = waves[:, k, np.arange(len(k))].astype(np.complex64)
    power = (np.abs(waves[:2]) ** 2).sum(axis=0)
    rest = 1 - 2 * power[k, np.arange(len(k))] / power.sum(axis=0)
    wave = (("layer", "node", "part"), np.stack([at.real, at.imag], axis=-1))
    return xr.Dataset(
        {"node_frequency": ("node", k.astype(np.int16)), "node_wave": wave, "node_rest": ("node", rest.astype("f4"))},
        {"layer": ["a", "b", "c"], "part": list(PARTS)},
    )


def recorded_waves(run: xr.Dataset, p: int) -> np.ndarray:
    """The waves (3, p, K) of one recorded run, each node at its own frequency alone."""
    at = run.node_wave.sel(part="real").values + 1j * run.node_wave.sel(part="imaginary").values
    k = run.node_frequency.values.astype(int)
    waves = np.zeros((3, p, len(k)), dtype=complex)
    waves[:, k, np.arange(len(k))] = at
    waves[:, p - k, np.arange(len(k))] = at.conj()
    return waves


def frequency_tables(data: xr.Dataset) -> pd.DataFrame:
    """The frequencies of all runs of a record: the columns of `frequency_table`, and `seed`."""
    p = json.loads(data.attrs["configuration"])["model"]["p"]
    rows = [frequency_table(recorded_waves(data.sel(seed=seed), p)).assign(seed=int(seed)) for seed in data.seed]
    return pd.concat(rows, ignore_index=True)


MODULI = (23, 71, 127)
"""The moduli of CoGO's table."""


def cogo_run(p: int, width: int, steps: int, train_fraction: float = 0.9, decay: float = 5e-5) -> RunConfig:
    """A run of the two-layer network on addition modulo p, with the settings of CoGO's logged sweep.

    Example:
        >>> cogo_run(23, 512, 10_000).n_train
        476
    """
    log = Schedule(min(100, steps), 10, max(1, min(99, steps // 100)))
    return pairs_of(f"Z{p}", width, train_fraction, rate=0.01, decay=decay, steps=steps, start="uniform", log=log)


def cogo_table(n_seeds: int = 5) -> dict[int, Solved]:
    """The runs of Table 2 of CoGO by modulus: 512 nodes, decay 5e-5, 10,000 steps; the authors' sweep of 2024-09-12.

    Example:
        >>> [run.name for run in cogo_table().values()]
        ['tian2025/cogo[d=23]', 'tian2025/cogo[d=71]', 'tian2025/cogo[d=127]']
    """
    return {
        p: Solved(
            f"tian2025/cogo[d={p}]",
            cogo_run(p, 512, 10_000),
            seeds=tuple(range(n_seeds)),
        )
        for p in MODULI
    }


def by_decay(n_seeds: int = 3) -> dict[float, Solved]:
    """Small networks, 23 numbers and 128 nodes, by weight decay: the decay of the table, a fifth of it, none.

    Example:
        >>> [run.config.optimizer.weight_decay for run in by_decay().values()]
        [5e-05, 1e-05, 0.0]
    """
    return {
        decay: Solved(f"tian2025/orders[decay={decay:g}]", cogo_run(23, 128, 6_000, decay=decay),
                      seeds=tuple(range(n_seeds)))
        for decay in (5e-5, 1e-5, 0.0)
    }  # fmt: skip
