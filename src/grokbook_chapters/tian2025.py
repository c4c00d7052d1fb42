"""Runs of Tian's two papers: the two-layer network on the pairs of a group, as their programs train
it."""

from __future__ import annotations

from typing import Any

from grokbook.models.quadratic import Quadratic
from grokbook.tasks.groups import GroupTask
from grokbook.training import Adam, RunConfig, Schedule


def pairs_of(
    group: str,
    width: int,
    train_fraction: float,
    *,
    rate: float,
    decay: float,
    steps: int,
    log: Schedule | None = None,
    start: str = "linear",
    **model: Any,
) -> RunConfig:
    """A run on the products of a group's pairs; `model` are further settings of `Quadratic`.

    Source: the authors' programs: full batch, Adam with coupled decay, losses without the mean over
    the classes. The training pairs are drawn by our generator, so that splits differ from theirs.
    """
    task = GroupTask(group, train_fraction, "labels")
    return RunConfig(
        task,
        Quadratic(task.p, width, **model),
        Adam(rate, weight_decay=decay),
        steps,
        log or Schedule(min(100, steps), max(1, steps // 100), 10),
        snapshots=0,
        start=start,
        loss="centred_squared_error",
    )
