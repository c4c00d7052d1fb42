"""The pictures of chapter 11, from arrays and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.chapters.effective_theory.lines import corners
from grokbook.chapters.effective_theory.representations import PUBLISHED
from grokbook.plotting.plane import numbered
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.effective_flow import flow
from grokbook.theory.parallelograms import Parallelogram, Sample


@styled
def closing(first: np.ndarray, pairs: Sequence[Sample], times: Sequence[float], label: int) -> Figure:
    """Numbers on a line at some times of the exact flow, with bows between the training pairs of one label.

    The dots on the bows are their middles: a parallelogram on a line is two pairs with one middle. A symbol that would
    cover the one before it stands a little above the line.
    """
    fig, axes = panels(len(times), 1, height=1.45 * len(times), sharex=True)
    same = [pair for pair in pairs if sum(pair) == label]
    turn = np.linspace(0, np.pi, 60)
    for ax, time, now in zip(axes[:, 0], times, flow(first, pairs, times), strict=True):
        for i, j in same:
            middle, half = (now[i] + now[j]) / 2, (now[j] - now[i]) / 2
            height = 0.35 + 0.25 * abs(half)
            ax.plot(middle - half * np.cos(turn), height * np.sin(turn), color=COLOURS["train"], lw=1.2, alpha=0.8)
            ax.plot([middle], [height], "o", ms=6, color=COLOURS["train"])
        ax.axhline(0, color=COLOURS["quiet"], lw=0.8)
        last: dict[int, float] = {}  # level -> the last symbol on it, from the left
        for k in np.argsort(now):
            level = next(n for n in range(len(now)) if now[k] - last.get(n, -np.inf) > 0.27)
            last[level] = now[k]
            ax.plot(now[k], 0.24 * level, "o", ms=12, mfc="white", mec=COLOURS["theory"], mew=1.4)
            ax.text(now[k], 0.24 * level - 0.02, str(k), ha="center", va="center", fontsize=9)
        ax.set(yticks=[], ylim=(-0.28, 1.15), title=f"time {time:g}", xlim=(-2.6, 2.6))
        ax.spines["left"].set_visible(False)
        ax.grid(False)
    axes[-1, 0].set_xlabel("embedding $E_k$ of the symbol $k$")
    return fig


def shape(ax: Axes, points: np.ndarray, told: Sequence[Parallelogram], implied: Sequence[Parallelogram]) -> None:
    """Numbered points in the plane with their parallelograms: filled blue where seen, dashed green where implied."""
    for parallelogram in told:
        ax.fill(*points[corners(parallelogram)].T, color=COLOURS["train"], alpha=0.13, lw=0)
        ax.plot(*points[corners(parallelogram)].T, color=COLOURS["train"], lw=1.3)
    for parallelogram in implied:
        ax.plot(*points[corners(parallelogram)].T, color=COLOURS["measure"], lw=1.6, ls="--")
    numbered(ax, points)


@styled
def critical_size(curves: Mapping[int, np.ndarray], exact: pd.Series, draws: int, sizes: pd.DataFrame) -> Figure:
    """P(nullity 2) by the share of samples (left), and the size at which it is one half, per p, by p (right).

    `curves` by p are from `draws` random orders, shaded by two standard errors; `exact` counts all sets of p = 4;
    diamonds are the authors' 10,000 sets of p = 10.
    """
    fig, ((left, right),) = panels(1, 2, height=3.3)
    for k, (p, curve) in enumerate(curves.items()):
        share, error = np.arange(len(curve)) / (len(curve) - 1), 2 * np.sqrt(curve * (1 - curve) / draws)
        left.fill_between(share, curve - error, curve + error, color=COLOURS["measure"], alpha=0.25, lw=0)
        left.plot(share, curve, color=COLOURS["measure"], lw=1.6)
        height, side = (0.25, 1) if k == 0 else (0.95 - 0.15 * k, -1)
        left.annotate(f"$p = {p}$", (np.interp(height, curve, share), height), (10 * side, 0), va="center",
                      ha="left" if side > 0 else "right", textcoords="offset points")  # fmt: skip
    left.plot(exact.index, exact, "o", ms=4.5, mec=COLOURS["theory"], mfc="none")
    if 10 in curves:
        left.plot([n / 55 for n in PUBLISHED], [*PUBLISHED.values()], "D", ms=6, color=COLOURS["theory"])
    left.set(xlabel="share of samples $|D| / |D_0|$", ylabel="P(a line is forced)", ylim=(-0.03, 1.03))
    band = np.stack([sizes["size"] - sizes.low, sizes.high - sizes["size"]]) / sizes.p.to_numpy()
    right.errorbar(sizes.p, sizes.per, band, fmt="o-", ms=5, lw=1.1, capsize=3, color=COLOURS["measure"])
    right.axhline(1, color=COLOURS["theory"], ls="--", lw=1.2)
    right.plot(sizes.p, 0.2 * (sizes.p + 1), ls=":", color=COLOURS["quiet"], lw=1.6)
    last = sizes.iloc[-1]
    places = {"half of random sets": (last.per, -16), "the least set": (1, 6), "40 % of all": (0.2 * (last.p + 1), 6)}
    for text, (at, off) in places.items():
        right.annotate(text, (last.p, at), (0, off), ha="right", textcoords="offset points")
    right.set(xlabel="number of symbols $p$", ylabel="samples, in units of $p$", ylim=(0, 4.8))
    return fig
