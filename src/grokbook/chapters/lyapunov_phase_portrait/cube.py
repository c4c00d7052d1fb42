"""Figures of the starts of the unit cube: their trajectories, and where they end."""

from __future__ import annotations

import numpy as np
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.cube_limits import CubeLimits, cube_limits, largest_distance
from grokbook.theory.triple_product import flow
from grokbook.theory.triple_stability import printed_v


@styled
def trajectories(n: int = 14, seed: int = 0) -> Figure:
    """Trajectories of n random starts of the unit cube seen along the u-axis, and their distance to (1, 1, 1) in time.

    Blue dots start, vermilion dots end, the white ring is (1, 1, 1). Grey dashes join each start to (1, 1, 1), towards
    which the papers say it moves.
    """
    limits = cube_limits(n, seed)
    times = 40.0 * np.linspace(0, 1, 240) ** 3  # dense at first
    paths = [flow(start, times, rtol=1e-8) for start in limits.starts]
    fig, ((flat, right),) = panels(1, 2, height=3.9)
    _draw_flat(flat, limits, paths)
    for path in paths:
        right.plot(times, np.sqrt(printed_v(path)), color=COLOURS["measure"], lw=1.1)
    right.set(xlabel="time $t$", ylabel="distance to $(1, 1, 1)$", xlim=(0, 6), ylim=(0, None))
    flat.legend(loc="upper left", handletextpad=0.5)
    return fig


def _draw_flat(ax: Axes, limits: CubeLimits, paths: list[np.ndarray]) -> None:
    ax.plot([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], color=COLOURS["quiet"], lw=1)
    for start in limits.starts:
        ax.plot([start[0], 1], [start[1], 1], color=COLOURS["quiet"], lw=0.9, ls="--")
    for path in paths:
        ax.plot(path[:, 0], path[:, 1], color=COLOURS["train"], lw=1.3)
    ax.plot(*limits.starts[:, :2].T, "o", ms=4, color=COLOURS["train"], label="start")
    ax.plot(*limits.limits[:, :2].T, "o", ms=5.5, color=COLOURS["test"], label="where it ends")
    ax.plot([1], [1], "o", ms=8, mfc="none", mec=COLOURS["theory"], mew=1.5, label="$(1, 1, 1)$")
    ax.plot([], [], color=COLOURS["quiet"], ls="--", label="towards it")
    ax.set(xlabel="$x$", ylabel="$w$", aspect="equal", xlim=(-0.05, 1.4), ylim=(-0.05, 1.4))


@styled
def limit_distribution(limits: CubeLimits) -> Figure:
    """Where uniform starts of the cube end: histogram of the distance to (1, 1, 1), and the limits' x and w."""
    fig, ((left, right),) = panels(1, 2, height=3.5)
    sns.histplot(limits.distance, bins=45, binrange=(0, 0.45), stat="density", color=COLOURS["measure"], alpha=0.6,
                 linewidth=0, ax=left)  # fmt: skip
    top = left.get_ylim()[1] * 1.08
    marks = ("mean", limits.mean_distance[0], "-", "left", 4), ("largest", largest_distance(), "--", "right", -4)
    for name, where, dashes, side, off in marks:
        left.axvline(where, color=COLOURS["theory"], ls=dashes, lw=1.6)
        left.annotate(name, (where, top), (off, -2), textcoords="offset points", va="top", ha=side)
    left.set(xlabel="distance of the limit from $(1, 1, 1)$", ylabel="density of starts", xlim=(0, 0.46), ylim=(0, top))
    shown = limits.limits[:4000]
    dots = right.scatter(shown[:, 0], shown[:, 1], c=shown[:, 2], s=4, cmap="cividis", rasterized=True)
    right.plot([0.6, 1, 1], [1, 1, 0.6], color=COLOURS["quiet"], lw=1.2)
    right.plot([1], [1], "o", ms=8, mfc="none", mec=COLOURS["test"], mew=1.8)
    right.set(xlabel="limit $x$", ylabel="limit $w$", aspect="equal", xlim=(0.62, 1.36), ylim=(0.62, 1.36))
    fig.colorbar(dots, ax=right, label="limit $u$", shrink=0.85)
    return fig
