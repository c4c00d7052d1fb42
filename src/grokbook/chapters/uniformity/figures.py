"""Figures of the theory: what products can do, sums of one class and their balls, and the norms of Lemma B.1."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.enclosing_ball import smallest_ball
from grokbook.theory.minimal_map import has_map, printed_norm, smallest_map
from grokbook.theory.one_frequency import circle, products
from grokbook.theory.uniformity import class_sums, closeness, common_point


def _classes(p: int) -> tuple[int, int, int]:
    """Three classes to show."""
    return 0, p // 3, 2 * p // 3


def _scatter(ax: Axes, by_class: np.ndarray, title: str) -> None:
    """All points grey, those of three classes green in three shapes; by_class has shape (p, n, 2)."""
    ax.plot(*by_class.reshape(-1, 2).T, ".", ms=2.5, color=COLOURS["quiet"], alpha=0.6)
    for r, marker in zip(_classes(len(by_class)), "os^", strict=True):
        ax.plot(*by_class[r].T, marker, ms=5, mfc="none", color=COLOURS["measure"], label=f"class {r}")
    ax.set(title=title, aspect="equal")
    ax.grid(False)


@styled
def class_sums_and_balls(tables: dict[str, np.ndarray]) -> Figure:
    """Sums phi(i) + phi(j) of plane embeddings: three classes, their smallest balls, the point common to all."""
    fig, axes = panels(1, len(tables), height=3.9)
    for ax, (title, phi) in zip(axes[0], tables.items(), strict=True):
        sums = class_sums(phi)
        _scatter(ax, sums, title)
        for r in _classes(len(phi)):
            ball = smallest_ball(sums[r])
            ax.add_patch(Circle(ball.centre, ball.radius, fill=False, ls="--", lw=1, color=COLOURS["theory"]))
        ax.plot(*common_point(phi), "X", ms=9, color=COLOURS["theory"], label="mean of every class")
        ax.autoscale_view()
    axes[0, 0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=2)
    return fig


@styled
def diameter_and_bound(p: int, n_random: int) -> Figure:
    """The diameter of many embeddings over the bound 2 delta (1 - 1/p) that their classes' balls give, by family.

    Lines with noise, circles of all frequencies, and random embeddings of 1 to 32 dimensions.
    """
    rng, line = np.random.default_rng(0), np.arange(p)[:, None] * np.ones((1, 4))
    families = {
        "lines with noise": ("s", [line + s * rng.normal(size=(p, 4)) for s in np.geomspace(0.01, 10, n_random)]),
        "circles": ("^", [circle(p, k) for k in range(1, p // 2 + 1)]),
        "random": ("o", [rng.normal(size=(p, 2 ** (i % 6))) for i in range(n_random)]),
    }
    fig, ((ax,),) = panels(1, 1, height=2.4)
    for height, (marker, tables) in enumerate(families.values()):
        ratios = [c.diameter / c.bound for c in map(closeness, tables)]
        ax.plot(ratios, np.full(len(ratios), height), marker, ms=6, mfc="none", color=COLOURS["measure"])
    ax.axvline(1, ls="--", color=COLOURS["theory"], label="bound")
    ax.set_yticks(range(len(families)), families)
    ax.set(xlim=(0, 1.05), ylim=(-0.6, len(families) - 0.4), xlabel=r"diameter of $\phi$ over $2\delta(1 - 1/p)$")
    ax.legend(loc="center left")
    return fig


def lemma_values(d: int, primes: tuple[int, ...], draws: int) -> pd.DataFrame:
    """True and printed least norm of Lemma B.1 for Gaussian x of length about 1: one row a modulus and draw.

    Columns: p, true, printed. Moduli for which no map exists in general position are left out.

    Example:
        >>> sorted(set(lemma_values(4, (3, 5, 11), 2).p))
        [3, 5]
    """
    rng = np.random.default_rng(0)
    tables = (rng.normal(size=(p, d)) / np.sqrt(d) for p in primes if has_map(p, d) for _ in range(draws))
    rows = [(len(x), smallest_map(x, [1.0]).norm, printed_norm(x, [1.0])) for x in tables]
    return pd.DataFrame(rows, columns=["p", "true", "printed"])


@styled
def lemma_norms(values: pd.DataFrame, d: int) -> Figure:
    """Least norm of Lemma B.1 (green: median, 5 and 95 % quantiles) and the printed value (dashed) by modulus."""
    fig, axes = panels(1, 1, height=3.2)
    draw = partial(sns.lineplot, values, x="p", estimator="median", ax=axes[0, 0])
    ax = draw(y="true", errorbar=("pi", 90), marker="o", ms=5, mew=0, color=COLOURS["measure"], label="least norm")
    draw(y="printed", errorbar=None, ls="--", color=COLOURS["theory"], label=r"printed, $\|r\|/2M$")
    ax.axvspan(2 * d - 0.5, 2.35 * d, color=COLOURS["quiet"], alpha=0.25, lw=0)
    ax.annotate("no map", (2.17 * d, 0.5), xycoords=("data", "axes fraction"), ha="center", fontsize=9)
    ax.set(yscale="log", xlabel="modulus $p$", ylabel=r"norm of $l$ for $\|r\| = 1$", xlim=(0, 2.35 * d))
    ax.legend(loc="upper left")
    return fig


@styled
def sums_and_products(p: int, noise: float) -> Figure:
    """A circle with noise: its sums (left) mix the classes, its products (right) sort them."""
    phi = circle(p, 1) + noise * np.random.default_rng(0).normal(size=(p, 2))
    i = np.arange(p)
    multiplied = products(phi)[i[None], (i[:, None] - i[None]) % p]
    fig, axes = panels(1, 2, height=3.9)
    _scatter(axes[0, 0], class_sums(phi), r"sums $\phi(i) + \phi(j)$")
    _scatter(axes[0, 1], multiplied, "products")
    axes[0, 1].legend(loc="center")
    return fig
