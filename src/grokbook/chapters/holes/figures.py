"""The lead figure of chapter 04b."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled


@styled
def table_1_measured(table: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """The rows of Table 1: published U-Acc with a bar down to L-Acc, our runs as points, the share outside the hole.

    `table` is what `measured` gives, `runs` what `table_of_runs` gives. Points are open where the run had not
    reached 95 % outside its hole.
    """
    fig, axes = panels(1, 1, height=3.6)
    ax, x = axes[0, 0], np.arange(len(table))
    ax.hlines(table.share, x - 0.38, x + 0.38, color=COLOURS["quiet"], lw=1.5, label="share outside the hole")
    down = np.stack([table["U-Acc"] - table["L-Acc"], 0 * x])
    ax.errorbar(x - 0.15, table["U-Acc"], down, fmt="D", ms=4.5, color=COLOURS["theory"], label="published")
    places = {row: n + 0.15 for n, row in enumerate(table.index)}
    kinds = {"ours, right outside the hole": True, "ours, not yet right outside the hole": False}
    for label, done in kinds.items():
        own = runs[runs.generalised.fillna(True) == done]
        face = COLOURS["test"] if done else "white"
        ax.plot(own.row.map(places), own.upper, "o", ms=5.5, color=COLOURS["test"], mfc=face, label=label)
    ax.set_xticks(x, table.index, rotation=45, ha="right")
    ax.set(ylabel="test accuracy (%)", ylim=(-3, 103))
    fig.legend(loc="outside lower center", ncols=2)
    return fig
