"""What measures say of generalisation over many tasks: controls of which the answer is known, a row
a measure, and a word for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import false_discovery_control

from grokbook.curves.lead import event_table, ranked
from grokbook.errors import ParameterError
from grokbook_chapters.labelled import Datasets, Tables
from grokbook_chapters.ranges import count_of

EARLY = 100  # optimiser steps by which the early oracle is ahead
PACE = 100  # optimiser steps in which the clock falls by a factor of e
SHARES = (0.25, 0.5, 0.75)  # of both moves; a word that one of them changes is none

CONTROL_WAYS = {"oracle": "rises", "oracle_early": "rises", "clock": "falls"}
"""The controls that `with_controls` adds, with the way in which they move."""


def with_controls(dataset: xr.Dataset) -> xr.Dataset:
    r"""The dataset with three more measures, of which it is known beforehand what a test should
    say.

    `oracle` is the test accuracy itself, `oracle_early` the same `EARLY` steps early (its last
    value repeated at the end), and `clock` is $e^{-t/100}$ of the step t, the same in all runs.
    Steps (n,) must be evenly spaced.

    Raises ParameterError for uneven steps, or steps further apart than `EARLY`.
    """
    steps = dataset.step.values
    gaps = np.unique(np.diff(steps))
    if len(gaps) != 1 or not 0 < gaps[0] <= EARLY:
        raise ParameterError(
            f"steps must be evenly spaced by at most {EARLY}; log with Schedule(dense_until=0)."
        )
    ahead = np.minimum(np.arange(len(steps)) + EARLY // int(gaps[0]), len(steps) - 1)
    accuracy = dataset.test_accuracy
    early = accuracy.isel(step=ahead).assign_coords(step=steps)
    clock = accuracy * 0 + xr.DataArray(np.exp(-steps / PACE), coords={"step": steps}, dims="step")
    return dataset.assign(oracle=accuracy, oracle_early=early, clock=clock)


LEVEL = 0.05  # at or below which a p-value counts as small


SAYS = {
    (True, True): "sees it coming",
    (True, False): "goes with it",
    (False, True): "early, as a clock",
}
"""What a measure does, by whether it is associated within tasks and first in more than half of the
runs."""


def controlled(
    runs: Datasets, directions: Mapping[str, str], *, share: float = 0.5
) -> pd.DataFrame:
    """`event_table` of the measures and, before them, of the controls of `with_controls`.

    Raises ParameterError as `event_table` and `with_controls`.
    """
    ready = {task: with_controls(dataset) for task, dataset in runs.items()}
    return event_table(ready, CONTROL_WAYS | dict(directions), share=share)


def summary_table(rows: pd.DataFrame, quiet: Collection[str] = ()) -> pd.DataFrame:
    """One row a measure of `event_table`: does it move, is it first, does it go with the accuracy,
    does it keep still?

    Columns: `runs` that generalise with a delay and in which the measure is defined, `moved` and
    `first` (of these: with a move, half way before the accuracy), `lead` (median, as a share of the
    accuracy's time), `tau` and `p_value` (`ranked`: within tasks, over the same runs; for measures
    together, not for controls, made larger by Benjamini and Hochberg's rule: of those at or below
    0.05, at most one in twenty is expected to be so by chance), `anyway` (text: runs of the tasks
    `quiet` in which it moves all the same, of how many), `says` (a word of `SAYS`, else "neither").

    Raises ParameterError for a table without rows.
    """
    if rows.empty:
        raise ParameterError("there are no events to make a table of.")
    measures = rows.groupby("measure", sort=False)
    summaries = {name: _summary(part, quiet) for name, part in measures}
    table = pd.DataFrame(summaries.values(), pd.Index(summaries, name="measure"))
    own = ~table.index.isin(CONTROL_WAYS) & table.p_value.notna()
    table.loc[own, "p_value"] = false_discovery_control(table.p_value[own])
    associated = table.p_value <= LEVEL
    mostly_first = table["first"] > table.runs / 2
    flags = zip(associated, mostly_first, strict=True)
    return table.assign(says=[SAYS.get(flag, "neither") for flag in flags])


def _summary(rows: pd.DataFrame, quiet: Collection[str]) -> dict[str, object]:
    """The row of one measure."""
    good = rows[rows.generalises & rows.measure_delay.notna()]
    test = ranked(rows)
    usual = rows[rows.generalises].move.median()
    still = rows[rows.task.isin(quiet) & ~rows.generalises].move.dropna()
    anyway = "not asked"
    if usual > 0 and len(still):
        # by half or more of the median move where it generalises is as if it did
        anyway = count_of(still >= usual / 2)
    return {
        "runs": len(good),
        "moved": int(np.isfinite(good.measure_delay).sum()),
        "first": int((good.lead > 0).sum()),
        "lead": good.lead.median(),
        "tau": test.tau,
        "p_value": test.p_value,
        "anyway": anyway,
    }


def readable(name: str) -> str:
    """A measure's name as words.

    >>> (
    ...     readable("restricted_loss_now"),
    ...     readable("normalised_med"),
    ...     readable("med_gu2024"),
    ...     readable("oracle_early"),
    ... )
    ('restricted loss now', 'normalised MED', 'MED (2024)', 'oracle, 100 steps early')
    """
    words = name.replace("_early", ", 100 steps early").replace("_", " ")
    words = words.replace("fourier ipr", "Fourier IPR").replace("gu2024", "(2024)")
    return re.sub(r"\bmed\b", "MED", words)


def in_order(summary: pd.DataFrame) -> pd.DataFrame:
    """`summary_table` with the controls first, then the measures by what they do and by their
    p-value."""
    words = [*SAYS.values(), "neither"]
    controls = [name for name in CONTROL_WAYS if name in summary.index]
    own = summary.drop(index=controls).sort_values("p_value", kind="stable")
    own = own.sort_values("says", key=lambda says: says.map(words.index), kind="stable")
    return pd.concat([summary.loc[controls], own])


def by_share(events: Tables) -> pd.DataFrame:
    """A row a measure, a column a share of both moves: in how many of the runs that generalise it
    is first, and its tau, with a star where that is beyond chance."""
    columns = {}
    for share, rows in events.items():
        table = summary_table(rows)
        star = np.where(table.p_value <= LEVEL, " *", "")
        first = table["first"].map(str) + " of " + table.runs.map(str)
        columns[f"at {share:.0%}"] = first + "; " + table.tau.map("{:.2f}".format) + star
    shown = pd.DataFrame(columns)
    return shown.set_axis(pd.Index([readable(name) for name in shown.index], name="measure"))


def typical_run(rows: pd.DataFrame) -> pd.Series:
    """The row of the test loss in the run, of those that generalise, in which its lead is the
    median."""
    leads = rows[rows.generalises & (rows.measure == "test_loss")].sort_values("lead")
    return leads.iloc[len(leads) // 2]
