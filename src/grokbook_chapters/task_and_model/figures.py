"""Figures of chapter 02: classes on the grid, and the network from a cell to its logits."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from grokbook.models.transformer import Shape
from grokbook.plotting.grids import on_grid
from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook.tasks.arithmetic import ModularTask

OPERATIONS = {
    "$i + j$": "add",
    "$i \\cdot j$": "multiply",
    "$i^2 + ij + j^2$": "x2_plus_xy_plus_y2",
}
CELL = (3, 5)
"""The cell that the diagram follows."""

PLACES = (1.2, 3.6, 6.0)
"""Of the three tokens from left to right; the last is where the answer is read."""

GREY = "#444444"


@styled
def classes(p: int) -> Figure:
    """Labels of three operations on the grid (grey), the class of residue 1 marked (green), and
    what a network makes of a cell."""
    fig, axes = panels(1, 4, height=2.5, width_ratios=[1, 1, 1, 0.8])
    *grids, way = axes[0]
    for ax, operation in zip(grids, OPERATIONS.values(), strict=True):
        labels = ModularTask(p, operation).labels.reshape(p, p)
        ax.imshow(labels, cmap="Greys", vmax=2 * p)
        rows, columns = np.nonzero(labels == 1)
        ax.plot(columns, rows, "s", ms=max(2.0, 100 / p), mew=0, color=COLOURS["measure"])
        ax.set_box_aspect(1)  # so that a narrow drawing has two beside each other
    on_grid(grids, OPERATIONS)
    _way(way, p)
    return fig


def _way(ax: Axes, p: int) -> None:
    """Three tokens, attention, hidden units, and a score for each answer, one below the other."""
    stages = {4: "tokens $i$, $j$, cls", 3: "attention", 2: "hidden units", 1: f"{p} scores"}
    look = {"ha": "center", "va": "center", "fontsize": 8.5, "color": COLOURS["theory"]}
    box = {"boxstyle": "round,pad=0.35", "fc": "none", "ec": COLOURS["theory"], "lw": 0.9}
    for height, text in stages.items():
        ax.text(0, height, text, bbox=box, **look)
    arrow = {"arrowstyle": "-|>", "color": COLOURS["theory"], "lw": 0.9}
    for height in (4, 3, 2):
        ax.annotate("", (0, height - 0.7), (0, height - 0.3), arrowprops=arrow)
    ax.set(title="the network", xlim=(-1, 1), ylim=(0.6, 4.4), box_aspect=1.5)
    ax.axis("off")


@styled
def diagram(shape: Shape) -> Figure:
    """The way of one cell through a one-layer model, with the size of every matrix."""
    fig, ax = panel(height=7.2)
    fig.set_figwidth(4.4)
    _boxes(ax, shape)
    _arrows(ax)
    _notes(ax, shape)
    ax.set(xlim=(0.1, 7.5), ylim=(1.1, 12.3))
    ax.axis("off")
    return fig


def _boxes(ax: Axes, shape: Shape) -> None:
    """Tokens and their vectors side by side; below them attention, MLP and logits."""
    i, j = CELL
    second = f"$j + {shape.shift}$" if shape.shift else "$j$"
    tokens = {"$i$": i, second: j + shape.shift, "cls": shape.vocabulary - 1}
    for x, (role, token) in zip(PLACES, tokens.items(), strict=True):
        ax.text(x, 11.25, role, ha="center", color=GREY)
        _box(ax, x, 10.6, f"token {token}", 2.05, "white")
        _box(ax, x, 8.6, f"{shape.d_model} numbers", 2.05, "white")
    heads = f"attention: {shape.n_heads} heads of width {shape.d_head}"
    _box(ax, PLACES[1], 6.6, heads, 6.6, "#EFEFEF")
    _box(ax, PLACES[2], 4.1, "MLP", 1.75, "#EFEFEF")
    _box(ax, PLACES[2], 1.6, f"{shape.p} logits", 1.75, "white")


def _box(ax: Axes, x: float, y: float, text: str, width: float, ground: str) -> None:
    """A box of this width around a text, its middle at (x, y)."""
    dark = COLOURS["theory"]
    corner = (x - width / 2, y - 0.32)
    look = {"lw": 1, "ec": dark, "fc": ground, "boxstyle": "round,pad=0.05"}
    ax.add_patch(FancyBboxPatch(corner, width, 0.64, **look))
    ax.text(x, y, text, ha="center", va="center", color=dark)


def _arrows(ax: Axes) -> None:
    """From box to box, and the two ways around a box to a plus sign."""
    dark = COLOURS["theory"]
    last = PLACES[2]
    arrows = [(last, 6.2, 4.5), (last, 3.7, 2.0)]
    for x in PLACES:
        arrows += [(x, 10.2, 9.0), (x, 8.2, 7.0)]
    look = {"arrowstyle": "-|>", "color": dark, "lw": 1, "shrinkA": 0, "shrinkB": 0}
    for x, above, below in arrows:
        ax.annotate("", (x, below), (x, above), arrowprops=look)
    for above, plus in ((7.65, 5.75), (4.95, 3.25)):
        ax.plot(last, plus, "o", ms=13, mfc="white", mec=dark, zorder=3)
        ax.text(last, plus - 0.02, "+", ha="center", va="center", zorder=4)
        ax.plot([last, 7.3, 7.3, last], [above, above, plus, plus], lw=1, zorder=1, color=dark)


def _notes(ax: Axes, shape: Shape) -> None:
    """The cell above the diagram, and the sizes of the matrices beside it."""
    size = {}
    for name, dims in shape.shapes().items():
        size[name.removesuffix(".0")] = " × ".join(map(str, dims))
    notes = {
        9.75: f"$W_E$: {size['W_E']}",
        9.4: f"$W_{{pos}}$: {size.get('W_pos', 'none')}",
        5.75: f"$W_Q, W_K, W_V, W_O$: {size['W_Q']} each",
        4.1: f"$W_{{in}}$: {size['W_in']}, ReLU",
        3.7: f"$W_{{out}}$: {size['W_out']}",
        2.65: f"$W_U$: {size['W_U']}",
        1.6: "the largest is the answer",
    }
    for y, note in notes.items():
        ax.text(3.75 if y > 9 else 0.3, y, note, va="center", fontsize=9.5, color=GREY)
    ax.text(3.6, 11.9, f"cell $(i, j)$ = {CELL}", ha="center", color=COLOURS["theory"])
