"""The recorded runs of Fig. 5 of Gu et al. 2025."""

from __future__ import annotations

import xarray as xr

from grokbook.experiments.base import recorded
from grokbook.experiments.gu2025 import fig5


def recorded_fig5(p: int) -> xr.Dataset | None:
    """The recorded runs of Fig. 5 for modulus p, None when they were not all made."""
    return recorded(fig5(p))
