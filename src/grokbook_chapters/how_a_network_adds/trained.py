"""Chapter 02a: which frequencies trained networks use, what is left when one goes, and clock or
pizza."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor

from grokbook.measures.fourier_losses import CyclicClasses, excluded_loss, restricted_loss
from grokbook.models.intervened import Rescaled
from grokbook.models.transformer import Shape
from grokbook.runs.experiment import Experiment
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training import AdamW, RunConfig, Schedule
from grokbook.training.interventions import Freeze, Hooked
from grokbook_chapters.how_a_network_adds import frequencies as fr
from grokbook_chapters.how_a_network_adds.operands import from_embeddings

Weights = Mapping[str, Tensor]

# What queries are multiplied by that are to be zero: a factor has to be positive, and this one
# leaves no score.
NOTHING = 1e-30


def trained(
    p: int = 29,
    d_model: int = 64,
    train_fraction: float = 0.8,
    steps: int = 2_000,
    n_seeds: int = 3,
    *,
    uniform: bool = False,
    **network: Any,
) -> Experiment:
    """Chapter 2's transformer on i + j modulo p, small enough to be trained while a page is built.

    At the defaults a seed takes about 6 s of one core and generalises within 500 steps; the rest of
    the steps makes the waves stronger and what is beside them weaker. `network` holds further sizes
    of `Shape`. With `uniform` the queries are held at nothing: attention looks at all three tokens
    alike, adds both embeddings, and cannot multiply them.
    """
    model: Any = Shape(p, d_model=d_model, **network)
    optimizer: Any = AdamW(learning_rate=5e-3, weight_decay=1.0)
    if uniform:
        queries = tuple(name for name in model.shapes() if name.startswith("W_Q"))
        model, optimizer = Rescaled(model, NOTHING, queries), Hooked(optimizer, (Freeze(queries),))
    config = RunConfig(
        ModularTask(p, train_fraction=train_fraction),
        model,
        optimizer,
        steps=steps,
        log=Schedule(100, 10, 200),
        snapshots=0,
    )
    kind = ", uniform attention" if uniform else ""
    return Experiment(
        f"small/adding[p={p}, d={d_model}{kind}]", config, seeds=tuple(range(n_seeds))
    )


def all_logits(config: RunConfig, weights: Weights) -> np.ndarray:
    """The network's logits for all pairs, float64 of shape (p*p, p), row i p + j."""
    with torch.no_grad():
        return config.model.forward(weights, torch.as_tensor(config.task.inputs)).double().numpy()


def symmetricity(network: Any, weights: Weights, task: ModularTask) -> float:
    """Gradient symmetricity over all classes of all pairs."""
    first, second = network.embeddings(weights)
    i, j = (torch.as_tensor(column) for column in task.pairs.T)
    return fr.gradient_symmetricity(from_embeddings(network, weights), first[i], second[j])


def reading(config: RunConfig, weights: Weights) -> dict[str, Any]:
    """One network in numbers: key frequencies (95 % of what all waves explain), shares, losses,
    clock or pizza.

    `restricted` keeps the key frequencies of the class (on all pairs), `excluded` takes them out
    (on the training set), both as Nanda et al. 2023 do; `margin` is the least of all pairs.
    """
    logits, classes = all_logits(config, weights), fr.sums(config.task.p)
    shares, group = fr.wave_shares(logits), CyclicClasses(classes, config.task.p)
    key, found = fr.fewest(shares), fr.score(logits)
    # without what only its training changes
    network = getattr(config.model, "network", config.model)
    return {
        "key": key,
        "shares": [float(shares[k - 1]) for k in key],
        "explained": float(shares.sum()),
        "accuracy": found.accuracy,
        "margin": found.margin,
        "loss": found.loss,
        "restricted": restricted_loss(logits, classes, group, key),
        "excluded": excluded_loss(logits, classes, group, key, config.task.train_index),
        "distance irrelevance": fr.distance_irrelevance(logits),
        "gradient symmetricity": symmetricity(network, weights, config.task),
    }


def explorable(logits: np.ndarray, name: str) -> dict[str, Any]:
    """A trained network for the script `frequency_explorer`: its waves, and the rest of its logits
    in 255 steps.

    The rest (row means taken off) is written in a byte a logit, in base64: 33 kB at p = 29.
    `logits` is (p*p, p). Raises ParameterError for another shape.
    """
    amplitudes = fr.wave_amplitudes(logits)
    rest = fr.drop_waves(logits - logits.mean(axis=1, keepdims=True), range(1, amplitudes.size + 1))
    scale = float(np.abs(rest).max() / 127) or 1.0
    return {
        "name": name,
        "p": rest.shape[1],
        "amplitudes": [round(float(a), 4) for a in amplitudes],
        "shares": [round(float(share), 4) for share in fr.wave_shares(logits)],
        "scale": scale,
        "rest": base64.b64encode(np.rint(rest / scale).astype("i1").tobytes()).decode(),
    }
