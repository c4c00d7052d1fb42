"""Runs in which the network is also asked with its embedding reduced to a few principal axes (Fig. 22)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import xarray as xr

from grokbook.experiments.base import Experiment
from grokbook.measures.principal import rebuilt
from grokbook.measures.representation import representation_quality
from grokbook.training.cost import Cost
from grokbook.training.watching import View

AXES = (2, 4, 6, 10)
"""Numbers of principal axes on which the embedding is tried."""

_PER_LOOK = 0.1  # seconds of all that is watched at one logged step, about


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
class Projected(Experiment):
    """An experiment that also records `WATCHED`."""

    def configuration(self) -> dict[str, Any]:
        """The configuration without its seeds, and what is watched."""
        return super().configuration() | {"projected": list(WATCHED)}

    def run(self, seeds: tuple[int, ...] | None = None, **options: Any) -> xr.Dataset:
        """Train and watch the seeds (default: all); options and dataset as those of `Experiment.run`."""
        return super().run(seeds, watch=WATCHED, **options)

    def predicted(self, seeds: int | None = None) -> Cost:
        """Predicted seconds on one core of this machine, watching included, and memory of one run."""
        count = len(self.seeds) if seeds is None else seeds
        return super().predicted(count) + Cost(count * self.config.log.steps(self.config.steps).size * _PER_LOOK, 0)
