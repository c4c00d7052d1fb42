"""The recorded runs of Fig. 5 of Gu et al. 2025 and what `tracking_table` says of them."""

from __future__ import annotations

from functools import lru_cache

import pandas as pd
import xarray as xr

from grokbook.experiments.base import recorded
from grokbook.experiments.gu2025 import fig5
from grokbook.measures.tracking import ONSET, SETTLED, together, track, tracking_table

__all__ = ["ONSET", "SETTLED", "recorded_fig5", "recorded_table", "together", "track", "tracking_table"]


def recorded_fig5(p: int) -> xr.Dataset | None:
    """The recorded runs of Fig. 5 for modulus p, None when they were not all made."""
    return recorded(fig5(p))


@lru_cache
def _table_of_fig5(p: int) -> pd.DataFrame:
    dataset = recorded_fig5(p)
    if dataset is None:
        raise LookupError(p)  # what is missing now may be recorded later: an error is not remembered
    return tracking_table(dataset)


def recorded_table(p: int) -> pd.DataFrame | None:
    """`tracking_table` of the recorded runs of Fig. 5 for modulus p, computed once; None when they were not all made.

    Example:
        >>> recorded_table(5) is None
        True
    """
    try:
        return _table_of_fig5(p).copy()
    except LookupError:
        return None
