"""Figures of chapter 17: a run that is followed, a unit that climbs, pairs that keep a hill, the
boundary of networks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook_chapters.feature_emergence.claims import TIMES
from grokbook_chapters.labelled import Datasets

STAGES = (
    (
        "accuracy",
        {"train_accuracy": ("train", "training set"), "test_accuracy": ("test", "test set")},
    ),
    ("gradient", {"gradient_norm": ("measure", "with decay")}),
    ("energy", {"reached": ("measure", "with decay")}),
    ("frequencies found", {"found": ("theory", "with decay")}),
)
"""What is drawn of the runs, a panel each: its name, and by curve a colour and the curve's name."""

ALONE = ("train_accuracy", "found")
"""Curves that are drawn of the runs with weight decay only."""

BAND = ("low", "value", "high")
"""A fitted power between the ends of its band."""


@styled
def stages(followed: Datasets) -> Figure:
    """Accuracies, the norm of the gradient at the features, and energy and frequencies of the
    units: medians with weight decay solid, without dashed."""
    with_decay = followed["decay"].median("seed")
    without = followed["none"].median("seed")
    fig, axes = panels(2, 2, height=3.4, sharex=True)
    for ax, (name, curves) in zip(axes.flat, STAGES, strict=True):
        for curve, (colour, label) in curves.items():
            look = {"color": COLOURS[colour], "lw": 1.6}
            ax.plot(with_decay.step, with_decay[curve], label=label, **look)
            if curve not in ALONE:
                ax.plot(without.step, without[curve], "--", label="no decay", **look)
        ax.set(ylabel=name)
    for ax in axes[-1]:
        ax.set(xlabel="optimiser step")
    name_lines(*axes.flat)
    return fig


@styled
def climbing(shares: np.ndarray) -> Figure:
    """The share of a unit's square sum in each frequency, step by step; the last one's winner in
    colour."""
    winner = shares[-1].argmax()
    fig, ax = panel(height=2.8)
    ax.plot(np.delete(shares, winner, axis=1), color=COLOURS["theory"], lw=0.9, alpha=0.7)
    ax.plot(shares[:, winner], color=COLOURS["measure"], lw=2, label=f"frequency {winner + 1}")
    ax.set(xlabel="step of the ascent", ylabel="share of the unit", ylim=(0, 1.03))
    name_lines(ax)
    return fig


@styled
def keeping(kept: pd.DataFrame, tried: pd.DataFrame) -> Figure:
    """Pairs from which on a hill survives, over M ln M: draws and their median. Triangles: so many
    keep it in all draws; crosses: in none."""
    fig, ax = panel(height=3.0)
    medians = kept.groupby("M").ratio.median()
    ax.scatter(kept.M, kept.ratio, 8, COLOURS["measure"], alpha=0.5)
    ax.plot(medians, color=COLOURS["measure"], label="median draw")
    few = medians.index[medians.index / np.log(medians.index) < 1.2 * TIMES]
    ax.plot(few, few / np.log(few), "--", color=COLOURS["theory"], label="all pairs")
    at = tried.pairs / tried.M / np.log(tried.M)
    always = tried.kept == tried.draws
    never = tried.half == 0
    ax.plot(tried.M[always], at[always], "^", color=COLOURS["theory"])
    ax.plot(tried.M[never], at[never] / 2, "x", color=COLOURS["theory"])
    ax.set(xlabel="M", ylabel=r"$n \,/\, (M\,\ln M)$", xscale="log")
    _moduli(ax, sorted({*medians.index, *tried.M}))
    name_lines(ax)
    return fig


@styled
def boundary(table: pd.DataFrame, power: Mapping[str, float]) -> Figure:
    """Pairs from which on networks generalise, with the range of seeds, by modulus: beside the
    fitted power with its band, M ln M, and all pairs."""
    M = table.index.to_numpy(dtype=float)
    n = table.share * M**2
    fig, ax = panel(height=3.2)
    if np.isfinite(power["value"]):
        away = np.log(M) - np.log(M).mean()
        middle = np.log(n).mean()
        low, value, high = np.exp(middle + np.outer([power[name] for name in BAND], away))
        ax.fill_between(M, low, high, color=COLOURS["measure"], alpha=0.2, lw=0)
        label = f"fit: $M^{{{power['value']:.2f}}}$"
        ax.plot(M, value, color=COLOURS["measure"], label=label)
    below = n - table.least * M**2
    above = table.most * M**2 - n
    ax.errorbar(M, n, (below, above), fmt="o", color=COLOURS["measure"], capsize=3)
    growth = M * np.log(M)
    first = n.iloc[0] / growth[0]
    ax.plot(M, first * growth, "--", color=COLOURS["theory"], label="M ln M")
    ax.plot(M, M**2, ":", color=COLOURS["theory"], label="all pairs")
    ax.set(xscale="log", yscale="log", xlabel="M", ylabel="training pairs n")
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter("{x:g}")
    _moduli(ax, table.index)
    name_lines(ax)
    return fig


def _moduli(ax: Axes, ticks: object) -> None:
    """Every modulus as a tick of the axis."""
    ax.set_xticks(ticks, [str(M) for M in ticks])
    ax.minorticks_off()
