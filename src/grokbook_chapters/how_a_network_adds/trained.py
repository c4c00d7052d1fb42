"""Chapter 02a: which frequencies trained networks use, what is left when one goes, and clock or
pizza."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from grokbook.measures.fourier_losses import CyclicClasses, excluded_loss, restricted_loss
from grokbook.models.intervened import Rescaled
from grokbook.models.networks import Parameters
from grokbook.models.transformer import Shape
from grokbook.runs.experiment import Experiment
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training import AdamW, RunConfig, Schedule
from grokbook.training.interventions import Freeze, Hooked
from grokbook_chapters.how_a_network_adds import frequencies as fr
from grokbook_chapters.how_a_network_adds.operands import from_embeddings

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
        model = Rescaled(model, NOTHING, queries)
        optimizer = Hooked(optimizer, (Freeze(queries),))
    config = RunConfig(
        ModularTask(p, train_fraction=train_fraction),
        model,
        optimizer,
        steps=steps,
        log=Schedule(100, 10, 200),
        snapshots=0,
    )
    kind = ", uniform attention" if uniform else ""
    name = f"small/adding[p={p}, d={d_model}{kind}]"
    return Experiment(name, config).with_seeds(n_seeds)


def all_logits(network: Any, weights: Parameters, task: ModularTask) -> np.ndarray:
    """The network's logits for all pairs of a task, float64 of shape (p*p, p), row i p + j."""
    with torch.no_grad():
        return network.forward(weights, torch.as_tensor(task.inputs)).double().numpy()


def without_each(
    network: Any, weights: Parameters, donor: Parameters, task: ModularTask
) -> pd.DataFrame:
    """What becomes of the answers when one frequency of the embedding is taken away, or exchanged.

    A row a frequency: `share` of the logits' variance that its wave explains, and the part of all
    pairs that is right, with its loss, when the embedding is `without` that frequency, or has it
    `exchanged` for the circle of `donor` that is strongest in the donor's logits. That circle is
    renamed to the frequency: the number i is given the donor's row of i k/s modulo p, s the
    strongest.
    """
    p = task.p
    table = weights["W_E"][:p]
    positions = weights["W_E"][p:]
    strongest = 1 + int(fr.wave_shares(all_logits(network, donor, task)).argmax())
    shares = fr.wave_shares(all_logits(network, weights, task))

    def score(embedding: Tensor) -> fr.Score:
        changed = {**weights, "W_E": torch.cat([embedding.to(positions), positions])}
        return fr.score(all_logits(network, changed, task))

    rows = []
    for k in range(1, p // 2 + 1):
        renamed = donor["W_E"][:p][k * pow(strongest, -1, p) * np.arange(p) % p]
        without = score(fr.without_frequencies(table, [k]))
        exchanged = score(fr.with_frequencies_of(table, renamed, [k]))
        row = {
            "frequency": k,
            "share": shares[k - 1],
            "without": without.accuracy,
            "without: loss": without.loss,
            "exchanged": exchanged.accuracy,
            "exchanged: loss": exchanged.loss,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def symmetricity(network: Any, weights: Parameters, task: ModularTask) -> float:
    """Gradient symmetricity over all classes of all pairs."""
    first, second = network.embeddings(weights)
    i, j = (torch.as_tensor(column) for column in task.pairs.T)
    return fr.gradient_symmetricity(from_embeddings(network, weights), first[i], second[j])


def reading(config: RunConfig, weights: Parameters) -> dict[str, Any]:
    """One network in numbers: key frequencies (95 % of what all waves explain), losses, clock or
    pizza.

    `restricted` keeps the key frequencies of the class (on all pairs), `excluded` takes them out
    (on the training set), both as Nanda et al. 2023 do; `margin` is the least of all pairs.
    """
    logits = all_logits(config.model, weights, config.task)
    classes = fr.sums(config.task.p)
    group = CyclicClasses(classes, config.task.p)
    key = fr.fewest(fr.wave_shares(logits))
    score = fr.score(logits)
    # without what only its training changes
    network = getattr(config.model, "network", config.model)
    return {
        "key": key,
        "accuracy": score.accuracy,
        "margin": score.margin,
        "loss": score.loss,
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
    centred = logits - logits.mean(axis=1, keepdims=True)
    rest = fr.drop_waves(centred, range(1, amplitudes.size + 1))
    scale = float(np.abs(rest).max() / 127) or 1.0
    steps = np.rint(rest / scale).astype("i1")
    return {
        "name": name,
        "p": rest.shape[1],
        "amplitudes": amplitudes.round(4).tolist(),
        "shares": fr.wave_shares(logits).round(4).tolist(),
        "scale": scale,
        "rest": base64.b64encode(steps.tobytes()).decode(),
    }
