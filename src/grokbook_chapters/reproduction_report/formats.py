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
    first = _of_pairs(single)
    second = _of_pairs(half)
    ratios = same_seed(second, first)
    alike = equivalent(first, second, margin=MARGIN) if len(ratios) else None
    return Formats(ratios, alike)


def _of_pairs(data: xr.Dataset) -> pd.DataFrame:
    times = grok_times(data)
    return times[times.index.isin(PAIRS)]
