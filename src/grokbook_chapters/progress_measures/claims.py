"""What the papers say of MED as a progress measure: that it goes with the test accuracy, and that
it comes first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from companion.claims import Finding, Runs, claim, judge
from grokbook.curves.lead import RankTest, event_table, ranked
from grokbook_chapters.lead_tasks import CONTROLS
from grokbook_chapters.progress_measures.runs import own_size, tasks
from grokbook_chapters.progress_measures.tables import LEVEL, SHARES, summary_table

FALLS = {"med": "falls"}
ENOUGH = 6  # runs that generalise with a delay below which nothing is concluded

_JUDGED = {
    "section": "At the papers' own size",
    "runs": own_size,
    "beside": tasks,
    "seconds": 8,
    "rule_changed": "2026-11-29T06:19:12 ea66d7ef",
}


def _associated(test: RankTest) -> bool | None:
    """Is MED early where the accuracy is? Not found is not refuted; late where the accuracy is
    early is."""
    if test.p_value <= LEVEL:
        return True
    return False if test.tau < 0 and test.p_value >= 1 - LEVEL else None


def _agreed(answers: list[bool | None]) -> bool | None:
    """The answer that all shares of the moves give; None where one differs, and where there is
    none."""
    return answers[0] if len(set(answers)) == 1 else None


def _goes_with(tables: list[pd.DataFrame]) -> bool | None:
    """Is MED early where the accuracy is, at every share?"""
    return _agreed([_associated(ranked(table)) for table in tables])


def _read(runs: Runs) -> tuple[list[pd.DataFrame], dict[str, Any]]:
    """The events of the papers' size at each of `SHARES`, none where too few runs generalise; both
    sizes' numbers.

    The numbers of the small runs are MED's row of `summary_table` at half of both moves; the value
    is the rank correlation of the large ones there.
    """
    large = {label: data for label, data in runs.items() if label in own_size()}
    small = {label: data for label, data in runs.items() if label not in large}
    tables = [event_table(large, FALLS, share=share) for share in SHARES] if large else []
    if tables and tables[0].generalises.sum() < ENOUGH:
        tables = []
    leads = [table.query("generalises").lead for table in tables]
    taus = [ranked(table).tau for table in tables]
    said: dict[str, Any] = {
        "large": len(leads[0]) if leads else 0,
        "large_first": ", ".join(str(int((lead > 0).sum())) for lead in leads) or "none",
        "large_tau": ", ".join(f"{tau:.2f}" for tau in taus) or "not known",
        "value": float(taus[1]) if taus else None,
    }
    if not small:
        none = {"runs": 0, "first": 0, "tau": np.nan, "p_value": np.nan, "anyway": "no"}
        return tables, said | none
    row = summary_table(event_table(small, FALLS), CONTROLS).loc["med"].drop("says")
    return tables, said | row.to_dict()


@claim(
    "G53",
    "gu2025",
    "section 4",
    **_JUDGED,
    says=(
        (
            "at the papers' own size ({large} runs generalise) the rank correlation of MED's fall"
            " with the accuracy's rise is "
        ),
        (
            "{large_tau} at a quarter, half, three quarters of both; in {runs} small runs, half:"
            " {tau:.2f} (p = {p_value:.2g})"
        ),
    ),
)
def captures_changes(runs: Runs) -> Finding:
    """MED "straightforwardly captures changes in test accuracy after training accuracy reaches 1".

    Our reading, for synchrony: within a task, MED falls early in the runs in which the accuracy
    rises early, at each of `SHARES` of both moves. Small companions of ours are told and judge
    nothing: one task of two carries them. That the papers' own size judges, at every share, was
    settled after its runs were seen.
    """
    tables, said = _read(runs)
    return judge(_goes_with(tables), **said)


@claim(
    "P15",
    "gu2024",
    "abstract",
    **_JUDGED,
    says=(
        (
            "at the papers' own size MED is first in {large_first} of {large} runs that generalise,"
            " at a quarter, half, three "
        ),
        (
            "quarters of both moves; in {first} of {runs} small ones at half; it falls as far in"
            " {anyway} chosen not to"
        ),
    ),
)
def anticipates(runs: Runs) -> Finding:
    """MED is "a robust hidden progress measure"; the abstract glosses the term as "a function that
    can anticipate the occurrence of grokking".

    Our reading of that gloss: as G53, and MED has made its share of its fall first in more than
    half of the runs that generalise. Definition 5 of the paper asks for no lead. That the papers'
    own size judges, at every share, was settled after its runs were seen: before, small runs judged
    and the share did not reach the large ones.
    """
    tables, said = _read(runs)
    first = [bool((table.query("generalises").lead > 0).mean() > 0.5) for table in tables]
    return judge(_goes_with(tables), _agreed(first), **said)
