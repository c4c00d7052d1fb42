"""Numbered points in the plane."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from grokbook.plotting.style import COLOURS


def window(points: np.ndarray) -> tuple[float, float, float, float]:
    """The square of the plane that shows some points: left, right, low, high."""
    reach = 1.2 * np.abs(points - points.mean(axis=0)).max()
    x, y = points.mean(axis=0)
    return x - reach, x + reach, y - reach, y + reach


def numbered(ax: Axes, points: np.ndarray) -> None:
    """Points in the plane with their numbers, in a square `window` without axes."""
    ax.plot(*points.T, "o", ms=13, mfc="white", mec=COLOURS["theory"], mew=1.1)
    for k, (x, y) in enumerate(points):
        ax.text(x, y, str(k), ha="center", va="center_baseline", fontsize=9)
    left, right, low, high = window(points)
    ax.set(xticks=[], yticks=[], aspect="equal", xlim=(left, right), ylim=(low, high))
    ax.grid(False)
