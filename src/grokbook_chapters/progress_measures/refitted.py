"""When a fresh read-out has learned the test pairs, beside the network's own."""

from __future__ import annotations

import pandas as pd
import xarray as xr

from grokbook.curves.delay import grok_times

LEVELS = {"half": 0.5, "most": 0.9}
"""Shares of the test pairs that are right, by what the columns call them."""


def read_out_times(data: xr.Dataset) -> pd.DataFrame:
    """A row a seed: when a network fits, and when its own and a fresh read-out have half and nine
    tenths of the test pairs right.

    Columns: `fit_step`; `own_half`, `fresh_half`, `own_most`, `fresh_most`, steps; `ahead_half`,
    `ahead_most`, by what part of the wait of the network's own the fresh one comes first (0 with
    it, 1 at the fit); the fresh accuracy at `start`, step 0, and in the `middle` of the wait for
    half; `dealt`, the highest one with training labels dealt out. Missing where it is not reached.
    """
    fresh = data.assign(test_accuracy=data.fresh_readout)
    table = grok_times(data)[["fit_step"]].astype(float)
    for name, level in LEVELS.items():
        own = grok_times(data, threshold=level).grok_step.astype(float)
        read = grok_times(fresh, threshold=level).grok_step.astype(float)
        table[f"own_{name}"] = own
        table[f"fresh_{name}"] = read
        table[f"ahead_{name}"] = (own - read) / (own - table.fit_step)
    curves = data.fresh_readout
    halfway = ((table.fit_step + table.own_half) / 2).dropna()
    logged = curves.sel(seed=halfway.index.values)
    middle = logged.sel(step=halfway.to_xarray(), method="nearest")
    return table.assign(
        start=curves.isel(step=0).to_series(),
        middle=middle.to_series(),
        dealt=data.fresh_readout_dealt.max("step").to_series(),
    )
