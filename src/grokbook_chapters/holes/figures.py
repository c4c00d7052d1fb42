"""Figures of chapter 04b: accuracy outside a hole and in it, the ceilings of Table 1, three shares
that might explain them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from grokbook.plotting.grids import draw_split
from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook.tasks.arithmetic import ModularTask
from grokbook_chapters.holes.counts import best_radius, covered_shares, predictors
from grokbook_chapters.labelled import Datasets

OURS = COLOURS["test"]
QUIET = COLOURS["quiet"]
BLACK = COLOURS["theory"]


@styled
def parts(tasks: Mapping[str, ModularTask], runs: Datasets, swaps: Mapping[str, float]) -> Figure:
    """The cells of each task, and beside them the test accuracy outside the hole and in it; dotted:
    `swaps`, the share of the hole's cells whose swap is trained."""
    fig, axes = panels(1, 2 * len(runs), height=2.4)
    for number, (name, run) in enumerate(runs.items()):
        grid, ax = axes[0, 2 * number : 2 * number + 2]
        _cells(grid, tasks[name])
        ax.plot(run.step, run.test_accuracy_outside_hole, color=OURS, lw=1.2, label="outside")
        look = {"color": COLOURS["second"], "lw": 1.2, "label": "in the hole"}
        ax.plot(run.step, run.test_accuracy_in_hole, **look)
        ax.axhline(swaps[name], color=BLACK, ls=":", lw=1.4)
        grid.set_title(name, fontsize=9)
        ax.set(xlabel="optimiser step", ylabel="test accuracy", ylim=(-0.06, 1.06))
        ax.xaxis.set_major_locator(MaxNLocator(3, integer=True))
        for part in (grid, ax):
            part.set_box_aspect(1)  # so that a narrow drawing has both beside each other
        name_lines(ax)
    return fig


def _cells(ax: Axes, task: ModularTask) -> None:
    """The split of a task, its hole with the word."""
    draw_split(ax, task)
    row, column = np.argwhere(task.hole_mask).mean(axis=0)
    ax.text(column, row, "hole", color=COLOURS["ground"], ha="center", va="center", fontsize=9)
    ax.set(xticks=[], yticks=[], xlabel="$j$", ylabel="$i$")
    ax.grid(False)


@styled
def ceilings(table: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """The eleven rows: U-Acc with a line down to L-Acc, the limits of our runs, open where one was
    not yet right outside its hole, and a mark at the share of test cells outside it."""
    fig, ax = panel(height=4.5)
    names = sorted(table.index, key=lambda row: (row < "STRIP", row))
    y = pd.Series(range(len(names), 0, -1), names)
    level = y[table.index]
    ax.plot(table.share, level, "|", ms=18, mew=2, color=QUIET)
    ax.hlines(level + 0.17, table["L-Acc"], table["U-Acc"], color=BLACK, lw=1.2)
    ax.plot(table["U-Acc"], level + 0.17, "D", ms=5, color=BLACK)
    done = runs.generalised.fillna(True).astype(bool)
    for own, face in ((runs[done], OURS), (runs[~done], "none")):
        ax.plot(own.upper, own.row.map(y) - 0.17, "o", ms=5.5, color=OURS, mfc=face)
    first = table.loc[names[0]]
    look = {"va": "center", "ha": "center", "fontsize": 9}
    ax.text(first.share, y.max() + 0.75, "outside the hole", color=QUIET, **look)
    ax.text(first["U-Acc"], y.max() + 0.75, "published", color=BLACK, **look)
    highest = runs.upper[runs.row == names[0]].max()
    ax.text(highest + 6, y.max() - 0.17, "ours", color=OURS, **look)
    ax.set_yticks(y, y.index)
    ax.set(xlim=(-3, 106), ylim=(0.3, y.max() + 1.2), xlabel="test accuracy (%)")
    ax.grid(axis="y", visible=False)
    return fig


@styled
def three_shares() -> Figure:
    """Published accuracies against three shares of the test cells: outside the hole, in either
    order, and nearer to a training cell than the radius that fits best."""
    frame = predictors()
    covered = covered_shares()
    radius = best_radius(covered, frame["U-Acc"].to_numpy()).n
    shares = {
        "outside the hole": frame["outside"],
        "in either order": frame["either order"],
        f"nearer than {radius}": pd.Series(covered[:, radius - 1], frame.index),
    }
    fig, axes = panels(1, len(shares), height=3.2, sharey=True)
    for ax, (title, share) in zip(axes[0], shares.items(), strict=True):
        ax.plot([0, 100], [0, 100], ls="--", lw=1, color=BLACK)
        ax.set(title=title, xlabel="% of test cells", xlim=(-4, 104), ylim=(-3, 103))
        for split, marker, face in (("square", "o", COLOURS["measure"]), ("strip", "^", "white")):
            own = frame[frame.split == split]
            look = {"ms": 6, "mfc": face, "color": COLOURS["measure"], "ls": "none"}
            ax.plot(share[own.index], own["U-Acc"], marker, **look)
        for row in frame.index[frame.split == "strip"]:
            place = (share[row], frame["U-Acc"][row])
            look = {"ha": "center", "va": "center", "fontsize": 8}
            ax.annotate(row[6:], place, _aside(*place), textcoords="offset points", **look)
    axes[0, 0].set_ylabel("published accuracy (%)")
    return fig


def _aside(share: float, accuracy: float) -> tuple[int, int]:
    """Where a label stands beside a point, in points: away from the diagonal and the axis."""
    if share < 6:
        return (3, 9)
    return (10, -5) if accuracy < share else (-9, 5)
