"""Whether trained networks hold their classes apart where they were not trained: a linear probe
beside pairs and nulls.

That pairs of classes are convexly separable tells nothing: they are so with a wrong class on every
cell that was not trained. A probe fitted on training cells and scored on the others can fail, and
is watched while the networks learn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
import xarray as xr

from grokbook.measures.readout import dealt_labels, fresh_readout
from grokbook.models.activations import activations
from grokbook.tasks import ModularTask
from grokbook.training.watching import View, Watch
from grokbook_chapters.separability_and_depth.separability import class_separability

PAIRS = 12  # pairs of classes drawn for each share of separable pairs

HALF = 0.5  # score that counts as "readable"
RIGHT = 0.9  # least accuracy of networks that generalise
NOISE = 0.1  # largest score of a control

STAGES = {"attention": "attention 1", "mlp": "MLP 1"}


def wrong_labels(task: ModularTask) -> np.ndarray:
    """The labels with a wrong class on every test cell, drawn at random (seeded), the same on (i,
    j) and (j, i).

    Training cells keep their class, so nothing of what the network was trained on is changed.
    """
    rng = np.random.default_rng([task.seed, 7])
    drawn = np.triu(rng.integers(1, task.p, (task.p, task.p)))
    shift = (drawn + np.triu(drawn, 1).T).ravel()
    wrong = (task.labels + shift) % task.p
    return np.where(task.train_mask.ravel(), task.labels, wrong)


def dealt_to_training_cells(task: ModularTask) -> np.ndarray:
    """The labels with those of the training cells dealt out among them at random (seeded)."""
    return dealt_labels(task.labels, task.train_index, [task.seed, 8])


def at_stage(view: View, stage: str) -> np.ndarray:
    """The rows of all cells at a stage of `STAGES`, (p*p, d)."""
    if "stages" not in vars(view):  # every watch of one network asks for them
        tokens = torch.from_numpy(view.task.tokens)
        vars(view)["stages"] = activations(dict(view.weights), tokens, view.config.model)
    return vars(view)["stages"][STAGES[stage]].double().numpy()


def own_labels(task: ModularTask) -> np.ndarray:
    """The labels as they are."""
    return task.labels


def probed(view: View, stage: str, labels: Callable = own_labels) -> float:
    """The probe's score on test cells at a stage: the share of them to which it gives `labels`,
    fitted to those of the training cells."""
    return fresh_readout(at_stage(view, stage), labels(view.task), view.task.train_index)


def separable(view: View, stage: str, labels: Callable = own_labels) -> float:
    """Share of separable pairs of classes at a stage."""
    task = view.task
    points = at_stage(view, stage)
    return class_separability(points, labels(task), pairs=PAIRS, seed=task.seed).share


def watches() -> dict[str, Watch]:
    """What is watched, by name: for both stages the probe's score on test cells and the share of
    separable pairs.

    `probe_wrong` scores the probe after the MLP against `wrong_labels`, `probe_dealt` fits it to
    `dealt_to_training_cells`; `pairs_attention_wrong` and `pairs_mlp_wrong` are shares of separable
    pairs with `wrong_labels`.
    """
    wrong = {"labels": wrong_labels}
    return {
        "probe_attention": partial(probed, stage="attention"),
        "probe_mlp": partial(probed, stage="mlp"),
        "probe_wrong": partial(probed, stage="mlp", **wrong),
        "probe_dealt": partial(probed, stage="mlp", labels=dealt_to_training_cells),
        "pairs_attention": partial(separable, stage="attention"),
        "pairs_mlp": partial(separable, stage="mlp"),
        "pairs_attention_wrong": partial(separable, stage="attention", **wrong),
        "pairs_mlp_wrong": partial(separable, stage="mlp", **wrong),
    }


def reached(series: xr.DataArray) -> np.ndarray:
    """First logged step of each seed at which a score is at least `HALF`; NaN where it never is."""
    high = (series >= HALF).transpose("seed", "step").values
    return np.where(high.any(axis=1), series.step.values[high.argmax(axis=1)], np.nan)
