"""Figures of chapter 13: quotients as graphs, shares of training cells that suffice, and the plane of the matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.tasks.groups import cayley_table, inverses
from grokbook.theory.group_deduction import deduced

PLANES = ((0, 1), (0, 2), (1, 2))
"""The planes of two of the first three principal components."""

MARKERS = {"trained": ("train", "-", 1.8, 1), "deduced": ("measure", "--", 1.3, 0.8)}


def quotient_edges(table: np.ndarray, trained: np.ndarray, q: int) -> dict[str, list[tuple[int, int]]]:
    """The edges (b, d) of the graph of q, E_bq E_d = E_b E_qd: those of two trained cells, and those deduced besides.

    Example:
        >>> edges = quotient_edges(cayley_table("S3"), np.ones((6, 6)), 1)
        >>> len(edges["trained"]), len(edges["deduced"])
        (36, 0)
    """
    b, d = np.indices(table.shape)
    known = deduced(table, trained)[table[table[b, q], d], table[b, q], b]
    mask = np.asarray(trained) > 0
    seen = mask[table[b, q], d] & mask[b, table[q, d]]
    return {"trained": np.argwhere(seen).tolist(), "deduced": np.argwhere(known & ~seen).tolist()}


@styled
def quotient_graphs(group: str, training: Mapping[str, tuple[np.ndarray, int]]) -> Figure:
    """For each title a training set and an element q: the graph of left (left) and right quotients (right) of q.

    Solid blue edges are equalities of two trained products, dashed green ones are deduced. Isolated quotients are grey.
    """
    table = cayley_table(group)
    fig, axes = panels(1, len(training), height=3.4)
    for ax, (title, (trained, q)) in zip(axes[0], training.items(), strict=True):
        edges = quotient_edges(table, trained, q)
        for kind, (colour, style, width, alpha) in MARKERS.items():
            for b, d in edges[kind]:
                ax.plot([0, 1], [-b, -d], style, color=COLOURS[colour], lw=width, alpha=alpha, zorder=1)
        _quotients(ax, table, q, edges["trained"] + edges["deduced"])
        ax.set(title=title, xlim=(-0.75, 1.75), ylim=(0.7 - len(table), 0.9))
        ax.axis("off")
    return fig


def _quotients(ax: Axes, table: np.ndarray, q: int, edges: Sequence[Sequence[int]]) -> None:
    """The nodes with their names: a circle for E_b^-1 E_bq, a square for E_qd E_d^-1."""
    for side, marker, used in ((0, "o", {b for b, _ in edges}), (1, "s", {d for _, d in edges})):
        for k in range(len(table)):
            colour = COLOURS["theory" if k in used else "quiet"]
            name = rf"$E_{{{k}}}^{{-1}}E_{{{table[k, q]}}}$" if side == 0 else rf"$E_{{{table[q, k]}}}E_{{{k}}}^{{-1}}$"
            ax.plot(side, -k, marker, color=colour, ms=6, zorder=2)
            place = {"ha": "left" if side else "right", "va": "center", "fontsize": 9, "color": colour}
            ax.text(side + (0.12 if side else -0.12), -k, name, **place)


def path_of_three(table: np.ndarray, q: int, left: tuple[int, int], right: tuple[int, int]) -> list[np.ndarray]:
    """The cells of Eq. 30, and those of Eq. 30 and 31: masks with the edges b - d, f - d, and then f - h as well.

    `left` is (b, f), `right` is (d, h); a = bq, c = qd, e = fq and g = qh.

    Example:
        >>> two, three = path_of_three(cayley_table("S3"), 3, (0, 1), (1, 2))
        >>> int(two.sum()), int(three.sum())
        (4, 6)
    """
    (b, f), (d, h), masks, mask = left, right, [], np.zeros(table.shape, dtype=bool)
    for edges in ([(b, d), (f, d)], [(f, h)]):
        for start, end in edges:
            mask[table[start, q], end] = mask[start, table[q, end]] = True
        masks.append(mask.copy())
    return masks


@styled
def share_curves(
    curves: Mapping[str, tuple[np.ndarray, str, str]],
    published: float | None,
    label: str,
    side: str = "share of the orders",
) -> Figure:
    """What random training sets reach over their share of the cells: name -> (curve by size, colour, line style).

    `published` is drawn as a dotted vertical line, `label` and `side` name the axes.
    """
    fig, axes = panels(1, 1, height=3.0)
    ax = axes[0, 0]
    for name, (curve, colour, style) in curves.items():
        ax.plot(np.linspace(0, 1, len(curve)), curve, style, color=COLOURS[colour], label=name)
    if published is not None:
        ax.axvline(published, color=COLOURS["test"], ls=":", lw=1.4, label=f"the paper's {published:g}")
    ax.set(xlabel=label, ylabel=side, ylim=(-0.03, 1.05))
    fig.legend(*ax.get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=8.5)
    return fig


@styled
def group_shares(table: pd.DataFrame) -> Figure:
    """The share of cells that suffice, a row a group by order and share; filled for Abelian groups, hollow for others.

    The grey stroke in each row is 3 / n, three cells an element.
    """
    fig, axes = panels(1, 1, height=1.2 + 0.22 * len(table))
    ax, rows = axes[0, 0], table.sort_values(["order", "share"], ignore_index=True)
    for place, row in rows.iterrows():
        fill = COLOURS["theory"] if row.Abelian == "yes" else "none"
        ax.plot(row.share, -place, "o", ms=6.5, mfc=fill, mec=COLOURS["theory"])
        ax.plot(3 / row.order, -place, "|", ms=11, mew=1.6, color=COLOURS["quiet"])
    ax.set_yticks(-np.arange(len(rows)), rows.group)
    ax.set(xlabel="share of the cells", ylim=(-len(rows) + 0.4, 0.6))
    return fig


def involutions(table: np.ndarray) -> int:
    """The number of elements of order two.

    Example:
        >>> [involutions(cayley_table(name)) for name in ("Z8", "Q8", "D4")]
        [1, 1, 5]
    """
    return int((inverses(table) == np.arange(len(table))).sum()) - 1


def components(matrices: np.ndarray, count: int = 3) -> np.ndarray:
    """The first principal components of matrices (n, k, k), each a point of k^2 numbers, (n, count).

    Example:
        >>> components(np.random.default_rng(0).normal(size=(6, 3, 3))).shape
        (6, 3)
    """
    points = np.asarray(matrices, dtype=float).reshape(len(matrices), -1)
    u, s, _ = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    return (u * s)[:, :count]


def hexagons(matrices: np.ndarray) -> list[tuple[int, int]]:
    """The planes of two of the first three principal components in which each element is a corner of the convex hull.

    Example:
        >>> angle = 2 * np.pi * np.arange(6) / 6
        >>> circle = np.stack([np.cos(angle), np.sin(angle), 0.1 * np.sin(2 * angle), 0 * angle], axis=1)
        >>> (0, 1) in hexagons(circle.reshape(6, 2, 2))
        True
    """
    points = components(matrices)
    return [plane for plane in PLANES if len(ConvexHull(points[:, plane]).vertices) == len(points)]


@styled
def principal_planes(sets: Mapping[str, np.ndarray]) -> Figure:
    """For each title the elements, with their numbers, in the plane of the first and the third principal component."""
    fig, axes = panels(1, len(sets), height=3.0)
    for ax, (title, matrices) in zip(axes[0], sets.items(), strict=True):
        points = components(matrices)[:, [0, 2]]
        around = points[ConvexHull(points).vertices]
        ax.fill(*around.T, fill=False, ls=":", ec=COLOURS["quiet"])
        ax.plot(*points.T, "o", ms=6, color=COLOURS["measure"])
        for number, point in enumerate(points):
            ax.annotate(str(number), point, xytext=(5, 5), textcoords="offset points", fontsize=9)
        ax.set(title=title, xlabel="PC1", ylabel="PC3")
        ax.margins(0.18)
    return fig
