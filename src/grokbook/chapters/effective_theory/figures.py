"""The pictures of chapter 11, from arrays and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.chapters.effective_theory.lines import corners, euler
from grokbook.chapters.effective_theory.representations import PUBLISHED
from grokbook.plotting.plane import numbered
from grokbook.plotting.style import COLOURS, mark, panels, styled
from grokbook.plotting.training import labelled
from grokbook.theory.effective_flow import flow
from grokbook.theory.parallelograms import Parallelogram, Sample

QUOTED = {"marker": "D", "ms": 6, "ls": "", "color": COLOURS["hole"], "mec": "#7a5200"}


@styled
def closing(first: np.ndarray, pairs: Sequence[Sample], times: Sequence[float], label: int) -> Figure:
    """Numbers on a line at some times of the exact flow, with bows between the training pairs of one label.

    The dots on the bows are their middles: a parallelogram on a line is two pairs with one middle.
    """
    fig, axes = panels(len(times), 1, height=1.45 * len(times), sharex=True)
    same = [pair for pair in pairs if sum(pair) == label]
    turn = np.linspace(0, np.pi, 60)
    for ax, time, now in zip(axes[:, 0], times, flow(first, pairs, times), strict=True):
        for i, j in same:
            middle, half = (now[i] + now[j]) / 2, (now[j] - now[i]) / 2
            height = 0.35 + 0.25 * abs(half)
            ax.plot(middle - half * np.cos(turn), height * np.sin(turn), color=COLOURS["test"], lw=1.2, alpha=0.8)
            ax.plot([middle], [height], "o", ms=6, color=COLOURS["test"])
        ax.axhline(0, color=COLOURS["quiet"], lw=0.8)
        ax.plot(now, 0 * now, "o", ms=15, mfc="white", mec=COLOURS["train"], mew=1.6)
        for k, value in enumerate(now):
            ax.text(value, -0.02, str(k), ha="center", va="center", fontsize=9)
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
    fig, ((left, right),) = panels(1, 2, height=3.5)
    for (p, curve), shade in zip(curves.items(), ("norm", "measure", "train"), strict=False):
        share, error = np.arange(len(curve)) / (len(curve) - 1), 2 * np.sqrt(curve * (1 - curve) / draws)
        left.fill_between(share, curve - error, curve + error, color=COLOURS[shade], alpha=0.25, lw=0)
        left.plot(share, curve, color=COLOURS[shade], lw=1.4, label=f"$p = {p}$")
    left.plot(exact.index, exact, "o", ms=4.5, color=COLOURS["theory"], mfc="none", label="exact, $p = 4$")
    if 10 in curves:
        left.plot([n / 55 for n in PUBLISHED], [*PUBLISHED.values()], **QUOTED, label="published, $p = 10$")
    left.axvline(0.4, color=COLOURS["quiet"], ls=":", lw=1.4)
    left.set(xlabel="share of samples $|D| / |D_0|$", ylabel="P(a line is forced)", ylim=(-0.03, 1.03))
    band = np.stack([sizes["size"] - sizes.low, sizes.high - sizes["size"]]) / sizes.p.to_numpy()
    right.errorbar(sizes.p, sizes.per, band, fmt="o-", ms=5, lw=1.1, capsize=3, color=COLOURS["measure"],
                   label="half of random sets")  # fmt: skip
    right.axhline(1, color=COLOURS["theory"], ls="--", lw=1.2, label="the least set")
    right.plot(sizes.p, 0.2 * (sizes.p + 1), ls=":", color=COLOURS["quiet"], label="40 % of all")
    right.set(xlabel="number of symbols $p$", ylabel="samples, in units of $p$", ylim=(0, 4.4))
    fig.legend(*labelled(np.array([left, right])), loc="outside lower center", ncols=3)
    return fig


@styled
def trajectories(first: np.ndarray, pairs: Sequence[Sample], third: float, steps: Sequence[float]) -> Figure:
    """Fig. 4c: the exact flow (dashed) and gradient descent (dots) over time; below, how far they are apart.

    `third` is three times the time scale 1 / lambda_3, marked; `steps` are the sizes of descent steps.
    """
    times = np.unique(np.concatenate([[0], np.geomspace(1, 1.6 * third / steps[0], 60).round()])) * steps[0]
    exact = flow(first, pairs, times)
    walked = {step: euler(first, pairs, times, step) for step in steps}
    fig, axes = panels(2, 1, height=5.2, sharex=True, height_ratios=[2, 1])
    above, below = axes[:, 0]
    for k in range(len(first)):
        above.plot(times[1:], exact[1:, k], color=COLOURS["theory"], ls="--", lw=1.1)
        above.plot(times[1::3], walked[steps[0]][1::3, k], "o", ms=3, color=COLOURS["measure"])
        above.annotate(str(k), (times[-1], exact[-1, k]), (4, -3), textcoords="offset points", fontsize=9)
    for step, shade in zip(steps, ("measure", "norm"), strict=False):
        off = np.abs(walked[step] - exact).max(axis=1)
        below.plot(times[1:], off[1:], "o-", ms=2.5, lw=0.8, color=COLOURS[shade], label=f"step {step:g}")
    mark(above, third, r"$3 / \lambda_3$", COLOURS["test"])
    below.axvline(third, color=COLOURS["test"], lw=1.0, ls=":")
    above.set(ylabel="$E_k(t)$", xscale="log")
    below.set(yscale="log", ylabel="largest error", xlabel="time $t$")
    below.legend(ncols=2, loc="lower center")
    return fig
