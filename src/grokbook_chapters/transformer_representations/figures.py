"""The figures of chapter 14: effective dimension beside the published curve, and planes of
points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from grokbook.measures import dominant_frequencies
from grokbook.plotting.moving import in_order
from grokbook.plotting.style import COLOURS, panels, styled


@styled
def four_planes(planes: Mapping[str, np.ndarray], own: bool = False) -> Figure:
    """Points (p, 2) of each panel, joined in the order of the angle of one frequency, p prime.

    The frequency is that which is strongest in the first panel, with `own` that of each panel.
    """
    fig, axes = panels(1, len(planes), height=2.5)
    first = next(iter(planes.values()))
    for ax, (name, points) in zip(axes[0], planes.items(), strict=True):
        order = in_order(len(points), dominant_frequencies(points if own else first, 1)[0])
        ax.plot(*points[[*order, order[0]]].T, color=COLOURS["quiet"], lw=0.6, zorder=1)
        ax.scatter(*points.T, color=COLOURS["measure"], s=9, zorder=2)
        ax.set_title(name, fontsize=9)
        ax.set(box_aspect=1, xticks=[], yticks=[])
        ax.grid(False)
    return fig
