"""The figure of the appendix to chapter 03."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from grokbook.measures import med
from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.toeplitz_start import squared_steps

LOOKS = {
    "independent": {"color": COLOURS["quiet"]},
    "toeplitz": {"color": COLOURS["measure"]},
    "circulant": {"color": COLOURS["theory"], "ls": "--"},
}
"""How the lines of each kind of start are drawn."""


@styled
def steps_and_med(tables: Mapping[str, Sequence[np.ndarray]]) -> Figure:
    """Left the steps of the first table of each kind, right how MED is spread over its tables."""
    fig, ((left, right),) = panels(1, 2)
    for kind, drawn in tables.items():
        look = {"label": kind.title(), **LOOKS[kind]}
        left.plot(np.sqrt(squared_steps(drawn[0]))[:-1], lw=1.2, **look)
        right.ecdf([med(table) for table in drawn], lw=1.4, **look)
    left.set(xlabel="symbol $i$", ylabel=r"$\|\phi(i+1) - \phi(i)\|$, one table")
    right.set(xlabel="MED", ylabel="share of tables below")
    name_lines(left, right)
    return fig
