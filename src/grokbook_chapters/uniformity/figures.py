"""Figures of chapter 03: classes in the plane, the collapse of a least map, shares of trained
embeddings."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.enclosing_ball import smallest_ball
from grokbook.theory.one_frequency import products
from grokbook.theory.uniformity import class_sums, common_point

LOOKS = {
    "products": ("measure", "-", "products"),
    "sums": ("theory", "--", "sums"),
    "test_accuracy": ("test", "-", "test accuracy"),
}
"""Colour, line and label of each column of `embedding_shares`."""


def scatter(ax: Axes, by_class: np.ndarray, title: str) -> tuple[int, ...]:
    """All points grey, those of three classes green in three shapes; by_class has shape (p, n, 2).
    The classes."""
    classes = (0, len(by_class) // 3, 2 * len(by_class) // 3)
    ax.plot(*by_class.reshape(-1, 2).T, ".", ms=2.5, color=COLOURS["quiet"], alpha=0.6)
    for r, marker in zip(classes, "os^", strict=True):
        look = {"ms": 5, "mfc": "none", "color": COLOURS["measure"]}
        ax.plot(*by_class[r].T, marker, label=f"class {r}", **look)
    ax.set(title=title, aspect="equal")
    ax.grid(False)
    return classes


@styled
def sums_and_products(phi: np.ndarray) -> Figure:
    """The sums and the products of all pairs of points of the plane, with three classes marked."""
    i = np.arange(len(phi))
    by_class = products(phi)[i[None], (i[:, None] - i[None]) % len(phi)]
    fig, ((left, right),) = panels(1, 2, height=4.1)
    scatter(left, class_sums(phi), "arrows added: classes mix")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3)
    left.set(xlabel=r"$\cos a + \cos b$", ylabel=r"$\sin a + \sin b$")
    right.set(xlabel=r"$\cos a \cos b - \sin a \sin b$")
    right.set(ylabel=r"$\sin a \cos b + \cos a \sin b$")
    for r in scatter(right, by_class, "parts multiplied: classes apart"):
        centre = 0.62 * by_class[r].mean(axis=0)
        look = {"ha": "center", "va": "center", "fontsize": 9.5, "color": COLOURS["measure"]}
        right.text(*centre, f"class {r}", **look)
    return fig


@styled
def balls(tables: Mapping[str, np.ndarray]) -> Figure:
    """The sums of each embedding in the plane, the smallest balls of three classes, their common
    point."""
    fig, axes = panels(1, len(tables), height=3.9)
    for ax, (title, phi) in zip(axes[0], tables.items(), strict=True):
        sums = class_sums(phi)
        for r in scatter(ax, sums, title):
            ball = smallest_ball(sums[r])
            ax.add_patch(Circle(ball.centre, ball.radius, fill=False, ls="--"))
        look = {"ms": 9, "color": COLOURS["theory"], "label": "mean of every class"}
        ax.plot(*common_point(phi), "X", **look)
        ax.autoscale_view()
    axes[0, 0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=2)
    return fig


@styled
def collapse(paths: pd.DataFrame) -> Figure:
    """Least norm, and MED and diameter beside each other, along the descents of `descents`."""
    fig, ((left, right),) = panels(1, 2)
    quantities = (
        (left, "norm", "measure", "least norm"),
        (right, "diameter", "theory", "diameter"),
        (right, "med", "measure", "MED"),
    )
    for ax, column, colour, label in quantities:
        middle = paths.groupby("step")[column].quantile([0.05, 0.5, 0.95]).unstack()
        ax.fill_between(middle.index, middle[0.05], middle[0.95], color=COLOURS[colour], alpha=0.2)
        ax.plot(middle.index, middle[0.5], color=COLOURS[colour], label=label)
    left.set(ylabel=r"norm of $l$ for $\|r\| = 1$")
    right.set(ylabel="distance", yscale="log")
    for ax in (left, right):
        ax.set_xlabel("step of the descent")
    name_lines(left, right)
    return fig


@styled
def shares(table: pd.DataFrame) -> Figure:
    """What the class explains of sums and products, and the test accuracy, a panel a modulus and a
    line a network; `table` is that of `embedding_shares`."""
    groups = table.groupby("modulus", sort=False)
    fig, axes = panels(1, groups.ngroups, height=3.4, sharey=True)
    for ax, (modulus, rows) in zip(axes[0], groups, strict=True):
        for column, (colour, ls, label) in LOOKS.items():
            lines = rows.pivot(index="step", columns="seed", values=column)
            drawn = ax.plot(lines, color=COLOURS[colour], ls=ls, lw=1.2)
            drawn[0].set_label(label)
        ax.set(title=f"modulus {modulus}", xlabel="optimiser step")
    axes[0, 0].set_ylabel("share of the class; accuracy")
    name_lines(*axes[0])
    return fig
