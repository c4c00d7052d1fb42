r"""How far a symbol can walk before the decoder has fitted: the sketch of why a slow decoder waits
and a fast one memorises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.curves.phases import phases

EDGES = [0, 0.03, 0.1, 0.3, 1, 3, 10, np.inf]
"""Edges of the walks that are counted together; symbols begin on a segment of length 1."""


def walks(panels: Sequence[xr.Dataset]) -> pd.DataFrame:
    r"""A row a run that fits: its `phase` and its `walk`, $\eta_E T_{\mathrm{fit}}$.

    Panels are datasets over `encoder_lr` and `decoder_lr`. A run whose phase is not decided, or
    that never fits, is left out.
    """
    tables = []
    for panel in panels:
        cells = phases(panel)
        walk = (cells.encoder_lr * cells.fit_step).transpose(*cells.phase.dims)
        columns = {"phase": cells.phase.values.ravel(), "walk": walk.values.ravel()}
        tables.append(pd.DataFrame(columns))
    table = pd.concat(tables, ignore_index=True)
    return table[table.phase.isin([*"CGM"])].reset_index(drop=True)


def shares_by_walk(table: pd.DataFrame) -> pd.DataFrame:
    """Shares of the phases C, G and M, and the number of `runs`, by the bin of the walk.

    Example:
        >>> made = pd.DataFrame({"phase": ["M", "M", "C", "G"], "walk": [0.2, 0.5, 0.5, 20.0]})
        >>> shares_by_walk(made).loc[:, ["M", "runs"]].dropna().values.tolist()
        [[1.0, 1.0], [0.5, 2.0], [0.0, 1.0]]
    """
    places = pd.cut(table.walk, EDGES, right=False)
    counts = pd.crosstab(places, table.phase, dropna=False).reindex(columns=[*"CGM"], fill_value=0)
    runs = counts.sum(axis=1)
    return counts.div(runs.where(runs > 0), axis=0).assign(runs=runs)


def order(embedding: xr.DataArray) -> xr.DataArray:
    """How many neighbours of the symbols 0, 1, ... follow one another in the same direction on the
    line; all of them where the symbols lie in order.

    `embedding` is over `token` and `feature`, of which the first is read.
    """
    signs = np.sign(embedding.isel(feature=0).diff("token"))
    return abs(signs.sum("token"))
