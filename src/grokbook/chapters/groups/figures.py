"""Figures of chapter 13: quotients as graphs, shares of training cells that suffice, and the plane of the matrices."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

from grokbook.chapters.groups.runs import STEPS
from grokbook.chapters.groups.trained import components
from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.tasks.groups import cayley_table
from grokbook.theory.group_deduction import deduced


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

    A circle is E_b^-1 E_bq, a square E_qd E_d^-1. Solid blue edges are equalities of two trained products, dashed green
    ones are deduced. Isolated quotients are grey.
    """
    table = cayley_table(group)
    fig, axes = panels(1, len(training), height=3.4)
    for ax, (title, (trained, q)) in zip(axes[0], training.items(), strict=True):
        edges = quotient_edges(table, trained, q)
        kinds = (("trained", "train", "-", 1.8, 1), ("deduced", "measure", "--", 1.3, 0.8))
        for kind, colour, style, width, alpha in kinds:
            for b, d in edges[kind]:
                ax.plot([0, 1], [-b, -d], style, color=COLOURS[colour], lw=width, alpha=alpha, zorder=1)
        used = np.array(edges["trained"] + edges["deduced"]).reshape(-1, 2)
        for side, k in np.ndindex(2, len(table)):
            colour = COLOURS["theory" if k in used[:, side] else "quiet"]
            name = rf"$E_{{{table[q, k]}}}E_{{{k}}}^{{-1}}$" if side else rf"$E_{{{k}}}^{{-1}}E_{{{table[k, q]}}}$"
            ax.plot(side, -k, "s" if side else "o", color=colour, ms=6, zorder=2)
            ax.text(side + (0.12 if side else -0.12), -k, name, ha="left" if side else "right", va="center", fontsize=9,
                    color=colour)  # fmt: skip
        ax.set(title=title, xlim=(-0.75, 1.75), ylim=(0.7 - len(table), 0.9))
        ax.axis("off")
    return fig


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
        ax.axvline(published, color=COLOURS["theory"], ls=":", lw=1.4, label=f"the paper's {published:g}")
    ax.set(xlabel=label, ylabel=side, ylim=(-0.03, 1.05))
    name_lines(ax)
    return fig


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


@styled
def figure_18(rows: pd.DataFrame) -> Figure:
    """RQI, steps to 0.95, Acc over the share of trained cells, and Acc against Acc-hat; a mark a run, best joined."""
    fig, axes = panels(2, 2, height=4.8)
    labels = {"rqi": "RQI", "step": "steps to RQI > 0.95", "accuracy": "Acc"}
    looks = {"as printed": ("quiet", "s", -0.004), "matrices decay": ("measure", "o", 0.004)}
    for name, (colour, marker, aside) in looks.items():
        part = rows[rows.setting == name]
        look = {"ms": 5, "color": COLOURS[colour], "alpha": 0.7, "mfc": "none"}
        for ax, (column, label) in zip(axes.flat, labels.items(), strict=False):
            best = part.groupby("share")[column].agg("min" if column == "step" else "max")
            ax.plot(part.share + aside, part[column], marker, **look)
            ax.plot(best.index, best, color=COLOURS[colour], lw=1)
            ax.set(ylabel=label, xlabel="share of the cells trained", xlim=(0.3, 0.87))
        axes[1, 1].plot(part.predicted, part.accuracy, marker, **look)
        if len(late := part.nlargest(1, "step")):
            place = (late.share.iloc[0] + aside, late.step.iloc[0])
            axes[0, 1].annotate(name, place, (7, 0), textcoords="offset points", va="center", color=COLOURS[colour])
    for ax in axes.flat[:3]:
        ax.axvline(0.5, color=COLOURS["theory"], ls=":")
    axes[0, 1].set_ylim(0, STEPS)
    axes[1, 1].plot([0.3, 1], [0.3, 1], ls=":", color=COLOURS["quiet"])
    axes[1, 1].set(xlabel=r"predicted from the matrices, $\widehat{\mathrm{Acc}}$", ylabel="Acc")
    return fig
