"""The figure of chapter 09: a mark for every pair of runs with one seed."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled


@styled
def same_seed_ratios(pairs: pd.DataFrame) -> Figure:
    """Ratio of the grok step to that of the baseline's run of the same seed, a panel for each place, settings as rows.

    `pairs`: columns of `comparison.same_seed`, index where, setting, seed. A dot is a pair that is known, a triangle to
    the right one where only the baseline generalised (the ratio is above), to the left where only the other did
    (below); pairs where neither did are not drawn. The tick of a row is the median of its pairs where that is known.
    """
    groups = [(where, table.groupby("setting", sort=False)) for where, table in pairs.groupby("where", sort=False)]
    sizes = [len(settings) for _, settings in groups]
    height = {"height": 0.9 + 0.5 * len(sizes) + 0.3 * sum(sizes), "height_ratios": sizes}
    fig, axes = panels(len(sizes), 1, **height, sharex=True)
    fig.set_figwidth(5)  # narrow, so that a phone leaves the type readable
    for ax, (where, settings) in zip(axes[:, 0], groups, strict=True):
        for row, (_, table) in enumerate(settings):
            _marks(ax, row, table)
        ax.axvline(1, color=COLOURS["quiet"], lw=1, zorder=0)
        ax.set_yticks(range(len(settings)), [setting for setting, _ in settings])
        ax.set(ylim=(len(settings) - 0.5, -0.5), xscale="log")
        ax.set_title(where, fontsize=9, loc="left")
    axes[-1, 0].set_xlabel("grok step / that of the normal start, same seed")
    ticks = (0.1, 0.2, 0.5, 1, 2, 5)
    axes[-1, 0].set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes[-1, 0].minorticks_off()
    return fig


def _marks(ax: Axes, row: int, pairs: pd.DataFrame) -> None:
    known = pairs.low == pairs.high
    below, above = ~known & (pairs.low == 0) & np.isfinite(pairs.high), ~known & (pairs.low > 0)
    for chosen, column, marker, face in (
        (known, "low", "o", COLOURS["test"]),
        (below, "high", "<", "none"),
        (above, "low", ">", "none"),
    ):
        height = row + (np.flatnonzero(chosen) % 5 - 2) * 0.1
        ax.plot(pairs[column][chosen], height, marker, ms=4.5, mfc=face, mec=COLOURS["test"], ls="none")
    ends = pairs.low.median(), pairs.high.median()
    if len(pairs) > 2 and ends[0] == ends[1]:
        ax.plot([ends[0]] * 2, [row - 0.4, row + 0.4], color=COLOURS["theory"], lw=1.5)
