"""Figures of chapter 16: the clock, nodes as hands, a table of factors, dropped nodes, the razor's path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grokbook.measures.hidden_nodes import ACTIVE, Factors, node_frequencies
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.semiring import Solution

LAYERS = {"a": "train", "b": "test", "c": "measure"}
"""The colours of the layers: first operand, second operand, answer."""


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
    answers = clock_answers(network, a, b, [k])
    right.plot(answers, "o-", color=COLOURS["quiet"], ms=3, lw=1, label=f"six nodes, frequency {k}")
    every = clock_answers(network, a, b, range(1, d))
    right.plot(every, "o-", color=COLOURS["measure"], ms=4, label=f"all {network.nodes} nodes")
    right.set(xlabel="class $c$", ylabel="answer", ylim=(min(answers.min(), every.min()) - 0.1, 1.35))
    right.legend(loc="upper right", fontsize=8.5)
    return fig


def clock_answers(network: Solution, a: int, b: int, ks: Sequence[int]) -> np.ndarray:
    """The answers o / 2d to one pair, without their mean, of the nodes of some frequencies: (d,).

    Example:
        >>> from grokbook.theory.semiring import order_six_solution
        >>> clock_answers(order_six_solution(5), 1, 2, (1, 2)).round(12).argmax()
        np.int64(3)
    """
    kept = np.isin(node_frequencies(network.z), ks)
    answers = Solution(network.z[:, :, kept]).outputs()[a, b]
    return answers - answers.mean()


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
    k = node_frequencies(waves)
    size = np.abs(waves[0, k, np.arange(len(k))])
    faces = (waves.shape[1] - 1) // 2
    columns = min(4, faces)
    lines = -(-faces // columns)
    fig, axes = panels(lines, columns, height=1.95 * lines)
    reach = np.abs(waves[:, 1:]).max()
    for frequency, ax in enumerate(axes.flat, start=1):
        if frequency > faces:
            ax.set_visible(False)
            continue
        chosen = np.flatnonzero((k == frequency) & (size > ACTIVE))
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
    for j in range(half):
        _triple(ax, (j + 1, 0), found.other[:, j])
        for i in range(2):
            _triple(ax, (j + 1, i + 1), nodes[:, found.order[i, j]] / size, solid=True)
    for i in range(2):
        _triple(ax, (0, i + 1), found.pair[:, i])
    ax.set(xlim=(-1.3, 2.6 * half + 1.3), ylim=(-6.5, 1.3), aspect="equal")
    ax.axis("off")
    return fig


def _triple(ax: Axes, place: tuple[int, int], node: np.ndarray, solid: bool = False) -> None:
    """One node: the hands of its three layers on one face, in a column and row of the table."""
    x, y = 2.6 * place[0], -2.6 * place[1]
    looks = {"lw": 1.2, "ls": "-"} if solid else {"lw": 0.8, "ls": ":"}
    ax.add_patch(Circle((x, y), 1, fill=False, ec=COLOURS["quiet"], **looks))
    for colour, value in zip(LAYERS.values(), node, strict=True):
        ax.plot([x, x + value.real], [y, y + value.imag], color=COLOURS[colour], lw=2.2, solid_capstyle="round")


@styled
def without_nodes(kept: pd.DataFrame, dropped: pd.DataFrame) -> Figure:
    """Left: loss by how many of the strongest nodes are kept. Right: loss without one node, by its frequency."""
    fig, axes = panels(1, 2, height=3.2)
    left, right = axes[0]
    left.plot(kept.kept, kept.loss, color=COLOURS["measure"], label="loss")
    left.plot(kept.kept, 1 - kept.accuracy, color=COLOURS["test"], ls="--", label="share of wrong answers")
    left.set(xlabel="nodes kept, strongest first", ylabel="on all pairs")
    left.legend(loc="upper right")
    looks = {4: ("o", "train", "order 4"), 6: ("s", "hole", "order 6")}
    for order, part in dropped.groupby("order"):
        marker, colour, _ = looks.get(order, ("x", "quiet", ""))
        right.plot(part.frequency, part.loss, marker, color=COLOURS[colour], ms=4)
    for marker, colour, name in (*looks.values(), ("x", "quiet", "other orders")):
        right.plot([], [], marker, color=COLOURS[colour], label=name)
    right.axhline(kept.loss.iloc[-1], color=COLOURS["theory"], ls="--", lw=1, label="no node dropped")
    right.set(xlabel="frequency of the dropped node", ylabel="loss without it", ylim=(0, None))
    right.legend(loc="best", fontsize=8)
    return fig


@styled
def razor_figure(losses: Mapping[str, Sequence[float]], norms: Sequence[float]) -> Figure:
    """Left: the loss along the path from y to e, a line a network. Right: the squared norm along it."""
    fig, axes = panels(1, 2, height=2.9)
    left, right = axes[0]
    for (name, values), (colour, style) in zip(losses.items(), (("measure", "-"), ("test", "--")), strict=True):
        left.plot(np.linspace(0, 4, len(values)), values, style, color=COLOURS[colour], label=name)
    left.set(xlabel="leg of the path", ylabel="loss")
    fig.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    right.plot(np.linspace(0, 4, len(norms)), norms, color=COLOURS["norm"])
    right.set(xlabel="leg of the path", ylabel="squared norm", ylim=(0, None))
    return fig
