"""Chapter 06: checks of its exercises."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from math import log

import pandas as pd

from companion.claims import load
from companion.exercises.registry import Mistakes, essay, exercise, near, number
from grokbook_chapters.lead_tasks import CONTROLS
from grokbook_chapters.progress_measures import runs, tables

SHARES = [n / 10_000 for n in range(2000, 8501) if not 4500 < n < 5500]
"""Shares of a move that are not nearly the half."""


@lru_cache(maxsize=2)
def _summary(share: float) -> pd.DataFrame:
    """The page's table at a share."""
    rows = tables.controlled(load(runs.tasks()), runs.directions(), share=share)
    return tables.summary_table(rows, CONTROLS)


@exercise("ex-06-share", draws={"share": SHARES})
def share(changed: Collection[str], lead: float, *, share: float) -> Mistakes:
    """The names of the measures whose word changes, and the median lead of `med`, to three
    digits."""
    half = _summary(0.5)
    again = _summary(share)
    at_half = ("at one half", half["lead"]["med"])
    yield from number(lead, again["lead"]["med"], "the lead of `med` is in the column", at_half)
    if wrong := set(changed) & {"oracle", "oracle_early", "clock"}:
        yield True, "a control", min(wrong)
    right = set(again.index[again["says"] != half["says"]])
    if set(changed) != right:
        yield True, "compare the column `says` row", len(right)


@exercise("ex-06-clock", draws={"steps": range(50, 500), "fit_step": range(1000, 3000)})
def clock(half_step: float, *, steps: int, fit_step: int) -> Mistakes:
    """A step, to three digits or to the whole step before or after."""
    fall = log(2) * steps
    typical = (
        ("at the fit itself none of the fall", fit_step),
        ("counts from step 0", fall),
        ("to 1/e", fit_step + steps),
    )
    solve = "solve exp(-b (t - fit_step)) = 1/2"
    yield from number(half_step, fit_step + fall, solve, *typical, within=1)


@exercise("ex-06-oracle", draws={"share": SHARES}, quick={"draws": 40})
def oracle(own: Mapping[str, float], at_least: Mapping[str, float], *, share: float) -> Mistakes:
    """Two dictionaries with the keys oracle, clock and med: median leads, shares of the matchings;
    to three digits."""
    rows = tables.controlled(load(runs.tasks()), {"med": "falls"}, share=share)
    for name in ("oracle", "clock", "med"):
        part = rows[(rows.measure == name) & rows.generalises]
        right = float((1 - part.measure_delay / part.accuracy_delay).median())
        yield not near(own[name], right), "the median", name
    yield at_least["oracle"] < 0.5, "as many are late as are early"
    yield at_least["clock"] < 0.5, "the clock does not know whose"
    yield not (at_least["med"] < 0.5), "few matchings give `med` a lead"


own = essay("ex-06-own")
