"""Claims that MED tells of generalisation, settled by the watched runs of chapter 06."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd
import xarray as xr

from grokbook.claims.finding import Finding
from grokbook.claims.legacy import Claim
from grokbook.experiments.progress_measures import CONTROLS, recorded_study
from grokbook.measures.lead_tables import LEVEL, alarm_summary, alarm_table, lead_table

FALLS = {"med": "falls"}
ENOUGH = 6
"""Runs that generalise with a delay below which nothing is concluded."""

MOST = 0.75
"""Share of the runs from which something counts as what happens."""


def captures_changes(runs: Mapping[str, xr.Dataset] | None = None) -> Finding:
    """G53: after fitting, do MED's deviations from its trend go with those of the test accuracy (p <= 0.05 in most)?

    Associations that are not found do not refute, for the test has little power in short records; runs in which MED
    does not clearly fall while the accuracy rises do, where they are more than one in four.
    """
    found = recorded_study().runs if runs is None else runs
    rows = lead_table(found, FALLS) if found else pd.DataFrame({"accuracy_step": [], "share": [], "p_value": []})
    rows = rows[rows.accuracy_step.notna()]
    if len(rows) < ENOUGH:
        return _not_run(len(rows))
    associated, moved = int((rows.p_value <= LEVEL).sum()), rows.share.dropna()
    share = associated / len(rows)
    evidence = (
        f"the lag test finds an association at p <= {LEVEL} in {associated} of {len(rows)} runs that generalise; half "
        f"of MED's fall comes before half of the accuracy's rise in {int((moved > 0).sum())}, and MED does not clearly "
        f"fall around the rise in {len(rows) - len(moved)}"
    )
    still = 1 - len(moved) / len(rows)
    return Finding("holds" if share >= MOST else "fails" if still > 1 - MOST else "not run", evidence, share)


def anticipates(runs: Mapping[str, xr.Dataset] | None = None, controls: Collection[str] = CONTROLS) -> Finding:
    """P15: does an alarm on MED, set by the other tasks, come before the accuracy's half way, and not in controls?"""
    found = recorded_study().runs if runs is None else runs
    table = alarm_table(found, FALLS, controls) if found else None
    runs_with = 0 if table is None else int(table.accuracy_step.notna().sum())
    if table is None or runs_with < ENOUGH:
        return _not_run(runs_with)
    counts = alarm_summary(table).loc["med"]
    early, false, others = int(counts.early), int(counts["false"]), int(counts.others)
    evidence = (
        f"an alarm at half of MED's median fall in the other tasks comes before half of the accuracy's rise in {early} "
        f"of {runs_with} runs that generalise, and goes off in {false} of {others} of tasks chosen not to"
    )
    share = early / runs_with
    return Finding("holds" if share >= MOST and not false else "fails", evidence, share)


def _not_run(count: int) -> Finding:
    return Finding("not run", f"{count} runs that generalise with a delay are recorded; {ENOUGH} are needed")


PAGE = "06_progress_measures: What the papers say"

CLAIMS = (
    Claim(
        "G53",
        "gu2025",
        "section 4",
        "MED directly shows changes of the test accuracy after the training accuracy has reached 1.",
        "observation",
        PAGE,
        captures_changes,
        seconds=3.0,
    ),
    Claim(
        "P15",
        "gu2024",
        "abstract, section 4.3",
        "MED is a robust hidden progress measure: a function that can anticipate grokking, for all operations.",
        "observation",
        PAGE,
        anticipates,
        seconds=4.0,
    ),
)
