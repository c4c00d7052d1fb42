"""Points of all classes in the plane, three of them marked."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from grokbook.plotting.style import COLOURS


def scatter(ax: Axes, by_class: np.ndarray, title: str) -> tuple[int, ...]:
    """All points grey, those of three classes green in three shapes; by_class has shape (p, n, 2).
    The classes."""
    classes = 0, len(by_class) // 3, 2 * len(by_class) // 3
    ax.plot(*by_class.reshape(-1, 2).T, ".", ms=2.5, color=COLOURS["quiet"], alpha=0.6)
    for r, marker in zip(classes, "os^", strict=True):
        ax.plot(
            *by_class[r].T, marker, ms=5, mfc="none", color=COLOURS["measure"], label=f"class {r}"
        )
    ax.set(title=title, aspect="equal")
    ax.grid(False)
    return classes
