"""Whether trained networks hold their classes apart where they were not trained: a linear probe beside pairs and nulls.

That pairs of classes are convexly separable tells nothing: they are so with a wrong class on every cell that was not
trained. A probe fitted on training cells and scored on the others can fail, and is watched while the networks learn.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np
import torch
import xarray as xr

from grokbook.measures.separability import class_separability, linear_probe
from grokbook.models.activations import activations
from grokbook.tasks import ModularTask
from grokbook.training.watching import View, Watch

PAIRS = 12  # pairs of classes drawn for each share of separable pairs

# Score that counts as "readable", least accuracy of networks that generalise, largest score of a control.
HALF, RIGHT, NOISE = 0.5, 0.9, 0.1

STAGES = {"attention": "attention 1", "mlp": "MLP 1"}


def wrong_labels(task: ModularTask) -> np.ndarray:
    """The labels with a wrong class on every test cell, drawn at random (seeded), the same on (i, j) and (j, i).

    Training cells keep their class, so nothing of what the network was trained on is changed.
    """
    rng = np.random.default_rng([task.seed, 7])
    drawn = np.triu(rng.integers(1, task.p, (task.p, task.p)))
    shift = (drawn + np.triu(drawn, 1).T).ravel()
    wrong = (task.labels + shift) % task.p
    return np.where(task.train_mask.ravel(), task.labels, wrong)


def dealt_labels(task: ModularTask) -> np.ndarray:
    """The labels with those of the training cells dealt out among them at random (seeded)."""
    labels = task.labels.copy()
    labels[task.train_index] = np.random.default_rng([task.seed, 8]).permutation(labels[task.train_index])
    return labels


def watches() -> dict[str, Watch]:
    """What is watched, by name: for both stages the probe's score on test cells and the share of separable pairs.

    `probe_wrong` scores the probe after the MLP against `wrong_labels`, `probe_dealt` fits it to `dealt_labels`;
    `pairs_attention_wrong` and `pairs_mlp_wrong` are shares of separable pairs with `wrong_labels`.
    """
    latest: dict[str, Any] = {}
    own = attrgetter("labels")

    def stages(view: View) -> dict[str, np.ndarray]:
        if latest.get("view") is not view:
            found = activations(dict(view.weights), torch.from_numpy(view.task.pairs), view.config.model)
            latest.update(view=view, rows={name: found[stage].double().numpy() for name, stage in STAGES.items()})
        return latest["rows"]

    def probe(stage: str, fitted: Callable = own, right: Callable = own) -> Watch:
        return lambda view: probe_score(stages(view)[stage], view.task, fitted(view.task), right(view.task))

    def pairs(stage: str, labels: Callable) -> Watch:
        def share(view: View) -> float:
            points, task = stages(view)[stage], view.task
            return class_separability(points, labels(task), pairs=PAIRS, seed=task.seed).share

        return share

    found = {f"probe_{stage}": probe(stage) for stage in STAGES}
    found |= {"probe_wrong": probe("mlp", right=wrong_labels), "probe_dealt": probe("mlp", dealt_labels)}
    found |= {f"pairs_{stage}": pairs(stage, own) for stage in STAGES}
    return found | {f"pairs_{stage}_wrong": pairs(stage, wrong_labels) for stage in STAGES}


def probe_score(points: np.ndarray, task: ModularTask, fitted: np.ndarray, right: np.ndarray) -> float:
    """Share of the test cells to which a linear probe, fitted to `fitted` on the training cells, gives `right`.

    `points` (p*p, d); `fitted` and `right` (p*p,), usually both the task's labels.
    """
    test = task.test_index
    return float((linear_probe(points, fitted, task.train_index)[test] == right[test]).mean())


def reached(series: xr.DataArray) -> np.ndarray:
    """First logged step of each seed at which a score is at least `HALF`; NaN where it never is."""
    high = (series >= HALF).transpose("seed", "step").values
    return np.where(high.any(axis=1), series.step.values[high.argmax(axis=1)], np.nan)
