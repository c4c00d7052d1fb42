"""Figures of chapter 08: the flow that is dragged, one start of each case, two planes, the cube."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.page.interactive import interactive
from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook.theory.triple_product import flow, limit_point, velocity
from grokbook_chapters.lyapunov_phase_portrait.cube_limits import cube_limits

CASES = {"surface": (0.2, 0.5, 0.9), "crossing": (-0.2, 0.5, 0.9), "saddle": (-0.5, 0.5, 1.2)}
"""A start of each case in which something moves."""

GREEN = COLOURS["measure"]
BLACK = COLOURS["theory"]
QUIET = COLOURS["quiet"]


CAPTION = (
    "A path ends where its dashed curve meets the surface, seldom at $(1, 1, 1)$. One path, seen",
    "in $x$ and $w$ and in $u$ and $w$; the surface is cut where the path ends. $V$, defined",
    "below, is the paper's function.",
)
ALT = (
    "An interactive figure with two planes, x and w on the left, u and w on the right. A movable",
    "start, its path along a dashed hyperbola to the surface, and a cross at the exact limit;",
    "numbers stand below as text.",
)


def explorer(name: str, start: Sequence[float]) -> None:
    """Put the flow on the page as the figure `name`, with a start that a reader drags."""
    values = {"start": [*start], "target": 1}
    interactive("flow_explorer", name, " ".join(CAPTION), " ".join(ALT), values)


@styled
def kinds() -> Figure:
    """The three numbers against time for one start of each case, dashed: the limits."""
    times = np.linspace(0, 6, 150)
    fig, axes = panels(1, len(CASES), height=2.1, sharey=True)
    for ax, (case, start) in zip(axes[0], CASES.items(), strict=True):
        ax.hlines(limit_point(np.array(start)), 0, 6, ls="--", lw=1, color=BLACK)
        ax.plot(times, flow(start, times), color=GREEN, lw=1.8)
        for name, value in zip("xwu", start, strict=True):
            look = {"ha": "right", "va": "center", "textcoords": "offset points"}
            ax.annotate(f"${name}$", (0, value), (-4, 0), **look)
        ax.set(xlabel="time $t$", title=case, xlim=(-1, 6))
    return fig


@styled
def planes() -> Figure:
    """Streamlines in the plane x = w, which no path leaves, and of the velocity in u = 1."""
    line = np.linspace(-1.6, 1.6, 65)
    across, up = np.meshgrid(line, line)
    fig, ((left, right),) = panels(1, 2, height=3.9)
    _plane(left, line, np.stack([across, across, up], axis=-1), vertical=2)
    left.plot([0, 0], [-1.6, 1.6], color=BLACK, ls=":", lw=2.4)
    left.set(title="plane $x = w$: invariant", xlabel="$x = w$", ylabel="$u$")
    _plane(right, line, np.stack([across, up, np.ones_like(up)], axis=-1), vertical=1)
    right.set(title="plane $u = 1$: part in the plane", xlabel="$x$", ylabel="$w$")
    return fig


def _plane(ax: Axes, line: np.ndarray, points: np.ndarray, vertical: int) -> None:
    """Streamlines at points (n, n, 3) of a plane: x across, coordinate `vertical` upwards; and the
    surface."""
    speeds = velocity(points)
    look = {"color": GREEN, "linewidth": 0.9, "density": 0.9}
    ax.streamplot(line, line, speeds[..., 0], speeds[..., vertical], **look)
    ax.contour(line, line, points.prod(axis=-1), [1], linewidths=2.4, colors=[BLACK])
    ax.plot([1], [1], "o", ms=7, mfc="white", mec=BLACK)
    ax.set(aspect="equal", xlim=(-1.6, 1.6), ylim=(-1.6, 1.6))
    ax.grid(False)


@styled
def cube(n_paths: int, seed: int) -> Figure:
    """Paths of random starts of the unit cube, seen along the u-axis, and the straight ways to (1,
    1, 1)."""
    few = cube_limits(n_paths, seed)
    times = 40.0 * np.linspace(0, 1, 240) ** 3  # dense at first
    fig, ax = panel(height=4.4)
    ax.plot([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], color=QUIET, lw=1)
    for start in few.starts:
        path = flow(start, times, rtol=1e-8)
        ax.plot([start[0], 1], [start[1], 1], ":", lw=1, color=QUIET)
        ax.plot(path[:, 0], path[:, 1], color=GREEN, lw=1.3)
    for points, face in ((few.starts, "white"), (few.limits, GREEN)):
        ax.plot(*points[:, :2].T, "o", ms=4.5, mfc=face, mec=GREEN)
    ax.plot([1], [1], "D", ms=8, mfc="none", mec=BLACK, mew=1.5)
    look = {"ha": "center", "arrowprops": {"arrowstyle": "-", "lw": 0.8, "shrinkB": 5}}
    ax.annotate("$(1, 1, 1)$", (1, 1), (1.2, 1.3), **look)
    ax.set(xlabel="$x$", ylabel="$w$", aspect="equal", xlim=(-0.05, 1.4), ylim=(-0.05, 1.4))
    return fig
