"""What the papers say of MED as a progress measure: that it goes with the test accuracy, and that it comes first."""

from __future__ import annotations

import numpy as np
import pandas as pd

from grokbook.chapters.progress_measures.runs import own_size, tasks
from grokbook.claims import Finding, Runs, claim, judge
from grokbook.runs.lead_tables import LEVEL, event_table, summary_table
from grokbook.runs.lead_tasks import CONTROLS

FALLS = {"med": "falls"}
ENOUGH = 6  # runs that generalise with a delay below which nothing is concluded

RULE = "2026-11-24T19:32:33+00:00 19243eb"  # when this rule was fixed: largest moves, one look, p at most `LEVEL`

_JUDGED = {"section": "What the papers say", "runs": tasks, "seconds": 4, "bars": {"share": (0.25, 0.75)},
           "rule_changed": RULE}  # fmt: skip


def _associated(row: pd.Series) -> bool | None:
    """Is MED early where the accuracy is? Not found is not refuted; late where the accuracy is early is."""
    return True if row.p_value <= LEVEL else False if row.tau < 0 and row.p_value >= 1 - LEVEL else None


def _row(runs: Runs, share: float) -> pd.Series:
    """MED's row of `summary_table` on the small runs, with how often it is first in those of the papers' size."""
    small, large = ({k: data for k, data in runs.items() if (k in own_size()) is own} for own in (False, True))
    none = pd.Series({"runs": 0, "first": 0, "tau": np.nan, "p_value": np.nan, "anyway": "no", "says": ""})
    row = summary_table(event_table(small, FALLS, share=share), CONTROLS).loc["med"] if small else none
    lead = event_table(large, FALLS).query("generalises").lead if large else pd.Series(dtype=float)
    return pd.concat([row, pd.Series({"large_first": int((lead > 0).sum()), "large": len(lead), "needed": ENOUGH})])


@claim("G53", "gu2025", "section 4", **_JUDGED, says=(
    "rank correlation, within tasks, of the step at which MED has made half of its fall with that at which the ",
    "accuracy has made half of its rise: {tau:.2f} (p = {p_value:.2g}; {runs} runs that generalise, {needed} are ",
    "needed); at another share of both moves: {bars}"))  # fmt: skip
def captures_changes(runs: Runs, *, share: float = 0.5) -> Finding:
    """MED "straightforwardly captures changes in test accuracy after training accuracy reaches 1".

    Our reading, for synchrony: within a task, MED falls early in the runs in which the accuracy rises early.
    """
    row = _row(runs, share)
    return judge(_associated(row) if row.runs >= ENOUGH else None, value=float(row.tau), **row.drop("says"))


@claim("P15", "gu2024", "abstract", **_JUDGED, beside=own_size, says=(
    "MED has made half of its fall before the accuracy half of its rise in {first} of {runs} small runs that ",
    "generalise ({needed} are needed; in {large_first} of {large} of the papers' size, modulus 97); it falls at least ",
    "half as far in {anyway} runs chosen not to; at another share of both moves: {bars}"))  # fmt: skip
def anticipates(runs: Runs, *, share: float = 0.5) -> Finding:
    """MED is "a robust hidden progress measure"; the abstract glosses the term as "a function that can anticipate the
    occurrence of grokking".

    Our reading of that gloss: as G53, and MED has made half of its fall first in more than half of the runs that
    generalise. Definition 5 of the paper asks for no lead. Judged on small networks; those of its own size are told.
    """
    row = _row(runs, share)
    parts = (_associated(row), bool(row["first"] > row.runs / 2)) if row.runs >= ENOUGH else (None,)
    return judge(*parts, value=float(row.tau), **row.drop("says"))
