"""Figures of chapter 16: the clock, nodes as hands, a table of factors."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Circle

from grokbook.plotting.style import COLOURS

# How the hands of a layer look: first operand, second operand, answer.
LAYERS = {"a": ("theory", "-"), "b": ("theory", ":"), "c": ("measure", "-")}


def face(ax: Axes, edge: float, grid: float = 1.0) -> None:
    """An empty clock face of radius `grid`, in a square from -edge to edge."""
    ax.add_patch(Circle((0, 0), grid, fill=False, ec=COLOURS["quiet"], lw=0.7))
    ax.set(xlim=(-edge, edge), ylim=(-edge, edge), xticks=[], yticks=[], aspect="equal")
    ax.axis("off")
