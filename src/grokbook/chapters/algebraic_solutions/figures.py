"""Figures of chapter 16: the clock, nodes as hands, a table of factors."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grokbook.measures.hidden_nodes import ACTIVE, Factors, node_frequencies
from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.semiring import Solution

# How the hands of a layer look: first operand, second operand, answer.
LAYERS = {"a": ("theory", "-"), "b": ("theory", ":"), "c": ("measure", "-")}


def _face(ax: Axes, reach: float = 1.0, grid: float = 1.0) -> None:
    """An empty clock face."""
    ax.add_patch(Circle((0, 0), grid, fill=False, ec=COLOURS["quiet"], lw=0.7))
    ax.set(xlim=(-1.25 * reach, 1.25 * reach), ylim=(-1.25 * reach, 1.25 * reach), xticks=[], yticks=[])
    ax.set_aspect("equal")
    ax.axis("off")


def _hand(ax: Axes, z: complex, look: tuple[str, str], width: float = 2.0) -> None:
    end = {"solid_capstyle": "round"} if look[1] == "-" else {}
    ax.plot([0, z.real], [0, z.imag], look[1], color=COLOURS[look[0]], lw=width, **end)


@styled
def clock(network: Solution, a: int, b: int, k: int) -> Figure:
    """Left: the hands of a, b and a + b on the clock of frequency k. Right: the answers to (a, b).

    The dashed line has the nodes of frequency k alone, the solid one all nodes.
    """
    d = network.d
    fig, ((face, right),) = panels(1, 2, height=3.2, width_ratios=(1, 1.5))
    _face(face, 1.1)
    said = {a: ("a", "theory"), b: ("b", "theory"), (a + b) % d: ("a + b", "measure")}
    for hour in range(d):
        spot, (name, colour) = np.exp(2j * np.pi * k * hour / d), said.get(hour, ("", "theory"))
        bold = {"weight": "bold"} if name else {}
        face.text(1.13 * spot.real, 1.13 * spot.imag, hour, ha="center", va="center", color=COLOURS[colour], **bold)
        if name:
            _hand(face, 0.95 * spot, (colour, "-"), 2.4)
            face.text(1.32 * spot.real, 1.32 * spot.imag, name, ha="center", va="center", color=COLOURS[colour])
    one = Solution(network.z[:, :, node_frequencies(network.z) == k])
    first, every = (each.outputs()[a, b] - each.outputs()[a, b].mean() for each in (one, network))
    right.plot(first, "o--", color=COLOURS["theory"], ms=3, lw=1, label=f"six nodes, frequency {k}")
    right.plot(every, "o-", color=COLOURS["measure"], ms=4, label=f"all {network.nodes} nodes")
    right.set(xlabel="class $c$", ylabel="answer", ylim=(min(first.min(), every.min()) - 0.15, 1.2))
    name_lines(right)
    return fig


@styled
def hands(networks: Mapping[str, tuple[np.ndarray, int]]) -> Figure:
    """For each title nodes (3, n) of one frequency, and one to follow: a row, a face a layer, a hand a node.

    The one to follow is in colour, above those that agree with it.
    """
    fig, ((ax,),) = panels(1, 1, height=1.8 * len(networks))
    for row, (title, (nodes, followed)) in enumerate(networks.items()):
        y, size = -2.4 * row, np.abs(nodes).max()
        ax.text(-1.4, y, title, ha="right", va="center")
        for x, (layer, z) in zip((0, 2.6, 5.2), zip(LAYERS, nodes, strict=True), strict=True):
            ax.add_patch(Circle((x, y), 1, fill=False, ec=COLOURS["quiet"], lw=0.7))
            if row == 0:
                ax.text(x, 1.2, f"layer {layer}", ha="center", va="bottom")
            for number in [n for n in range(len(z)) if n != followed] + [followed]:
                colour, width = ("measure", 3.2) if number == followed else ("theory", 1.2)
                end = z[number] / size
                ax.plot([x, x + end.real], [y, y + end.imag], color=COLOURS[colour], lw=width, solid_capstyle="round")
    ax.set(xlim=(-3.6, 6.4), ylim=(-2.4 * len(networks) + 1.3, 1.8), aspect="equal")
    ax.axis("off")
    return fig


@styled
def neurons(waves: np.ndarray) -> Figure:
    """Every node that counts as hands on the clock of its frequency, a face a frequency; layers in their colours."""
    k, size = node_frequencies(waves), np.abs(waves[0])
    faces = (waves.shape[1] - 1) // 2
    columns = min(4, faces)
    lines = -(-faces // columns)
    fig, axes = panels(lines, columns, height=1.95 * lines)
    reach = np.abs(waves[:, 1:]).max()
    for frequency, ax in enumerate(axes.flat, start=1):
        ax.set_visible(frequency <= faces)
        if frequency > faces:
            continue
        chosen = np.flatnonzero((k == frequency) & (size[frequency] > ACTIVE))
        _face(ax, reach, reach)
        for look, z in zip(LAYERS.values(), waves[:, frequency, chosen], strict=True):
            for value in z:
                _hand(ax, value, look, 1.3)
        ax.set_title(f"$k$ = {frequency}: {len(chosen)} nodes", fontsize=9, loc="center")
    return fig


@styled
def factor_table(nodes: np.ndarray, found: Factors) -> Figure:
    """The nodes (3, n) of a frequency as a 2 x h table of clocks, with its factors: pair to the left, others on top."""
    half = found.order.shape[1]
    fig, axes = panels(1, 1, height=4.4)
    ax, size = axes[0, 0], np.abs(nodes).max()
    faces = {(j + 1, 0): found.other[:, j] for j in range(half)} | {(0, i + 1): found.pair[:, i] for i in range(2)}
    table = {(j + 1, i + 1): nodes[:, found.order[i, j]] / size for j in range(half) for i in range(2)}
    for (column, row), node in (faces | table).items():
        x, y = 2.6 * column, -2.6 * row
        looks = {"lw": 1.2, "ls": "-"} if (column, row) in table else {"lw": 0.8, "ls": ":"}
        ax.add_patch(Circle((x, y), 1, fill=False, ec=COLOURS["quiet"], **looks))
        for (colour, line), value in zip(LAYERS.values(), node, strict=True):
            ax.plot([x, x + value.real], [y, y + value.imag], line, color=COLOURS[colour], lw=2.2)
    ax.set(xlim=(-1.3, 2.6 * half + 1.3), ylim=(-6.5, 1.3), aspect="equal")
    ax.axis("off")
    return fig
