"""What the papers say of MED as a progress measure: that it goes with the test accuracy, and that it comes first."""

from __future__ import annotations

import numpy as np
import pandas as pd

from grokbook.chapters.progress_measures.runs import own_size, tasks
from grokbook.claims import Finding, Runs, claim, judge
from grokbook.runs.lead import RankTest
from grokbook.runs.lead_tables import LEVEL, event_table, ranked, summary_table
from grokbook.runs.lead_tasks import CONTROLS

FALLS = {"med": "falls"}
SHARES = (0.25, 0.5, 0.75)  # of both moves; a word that one of them changes is none
ENOUGH = 6  # runs that generalise with a delay below which nothing is concluded

_JUDGED = {"section": "What the papers say", "runs": own_size, "beside": tasks, "seconds": 8}


def _associated(test: RankTest) -> bool | None:
    """Is MED early where the accuracy is? Not found is not refuted; late where the accuracy is early is."""
    if test.p_value <= LEVEL:
        return True
    return False if test.tau < 0 and test.p_value >= 1 - LEVEL else None


def _agreed(answers: list[bool | None]) -> bool | None:
    """The answer that all shares of the moves give; None where one differs."""
    return answers[0] if len(set(answers)) == 1 else None


def _small(runs: Runs) -> pd.Series:
    """MED's row of `summary_table` on the small runs, at half of both moves."""
    small = {label: data for label, data in runs.items() if label not in own_size()}
    if not small:
        return pd.Series({"runs": 0, "first": 0, "tau": np.nan, "p_value": np.nan, "anyway": "no"})
    return summary_table(event_table(small, FALLS), CONTROLS).loc["med"].drop("says")


def _large(runs: Runs) -> list[pd.DataFrame]:
    """The events of the runs of the papers' size at each of `SHARES`; nothing where too few of them generalise."""
    large = {label: data for label, data in runs.items() if label in own_size()}
    tables = [event_table(large, FALLS, share=share) for share in SHARES] if large else []
    return tables if tables and tables[0].generalises.sum() >= ENOUGH else []


def _judged(parts: list[bool | None], tables: list[pd.DataFrame], small: pd.Series) -> Finding:
    """The word for these parts, with the numbers of both sizes; the value is the rank correlation at half the moves."""
    tests = [ranked(table) for table in tables]
    leads = [table.query("generalises").lead for table in tables]
    told = {
        "large": len(leads[0]) if leads else 0,
        "large_first": ", ".join(str(int((lead > 0).sum())) for lead in leads) or "none",
        "large_tau": ", ".join(f"{test.tau:.2f}" for test in tests) or "not known",
        "needed": ENOUGH,
    }
    value = float(tests[1].tau) if tests else None
    return judge(*(parts or [None]), value=value, **told, **small)


@claim("G53", "gu2025", "section 4", **_JUDGED, says=(
    "at the papers' own size ({large} runs generalise) the rank correlation of MED's fall with the accuracy's rise is ",
    "{large_tau} at a quarter, half, three quarters of both; in {runs} small runs, half: {tau:.2f} (p = {p_value:.2g})",
))  # fmt: skip
def captures_changes(runs: Runs) -> Finding:
    """MED "straightforwardly captures changes in test accuracy after training accuracy reaches 1".

    Our reading, for synchrony: within a task, MED falls early in the runs in which the accuracy rises early, at each of
    `SHARES` of both moves. Small companions of ours are told and judge nothing: one task of two carries them. That the
    papers' own size judges, at every share, was settled after its runs were seen.
    """
    tables = _large(runs)
    parts = [_agreed([_associated(ranked(table)) for table in tables])] if tables else []
    return _judged(parts, tables, _small(runs))


@claim("P15", "gu2024", "abstract", **_JUDGED, says=(
    "at the papers' own size MED is first in {large_first} of {large} runs that generalise, at a quarter, half, three ",
    "quarters of both moves; in {first} of {runs} small ones at half; it falls as far in {anyway} chosen not to",
))  # fmt: skip
def anticipates(runs: Runs) -> Finding:
    """MED is "a robust hidden progress measure"; the abstract glosses the term as "a function that can anticipate the
    occurrence of grokking".

    Our reading of that gloss: as G53, and MED has made its share of its fall first in more than half of the runs that
    generalise. Definition 5 of the paper asks for no lead. That the papers' own size judges, at every share, was
    settled after its runs were seen: before, small runs judged and the share did not reach the large ones.
    """
    tables = _large(runs)
    if not tables:
        return _judged([], tables, _small(runs))
    first = [bool((table.query("generalises").lead > 0).mean() > 0.5) for table in tables]
    parts = [_agreed([_associated(ranked(table)) for table in tables]), _agreed(first)]
    return _judged(parts, tables, _small(runs))
