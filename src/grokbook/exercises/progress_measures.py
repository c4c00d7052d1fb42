"""Chapter 06: checks of its exercises."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from math import log

import pandas as pd

from grokbook.chapters.progress_measures import runs
from grokbook.claims import load
from grokbook.exercises.asked import essay, exercise, near
from grokbook.runs import lead_tables
from grokbook.runs.lead_tasks import CONTROLS

SHARES = [n / 10_000 for n in range(2000, 8501) if not 4500 < n < 5500]
"""Shares of a move that are not nearly the half."""


@lru_cache(maxsize=2)
def _summary(share: float) -> pd.DataFrame:
    """The page's table at a share."""
    rows = lead_tables.controlled(load(runs.tasks()), runs.directions(), share=share)
    return lead_tables.summary_table(rows, CONTROLS)


@exercise("ex-06-share", draws={"share": SHARES})
def share(changed: Collection[str], lead: float, *, share: float) -> str | None:
    """The names of the measures whose word changes, and the median lead of `med`."""
    half, again = _summary(0.5), _summary(share)
    if near(lead, half["lead"]["med"]):
        return "this is the lead of `med` at one half, not at your share."
    if not near(lead, again["lead"]["med"]):
        return "the lead of `med` is in the column `lead` of the table at your share."
    if wrong := set(changed) & {"oracle", "oracle_early", "clock"}:
        return f"`{min(wrong)}` is a control, and its word stays: it knows nothing of a share, or all."
    right = set(again.index[again["says"] != half["says"]])
    return None if set(changed) == right else f"compare the column `says` row by row; {len(right)} words change."


@exercise("ex-06-clock", draws={"steps": range(50, 500), "fit_step": range(100, 2000)})
def clock(half_step: float, *, steps: int, fit_step: int) -> str | None:
    """A step, to five digits."""
    if near(half_step, fit_step):
        return "at the fit itself none of the fall is made yet."
    if near(half_step, log(2) * steps, 1e-4):
        return "this counts from step 0; the fall is counted from the fit."
    if near(half_step, fit_step + steps, 1e-4):
        return f"in {steps} steps the measure falls to 1/e of what it was, not to one half."
    right = fit_step + log(2) * steps
    return None if near(half_step, right, 1e-5) else "solve exp(-b (t - fit_step)) = 1/2 for t."


@exercise("ex-06-oracle", draws={"share": SHARES}, quick={"draws": 40})
def oracle(own: Mapping[str, float], at_least: Mapping[str, float], *, share: float) -> str | None:
    """Two dictionaries with the keys oracle, clock and med: median leads, and shares of the matchings."""
    rows = lead_tables.controlled(load(runs.tasks()), {"med": "falls"}, share=share)
    for name in ("oracle", "clock", "med"):
        part = rows[(rows.measure == name) & rows.generalises]
        right = float((1 - part.measure_delay / part.accuracy_delay).median())
        if not near(own[name], right):
            return f"`{name}` needs the median of 1 - measure_delay / accuracy_delay over the runs that generalise."
    if at_least["oracle"] < 0.5:
        return "with a stranger's times the oracle's lead is about zero too, its own: as many are late as are early."
    if at_least["clock"] < 0.5:
        return "the clock does not know whose accuracy it is held against, so a stranger's times give it the same lead."
    return None if at_least["med"] < 0.5 else "few matchings give `med` a lead as large as its own."


own = essay("ex-06-own")
