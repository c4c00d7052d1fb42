"""Figures of chapter 09: a mark for every grok step, and the tables that an embedding starts from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.errors import ParameterError
from grokbook.plotting.style import COLOURS, panels, styled


@styled
def grok_steps(tables: Mapping[str, pd.DataFrame | None]) -> Figure:
    """Grok step of every run, settings as rows: dots for runs that generalised, open triangles for those that did not.

    A triangle stands at the run's last step and means "later than this"; one seed keeps its height in every row; a row
    without runs says "not run". `tables`: label -> table of `grok_times` or None. Raises ParameterError for none.
    """
    if not tables:
        raise ParameterError("there are no settings to draw, but the figure needs one or more.")
    fig, axes = panels(1, 1, height=1.0 + 0.36 * len(tables))
    ax = axes[0, 0]
    for row, table in enumerate(tables.values()):
        if table is None:
            ax.text(0.02, row, "not run", transform=ax.get_yaxis_transform(), va="center", color=COLOURS["quiet"])
        else:
            _marks(ax, row, table)
    ax.set_yticks(range(len(tables)), list(tables))
    ax.set_ylim(len(tables) - 0.5, -0.5)
    ax.set_xscale("log")
    ax.set_xlabel("grok step")
    return fig


def _marks(ax: Axes, row: int, table: pd.DataFrame) -> None:
    height = row + (np.asarray(table.index, dtype=float) % 5 - 2) * 0.12
    seen = table.grok_step.notna().to_numpy()
    ax.plot(table.grok_step[seen].astype(float), height[seen], "o", ms=4.5, color=COLOURS["test"])
    late = table.last_step[~seen].astype(float)
    ax.plot(late, height[~seen], ">", ms=5, mfc="none", mec=COLOURS["test"])


@styled
def starting_tables(tables: Mapping[str, np.ndarray]) -> Figure:
    """Initial embeddings as images, symbols down and features across, one scale for all; label -> (p, d)."""
    if not tables:
        raise ParameterError("there are no tables to draw, but the figure needs one or more.")
    fig, axes = panels(1, len(tables), height=2.1, sharey=True)
    largest = max(float(np.abs(t).max()) for t in tables.values())
    for ax, (label, table) in zip(axes[0], tables.items(), strict=True):
        ax.imshow(table, cmap="RdBu_r", vmin=-largest, vmax=largest, aspect="auto", interpolation="nearest")
        ax.set_title(label, fontsize=9)
        ax.set_xlabel("feature")
        ax.grid(visible=False)
    axes[0, 0].set_ylabel("symbol")
    return fig
