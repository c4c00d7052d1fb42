"""Figures of chapter 09: a mark for every pair of runs with one seed, and the tables that an embedding starts from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.errors import ParameterError
from grokbook.plotting.style import COLOURS, panels, styled


@styled
def same_seed_ratios(groups: Mapping[str, Mapping[str, pd.DataFrame]]) -> Figure:
    """Ratio of the grok step to that of the baseline's run of the same seed, one panel a group, settings as rows.

    A dot is a pair that is known, a triangle to the right one where only the baseline generalised (the ratio is above),
    to the left where only the other did (below); pairs where neither did are not drawn. The tick of a row is the median
    of its pairs where that is known. `groups`: name -> label -> table of `comparison.same_seed`. Raises ParameterError
    for none.
    """
    if not any(map(len, groups.values())):
        raise ParameterError("there are no settings to draw, but the figure needs one or more.")
    sizes = [max(len(rows), 1) for rows in groups.values()]
    height = {"height": 0.9 + 0.5 * len(sizes) + 0.3 * sum(sizes), "height_ratios": sizes}
    fig, axes = panels(len(sizes), 1, **height, sharex=True)
    fig.set_figwidth(5)  # narrow, so that a phone leaves the type readable
    for ax, (name, rows) in zip(axes[:, 0], groups.items(), strict=True):
        for row, pairs in enumerate(rows.values()):
            _marks(ax, row, pairs)
        ax.axvline(1, color=COLOURS["quiet"], lw=1, zorder=0)
        ax.set_yticks(range(len(rows)), list(rows))
        ax.set(ylim=(len(rows) - 0.5, -0.5), xscale="log")
        ax.set_title(name, fontsize=9, loc="left")
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


@styled
def starting_tables(tables: Mapping[str, np.ndarray]) -> Figure:
    """Initial embeddings as images, symbols down and features across, one scale for all; label -> (p, d)."""
    if not tables:
        raise ParameterError("there are no tables to draw, but the figure needs one or more.")
    columns = min(4, len(tables))
    rows = -(-len(tables) // columns)
    fig, axes = panels(rows, columns, height=0.3 + 1.8 * rows, sharex=True, sharey=True)
    largest = max(float(np.abs(t).max()) for t in tables.values())
    for ax in axes.flat[len(tables) :]:
        ax.set_visible(False)
    for ax, (label, table) in zip(axes.flat, tables.items(), strict=False):
        ax.imshow(table, cmap="RdBu_r", vmin=-largest, vmax=largest, aspect="auto", interpolation="nearest")
        ax.set_title(label, fontsize=9)
        ax.grid(visible=False)
    fig.supxlabel("feature", fontsize=9)
    fig.supylabel("symbol", fontsize=9)
    return fig
