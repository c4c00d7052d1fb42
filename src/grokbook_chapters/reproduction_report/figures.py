"""The figure of chapter 18: claims by verdict and kind."""

from __future__ import annotations

import textwrap

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from companion.claims.finding import VERDICTS
from companion.claims.ledger import KINDS
from grokbook.plotting.style import panels, styled

WIDEST = 15
"""Letters on a line of a verdict's label, so that a phone has room for the columns."""


@styled
def by_kind(table: pd.DataFrame) -> Figure:
    """How many claims of a kind have each verdict, totals in brackets; `table` is that of
    `companion.claims.as_table`."""
    counts = pd.crosstab(table.verdict, table.kind)
    counts = counts.reindex(columns=KINDS, fill_value=0)
    counts = counts.loc[[verdict for verdict in VERDICTS if verdict in counts.index]]
    cells = counts.to_numpy()
    fig, ((ax,),) = panels(1, 1, height=3.6)
    # pale, so that the counts are read on either scheme
    ax.imshow(cells, cmap="Greys", vmin=0, vmax=4 * max(1, cells.max()), aspect="auto")
    for row, column in np.argwhere(cells > 0):
        ax.text(column, row, cells[row, column], ha="center", va="center")
    ax.set_xticks(range(len(KINDS)), _totals(counts.sum(), 1), fontsize=8)
    ax.set_yticks(range(len(counts)), _totals(counts.sum(axis=1), WIDEST))
    ax.grid(False)
    ax.tick_params(length=0)
    return fig


def _totals(sums: pd.Series, widest: int) -> list[str]:
    """Names with their totals, at most so many letters a line where words allow it."""
    labels = [f"{name} ({count})" for name, count in sums.items()]
    return [textwrap.fill(label, widest, break_long_words=False) for label in labels]
