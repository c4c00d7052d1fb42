"""What the tables and sentences of the chapter share: ranges, censored medians, lists of rows, one box of records."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
import xarray as xr


def combined(runs: Mapping[object, xr.Dataset]) -> xr.Dataset:
    """An empty dataset with the provenance of all of these, for one box on when and with what they were recorded."""
    made = [part for data in runs.values() for part in json.loads(data.attrs["provenance"])]
    origins = {data.attrs.get("origin", "recorded") for data in runs.values()}
    return xr.Dataset(attrs={"origin": min(origins, default="recorded"), "provenance": json.dumps(made)})


def spread(values: pd.Series, form: str = ".1f", never: str = "") -> str:
    """The range of numbers as "low to high", one number as it is; missing ones count as beyond every number, `never`.

    Example:
        >>> spread(pd.Series([3.0, None, 1.0]), ".0f", "later")
        '1 to later'
    """
    known = values.dropna().astype(float)
    if not known.size:
        return never
    low, high = format(known.min(), form), format(known.max(), form)
    high = high if known.size == values.size else never
    return low if low == high else f"{low} to {high}"


def censored_median(values: pd.Series) -> float:
    """Median with missing values taken as later than all others; NaN where the middle one is missing.

    Example:
        >>> censored_median(pd.Series([100, None, 300], dtype="Int64")), censored_median(pd.Series([1.0, None]))
        (300.0, nan)
    """
    middle = float(np.median(values.astype("Float64").fillna(np.inf).astype(float)))
    return middle if np.isfinite(middle) else float("nan")


def listed(table: pd.DataFrame, form: str = "{row}") -> str:
    """The rows of a table in one phrase, each by `form`; "none" for an empty table.

    Example:
        >>> listed(pd.DataFrame({"row": ["SQUARE 30", "STRIP 50"], "U": [18.2, 41.0]}), "{row} {U:.0f}")
        'SQUARE 30 18, STRIP 50 41'
    """
    return ", ".join(form.format(**row) for row in table.to_dict("records")) or "none"


def told(table: pd.DataFrame, column: str, phrases: Mapping[str, str], form: Callable[[str], str]) -> str:
    """The rows of a table by the value of a column: its phrase around the rows, each by `form` of it; no empty phrase.

    Example:
        >>> table = pd.DataFrame({"row": ["a", "b"], "came": ["up", "up"]})
        >>> told(table, "came", {"up": "up in {}", "down": "down in {}"}, lambda came: "{row}")
        'up in a, b'
    """
    parts = {value: table[table[column] == value] for value in phrases}
    return "; ".join(phrases[value].format(listed(own, form(value))) for value, own in parts.items() if len(own))
