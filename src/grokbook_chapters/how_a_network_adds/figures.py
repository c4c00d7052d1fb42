"""Figures of chapter 02a: sums as turns, how many frequencies a margin takes, and what trained
networks use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle
from matplotlib.ticker import MaxNLocator

from companion.page.interactive import interactive
from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook_chapters.how_a_network_adds import sum_of_angles as angles
from grokbook_chapters.how_a_network_adds.claims import ROTATED
from grokbook_chapters.how_a_network_adds.trained import explorable
from grokbook_chapters.labelled import Datasets

CAPTION = (
    "Choose frequencies, of a clock or a pizza modulo {glue:text}`modulus`, or drop those of a",
    "transformer trained on this page. Everything is computed in your browser; noise is normal and",
    "drawn once, trained logits are rounded to 8 bits.",
)
ALT = (
    "Buttons for the frequencies, circles, the logits of one pair, and a square of all pairs with",
    "the wrong ones marked.",
)

PRIMES = (7, 11, 17, 23, 37, 59, 83, 113, 149, 199)
HALF = 0.5
"""The share of the margin that is asked for."""

DRAWS = 200
TRIED = 4
"""Up to so many frequencies the best set is found by trying all."""


def few(p: int) -> int:
    """How many frequencies make "a few" of all (p - 1)/2."""
    if p > 40:
        return 4
    return 3 if p > 20 else 2


@styled
def turns(p: int) -> Figure:
    """Left: two numbers and their sum as turns of one circle. Right: the logits of this pair by
    one frequency, the best few and all, each over their number."""
    i = p // 5
    j = p // 3
    fig, ((face, right),) = panels(1, 2, height=3.3, width_ratios=(1, 1.6))
    _face(face, p, {"$i$": i, "$j$": j, "$i + j$": (i + j) % p})
    distances = (i + j - np.arange(p)) % p

    def draw(frequencies: Sequence[int], dash: str, colour: str) -> None:
        m = len(frequencies)
        logits = angles.profile(p, frequencies)[distances] / m
        label = f"{m} of {p // 2} frequencies"
        right.plot(logits, dash, color=COLOURS[colour], lw=1.6, label=label)

    draw([1], "--", "second")
    draw(best_few(p), "-", "measure")
    draw(range(1, (p + 1) // 2), ":", "theory")
    right.axvline((i + j) % p, color=COLOURS["quiet"], lw=0.8)
    right.set(xlabel="answer $c$", ylabel="score (right answer: 1)", ylim=(-1.12, 1.12))
    fig.legend(loc="outside lower center", ncols=3)
    return fig


def best_few(p: int) -> tuple[int, ...]:
    """A set of `few` frequencies with the largest margin."""
    return angles.best(p, few(p)).frequencies


def _face(ax: Axes, p: int, hands: Mapping[str, int]) -> None:
    """A circle of p numbers, clockwise from the top, with a hand at some of them."""
    at = np.exp(1j * (np.pi / 2 - 2 * np.pi * np.arange(p) / p))
    ax.add_patch(Circle((0, 0), 1, fill=False, ec=COLOURS["quiet"], lw=0.7))
    ax.plot(at.real, at.imag, ".", color=COLOURS["quiet"], ms=2.5)
    for name, n in hands.items():
        colour = COLOURS["measure" if "+" in name else "theory"]
        x = at[n].real
        y = at[n].imag
        ax.plot([0, 0.9 * x], [0, 0.9 * y], color=colour, lw=2.2, solid_capstyle="round")
        look = {"ha": "center", "va": "center", "color": colour, "in_layout": False}
        ax.text(1.4 * x, 1.28 * y, f"{name} = {n}", **look)
    ax.set(xlim=(-1.7, 1.7), ylim=(-1.5, 1.5), xticks=[], yticks=[], aspect="equal")
    ax.axis("off")


@styled
def how_many(p: int) -> Figure:
    """Left: share of the margin over the number of frequencies. Right: the least number for half of
    it, over the modulus."""
    fig, ((left, right),) = panels(1, 2, height=3.3, width_ratios=(1.2, 1))
    _shares_of_sets(left, p)
    primes = [q for q in PRIMES if q <= p]
    lines = (("enough", ":", "theory"), ("least", "o-", "measure"), ("needed", "--", "theory"))
    for name, dash, colour in lines:
        counts = [getattr(angles, name)(q, HALF) for q in primes]
        right.plot(primes, counts, dash, color=COLOURS[colour], label=name, ms=4, lw=1.4)
    right.set(xscale="log", xlabel="modulus $p$", ylim=(0, None))
    right.set_ylabel(f"frequencies for a share of {HALF:g}")
    name_lines(left, right)
    return fig


def _shares_of_sets(ax: Axes, p: int) -> None:
    """The best set as far as all are tried, random sets, and both bounds."""
    sizes = np.arange(1, (p + 1) // 2)
    drawn = np.array([angles.drawn(p, m, DRAWS) for m in sizes])
    tried = sizes[:TRIED]
    best = [angles.best(p, m).share for m in tried]
    upper = [min(angles.box_bound(p, m), angles.moment_bound(p, m)) for m in sizes]
    lower = [angles.random_bound(p, m) for m in sizes]
    lowest = drawn.min(axis=1)
    ax.fill_between(sizes, lowest, drawn.max(axis=1), color=COLOURS["quiet"], alpha=0.25, lw=0)
    ax.plot(sizes, np.median(drawn, axis=1), color=COLOURS["quiet"], label="random sets")
    ax.plot(tried, best, "o-", color=COLOURS["measure"], label="best set")
    ax.plot(sizes, upper, "--", color=COLOURS["theory"], lw=1, label="no set has more")
    ax.plot(sizes, lower, ":", color=COLOURS["theory"], lw=1.4, label="some set has as much")
    ax.set(xscale="log", xlabel="frequencies $m$", ylabel="share (margin / $g(0)$)", ylim=(0, 1.2))


def explorer(logits: np.ndarray) -> None:
    """Put circles, logits and wrong pairs on the page, to be computed in the browser."""
    p = logits.shape[1]
    options = {
        "p": p,
        "chosen": [1],
        "noise": 0.1,
        "networks": [explorable(logits, "Trained, seed 0")],
    }
    caption = " ".join(CAPTION)
    interactive("frequency_explorer", "fig-add-explorer", caption, " ".join(ALT), options, turns(p))


@styled
def waves_of_kinds(kinds: Datasets) -> Figure:
    """Share of the logits' variance by frequency, strongest first: a panel a kind of network, a
    line a seed."""
    fig, axes = panels(2, 2, height=4.3, sharex=True, sharey=True)
    for ax, (kind, run) in zip(axes.flat, kinds.items(), strict=True):
        ranked = -np.sort(-run.clock.values, axis=1)
        x = np.arange(1, ranked.shape[1] + 1)
        lowest = ranked.min(axis=0)
        ax.plot(x, ranked.T, color=COLOURS["measure"], lw=0.6, alpha=0.45)
        ax.plot(x, np.median(ranked, axis=0), color=COLOURS["measure"])
        ax.fill_between(x, lowest, ranked.max(axis=0), color=COLOURS["measure"], alpha=0.13, lw=0)
        ax.set_title(f"{kind} ({run.sizes['seed']} seeds)", fontsize=10)
    for ax in axes[1]:
        ax.set_xlabel("frequency, strongest first")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    for ax in axes[:, 0]:
        ax.set_ylabel("share of variance")
    return fig


@styled
def clock_or_pizza(kinds: Datasets) -> Figure:
    """Part of the logits' variance that a clock explains, and a pizza: a point a seed, and a cross
    where the exact rules lie for large p."""
    fig, ax = panel(height=3.8)
    looks = zip(kinds.items(), ("measure", "second", "quiet", "quiet"), "osD^", strict=True)
    for (kind, run), colour, mark in looks:
        clock = run.clock.sum("frequency")
        pizza = run.pizza.sum("frequency")
        face = "none" if mark == "^" else COLOURS[colour]
        ax.plot(clock, pizza, mark, color=COLOURS[colour], ms=4, alpha=0.6, label=kind, mfc=face)
    for name, at in {"clock": (1, ROTATED), "pizza": (ROTATED, 1)}.items():
        ax.plot(*at, "P", ms=9, color=COLOURS["theory"])
        ax.annotate(f"exact {name}", at, (8, -4), textcoords="offset points")
    ax.axline((0.8, 0.8), slope=1, color=COLOURS["quiet"], lw=0.8)
    ax.set(xlabel="explained by a clock", ylabel="explained by a pizza")
    ax.set(xlim=(0.5, 1.16), ylim=(0.5, 1.06))
    ax.legend(loc="lower right")
    return fig


@styled
def without_one(table: pd.DataFrame) -> Figure:
    """Above: share of each wave. Below: right pairs when that frequency of the embedding is taken
    away, or exchanged; `table` as `trained.without_each` gives it."""
    fig, ((above,), (below,)) = panels(2, 1, height=4.0, sharex=True)
    above.bar(table.frequency, table.share, color=COLOURS["measure"])
    above.set_ylabel("share of variance")
    below.plot(table.frequency, table.without, "o", color=COLOURS["theory"], label="taken away")
    below.plot(table.frequency, table.exchanged, "x", color=COLOURS["second"], label="exchanged")
    below.set(xlabel="frequency $k$", ylabel="right pairs", ylim=(0, 1.08))
    below.set_xticks(range(2, len(table) + 1, 2))
    below.legend(loc="lower left")
    return fig
