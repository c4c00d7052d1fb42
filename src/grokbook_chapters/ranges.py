"""Ranges, counts, and what is not recorded yet, as words of a sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.claims.finding import some
from grokbook_chapters.labelled import Tables


def spread(values: pd.Series, form: str = ".1f", never: str = "") -> str:
    """The range of numbers as "low to high", one number as it is; missing ones are beyond every
    number, `never`."""
    known = values.dropna().astype(float)
    if not known.size:
        return never
    low = format(known.min(), form)
    high = format(known.max(), form) if known.size == values.size else never
    return low if low == high else f"{low} to {high}"


def count_of(flags: pd.Series | np.ndarray) -> str:
    """How many of these flags are true, in digits; a missing one is not.

    Example:
        >>> count_of(pd.Series([True, False, True])), count_of(pd.Series([True, True]))
        ('2 of 3', '2 of 2')
    """
    return f"{int(flags.sum())} of {len(flags)}"


def generalising(tables: Tables, form: str = "{}") -> str:
    """How many runs of each table of `grok_times` generalise, and when; `form` names a table by its
    label.

    Example:
        >>> table = pd.DataFrame({"grok_step": [900.0, None, 1200.0], "last_step": 4000})
        >>> generalising({1.0: table}, "decay {:g}")
        'decay 1: 2 of 3 generalise by step 4,000 (at 900 to 1,200)'
    """
    words = []
    for label, table in tables.items():
        seen = table.grok_step.dropna()
        count = some(len(seen), len(table))
        last = int(table.last_step.max())
        when = f" (at {spread(seen, ',.0f')})" if len(seen) else ""
        words.append(f"{form.format(label)}: {count} generalise by step {last:,}{when}")
    return "; ".join(words)
