"""Figures of chapter 13: quotients as graphs, shares of cells that suffice, matrices in the plane,
trained networks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from scipy.spatial import ConvexHull

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook_chapters.groups.group_deduction import deduced
from grokbook_chapters.groups.trained import GOAL, all_right, components, exact_kinds, matrices
from grokbook_chapters.labelled import Datasets

LOOKS = ((":", "quiet"), ("-", "theory"), ("--", "second"), ("-.", "measure"))
ROTATIONS = [0, 3, 4]
SWAPS = [1, 2, 5]
"""The even and the odd permutations among the elements of S3."""

SETTINGS = {"as printed": ("quiet", "s"), "matrices decay": ("measure", "o")}


def cells_of(table: np.ndarray, q: int, edges: Iterable[tuple[int, int]]) -> np.ndarray:
    """The training cells of the equalities E_bq E_d = E_b E_qd, for edges (b, d), bool (n, n)."""
    trained = np.zeros(table.shape, dtype=bool)
    for b, d in edges:
        trained[table[b, q], d] = True
        trained[b, table[q, d]] = True
    return trained


def random_cells(table: np.ndarray, cells: int, seed: int) -> np.ndarray:
    """So many random cells of a table, bool (n, n)."""
    order = np.random.default_rng(seed).permutation(table.size)
    return (order < cells).reshape(table.shape)


def quotient_edges(
    table: np.ndarray, trained: np.ndarray, q: int
) -> dict[str, list[tuple[int, int]]]:
    """The edges (b, d) of the graph of q, E_bq E_d = E_b E_qd: those of two trained cells, and
    those deduced besides.

    Example:
        >>> from grokbook.tasks.groups import cayley_table
        >>> edges = quotient_edges(cayley_table("S3"), np.ones((6, 6)), 1)
        >>> len(edges["trained"]), len(edges["deduced"])
        (36, 0)
    """
    b, d = np.indices(table.shape)
    left = table[b, q]
    known = deduced(table, trained)[table[left, d], left, b]
    mask = np.asarray(trained) > 0
    seen = mask[left, d] & mask[b, table[q, d]]
    return {"trained": np.argwhere(seen).tolist(), "deduced": np.argwhere(known & ~seen).tolist()}


@styled
def quotients(table: np.ndarray, q: int, masks: Mapping[str, np.ndarray]) -> Figure:
    """The graph of q for each set of training cells: left quotients as circles, right ones as
    squares; equalities of trained cells solid, deduced ones dashed."""
    fig, axes = panels(1, len(masks), height=3.4)
    for ax, (title, trained) in zip(axes[0], masks.items(), strict=True):
        edges = quotient_edges(table, trained, q)
        for b, d in edges["trained"]:
            ax.plot([0, 1], [-b, -d], color=COLOURS["train"], lw=1.8)
        for b, d in edges["deduced"]:
            ax.plot([0, 1], [-b, -d], "--", color=COLOURS["measure"], lw=1.3, alpha=0.8)
        left, right = np.reshape(edges["trained"] + edges["deduced"], (-1, 2)).T
        _nodes(ax, table, q, set(left), set(right))
        ax.set(
            title=f"{title}: {len(edges['deduced'])} deduced",
            xlim=(-0.75, 1.75),
            ylim=(0.7 - len(table), 0.9),
        )
        ax.axis("off")
    return fig


def _nodes(ax: Axes, table: np.ndarray, q: int, left: set[int], right: set[int]) -> None:
    """The quotients of both columns that an edge ends at, their names on the outer side."""
    look = {"va": "center", "fontsize": 9, "color": COLOURS["theory"]}
    for k in left:
        ax.plot(0, -k, "o", color=COLOURS["theory"], ms=6)
        ax.text(-0.12, -k, rf"$E_{{{k}}}^{{-1}}E_{{{table[k, q]}}}$", ha="right", **look)
    for k in right:
        ax.plot(1, -k, "s", color=COLOURS["theory"], ms=6)
        ax.text(1.12, -k, rf"$E_{{{table[q, k]}}}E_{{{k}}}^{{-1}}$", ha="left", **look)


@styled
def rising(curves: pd.DataFrame, xlabel: str, marked: float | None = None) -> Figure:
    """Each column over the share of what is trained, with its name; dotted upright: a share that is
    published."""
    fig, ax = panel(height=3.0)
    for (name, curve), (line, colour) in zip(curves.items(), LOOKS, strict=False):
        ax.plot(curve.index, curve, line, label=name, color=COLOURS[colour])
    if marked is not None:
        label = f"published: {marked:g}"
        ax.axvline(marked, color=COLOURS["theory"], ls=":", lw=1.4, label=label)
    ax.set(xlabel=xlabel, ylabel="share", ylim=(-0.03, 1.05))
    name_lines(ax)
    return fig


@styled
def by_group(shares: pd.DataFrame) -> Figure:
    """The share of cells from which the two rules deduce the table, a row a group, beside the least
    share that can fix its matrices."""
    drawn = shares.sort_values(["elements", "share"], ignore_index=True)
    fig, ax = panel(height=1.2 + 0.22 * len(drawn))
    colour = COLOURS["theory"]
    for row in drawn.itertuples():
        fill = colour if row.Abelian else "none"
        ax.plot(row.share, -row.Index, "o", ms=6.5, mec=colour, mfc=fill)
        least = (2 * row.elements - 1) / row.elements**2
        ax.plot(least, -row.Index, "|", ms=11, mew=1.6, color=COLOURS["quiet"])
    ax.set_yticks(-drawn.index, drawn.group)
    ax.set(xlabel="share of the cells", ylim=(-len(drawn) + 0.4, 0.6))
    return fig


def pictured(rows: pd.DataFrame, networks: Datasets, seed: int) -> dict[str, np.ndarray]:
    """Six sets of six 3x3 matrices by title: both exact kinds in one random basis, random ones, and
    those of the trained runs with the best and the lowest RQI.

    `rows` are what `measured` says of the `networks`.
    """
    rng = np.random.default_rng(seed)
    basis = rng.normal(size=(3, 3))
    sets = {}
    for name, exact in exact_kinds().items():
        sets[name.removeprefix("permutations ")] = basis @ exact @ np.linalg.inv(basis)
    sets["random"] = rng.normal(size=(6, 3, 3))

    def add(title: str, row: int, snapshot: int) -> None:
        setting, cells, run = rows.loc[row, ["setting", "cells", "seed"]]
        history = matrices(networks[setting, cells].sel(seed=run))
        sets[f"{title}\n{setting}, {cells} cells"] = history[snapshot]

    add("best RQI, start", rows.rqi.idxmax(), 0)
    add("best RQI, end", rows.rqi.idxmax(), -1)
    add("lowest RQI, end", rows.rqi.idxmin(), -1)
    return sets


@styled
def planes(sets: Mapping[str, np.ndarray]) -> Figure:
    """First and third principal component of the matrices of S3, (6, k, k), rotations filled and
    swaps hollow, and the hull of the points; three panels a row."""
    fig, axes = panels(len(sets) // 3, 3, height=2.7 * (len(sets) // 3))
    for ax, (title, drawn) in zip(axes.flat, sets.items(), strict=True):
        points = components(drawn)[:, [0, 2]]
        hull = points[ConvexHull(points).vertices]
        ax.fill(*hull.T, fill=False, ls=":", ec=COLOURS["quiet"])
        ax.plot(*points[ROTATIONS].T, "o", ms=6, color=COLOURS["theory"])
        ax.plot(*points[SWAPS].T, "o", ms=6, color=COLOURS["theory"], mfc="none")
        for number, point in enumerate(points):
            ax.annotate(str(number), point, (5, 5), fontsize=9, textcoords="offset points")
        ax.set(title=title, xlabel="PC1", ylabel="PC3")
        ax.margins(0.18)
    return fig


@styled
def networks(rows: pd.DataFrame) -> Figure:
    """Trained networks by setting: how many answer all cells and how many close nearly all
    parallelograms, and the accuracy of each against its RQI and against what its matrices
    predict."""
    fig, ((counts, closed, predicted),) = panels(1, 3, height=2.9, sharey=True)
    for setting, part in rows.groupby("setting"):
        colour, marker = SETTINGS[setting]
        look = {"marker": marker, "ms": 5, "color": COLOURS[colour], "mfc": "none"}
        runs = part.assign(right=all_right(part), closes=part.rqi > GOAL).groupby("share")
        shares = runs[["right", "closes"]].mean()
        counts.plot(shares.right, **look)
        counts.plot(shares.closes, ls="--", **look)
        closed.plot(part.rqi, part.accuracy, ls="", alpha=0.7, **look)
        predicted.plot(part.predicted, part.accuracy, ls="", alpha=0.7, label=setting, **look)
    counts.axvline(0.5, color=COLOURS["theory"], ls=":")
    counts.set(xlabel="share of the cells trained", ylabel="share of the runs")
    closed.set(xlabel="RQI", ylabel="accuracy")
    predicted.plot([0.3, 1], [0.3, 1], ls=":", color=COLOURS["quiet"])
    predicted.set(xlabel=r"predicted, $\widehat{\mathrm{Acc}}$", ylabel="accuracy")
    handles, _ = predicted.get_legend_handles_labels()
    for name, line in {"all cells right": "-", f"RQI above {GOAL:g}": "--"}.items():
        handles.append(Line2D([], [], ls=line, color=COLOURS["theory"], label=name))
    fig.legend(handles=handles, loc="outside lower center", ncols=4)
    return fig
