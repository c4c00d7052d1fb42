"""The runs of chapter 06: ten small tasks with seeds of this chapter's own, and the run that the
page trains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from companion.claims import load
from grokbook.curves.lead import event_table
from grokbook.measures.fourier_losses import CyclicClasses
from grokbook.measures.registry import claimed_directions
from grokbook.runs.experiment import Experiment
from grokbook.theory.cyclic_classes import cyclic_classes
from grokbook_chapters.gu2025 import fig5
from grokbook_chapters.lead_tasks import CONTROLS, lead_tasks, short_name, watched_run
from grokbook_chapters.progress_measures.tables import SHARES

FRESH = {
    "add, separate tokens, p=47": range(10, 20),
    "subtract, p=47": range(10, 20),
    **dict.fromkeys(CONTROLS, range(3, 6)),
}
"""Seeds of four tasks that were made after the rule of the claims; the runs before them were looked
at to find it."""

# Measures the tables do without: other forms of MED, and losses at frequencies that are known
# afterwards only.
LEFT_OUT = ("med_gu2024", "med_code_base", "restricted_loss", "excluded_loss")


def tasks() -> dict[str, Experiment]:
    """The ten tasks of `lead_tasks` by short name, with the `FRESH` seeds."""
    named = {short_name(experiment): experiment for experiment in lead_tasks().values()}
    return {
        name: replace(one, seeds=one.seeds + tuple(FRESH.get(name, ())))
        for name, one in named.items()
    }


RUNS = (tasks,)


def own_size() -> dict[str, Experiment]:
    """All recorded runs of Gu et al.'s own size and split: addition modulo 97."""
    return {"gu2025/fig5[p=97]": fig5(97).with_seeds(19)}


def events_of_own_size() -> dict[float, pd.DataFrame]:
    """`event_table` of `own_size` at each of `SHARES`, for all measures that its runs have."""
    runs = load(own_size())
    ways = directions()
    for dataset in runs.values():
        ways = {name: way for name, way in ways.items() if name in dataset}
    return {share: event_table(runs, ways, share=share) for share in SHARES}


def plan(
    p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int
) -> dict[str, Experiment]:
    """Plan of chapter 06: the run that the page trains; `tasks` is shown as far as it is
    recorded."""
    sizes = {
        "train_fraction": train_fraction,
        "d_model": d_model,
        "steps": steps,
        "points": max(1, steps // 10),
    }
    return {"live": watched_run(p, label="live", n_seeds=n_seeds, **sizes)}


def directions() -> dict[str, str]:
    """The measures that the tables compare, with the way each is claimed to move.

    Example:
        >>> directions()["med"], len(directions())
        ('falls', 11)
    """
    return {name: way for name, way in claimed_directions().items() if name not in LEFT_OUT}


def additions(p: int) -> tuple[np.ndarray, CyclicClasses]:
    """Answers of all pairs in addition modulo p, and their classes as the Fourier losses take
    them."""
    task = watched_run(p).config.task
    return task.labels, cyclic_classes(task)
