"""Sums and products of one class, and the balls of sums."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.enclosing_ball import smallest_ball
from grokbook.theory.one_frequency import circle, products
from grokbook.theory.uniformity import class_sums, common_point


def _scatter(ax: Axes, by_class: np.ndarray, title: str) -> tuple[int, ...]:
    """All points grey, those of three classes green in three shapes; by_class has shape (p, n, 2). The classes."""
    classes = 0, len(by_class) // 3, 2 * len(by_class) // 3
    ax.plot(*by_class.reshape(-1, 2).T, ".", ms=2.5, color=COLOURS["quiet"], alpha=0.6)
    for r, marker in zip(classes, "os^", strict=True):
        ax.plot(*by_class[r].T, marker, ms=5, mfc="none", color=COLOURS["measure"], label=f"class {r}")
    ax.set(title=title, aspect="equal")
    ax.grid(False)
    return classes


@styled
def class_sums_and_balls(tables: dict[str, np.ndarray]) -> Figure:
    """Sums phi(i) + phi(j) of plane embeddings: three classes, their smallest balls, the point common to all."""
    fig, axes = panels(1, len(tables), height=3.9)
    for ax, (title, phi) in zip(axes[0], tables.items(), strict=True):
        sums = class_sums(phi)
        for r in _scatter(ax, sums, title):
            ball = smallest_ball(sums[r])
            ax.add_patch(Circle(ball.centre, ball.radius, fill=False, ls="--", lw=1, color=COLOURS["theory"]))
        ax.plot(*common_point(phi), "X", ms=9, color=COLOURS["theory"], label="mean of every class")
        ax.autoscale_view()
    axes[0, 0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=2)
    return fig


@styled
def sums_and_products(p: int, noise: float) -> Figure:
    """A circle with noise: its sums (left) mix the classes, its products (right) sort them."""
    phi = circle(p, 1) + noise * np.random.default_rng(0).normal(size=(p, 2))
    i = np.arange(p)
    multiplied = products(phi)[i[None], (i[:, None] - i[None]) % p]
    fig, axes = panels(1, 2, height=3.9)
    _scatter(axes[0, 0], class_sums(phi), r"sums $\phi(i) + \phi(j)$")
    for r in _scatter(axes[0, 1], multiplied, "products"):
        middle = 0.62 * multiplied[r].mean(axis=0)
        axes[0, 1].text(*middle, f"class {r}", color=COLOURS["measure"], ha="center", va="center", fontsize=9.5)
    return fig
