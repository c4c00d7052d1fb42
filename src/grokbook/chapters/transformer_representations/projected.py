"""Runs that also record what the network answers on a few principal axes (Fig. 22), or what its first plane shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from grokbook.measures.principal import on_axes, rebuilt, ring_share
from grokbook.measures.representation import representation_quality
from grokbook.runs.watched import Watched
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


def plane_share(view: View) -> float:
    """Share of the embedding's variance in the plane of its first two principal axes."""
    table = view.embedding
    return float(on_axes(table, 2).var(axis=0).sum() / table.var(axis=0).sum())


def roundness(view: View) -> float:
    """Variance on the second principal axis as a part of that on the first: 1 for a circle, 0 for points on a line."""
    first, second = on_axes(view.embedding, 2).var(axis=0)
    return float(second / first)


@dataclass(frozen=True)
class Circled(Watched):
    """An experiment that also records what the plane of the first two principal axes shows."""

    watched = {"ring_share": lambda view: ring_share(view.embedding), "plane_share": plane_share,
               "roundness": roundness}  # fmt: skip
    listed_as = "circled"
    look_seconds = 0.02
