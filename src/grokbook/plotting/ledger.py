"""The claim ledger as a picture."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from grokbook.claims.finding import VERDICTS
from grokbook.claims.ledger import KINDS
from grokbook.errors import ParameterError
from grokbook.plotting.style import panels, styled


def verdict_counts(table: pd.DataFrame) -> pd.DataFrame:
    """How many claims of each kind (columns) have each verdict (rows), zeros included.

    Raises ParameterError for a table without the columns `verdict` and `kind`.

    Example:
        >>> verdict_counts(pd.DataFrame({"verdict": ["fails"], "kind": ["number"]})).loc["fails", "number"]
        np.int64(1)
    """
    if not {"verdict", "kind"} <= set(table.columns):
        raise ParameterError("the table needs the columns 'verdict' and 'kind', as ledger() gives them.")
    counted = pd.crosstab(table.verdict, table.kind)
    return counted.reindex(index=list(VERDICTS), columns=list(KINDS), fill_value=0)


@styled
def verdicts_by_kind(table: pd.DataFrame) -> Figure:
    """The counts of verdicts by kind as a grid of numbers, darker for more claims; totals at the margins."""
    counts = verdict_counts(table)
    fig, axes = panels(1, 1, height=3.6)
    ax = axes[0, 0]
    ax.imshow(counts, cmap="Greys", vmin=0, vmax=2 * max(1, counts.to_numpy().max()), aspect="auto")
    for (row, column), number in np.ndenumerate(counts.to_numpy()):
        if number:
            ax.text(column, row, str(number), ha="center", va="center")
    ax.set_xticks(range(len(counts.columns)), [f"{k}\n({counts[k].sum()})" for k in counts])
    ax.set_yticks(range(len(counts)), [f"{v} ({counts.loc[v].sum()})" for v in counts.index])
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    return fig
