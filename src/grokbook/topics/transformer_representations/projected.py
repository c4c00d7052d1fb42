"""Runs in which the network is also asked with its embedding reduced to a few principal axes (Fig. 22)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from grokbook.experiments.watched import Watched
from grokbook.measures.principal import rebuilt
from grokbook.measures.representation import representation_quality
from grokbook.training.watching import View

AXES = (2, 4, 6, 10)
"""Numbers of principal axes on which the embedding is tried."""


def accuracy_with(view: View, embedding: Any) -> float:
    """Share of right answers on the test cells with another embedding (p, d) in place of the network's."""
    table = torch.as_tensor(embedding, dtype=torch.float32)
    asked = dataclasses.replace(view, weights={**view.weights, "W_E": table})
    right = asked.logits.argmax(axis=-1) == view.task.targets
    return float(right[view.task.test_index].mean())


def now(view: View, n: int) -> float:
    """Test accuracy with the embedding on its own first n principal axes: the dotted lines of Fig. 22."""
    return accuracy_with(view, rebuilt(view.embedding, n))


def at_the_end(view: View, n: int) -> float:
    """Test accuracy with the embedding on the first n principal axes of the last step: the solid lines of Fig. 22."""
    return accuracy_with(view, rebuilt(view.embedding, n, (view.final or view).embedding))


WATCHED: Mapping[str, Callable[[View], float]] = {
    **{f"now_{n}": partial(now, n=n) for n in AXES},
    **{f"end_{n}": partial(at_the_end, n=n) for n in AXES},
    "representation_quality": lambda view: representation_quality(view.embedding),
}
"""What is recorded beside what every run logs, each a variable (seed, step)."""


@dataclass(frozen=True)
class Projected(Watched):
    """An experiment that also records `WATCHED`."""

    watched = WATCHED
    listed_as = "projected"
    look_seconds = 0.1
