"""What a chapter will cost on this machine: predicted seconds and memory of what is not in the
stores yet."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.page.sources import Page
    from grokbook.runs.store import Store

OVERHEAD_SECONDS = 3.0
"""Kernel start, imports and drawing of one chapter, before any training."""

PAGE_SECONDS = 20.0
"""From an executed notebook to the one HTML file of `grokbook run`: Sphinx, whatever the
chapter."""

OVERHEAD_MB = 450.0

SIDE_BY_SIDE = 1.6
"""What a run takes when every core has one, over what it takes alone: they share caches and memory
(measured)."""


@dataclass(frozen=True)
class Estimate:
    """Predicted wall seconds and peak memory in MB."""

    seconds: float
    memory_mb: float


def estimate(experiments: Iterable[Any], store: Store | None = None) -> Estimate:
    """Predicted cost of training what is missing: an experiment's seeds run side by side, one a
    core."""
    seconds = 0.0
    memory = 0.0
    for experiment in experiments:
        count = len(experiment.missing_seeds(store))
        if count == 0:
            continue
        predicted = experiment.predicted(count)
        together = min(count, os.cpu_count() or 1)
        slower = SIDE_BY_SIDE if together > 1 else 1
        seconds += predicted.seconds / together * slower
        memory = max(memory, together * predicted.memory_mb)
    return Estimate(seconds, memory)


def page_estimate(page: Page, store: Store | None = None, default: Page | None = None) -> Estimate:
    """Cost of executing a page: what it trains, what its cells compute, and the fixed cost of a
    kernel.

    Runs that the page `default` trains as well, in the same build, cost this one nothing. What the
    cells compute is stated by the chapter for its presets and taken as it is for other values.
    """
    own = list(page.experiments().values())
    if default is not None:
        shared = {(other.key, other.seeds) for other in default.experiments().values()}
        own = [run for run in own if (run.key, run.seeds) not in shared]
    trained = estimate(own, store)
    seconds = trained.seconds + OVERHEAD_SECONDS + page.chapter.seconds.get(page.preset, 0)
    return Estimate(seconds, trained.memory_mb + OVERHEAD_MB)
