"""Small watched runs of ten tasks, on which chapters 05 and 06 try what measures say: one
experiment a task."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import partial

from grokbook.runs.experiment import Experiment, Experiments
from grokbook.runs.instruments import INSTRUMENTS, VERSION
from grokbook.training.schedule import Schedule
from grokbook.training.watching import Watch
from grokbook_chapters.gu2025 import modular_run

STEPS = 2_500
POINTS = 250  # logged steps after step 0: one in ten, so that lags have one unit
# modulus of most tasks; the symmetric split needs a larger one to generalise within these steps
P_TASKS = 47
# where (i, j) does not tell of (j, i): half of the cells, drawn at random, tell of as many pairs
ORDERED = 0.75
SEEDS = 10  # of the two tasks on which measures are ranked against the time of generalisation
FEW = 0.15  # training share at which addition is memorised and not learned within these steps
CONTROLS = ("x2_plus_xy_plus_y2, p=47", "add, few cells, p=47")
"""Short names of the tasks that were chosen because they would not generalise: they are there for
false alarms."""


def watched_run(
    p: int,
    operation: str = "add",
    *,
    label: str = "",
    train_fraction: float = 0.5,
    d_model: int = 64,
    steps: int = STEPS,
    points: int = POINTS,
    n_seeds: int = 3,
    split: str = "random",
    shift: int = 0,
    watch: Mapping[str, Watch] | None = None,
    in_key: Mapping[str, str] | None = None,
) -> Experiment:
    """One task, watched at evenly spaced steps from 0 on: the paper's model at a small width.

    The book's `INSTRUMENTS` are always there; `in_key` says what the key has of those of `watch`
    that are the book's.
    """
    config = modular_run(
        p,
        train_fraction,
        d_model=d_model,
        steps=steps,
        operation=operation,
        split=split,
        shift=shift,
    )
    config = dataclasses.replace(config, log=Schedule(dense_until=0, points=points))
    name = f"measures/lead[{label or operation}, p={p}]"
    looks = INSTRUMENTS | dict(watch or {})
    observed = dict.fromkeys(INSTRUMENTS, VERSION) | dict(in_key or {})
    seeds = tuple(range(n_seeds))
    return Experiment(name, config, seeds, watch=looks, in_key={"observed": observed})


def lead_tasks(n_seeds: int = 3, many: int = SEEDS) -> Experiments:
    """The tasks of the summary figure by name; two are there for false alarms: no wave structure,
    and too few cells."""
    p = P_TASKS
    few = partial(watched_run, n_seeds=n_seeds)
    ordered = partial(watched_run, train_fraction=ORDERED)
    tasks = [
        few(47),
        few(53),
        few(59),
        ordered(59, label="add, symmetric split", split="symmetric", n_seeds=n_seeds),
        ordered(p, label="add, separate tokens", shift=p, n_seeds=many),
        ordered(p, "subtract", n_seeds=many),
        few(p, "multiply"),
        few(p, "x2_plus_y2"),
        few(p, "x2_plus_xy_plus_y2"),
        few(p, label="add, few cells", train_fraction=FEW),
    ]
    return {task.name: task for task in tasks}


def short_name(experiment: Experiment) -> str:
    """The part of an experiment's name in brackets: what a table calls the task.

    Example:
        >>> short_name(watched_run(59))
        'add, p=59'
    """
    return experiment.name.partition("[")[2].rstrip("]")
