"""MED and the test loss over many settings: one dot a run."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from grokbook.errors import ParameterError
from grokbook.plotting.style import COLOURS, panels, styled


def _row(name: str) -> str:
    """What a row is called: the experiment without its folder, the small companions by their task alone.

    Example:
        >>> _row("gu2025/fig5[p=97]"), _row("measures/lead[subtract, p=47]")
        ('fig5[p=97]', 'subtract, p=47')
    """
    last = name.split("/", 1)[-1]
    return last.removeprefix("lead[").removesuffix("]") if last.startswith("lead[") else last


@styled
def agreement_by_setting(tables: dict[str, pd.DataFrame], column: str = "detrended") -> Figure:
    """Share of intervals in which the test loss and a measure change in the same direction, one dot a run.

    `tables`: label of a measure -> table of `grokbook.claims.operations.tracking_of`; one panel each, settings as rows.
    A tick is the median of the same share for curves shifted in time; the line at 0.5 is a coin. Raises ParameterError
    for tables without runs.
    """
    if not tables or any(table.empty for table in tables.values()):
        raise ParameterError("there are no runs to draw, but each table needs one or more.")
    names = list(dict.fromkeys(next(iter(tables.values())).experiment))
    fig, axes = panels(1, len(tables), height=1.2 + 0.28 * len(names), sharey="row")
    for ax, (label, table) in zip(axes[0], tables.items(), strict=True):
        for row, name in enumerate(names):
            runs = table[table.experiment == name]
            offsets = np.linspace(-0.18, 0.18, len(runs)) if len(runs) > 1 else [0.0]
            ax.plot(runs[column], row + np.asarray(offsets), "o", ms=4, color=COLOURS["measure"])
            ax.plot([runs.null.median()], [row], "|", ms=12, mew=1.5, color=COLOURS["theory"])
        ax.axvline(0.5, color=COLOURS["theory"], lw=0.8, ls=":")
        ax.set_title(label)
        ax.set_xlabel("share of intervals")
        ax.set_xlim(0, 1)
        ax.set_xticks([0.2, 0.4, 0.6, 0.8])
    axes[0, 0].set_yticks(range(len(names)), [_row(name) for name in names])
    axes[0, 0].invert_yaxis()
    return fig
