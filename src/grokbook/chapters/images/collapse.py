"""Runs on images in which the features of the last hidden layer are watched: neural collapse."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch

from grokbook.measures.neural_collapse import simplex_distance, within_class_share
from grokbook.models.mlp import relu_layers
from grokbook.runs.watched import Watched
from grokbook.training import View


def trained_features(view: View) -> tuple[np.ndarray, np.ndarray]:
    """Features (n, width) of the training images behind the last ReLU, and their labels (n,)."""
    task, layers = view.task, len(view.config.model.sizes) - 2
    images = torch.from_numpy(task.inputs[task.train_index]).float()
    with torch.no_grad():
        features = relu_layers(view.weights, images, layers)
    return features.double().numpy(), task.targets[task.train_index]


WATCHED: Mapping[str, Callable[[View], float]] = {
    "within_class_share": lambda view: within_class_share(*trained_features(view)),
    "simplex_distance": lambda view: simplex_distance(*trained_features(view)),
}
"""What is recorded beside what every run logs, each a variable (seed, step)."""


@dataclass(frozen=True)
class Collapsing(Watched):
    """An experiment that also records `WATCHED`."""

    watched = WATCHED
