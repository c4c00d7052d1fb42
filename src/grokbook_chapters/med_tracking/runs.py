"""The runs of chapter 05, Figs 5 and 12 to 19 of Gu et al. 2025: one tidy table of them, and
controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import load
from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment, Experiments
from grokbook_chapters.gu2025 import FIG5_STEPS, LONGER, fig5, modular_run, operations
from grokbook_chapters.labelled import Tables
from grokbook_chapters.lead_tasks import lead_tasks
from grokbook_chapters.med_tracking.tracking import (
    agreement_table,
    falls_with_grokking,
    tracking_table,
)

LEVEL = 0.05
# What decay moves, and what might move with the test loss as well: the norm of all weights, a
# vector's length.
NORMS = ("weight_norm", "embedding_norm")


def plan(
    p: int,
    steps: int,
    p_other: int,
    steps_other: int,
    train_fraction: float,
    d_model: int,
    n_seeds: int,
) -> Experiments:
    """Plan of chapter 05: two moduli at one training fraction, answered from the records where they
    match Fig. 5.

    Raises ParameterError for two equal moduli.
    """
    if p == p_other:
        raise ParameterError(
            f"p = p_other = {p_other} must be two different moduli; take 97 and 47."
        )
    experiments = {}
    for name, modulus, length in (("p", p, steps), ("p_other", p_other, steps_other)):
        config = modular_run(modulus, train_fraction, d_model=d_model, steps=length)
        seeds = tuple(range(n_seeds))
        experiments[name] = Experiment(f"gu2025/fig5[p={modulus}]", config, seeds)
    return experiments


# How many seeds are recorded of Fig. 5, by modulus; five of the others.
SEEDS = {47: 10, 97: 19}
# Figures of which six seeds are recorded; three of the others.
SIX = ("fig12", "fig13", "fig14", "fig15", "fig16")


def moduli() -> Experiments:
    """Fig. 5: four moduli, by name, every recorded seed."""
    runs = [fig5(p, n_seeds=SEEDS.get(p, 5)) for p in FIG5_STEPS]
    return {run.name: run for run in runs}


def longer() -> Experiments:
    """The runs of Fig. 5 at p = 47, trained for `LONGER` steps, every recorded seed."""
    run = fig5(47, n_seeds=SEEDS[47], steps=LONGER)
    return {run.name: run}


def figures() -> Experiments:
    """Figs 12 to 19 with every recorded seed, by name."""
    experiments = operations()
    for figure in SIX:
        name = f"gu2025/{figure}"
        experiments[name] = experiments[name].with_seeds(6)
    return experiments


# steps that tell MED from a stranger's as often as 10,000: in all 15 recorded runs of Figs 14, 16
# and 17
HALF = 5_000


def half_as_long() -> Experiments:
    """Figs 17 to 19 for half of the steps of `operations`, with seeds that these do not have, by
    the figure's name."""
    experiments = {}
    for name in ("gu2025/fig17", "gu2025/fig18", "gu2025/fig19"):
        config = replace(operations()[name].config, steps=HALF)
        experiments[name] = Experiment(f"{name}[steps={HALF}]", config, seeds=(3, 4, 5))
    return experiments


RUNS = (moduli, longer, operations, half_as_long)


# ----------------------------------------------------------------------------------- one tidy table


def with_events(table: pd.DataFrame) -> pd.DataFrame:
    """A table of `tracking_table`, with what the three observations ask of each run as flags.

    `beyond`: the association has a p-value of at most 0.05; `generalises`; `below`: the measure
    comes to stay below its start, and `with_grokking`: nearer to generalising than to fitting.
    """
    return table.assign(
        generalises=table.grok_step.notna(),
        beyond=table.p_value <= LEVEL,
        below=table.below_step.notna(),
        with_grokking=falls_with_grokking(table),
    )


def tracked(dataset: xr.Dataset) -> pd.DataFrame:
    """`with_events` of MED in some runs of one setting, with two nulls.

    `stranger` is the most that the detrended MED of another run of the setting agrees with a run's
    test loss, and `strangers_beyond` of `strangers` such pairs have a p-value of at most 0.05.
    Columns that begin with one of `NORMS` hold the raw and the detrended agreement of that norm
    with the test loss.
    """
    table = with_events(tracking_table(dataset))
    strangers = []
    for by in range(1, dataset.sizes["seed"]):
        other = dataset.med.roll(seed=by, roll_coords=False)
        strangers.append(agreement_table(dataset.assign(med=other)))
    table = table.assign(stranger=np.nan, strangers_beyond=0, strangers=len(strangers))
    if strangers:
        pairs = pd.concat(strangers)
        beyond = pairs.p_value <= LEVEL
        table["stranger"] = pairs.detrended.groupby("seed").max()
        table["strangers_beyond"] = beyond.groupby("seed").sum()
    for norm in NORMS:
        moves = agreement_table(dataset, norm)[["agreement", "detrended"]]
        table = table.join(moves.add_prefix(f"{norm}_"))
    return table


