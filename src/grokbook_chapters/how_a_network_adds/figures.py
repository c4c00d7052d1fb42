"""Figures of chapter 02a: sums as turns, and how many frequencies a margin takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook_chapters.how_a_network_adds import sum_of_angles as angles


@styled
def turns(p: int, i: int, j: int, sets: Sequence[Sequence[int]]) -> Figure:
    """Left: i, j and i + j as turns of one circle. Right: the logits of (i, j) by each set, over
    its size."""
    fig, ((face, right),) = panels(1, 2, height=3.3, width_ratios=(1, 1.6))
    # turns begin at the top and go clockwise
    at = np.exp(1j * (np.pi / 2 - 2 * np.pi * np.arange(p) / p))
    face.add_patch(Circle((0, 0), 1, fill=False, ec=COLOURS["quiet"], lw=0.7))
    face.plot(at.real, at.imag, ".", color=COLOURS["quiet"], ms=2.5)
    for n, name, colour in (
        (i, "$i$", "theory"),
        (j, "$j$", "theory"),
        ((i + j) % p, "$i + j$", "measure"),
    ):
        face.plot(
            [0, at[n].real], [0, at[n].imag], color=COLOURS[colour], lw=2.2, solid_capstyle="round"
        )
        place = 1.45 * at[n]
        face.text(
            place.real, place.imag, f"{name} = {n}", ha="center", va="center", color=COLOURS[colour]
        )
    face.set(xlim=(-1.9, 1.9), ylim=(-1.6, 1.6), xticks=[], yticks=[], aspect="equal")
    face.axis("off")
    looks = (("second", "--"), ("measure", "-"), ("theory", ":"))
    for frequencies, (colour, dash) in zip(sets, looks, strict=True):
        m, g = len(frequencies), angles.profile(p, frequencies)
        logits = g[(i + j - np.arange(p)) % p] / m
        right.plot(
            logits, dash, color=COLOURS[colour], lw=1.6, label=f"{m} of {p // 2} frequencies"
        )
    right.axvline((i + j) % p, color=COLOURS["quiet"], lw=0.8)
    right.set(xlabel="answer $c$", ylabel="logit (right answer: 1)", ylim=(-1.12, 1.35))
    name_lines(right)
    return fig
