"""Watches of the book: measures that training does not log itself, recorded at every logged
step."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import torch

from grokbook.measures.complexity import network_complexity
from grokbook.measures.fourier_losses import (
    N_KEY,
    CyclicClasses,
    excluded_loss,
    key_frequencies,
    restricted_loss,
)
from grokbook.measures.readout import RIDGE, dealt_labels, fresh_readout
from grokbook.measures.representation import representation_quality
from grokbook.theory.cyclic_classes import cyclic_classes
from grokbook.training.watching import View, Watch, preactivations

COMPLEXITY_PAIRS = 64  # operand pairs about which local complexity is taken


def _waves(view: View, source: View) -> tuple[CyclicClasses, list[int]]:
    task: Any = view.task
    group = cyclic_classes(task)
    return group, key_frequencies(source.logits, group, min(N_KEY, group.order // 2))


def _restricted(view: View, source: View) -> float:
    task: Any = view.task
    return restricted_loss(view.logits, task.labels, *_waves(view, source))


def _excluded(view: View, source: View) -> float:
    task: Any = view.task
    return excluded_loss(view.logits, task.labels, *_waves(view, source), cells=task.train_index)


def _complexity(view: View) -> float:
    task: Any = view.task
    shape: Any = view.config.model
    pairs = np.random.default_rng(0).integers(task.p, size=(COMPLEXITY_PAIRS, 2))

    def units(points: np.ndarray) -> np.ndarray:
        halves = torch.as_tensor(points, dtype=view.weights["W_E"].dtype).split(
            shape.d_model, dim=1
        )
        with torch.no_grad():
            return preactivations(view.weights, shape, *halves).numpy()

    return network_complexity(units, view.weights["W_E"], pairs + [0, task.shift])


INSTRUMENTS: dict[str, Watch] = {
    "restricted_loss": lambda view: _restricted(view, view.final or view),
    "restricted_loss_now": lambda view: _restricted(view, view),
    "excluded_loss": lambda view: _excluded(view, view.final or view),
    "excluded_loss_now": lambda view: _excluded(view, view),
    "local_complexity": _complexity,
    "representation_quality": lambda view: representation_quality(view.embedding),
}
"""The book's measures that training does not log itself; `_now` takes the key frequencies of the
same step."""


def fresh(view: View, ridge: float = RIDGE) -> float:
    """What a fresh read-out of a network has right of its test set."""
    task: Any = view.task
    return fresh_readout(view.features, task.targets, task.train_index, ridge=ridge)


def _dealt(view: View) -> float:
    task: Any = view.task
    labels = dealt_labels(task.targets, task.train_index, getattr(task, "seed", 0))
    return fresh_readout(view.features, labels, task.train_index)


READ_OUTS: dict[str, Watch] = {
    "fresh_readout": fresh,
    "fresh_readout_less": partial(fresh, ridge=RIDGE / 10),
    "fresh_readout_more": partial(fresh, ridge=RIDGE * 10),
    "fresh_readout_dealt": _dealt,
}
"""A fresh read-out at each logged step, with a tenth and ten times its ridge, and with the labels
of the training samples dealt out at random.

Not among `INSTRUMENTS`, which stand in keys of records.
"""

VERSION = 1  # of both: raised when what one of them computes changes
