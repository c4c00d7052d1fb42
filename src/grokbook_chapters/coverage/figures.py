"""Figures of chapter 04a: which cells are covered, what a disc holds, when all are covered."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from grokbook.plotting.grids import on_grid
from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, mark, panel, panels, styled
from grokbook.theory.coverage import distance_to_training, printed_fraction, same_class_distance

SIDE = 15
"""Side of the grid on which two discs are drawn."""

LOOKS = {"torus": ("measure", "torus"), "grid": ("quiet", "bounded grid")}
"""Colour and label of both grids."""


def _kinds(grids: Mapping[str, np.ndarray], colours: Mapping[str, str], height: float) -> Figure:
    """Grids beside each other, a colour for each number; names in `colours` that begin with a blank
    stay out of the legend."""
    fig, axes = panels(1, len(grids), height=height)
    for ax, kind in zip(axes[0], grids.values(), strict=True):
        ax.imshow(kind, cmap=ListedColormap([*colours.values()]), vmin=0, vmax=len(colours) - 1)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(5, integer=True))
    on_grid(axes[0], grids)
    patches = []
    for name, colour in colours.items():
        if not name.startswith(" "):
            patches.append(Patch(fc=colour, ec=COLOURS["quiet"], lw=0.6, label=name))
    fig.legend(handles=patches, loc="outside lower center", ncols=len(patches))
    return fig


@styled
def uncovered(mask: np.ndarray, near: np.ndarray, own: np.ndarray, k: int) -> Figure:
    """The training cells `mask`, and which cells are `k` or more away from the nearest of them, and
    from the nearest of their own class."""
    colours = {
        "covered test cell": "#f6f6f6",
        "training cell": "#9cc4de",
        "uncovered": COLOURS["test"],
    }
    kinds = {}
    for name, far in (("by its own class", own >= k), ("by any class", near >= k)):
        kinds[f"{name}: {far.sum():,} uncovered"] = np.where(far, 2, mask)
    fig = _kinds(kinds, colours, height=3.2)
    for ax, kind in zip(fig.axes, kinds.values(), strict=True):
        rows, columns = np.nonzero(kind == 2)
        if len(rows) < 0.02 * kind.size:  # few: larger squares
            ax.plot(columns, rows, "s", ms=3, color=COLOURS["test"])
        _diamond(ax, own >= k, k)
    return fig


def _diamond(ax: Axes, far: np.ndarray, k: int) -> None:
    """The border of the disc about the cell of `far` that is nearest to the middle."""
    cells = np.argwhere(far)
    if len(cells) == 0:
        return
    distances = np.abs(cells - len(far) // 2).sum(axis=1)
    row, column = cells[distances.argmin()]
    x = column + k * np.array([0, 1, 0, -1, 0])
    y = row + k * np.array([1, 0, -1, 0, 1])
    ax.plot(x, y, color=COLOURS["theory"], lw=1.4)
    ax.plot(column, row, ".", ms=4, color=COLOURS["theory"])


@styled
def discs(k: int) -> Figure:
    """Two discs of radius at most 4: on the bounded grid, on the torus, and of their own class."""
    radius = min(k, 4)
    training = np.zeros((SIDE, SIDE), dtype=bool)
    training[1, 1] = True
    training[SIDE // 2 + 1, SIDE // 2 + 1] = True
    bounded = distance_to_training(training) < radius
    ring = distance_to_training(training, torus=True) < radius
    own = ring & (same_class_distance(training, torus=True) < radius)
    colours = {
        " ground": "#eeeeee",
        "covered": "#8fd0bb",
        "training cell": COLOURS["train"],
        "covered, same class $i+j$": COLOURS["second"],
    }
    kinds = {"bounded grid": 1 * bounded, "torus": 1 * ring, "of the same class": ring + 2 * own}
    marked = {name: np.where(training, 2, kind) for name, kind in kinds.items()}
    return _kinds(marked, colours, height=2.9)


@styled
def covered_by(farthest: pd.DataFrame) -> Figure:
    """In what share of the draws all cells are covered, by the radius: `farthest` has a column a
    kind of cell, a row a draw, with the distance of the cell that is farthest off."""
    fig, ax = panel()
    for name, colour in (("any class", "quiet"), ("own class", "measure")):
        ax.ecdf(farthest[name] + 1, color=COLOURS[colour], label=name)
    ax.axhline(0.95, color=COLOURS["theory"], lw=0.8, ls=":")
    ax.set(xlabel="radius $k$", ylabel="share of draws all covered", xlim=(0, None))
    name_lines(ax)
    return fig


@styled
def coverage(table: pd.DataFrame, p: int, k: int) -> Figure:
    """Uncovered cells, and the probability that there is none, against the training fraction;
    `table` is that of `simulated`."""
    fig, ((left, right),) = panels(1, 2, height=3.5)
    for grid, rows in table.groupby("grid", sort=False):
        colour, label = LOOKS[grid]
        dashed = {"color": COLOURS[colour], "ls": "--", "lw": 1.1}
        dots = {"color": COLOURS[colour], "ls": "", "marker": "o", "ms": 4}
        left.plot(rows.fraction, rows.expected, label=label, **dashed)
        left.plot(rows.fraction, rows.uncovered.where(rows.uncovered > 0), **dots)
        right.plot(rows.fraction, rows.bound, **dashed)
        right.plot(rows.fraction, rows.covered, **dots)
    left.axhline(1, color=COLOURS["quiet"], lw=0.6)
    left.set(yscale="log", ylabel="uncovered cells")
    left.set_ylim(bottom=2e-3)
    right.set(ylim=(-0.04, 1.04), ylabel="P(all covered)")
    for ax in (left, right):
        mark(ax, printed_fraction(p, k), r"printed $2\ln p/C$", COLOURS["theory"])
        ax.set_xlabel(r"training fraction $\alpha$")
    name_lines(left)
    return fig