def stack(tables: Tables) -> pd.DataFrame:
    """Tables of several settings under one another, index (setting, seed)."""
    return pd.concat(tables, names=["setting"])


# ---------------------------------------------------------------------------------------- controls


def controls(dataset: xr.Dataset) -> xr.Dataset:
    """What the tests of agreement are tried on: test loss, the same one logged step late, a clock,
    another run's MED.

    Variables `loss_late`, `clock` ($e^{-t/100}$ of the step t) and `stranger`, beside those of the
    dataset.

    Example:
        >>> both = ("seed", "step"), [[4.0, 2.0, 1.0], [8.0, 6.0, 5.0]]
        >>> data = xr.Dataset(
        ...     {"test_loss": both, "med": both}, {"seed": [0, 1], "step": [0, 100, 200]}
        ... )
        >>> controls(data).stranger.values[0].tolist(), controls(data).loss_late.values[0].tolist()
        ([8.0, 6.0, 5.0], [4.0, 4.0, 2.0])
    """
    before = [0, *range(dataset.sizes["step"] - 1)]
    late = dataset.test_loss.isel(step=before).assign_coords(step=dataset.step)
    clock = np.exp(-dataset.step / 100) + 0 * dataset.med
    stranger = dataset.med.roll(seed=1, roll_coords=False)
    return dataset.assign(loss_late=late, clock=clock, stranger=stranger)


CONTROLLED = {
    "test_loss": "test loss itself",
    "loss_late": "test loss, one logged step late",
    "clock": "a clock",
    "stranger": "MED of another run",
    "med": "MED",
    "embedding_norm": "mean length",
    "normalised_med": "MED / mean length",
}
"""What is held against the test loss: three that must or must not pass, a stranger, MED and its two
factors."""


def with_controls(datasets: Sequence[xr.Dataset]) -> pd.DataFrame:
    """`agreement_table` of the test loss and each of `CONTROLLED`, all runs of some settings under
    one another: index (measure, seed)."""
    tables = {}
    tried = [controls(dataset) for dataset in datasets]
    for name, words in CONTROLLED.items():
        tables[words] = pd.concat([agreement_table(data, name) for data in tried])
    return pd.concat(tables, names=["measure"])


def what_passes(*datasets: xr.Dataset) -> pd.DataFrame:
    """A row each of `CONTROLLED`: medians over the runs of the share of intervals in which it moves
    as the test loss does, raw, detrended and by chance; and how many runs are beyond chance."""
    table = with_controls(datasets)
    table["beyond"] = table.p_value <= LEVEL
    measures = table.groupby("measure", sort=False)
    shares = measures[["agreement", "detrended", "null"]].median().round(2)
    shares["beyond chance"] = measures.beyond.sum()
    return shares.rename(columns={"agreement": "raw", "null": "by chance"})


# ----------------------------------------------------------------------------------- other settings

FORMULAS = {"add": "x + y", "subtract": "x − y", "multiply": "xy"}
POWERS = {ord("2"): "²", ord("3"): "³"}
SPECIAL = ("symmetric split", "separate tokens", "few cells")


def settings() -> Experiments:
    """Every recorded setting in words: figures of the paper, their longer and shorter runs, and
    small networks."""
    named = {}
    sizes = {"": moduli() | figures(), ", longer": longer(), ", half": half_as_long()}
    for words, experiments in sizes.items():
        for name, experiment in experiments.items():
            figure = name.partition("/fig")[2].partition("[")[0]
            named[f"Fig. {figure}: {_task(experiment)}{words}"] = experiment
    for name, experiment in lead_tasks().items():
        special = "".join(f", {words}" for words in SPECIAL if words in name)
        named[_task(experiment) + special] = experiment
    return named


def _task(experiment: Experiment) -> str:
    task = experiment.config.task
    formula = FORMULAS.get(task.operation)
    if formula is None:
        formula = task.operation.translate(POWERS).replace("_plus_", " + ")
    return f"{formula}, p = {task.p}"


def tracked_settings() -> pd.DataFrame:
    """`tracked` of all recorded runs, index (setting, seed), and in columns that begin with
    `quotient_` what MED divided by the mean length does."""

    def both(dataset: xr.Dataset) -> pd.DataFrame:
        quotient = agreement_table(dataset, "normalised_med").drop(columns="agreement")
        return tracked(dataset).join(quotient.add_prefix("quotient_"))

    return stack(load(settings(), both))
