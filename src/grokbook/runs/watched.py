"""Experiments of which more is recorded than training logs: measures at each step, what the end of
a run shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
import xarray as xr
from torch import Tensor

from grokbook.runs.experiment import Experiment
from grokbook.training.config import RunConfig
from grokbook.training.cost import Cost
from grokbook.training.forward import split_weights


@dataclass(frozen=True)
class Watched(Experiment):
    """An experiment that also records what it has in `watched`, each a variable (seed, step).

    A kind of its own sets `watched`, the name `listed_as` under which its configuration has them,
    and `look_seconds`, what they take at one logged step, about.
    """

    listed_as: ClassVar[str] = "watched"
    look_seconds: ClassVar[float] = 0.0

    def listed(self) -> Any:
        """What the configuration says of the measures: their names."""
        return list(self.watched)

    def configuration(self) -> dict[str, Any]:
        """The configuration without its seeds, and what is watched."""
        return super().configuration() | {self.listed_as: self.listed()}

    def run(self, seeds: tuple[int, ...] | None = None, **options: Any) -> xr.Dataset:
        """Train and watch the seeds (default: all); options and dataset as those of
        `Experiment.run`."""
        return super().run(seeds, watch=self.watched, **options)

    def predicted(self, seeds: int | None = None) -> Cost:
        """Predicted seconds on one core of this machine, watching included, and memory of one
        run."""
        count = len(self.seeds) if seeds is None else seeds
        looks = count * self.config.log.steps(self.config.steps).size
        return super().predicted(count) + Cost(looks * self.look_seconds, 0)


@dataclass(frozen=True)
class ReadAtEnd(Experiment):
    """An experiment that also records what a network shows when its run ends, of which no
    parameters are kept.

    A kind of its own has `read`.
    """

    def read(self, config: RunConfig, weights: Mapping[str, Tensor]) -> xr.Dataset:
        """What is recorded of the network of one seed, whose `config` has that seed."""
        raise NotImplementedError

    def run(self, seeds: tuple[int, ...] | None = None, **options: Any) -> xr.Dataset:
        """Train and read the seeds (default: all); options and dataset as those of
        `Experiment.run`."""
        found = super().run(seeds, keep_weights=True, **options)
        rows = zip(found.seed.values.tolist(), torch.from_numpy(found.weights.values), strict=True)
        each = [
            self.read(self.config.with_seed(seed), split_weights(self.config, row))
            for seed, row in rows
        ]
        return found.drop_vars("weights").merge(
            xr.concat(each, found.seed), combine_attrs="override"
        )
