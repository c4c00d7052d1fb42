"""Figures of chapter 16: the clock, nodes as hands, a table of factors, dropped nodes, the razor's path."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grokbook.measures.hidden_nodes import ACTIVE, Factors, node_frequencies
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.semiring import Solution

LAYERS = {"a": "train", "b": "test", "c": "measure"}  # the colours of the layers: first operand, second operand, answer


def _face(ax: Axes, reach: float = 1.0, grid: float = 1.0) -> None:
    """An empty clock face."""
    ax.add_patch(Circle((0, 0), grid, fill=False, ec=COLOURS["quiet"], lw=0.7))
    ax.set(xlim=(-1.25 * reach, 1.25 * reach), ylim=(-1.25 * reach, 1.25 * reach), xticks=[], yticks=[])
    ax.set_aspect("equal")
    ax.axis("off")


def _hand(ax: Axes, z: complex, colour: str, width: float = 2.0, label: str = "") -> None:
    ax.plot([0, z.real], [0, z.imag], color=COLOURS[colour], lw=width, label=label, solid_capstyle="round")


@styled
def clock(network: Solution, a: int, b: int, k: int) -> Figure:
    """Left: the hands of a, b and a + b on the clock of frequency k. Right: the answers to (a, b).

    The thin line has the nodes of frequency k alone, the thick one all nodes.
    """
    d = network.d
    fig, axes = panels(1, 2, height=3.2, width_ratios=(1, 1.5))
    face, right = axes[0]
    _face(face)
    for hour in range(d):
        spot = 1.13 * np.exp(2j * np.pi * k * hour / d)
        face.text(spot.real, spot.imag, str(hour), ha="center", va="center", fontsize=9)
    for hour, colour, name in ((a, "train", f"a = {a}"), (b, "test", f"b = {b}"), ((a + b) % d, "measure", "a + b")):
        _hand(face, 0.95 * np.exp(2j * np.pi * k * hour / d), colour, 2.4, name)
    face.legend(loc="lower center", bbox_to_anchor=(0.5, -0.2), ncols=3, fontsize=8.5, handlelength=1.2)
    one = Solution(network.z[:, :, node_frequencies(network.z) == k])
    first, every = (each.outputs()[a, b] - each.outputs()[a, b].mean() for each in (one, network))
    right.plot(first, "o-", color=COLOURS["quiet"], ms=3, lw=1, label=f"six nodes, frequency {k}")
    right.plot(every, "o-", color=COLOURS["measure"], ms=4, label=f"all {network.nodes} nodes")
    right.set(xlabel="class $c$", ylabel="answer", ylim=(min(first.min(), every.min()) - 0.1, 1.35))
    right.legend(loc="upper right", fontsize=8.5)
    return fig


@styled
def hands(networks: Mapping[str, np.ndarray]) -> Figure:
    """For each title nodes (3, n) of one frequency: a row, a face a layer, a hand a node; hands that agree are spread.

    Numbers name the nodes, at the end of each hand.
    """
    fig, axes = panels(len(networks), 3, height=2.1 * len(networks))
    for row, (title, nodes) in zip(axes, networks.items(), strict=True):
        for ax, layer, z in zip(row, LAYERS, nodes, strict=True):
            _face(ax, 1.1)
            for number, value in enumerate(z / np.abs(nodes).max()):
                near = sum(abs(value - other) < 0.05 for other in z[:number] / np.abs(nodes).max())
                spot = value * (1.17 + 0.2 * near)
                _hand(ax, value, LAYERS[layer], 1.6)
                ax.text(spot.real, spot.imag, str(number + 1), ha="center", va="center", fontsize=8.5)
            ax.set_title(f"{title}, layer {layer}", fontsize=9.5, loc="center")
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
        for layer, z in zip(LAYERS, waves[:, frequency, chosen], strict=True):
            for value in z:
                _hand(ax, value, LAYERS[layer], 1.3)
        ax.set_title(f"$k$ = {frequency}: {len(chosen)} nodes", fontsize=9, loc="center")
    for layer, colour in LAYERS.items():
        axes[0, 0].plot([], [], color=COLOURS[colour], label=f"layer {layer}")
    fig.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
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
        for colour, value in zip(LAYERS.values(), node, strict=True):
            ax.plot([x, x + value.real], [y, y + value.imag], color=COLOURS[colour], lw=2.2, solid_capstyle="round")
    ax.set(xlim=(-1.3, 2.6 * half + 1.3), ylim=(-6.5, 1.3), aspect="equal")
    ax.axis("off")
    return fig
