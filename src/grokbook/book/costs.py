"""What a chapter will cost on this machine: predicted seconds and memory of what is not in the stores yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

OVERHEAD_SECONDS = 8.0
"""Kernel start, imports and drawing of one chapter, before any training."""

OVERHEAD_MB = 450.0


@dataclass(frozen=True)
class Estimate:
    """Predicted wall seconds and peak memory in MB."""

    seconds: float
    memory_mb: float


def committed_stores() -> list[Any]:
    """The records that come with the checkout."""
    from grokbook.paths import records_path
    from grokbook.records.store import Store

    return [Store(records_path())]


def stores() -> list[Any]:
    """The committed records and this machine's own runs."""
    from grokbook.paths import local_store_path
    from grokbook.records.store import Store

    return [*committed_stores(), Store(local_store_path())]


def missing(experiment: Any, within: Sequence[Any] | None = None) -> list[int]:
    """The seeds of an experiment that are in none of the stores and would have to be trained."""
    return list(experiment.missing_seeds(*(stores() if within is None else within)))


def estimate(experiments: Iterable[Any], within: Sequence[Any] | None = None) -> Estimate:
    """Predicted cost of training what is missing: each experiment's prediction times its missing share."""
    seconds, memory = 0.0, 0.0
    for experiment in experiments:
        share = len(missing(experiment, within)) / max(len(tuple(experiment.seeds)), 1)
        if share:
            predicted = experiment.predicted()
            seconds += share * predicted.seconds
            memory = max(memory, predicted.memory_mb)
    return Estimate(seconds, memory)


def chapter_estimate(experiments: Iterable[Any], within: Sequence[Any] | None = None) -> Estimate:
    """Cost of executing a chapter: what it trains, and the fixed cost of a kernel and its figures."""
    trained = estimate(experiments, within)
    return Estimate(trained.seconds + OVERHEAD_SECONDS, trained.memory_mb + OVERHEAD_MB)


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> [duration(s) for s in (0.4, 38, 200, 4_000, 90_000)]
    ['1 s', '38 s', '3 min', '1.1 h', '25 h']
    """
    if seconds < 100:
        return f"{max(round(seconds), 1)} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 36_000 else f"{seconds / 3600:.0f} h"
