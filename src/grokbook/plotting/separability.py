"""Pictures of separability: the three notions in the plane, and the share of separable class pairs by stage."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from scipy.spatial import ConvexHull, QhullError

from grokbook.measures import separate
from grokbook.plotting.style import COLOURS, panels, styled

FIRST, SECOND = COLOURS["train"], COLOURS["hole"]


def _hull(ax: Axes, points: np.ndarray, colour: str) -> None:
    """Points with their convex hull; a segment where they lie on a line."""
    ax.plot(points[:, 0], points[:, 1], "o", ms=5, color=colour)
    try:
        corners = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        ax.plot(points[:, 0], points[:, 1], color=colour, lw=1.5, alpha=0.6)
        return
    ax.add_patch(Polygon(corners, color=colour, alpha=0.2, lw=0))


@styled
def three_notions(first: np.ndarray, second: np.ndarray, meeting: np.ndarray) -> Figure:
    """Two sets with disjoint hulls and the widest slab; the same on the first axis; a set whose hull meets them."""
    fig, axes = panels(1, 3, height=2.9)
    found = separate(first, second)
    left, middle, right = axes[0]
    _hull(left, first, FIRST)
    _hull(left, second, SECOND)
    xs = np.array([min(first[:, 0].min(), second[:, 0].min()), max(first[:, 0].max(), second[:, 0].max())])
    for shift in (-found.gap / 2, 0, found.gap / 2):
        style = "-" if shift == 0 else ":"
        left.plot(xs, (found.offset + shift - found.normal[0] * xs) / found.normal[1], style, color=COLOURS["theory"])
    for points, colour, height in ((first, FIRST, 0.1), (second, SECOND, -0.1)):
        flat = np.column_stack([points[:, 0], np.full(len(points), height)])
        _hull(middle, flat, colour)
    middle.set_ylim(-1, 1)
    middle.set_yticks([])
    _hull(right, first, FIRST)
    _hull(right, meeting, SECOND)
    for ax, title in zip(axes[0], ("convexly separable", "not on the first axis", "topologically only"), strict=True):
        ax.set_title(title)
        ax.set_xlabel("first coordinate")
    left.set_ylabel("second coordinate")
    return fig


@styled
def shares_by_stage(table: pd.DataFrame) -> Figure:
    """Share of separable class pairs by stage: one mark a network, hollow marks with shuffled labels; all, train."""
    fig, axes = panels(1, 2, height=3.4, sharey=True)
    stages, whens = list(dict.fromkeys(table.stage)), list(dict.fromkeys(table.when))
    colours = dict(zip(whens, (COLOURS["quiet"], COLOURS["test"], COLOURS["measure"]), strict=False))
    for ax, cells in zip(axes[0], ("all", "train"), strict=True):
        part = table[table.cells == cells]
        for n, when in enumerate(whens):
            rows = part[part.when == when]
            x = rows.stage.map(stages.index) + 0.24 * (n - 1)
            ax.plot(x - 0.05, rows.share, "o", ms=5, color=colours[when], label=when)
            ax.plot(x + 0.05, rows.null, "o", ms=5, mfc="none", color=colours[when])
        ax.set_xticks(range(len(stages)), [stage.replace(" of ", "\nof ") for stage in stages])
        ax.set_title({"all": "all cells", "train": "training cells"}[cells])
        ax.set_ylim(-0.05, 1.05)
    axes[0, 0].plot([], [], "o", mfc="none", color=COLOURS["theory"], label="labels shuffled")
    axes[0, 0].set_ylabel("share of class pairs")
    axes[0, 0].legend(loc="upper left")
    return fig
