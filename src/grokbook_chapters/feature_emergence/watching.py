"""What is measured on the networks of chapter 17: the gradient at the features, energy and spectrum
of the nodes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
import xarray as xr

from grokbook.runs.experiment import Experiment
from grokbook.runs.sweep import Axis, Sweep
from grokbook.training import RunConfig, View
from grokbook.training.watching import Watch
from grokbook_chapters.feature_emergence.backpropagated import answers, centred
from grokbook_chapters.feature_emergence.feature_energy import energy, local_maxima, spectrum
from grokbook_chapters.labelled import Row

PURE = 0.9  # share of a node's |w|^2 in one irrep from which it counts as a feature of it


def nodes(weights: Mapping[str, torch.Tensor]) -> np.ndarray:
    """The weights w = [u; v] of the hidden units, (K, 2M)."""
    return weights["W_E"].T.double().numpy()


def group_of(config: RunConfig) -> int | str:
    """The order of a cyclic group, for which sums are quick, or another group's name."""
    name = config.task.group
    return int(name[1:]) if name.startswith("Z") and name[1:].isdigit() else name


def node_measures(w: np.ndarray, group: int | str) -> Row:
    r"""Of nodes w (K, 2M): mean energy, share of it, purity, and how many irreps are found.

    `energy` is the mean of $\mathcal E(w)/|w|^4$ for unit inputs, `reached` its part of the lowest
    maximum's, `purity` the mean share of $|w|^2$ in a node's strongest nontrivial irrep, `found`
    the part of these irreps that some node of purity 0.9 has.

    Example:
        >>> node_measures(np.stack([m.w for m in local_maxima(5)]), 5)["found"]
        1.0
    """
    scaled = w / np.linalg.norm(w, axis=1, keepdims=True)
    shares = spectrum(scaled, group)[:, 1:]
    energies = energy(scaled, group, inputs="unit")
    least = min(m.energy for m in local_maxima(group, inputs="unit"))
    purity = shares.max(axis=1)
    strongest = shares.argmax(axis=1)
    pure = np.unique(strongest[purity >= PURE])
    return {
        "energy": energies.mean(),
        "reached": energies.mean() / least,
        "purity": purity.mean(),
        "found": len(pure) / shares.shape[1],
    }


class Trained(NamedTuple):
    """Features (n, K) and one-hot answers (n, M) of the training pairs, and the gradient at the
    features, (n, K)."""

    features: np.ndarray
    targets: np.ndarray
    gradient: np.ndarray


def _trained(view: View) -> Trained:
    r"""What a network is on its training pairs; the gradient is $P^\perp(Y - FV)V^\top$, V as it
    is."""
    at = view.task.train_index
    w = nodes(view.weights)
    a, b = view.task.inputs[at].T
    features = (w[:, a] + w[:, view.task.p + b]).T ** 2
    targets = answers(group_of(view.config))[at]
    V = view.weights["W_U"].double().numpy().T
    return Trained(features, targets, centred(targets - features @ V) @ V.T)


def gradient_norm(view: View) -> float:
    r"""$\lVert G_F\rVert = \lVert P^\perp(Y - FV)V^\top\rVert_F$ on the training pairs, V as it
    is."""
    return float(np.linalg.norm(_trained(view).gradient))


def alignment(view: View) -> float:
    r"""The cosine of $G_F$ and $\tilde Y\tilde Y^\top\tilde F$, which Lemma 1 says are parallel."""
    features, targets, gradient = _trained(view)
    target = centred(targets)
    wanted = target @ (target.T @ centred(features))
    size = np.linalg.norm(gradient) * np.linalg.norm(wanted)
    return float((gradient * wanted).sum() / size) if size else float("nan")


def _node(view: View, name: str) -> float:
    return node_measures(nodes(view.weights), group_of(view.config))[name]


# what is recorded of the last step of the runs of a grid
AT_END = ("energy", "reached", "purity", "found")

# What is recorded of the runs that are followed, each a variable (seed, step).
WATCHED: Mapping[str, Watch] = {
    "gradient_norm": gradient_norm,
    "alignment": alignment,
    **{name: partial(_node, name=name) for name in AT_END},
}


def followed_run(name: str, config: RunConfig, seeds: tuple[int, ...]) -> Experiment:
    """An experiment that also records `WATCHED`."""
    return Experiment(name, config, seeds, watch=WATCHED, in_key={"followed": list(WATCHED)})


def last_nodes(config: RunConfig, weights: Mapping[str, torch.Tensor]) -> xr.Dataset:
    """Of the last nodes of a run the numbers `AT_END`."""
    measures = node_measures(nodes(weights), group_of(config))
    return xr.Dataset({name: float(measures[name]) for name in AT_END})


def ended_sweep(
    name: str, config: RunConfig, seeds: tuple[int, ...], axes: tuple[Axis, ...]
) -> Sweep:
    """A sweep that keeps no embedding, and of each run's `last_nodes` the numbers (seed, axes)."""
    in_key = {"ended": list(AT_END)}
    return Sweep(name, config, seeds, axes=axes, read_at_end=last_nodes, in_key=in_key)
