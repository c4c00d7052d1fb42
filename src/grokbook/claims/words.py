"""Ranges, and what is not recorded yet, as words of a sentence."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from grokbook.claims.runs import cost
from grokbook.runs.experiment import Experiment


def spread(values: pd.Series, form: str = ".1f", never: str = "") -> str:
    """The range of numbers as "low to high", one number as it is; missing ones are beyond every number, `never`."""
    known = values.dropna().astype(float)
    if not known.size:
        return never
    low, high = format(known.min(), form), format(known.max(), form)
    high = high if known.size == values.size else never
    return low if low == high else f"{low} to {high}"


def still_missing(runs: Collection[Experiment], what: str) -> str:
    """A sentence on what is not recorded of some experiments, and what that would cost here.

    Example:
        >>> still_missing([], "runs of Fig. 4")
        'All runs of Fig. 4 are recorded.'
    """
    if not any(run.missing_seeds() for run in runs):
        return f"All {what} are recorded."
    return f"Of the {what} {cost(runs)}."
