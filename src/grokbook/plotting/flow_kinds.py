"""One start of each case of the limit theorem of the x w u flow, against time."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.triple_product import NAMES, flow, limit_point

CASES = (
    ("surface", (0.2, 0.5, 0.9), 1.0, 6.0),
    ("crossing", (-0.2, 0.5, 0.9), 1.0, 6.0),
    ("saddle", (-0.5, 0.5, 1.2), 1.0, 6.0),
    ("target zero", (0.6, 0.8, 1.0), 0.0, 20.0),
)
"""A start of each case of the limit theorem that moves: name, start, target, duration."""


@styled
def kinds_of_start() -> Figure:
    """One start of each case of the limit theorem against time: x, w, u with their exact limits dashed.

    The panels are those of `CASES`: no sign changes; the smallest coordinate goes through 0; a tie with the wrong sign
    runs to an axis; target 0.
    """
    fig, axes = panels(1, len(CASES), height=2.9, sharey=True)
    colours = COLOURS["train"], COLOURS["test"], COLOURS["measure"]
    for ax, (title, start, target, duration) in zip(axes[0], CASES, strict=True):
        times = np.linspace(0, duration, 150)
        path, end = flow(start, times, target=target), limit_point(start, target=target)
        ax.axhline(0, color=COLOURS["quiet"], lw=0.8)
        for values, level, name, colour in zip(path.T, end, NAMES, colours, strict=True):
            ax.axhline(level, color=colour, ls="--", lw=1)
            ax.plot(times, values, color=colour, label=f"${name}$")
        ax.set(xlabel="time $t$", title=title)
    axes[0, 0].set_ylabel("coordinate")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return fig
