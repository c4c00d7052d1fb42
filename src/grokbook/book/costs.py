"""What a chapter will cost on this machine: predicted seconds and memory of what is not in the stores yet."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grokbook.machine import duration as duration  # where a page asks for it

OVERHEAD_SECONDS = 8.0
"""Kernel start, imports and drawing of one chapter, before any training."""

OVERHEAD_MB = 450.0

SIDE_BY_SIDE = 1.6
"""What a run takes when every core has one, over what it takes alone: they share caches and memory (measured)."""


@dataclass(frozen=True)
class Estimate:
    """Predicted wall seconds and peak memory in MB."""

    seconds: float
    memory_mb: float


def committed_store() -> Any:
    """The records that come with the checkout."""
    from grokbook.paths import records_path
    from grokbook.runs.store import Store

    return Store(records_path())


def missing(experiment: Any, store: Any = None) -> list[int]:
    """The seeds of an experiment that are not in `store` (default: records and this machine's own runs)."""
    return list(experiment.missing_seeds() if store is None else experiment.missing_seeds(store))


def estimate(experiments: Iterable[Any], store: Any = None) -> Estimate:
    """Predicted cost of training what is missing: an experiment's seeds run side by side, one a core."""
    seconds, memory = 0.0, 0.0
    for experiment in experiments:
        count = len(missing(experiment, store))
        if count:
            predicted, together = experiment.predicted(count), min(count, os.cpu_count() or 1)
            seconds += predicted.seconds / together * (SIDE_BY_SIDE if together > 1 else 1)
            memory = max(memory, together * predicted.memory_mb)
    return Estimate(seconds, memory)


def chapter_estimate(chapter: Any, preset: str, values: Any = None, store: Any = None) -> Estimate:
    """Cost of executing a chapter: what it trains, what its cells compute, and the fixed cost of a kernel.

    `values` are the parameters (default: the preset's). What the cells compute is stated by the chapter for its
    presets and taken as it is for other values.
    """
    trained = estimate(chapter.experiments(chapter.values(preset) if values is None else values).values(), store)
    seconds = trained.seconds + OVERHEAD_SECONDS + chapter.computing(preset)
    return Estimate(seconds, trained.memory_mb + OVERHEAD_MB)
