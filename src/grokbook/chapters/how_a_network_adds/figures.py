"""Figures of chapter 02a: sums as turns, and how many frequencies a margin takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory import sum_of_angles as angles

BEST = 4  # up to so many frequencies all sets are tried


@styled
def turns(p: int, i: int, j: int, sets: Sequence[Sequence[int]]) -> Figure:
    """Left: i, j and i + j as turns of one circle. Right: the logits of (i, j) by each set, over its size."""
    fig, ((face, right),) = panels(1, 2, height=3.3, width_ratios=(1, 1.6))
    _face(face, p, i, j, 1)
    looks = (("second", "--"), ("measure", "-"), ("theory", ":"))
    for frequencies, (colour, dash) in zip(sets, looks, strict=True):
        m, g = len(frequencies), angles.profile(p, frequencies)
        logits = g[(i + j - np.arange(p)) % p] / m
        right.plot(logits, dash, color=COLOURS[colour], lw=1.6, label=f"{m} frequenc{'y' if m == 1 else 'ies'}")
    right.axvline((i + j) % p, color=COLOURS["quiet"], lw=0.8)
    right.set(xlabel="answer $c$", ylabel="logit (right answer: 1)", ylim=(-1.12, 1.35))
    name_lines(right)
    return fig


def _face(ax: Axes, p: int, i: int, j: int, k: int) -> None:
    """A circle with p marks and hands for i, j and their sum; turns begin at the top and go clockwise."""
    at = {n: np.exp(1j * (np.pi / 2 - 2 * np.pi * k * n / p)) for n in range(p)}
    ax.add_patch(Circle((0, 0), 1, fill=False, ec=COLOURS["quiet"], lw=0.7))
    ax.plot([z.real for z in at.values()], [z.imag for z in at.values()], ".", color=COLOURS["quiet"], ms=2.5)
    for n, name, colour in ((i, "$i$", "theory"), (j, "$j$", "theory"), ((i + j) % p, "$i + j$", "measure")):
        ax.plot([0, at[n].real], [0, at[n].imag], color=COLOURS[colour], lw=2.2, solid_capstyle="round")
        place, side = 1.12 * at[n], "left" if at[n].real > 0 else "right"
        ax.text(place.real, place.imag, f"{name} = {n}", ha=side, va="top" if at[n].imag < -0.8 else "center",
                color=COLOURS[colour])
    ax.set(xlim=(-1.75, 1.75), ylim=(-1.25, 1.25), xticks=[], yticks=[])
    ax.set_aspect("equal")
    ax.axis("off")


@styled
def how_many(p: int, primes: Sequence[int], share: float, draws: int) -> Figure:
    """Left: share of the margin by number of frequencies. Right: least number of a share by p, with both bounds."""
    fig, ((left, right),) = panels(1, 2, height=3.3, width_ratios=(1.2, 1))
    sizes = np.arange(1, (p + 1) // 2)
    random = np.array([angles.drawn(p, m, draws) for m in sizes])
    left.fill_between(sizes, random.min(axis=1), random.max(axis=1), color=COLOURS["quiet"], alpha=0.25, lw=0)
    left.plot(sizes, np.median(random, axis=1), color=COLOURS["quiet"], label="random sets")
    few = sizes[:BEST]
    left.plot(few, [angles.best(p, m)[0] for m in few], "o-", color=COLOURS["measure"], label="best set")
    upper = [min(angles.box_bound(p, m), angles.moment_bound(p, m)) for m in sizes]
    left.plot(sizes, upper, "--", color=COLOURS["theory"], lw=1, label="no set has more")
    lower = np.array([angles.random_bound(p, m) for m in sizes])
    left.plot(sizes, lower, ":", color=COLOURS["theory"], lw=1.4, label="some set has as much")
    left.set(xscale="log", xlabel="frequencies $m$", ylabel="share of the margin", ylim=(0, 1.2))
    for number, dash, colour in ((angles.enough, ":", "theory"), (angles.least, "o-", "measure"),
                                 (angles.needed, "--", "theory")):  # fmt: skip
        right.plot(primes, [number(q, share) for q in primes], dash, color=COLOURS[colour], label=number.__name__,
                   ms=4, lw=1.4)  # fmt: skip
    right.set(xscale="log", xlabel="modulus $p$", ylabel=f"frequencies for a share of {share:g}", ylim=(0, None))
    name_lines(left)
    name_lines(right)
    return fig
