"""Whether half-size numbers move the grok steps: pairs of runs that differ in format alone."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import xarray as xr

from grokbook.curves.comparison import equivalent, same_seed
from grokbook.curves.delay import grok_times
from grokbook_chapters.reproduction_report.runs import MARGIN, PAIRS


@dataclass(frozen=True)
class Formats:
    """Ratios of grok steps, half-size to single, a row a pair; and whether the two are the same
    within `MARGIN` (None without a pair)."""

    ratios: pd.DataFrame
    alike: bool | None


def compared(single: xr.Dataset, half: xr.Dataset) -> Formats:
    """The runs with the seeds `PAIRS`: both formats' grok steps, two one-sided tests."""
    times = [grok_times(data) for data in (single, half)]
    first, second = (table[table.index.isin(PAIRS)] for table in times)
    ratios = same_seed(second, first)
    alike = equivalent(first, second, margin=MARGIN) if len(ratios) else None
    return Formats(ratios, alike)
