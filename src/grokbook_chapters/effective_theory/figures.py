"""Figures of chapter 11: numbers that training pairs pull onto a line, and how many pairs that
takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from companion.page.interactive import interactive
from grokbook.plotting.plane import numbered
from grokbook.plotting.style import COLOURS, mark, panel, panels, styled
from grokbook.theory.effective_flow import flow, limit
from grokbook.theory.linear_probability import sets_with_a_line
from grokbook.theory.parallelograms import Sample, implied_set, nullity, permissible_set
from grokbook_chapters.effective_theory.lines import descent, slowest_rate, start
from grokbook_chapters.effective_theory.representations import APPENDIX_C, PUBLISHED

CAPTION = (
    "Pairs of equal sum pull {glue:text}`p` numbers onto an even ladder, if there are enough of",
    "them. Filled cell: a training pair; framed: not trained, but decided by the training pairs;",
    "ring and bows: the label in focus. Dashed line: by then the slowest number should be in",
    "place. RQI: share of all parallelograms that are closed.",
)
ALT = (
    "An interactive figure: a triangle of cells to switch on and off, curves over time that become",
    "an even ladder when the chosen cells force a line, and the numbers on a line at one time;",
    "what is decided stands below as text.",
)
PLANE_SEED = 695
"""Of a start in the plane whose points do not cover one another."""


def explorer(name: str, first: np.ndarray, pairs: Sequence[Sample]) -> None:
    """Put numbers that move and pairs to switch on and off on the page, as the figure `name`."""
    options = {"start": first.tolist(), "pairs": [list(pair) for pair in pairs]}
    interactive("line_explorer", name, " ".join(CAPTION), " ".join(ALT), options)


@styled
def closing(first: np.ndarray, pairs: Sequence[Sample]) -> Figure:
    """Numbers on a line at three times of the exact flow; bows join the training pairs of the
    middle label."""
    p = len(first)
    rate = slowest_rate(pairs, p) / (first @ first)
    moments = [0, round(0.6 / rate), round(9 / rate)]
    same = [pair for pair in pairs if sum(pair) == p - 1]
    fig, axes = panels(3, 1, height=4.35, sharex=True)
    for ax, time, now in zip(axes[:, 0], moments, flow(first, pairs, moments), strict=True):
        _bows(ax, same, now)
        _balls(ax, now)
        ax.axhline(0, color=COLOURS["quiet"], lw=0.8)
        ax.set(title=f"time {time:g}", yticks=[], ylim=(-0.28, 1.15), xlim=(-2.6, 2.6))
        ax.spines["left"].set_visible(False)
        ax.grid(False)
    ax.set_xlabel("embedding $E_k$ of the symbol $k$")
    return fig


def _bows(ax: Axes, pairs: Sequence[Sample], now: np.ndarray) -> None:
    """A bow over the two numbers of each pair, with a dot at their middle."""
    turn = np.linspace(0, np.pi, 60)
    for i, j in pairs:
        middle = (now[i] + now[j]) / 2
        half = (now[j] - now[i]) / 2
        top = 0.35 + 0.25 * abs(half)
        x = middle - half * np.cos(turn)
        ax.plot(x, top * np.sin(turn), color=COLOURS["train"], lw=1.2, alpha=0.8)
        ax.plot([middle], [top], "o", ms=6, color=COLOURS["train"])


def _balls(ax: Axes, now: np.ndarray) -> None:
    """Numbered balls from the left; one that would cover another stands a level higher."""
    last: dict[int, float] = {}
    for n in np.argsort(now):
        level = 0
        while now[n] - last.get(level, -np.inf) <= 0.27:
            level += 1
        last[level] = now[n]
        height = 0.24 * level
        ax.plot(now[n], height, "o", ms=12, mfc="white", mew=1.4, mec=COLOURS["theory"])
        ax.text(now[n], height - 0.02, str(n), ha="center", va="center", fontsize=9)


@styled
def stages() -> Figure:
    """What the first 4, 6 and 8 samples of appendix C leave of one start in the plane: their
    parallelograms, and dashed those that follow from them."""
    fig, axes = panels(1, 3, height=2.8)
    for ax, n in zip(axes[0], (4, 6, 8), strict=True):
        listed = APPENDIX_C[:n]
        seen = permissible_set(listed)
        points = limit(start(6, PLANE_SEED, d=2), listed)
        for (i, j), (m, k) in seen:  # the pairs are the diagonals
            outline = points[[i, m, j, k, i]].T
            ax.fill(*outline, color=COLOURS["train"], alpha=0.13, lw=0)
            ax.plot(*outline, color=COLOURS["train"], lw=1.3)
        for (i, j), (m, k) in set(implied_set(listed, 6)) - set(seen):
            ax.plot(*points[[i, m, j, k, i]].T, lw=1.6, ls="--", color=COLOURS["measure"])
        numbered(ax, points)
        ax.set_title(f"first {n} samples")
    return fig


@styled
def critical(curves: Mapping[int, np.ndarray], sizes: pd.DataFrame, draws: int) -> Figure:
    """Left: chance that a line is forced over the share of samples, by p. Right: samples at which
    it is one half, in units of p.

    `curves` are those of `linear_probability` from `draws` orders, `sizes` as `sizes_at_one_half`
    has them.
    """
    fig, ((left, right),) = panels(1, 2, height=3.3)
    _chances(left, curves, draws)
    every_set = [sets_with_a_line(4, size) / comb(10, size) for size in range(11)]
    theory = COLOURS["theory"]
    left.plot(np.linspace(0, 1, 11), every_set, "o", ms=4.5, mec=theory, mfc="none")
    published = np.array([*PUBLISHED]) / 55
    left.plot(published, [*PUBLISHED.values()], "D", ms=6, color=theory)
    left.set(xlabel="share of samples $|D| / |D_0|$", ylim=(-0.03, 1.03))
    left.set_ylabel("P(a line is forced)")
    _halves(right, sizes)
    return fig


def _chances(ax: Axes, curves: Mapping[int, np.ndarray], draws: int) -> None:
    """Each curve with two standard errors, and its p beside it."""
    colour = COLOURS["measure"]
    for k, (p, curve) in enumerate(curves.items()):
        share = np.linspace(0, 1, len(curve))
        error = 2 * np.sqrt(curve * (1 - curve) / draws)
        ax.fill_between(share, curve - error, curve + error, lw=0, color=colour, alpha=0.25)
        ax.plot(share, curve, color=colour, lw=1.6)
        height = 0.25 if k == 0 else 0.95 - 0.15 * k
        side = "left" if k == 0 else "right"
        offset = 10 if k == 0 else -10
        at = (np.interp(height, curve, share), height)
        look = {"textcoords": "offset points", "va": "center", "ha": side}
        ax.annotate(f"$p = {p}$", at, (offset, 0), **look)


def _halves(ax: Axes, sizes: pd.DataFrame) -> None:
    """Samples a symbol at which half of the orders force a line, beside the least set and 40 %."""
    p = sizes.p
    size = sizes["size"]
    error = [(size - sizes.low) / p, (sizes.high - size) / p]
    colour = COLOURS["measure"]
    ax.errorbar(p, size / p, error, fmt="o-", ms=5, lw=1.1, capsize=3, color=colour)
    ax.axhline(1, color=COLOURS["theory"], ls="--", lw=1.2)
    ax.plot(p, 0.2 * (p + 1), ls=":", lw=1.6, color=COLOURS["quiet"])
    last = p.iloc[-1]
    half = size.iloc[-1] / last
    heights = {"half of random sets": (half, -16), "the least set": (1, 6)}
    heights["40 % of all"] = (0.2 * (last + 1), 6)
    for text, (height, offset) in heights.items():
        ax.annotate(text, (last, height), (0, offset), ha="right", textcoords="offset points")
    ax.set(xlabel="number of symbols $p$", ylabel="samples, in units of $p$", ylim=(0, 4.8))


@styled
def ideal(models: pd.DataFrame) -> Figure:
    """What ideal models close and answer over the share of samples, a dot a training set, as
    `ideal_models` has them; dashed the median, dotted the training set alone."""
    fig, ((left, right),) = panels(1, 2, height=3.1)
    titles = {"rqi": "ideal RQI $|P(D)| / |P_0|$", "accuracy": "ideal accuracy"}
    for ax, (name, title) in zip((left, right), titles.items(), strict=True):
        dots = {"ms": 3.5, "alpha": 0.6, "mew": 0, "color": COLOURS["measure"]}
        ax.plot(models.share, models[name], "o", **dots)
        median = models.groupby("share")[name].median()
        ax.plot(median, ls="--", lw=1.5, color=COLOURS["theory"])
        ax.set(title=title, xlabel="share of samples $|D| / |D_0|$", ylim=(-0.03, 1.03))
    right.plot([0, 1], [0, 1], ls=":", color=COLOURS["quiet"])
    return fig


@styled
def trajectories(first: np.ndarray, pairs: Sequence[Sample]) -> Figure:
    """Each number over time: gradient descent on the effective loss (dots) and the exact flow
    (dashed)."""
    p = len(first)
    free = nullity(pairs, p)
    slowest = 3 * (first @ first) / slowest_rate(pairs, p)
    size = 0.1
    times = np.unique(np.geomspace(1, 1.6 * slowest / size, 60).round()) * size
    exact = flow(first, pairs, times)
    fig, ax = panel(height=3.2)
    ax.plot(times, exact, color=COLOURS["theory"], ls="--", lw=1.1)
    walked = descent(first, pairs, times, size)
    ax.plot(times[::3], walked[::3], "o", ms=3, color=COLOURS["measure"])
    for k, value in enumerate(exact[-1]):
        at = (times[-1], value)
        ax.annotate(str(k), at, (4, -3), textcoords="offset points", fontsize=9)
    mark(ax, slowest, rf"$3 / \lambda_{{{free + 1}}}$", COLOURS["theory"])
    ax.set(xlabel="time $t$", ylabel="$E_k(t)$", xscale="log")
    return fig
