"""The runs of chapter 06: ten small tasks with seeds of this chapter's own, and the run that the
page trains."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from companion.claims import load
from grokbook.curves.lead import event_table
from grokbook.measures.fourier_losses import CyclicClasses
from grokbook.measures.registry import claimed_directions
from grokbook.models.quadratic import Quadratic
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.runs.instruments import READ_OUTS, VERSION
from grokbook.tasks import ModularTask
from grokbook.theory.cyclic_classes import cyclic_classes
from grokbook.training import AdamW, RunConfig, Schedule
from grokbook_chapters.gu2025 import fig5
from grokbook_chapters.labelled import Tables
from grokbook_chapters.lead_tasks import CONTROLS, ORDERED, lead_tasks, short_name, watched_run
from grokbook_chapters.progress_measures.tables import SHARES

FRESH = {
    "add, separate tokens, p=47": range(10, 20),
    "subtract, p=47": range(10, 20),
    **dict.fromkeys(CONTROLS, range(3, 6)),
}
"""Seeds of four tasks that were made after the rule of the claims; the runs before them were looked
at to find it."""

# Measures the tables do without: other forms of MED, losses at frequencies that are known
# afterwards only, and the fresh read-out, of which there are runs of its own.
LEFT_OUT = ("med_gu2024", "med_code_base", "restricted_loss", "excluded_loss", "fresh_readout")


def tasks() -> Experiments:
    """The ten tasks of `lead_tasks` by short name, with the `FRESH` seeds."""
    named = {}
    for experiment in lead_tasks().values():
        name = short_name(experiment)
        named[name] = replace(experiment, seeds=(*experiment.seeds, *FRESH.get(name, ())))
    return named


KEPT = ("train_accuracy", "test_accuracy", "test_loss", *READ_OUTS)
"""Curves that are kept of the runs with a fresh read-out."""


def _read_out(label: str, config: RunConfig, n_seeds: int) -> Experiment:
    name = f"measures/readout[{label}]"
    config = replace(config, snapshots=0)
    seeds = tuple(range(n_seeds))
    in_key = {"observed": dict.fromkeys(READ_OUTS, VERSION)}
    return Experiment(name, config, seeds, watch=READ_OUTS, in_key=in_key, kept=KEPT)


def _two_layers(p: int, width: int, steps: int) -> RunConfig:
    """Tian's network with squares on addition modulo p, logged every fifth step."""
    return RunConfig(
        ModularTask(p, train_fraction=0.8, split="symmetric"),
        Quadratic(p, width=width),
        AdamW(5e-3, weight_decay=0.3),
        steps=steps,
        log=Schedule(dense_until=0, points=steps // 5),
    )


def read_outs() -> Experiments:
    """The runs of which a fresh read-out is recorded: two-layer networks, and two of the tasks
    above, with the same networks. No training pair is the mirror image of a test pair, or tells its
    answer.
    """
    subtract = watched_run(47, "subtract", train_fraction=ORDERED)
    add = watched_run(59, split="symmetric", train_fraction=ORDERED)
    experiments = [
        _read_out("two layers, p=23", _two_layers(23, 128, 1_000), 10),
        _read_out("two layers, p=47", _two_layers(47, 256, 2_000), 5),
        _read_out("transformer, subtract, p=47", subtract.config, 10),
        _read_out("transformer, add, p=59", add.config, 5),
    ]
    return {short_name(experiment): experiment for experiment in experiments}


RUNS = (tasks, read_outs)


def own_size() -> Experiments:
    """All recorded runs of Gu et al.'s own size and split: addition modulo 97."""
    return {"gu2025/fig5[p=97]": fig5(97).with_seeds(19)}


def events_of_own_size() -> Tables:
    """`event_table` of `own_size` at each of `SHARES`, for all measures that its runs have."""
    runs = load(own_size())
    ways = directions()
    for dataset in runs.values():
        ways = {name: way for name, way in ways.items() if name in dataset}
    return {share: event_table(runs, ways, share=share) for share in SHARES}


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> Experiments:
    """Plan of chapter 06: the run that the page trains; `tasks` is shown as far as it is
    recorded."""
    live = watched_run(
        p,
        label="live",
        train_fraction=train_fraction,
        d_model=d_model,
        steps=steps,
        points=max(1, steps // 10),
        n_seeds=n_seeds,
    )
    return {"live": live}


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
