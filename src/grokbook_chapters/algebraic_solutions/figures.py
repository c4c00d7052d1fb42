"""Figures of chapter 16: the clock, nodes as hands, a table of factors, nodes that are dropped."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook_chapters.algebraic_solutions.hidden_nodes import (
    ACTIVE,
    factorise,
    node_frequencies,
)
from grokbook_chapters.algebraic_solutions.semiring import Solution, opposed, synced
from grokbook_chapters.algebraic_solutions.trained import Dropped

FREQUENCY = 2
"""That of the nodes that are written down."""

LAYERS = {"a": ("theory", "-"), "b": ("theory", ":"), "c": ("measure", "-")}
"""How the hands of a layer look: first operand, second operand, answer."""


def face(ax: Axes, edge: float, grid: float = 1.0) -> None:
    """An empty clock face of radius `grid`, in a square from -edge to edge."""
    _ring(ax, 0j, grid)
    ax.set(xlim=(-edge, edge), ylim=(-edge, edge), xticks=[], yticks=[], aspect="equal")
    ax.axis("off")


def _ring(ax: Axes, centre: complex, radius: float = 1.0, lw: float = 0.7, ls: str = "-") -> None:
    """The ring of a clock face."""
    spot = (centre.real, centre.imag)
    ax.add_patch(Circle(spot, radius, fill=False, ec=COLOURS["quiet"], lw=lw, ls=ls))


def _hand(ax: Axes, end: complex, centre: complex = 0j, **look: object) -> None:
    """A hand of a clock from its centre, `end` long and turned so."""
    tip = centre + end
    ax.plot([centre.real, tip.real], [centre.imag, tip.imag], solid_capstyle="round", **look)


def _node(ax: Axes, node: np.ndarray, centre: complex = 0j, lw: float = 1.3) -> None:
    """The three hands of a node, one for each layer."""
    for (colour, line), end in zip(LAYERS.values(), node, strict=True):
        _hand(ax, end, centre, color=COLOURS[colour], ls=line, lw=lw)


# ---------------------------------------------------------------------------------- written down


@styled
def clock(network: Solution, a: int, b: int) -> Figure:
    """Both numbers and their sum as hands of the clock of frequency 2, and the network's answers
    to the pair: those of the nodes of this frequency, and of all."""
    k = FREQUENCY
    fig, ((dial, right),) = panels(1, 2, height=3.2, width_ratios=(1, 1.5))
    face(dial, 1.4)
    names = {a: ("a", "theory"), b: ("b", "theory"), (a + b) % network.d: ("a + b", "measure")}
    for hour in range(network.d):
        spot = np.exp(2j * np.pi * k * hour / network.d)
        name, colour = names.get(hour, ("", "theory"))
        look = {"ha": "center", "va": "center", "color": COLOURS[colour]}
        weight = "bold" if name else "normal"
        dial.text(1.13 * spot.real, 1.13 * spot.imag, hour, weight=weight, **look)
        if name:
            _hand(dial, 0.95 * spot, color=COLOURS[colour], lw=2.4)
            if abs(spot.real) > 0.8:  # off the hour beside it
                look["ha"] = "left" if spot.real > 0 else "right"
            dial.text(1.32 * spot.real, 1.32 * spot.imag, name, **look)
    alone = Solution(network.z[:, :, node_frequencies(network.z) == k])
    of_alone = alone.outputs()[a, b]
    of_all = network.outputs()[a, b]
    look = {"ms": 3.5, "color": COLOURS["theory"], "label": f"the nodes of frequency {k}"}
    right.plot(of_alone - of_alone.mean(), "o--", **look)
    look |= {"color": COLOURS["measure"], "label": f"all {network.nodes} nodes"}
    right.plot(of_all - of_all.mean(), "o-", **look)
    right.set(xlabel="class $c$", ylabel="score", ylim=(None, 1.2))
    name_lines(right)
    return fig


@styled
def blocks(d: int) -> Figure:
    """The nodes of z_syn, of z_nu and of their product as hands, a face a layer; in colour one node
    of each factor, and their product."""
    syn = synced(d, FREQUENCY).z[:, FREQUENCY]
    pair = opposed(d, FREQUENCY, np.exp(0.25j * np.pi)).z[:, FREQUENCY]
    product = (syn[:, :, None] * pair[:, None]).reshape(3, -1)
    rows = {
        r"$z_{\mathrm{syn}}$": (syn, 1),
        r"$z_\nu$": (pair, 1),
        r"$z_{\mathrm{syn}} * z_\nu$": (product, 3),
    }
    fig, ax = panel(height=5.4)
    for row, (title, (nodes, followed)) in enumerate(rows.items()):
        ax.text(-1.4, -2.4 * row, title, ha="right", va="center")
        for column, hands in enumerate(nodes):
            centre = 2.6 * column - 2.4j * row
            _ring(ax, centre)
            for end in np.delete(hands, followed):
                _hand(ax, end, centre, color=COLOURS["theory"], lw=1.2)
            _hand(ax, hands[followed], centre, color=COLOURS["measure"], lw=3.2)
    for column, layer in enumerate(LAYERS):
        ax.text(2.6 * column, 1.2, f"layer {layer}", ha="center", va="bottom")
    ax.set(xlim=(-3.6, 6.4), ylim=(-5.9, 1.8), aspect="equal")
    ax.axis("off")
    return fig


# --------------------------------------------------------------------------------------- trained


@styled
def hands(waves: np.ndarray) -> Figure:
    """A face for each frequency, with the three hands of each node that counts there, those of one
    node thick."""
    faces = (waves.shape[1] - 1) // 2
    columns = min(4, faces)
    rows = -(-faces // columns)
    own = node_frequencies(waves)
    reach = np.abs(waves[:, 1:]).max()
    fig, axes = panels(rows, columns, height=1.95 * rows)
    for k, ax in enumerate(axes.flat, start=1):
        if k > faces:
            ax.set_visible(False)
            continue
        counting = np.flatnonzero((own == k) & (np.abs(waves[0, k]) > ACTIVE))
        face(ax, 1.25 * reach, reach)
        for place, j in enumerate(counting):
            _node(ax, waves[:, k, j], lw=3.2 if place == 0 else 1.0)
        ax.set_title(f"$k$ = {k}: {len(counting)} nodes", fontsize=9, loc="center")
    return fig


@styled
def without_nodes(dropped: Dropped) -> Figure:
    """Loss and wrong answers of the strongest nodes alone; the loss without each node that counts,
    drawn as the order of its frequency."""
    fig, ((few, without),) = panels(1, 2, height=3.2)
    few.plot(dropped.kept.loss, color=COLOURS["measure"], label="loss")
    wrong = 1 - dropped.kept.accuracy
    few.plot(wrong, "--", color=COLOURS["theory"], label="wrong answers")
    few.set(xlabel="nodes kept, strongest first", ylabel="on all pairs")
    for order, part in dropped.without.groupby("order"):
        look = {"ls": "", "marker": f"${order}$", "ms": 6, "mew": 0}
        without.plot(part.frequency, part.loss, color=COLOURS["measure"], **look)
    without.axhline(dropped.loss, color=COLOURS["theory"], ls="--", label="none dropped")
    without.set(xlabel="frequency of the dropped node", ylabel="loss without it", ylim=(0, None))
    name_lines(few, without)
    return fig


@styled
def multiplied(waves: np.ndarray, frequencies: pd.DataFrame) -> Figure:
    """The nodes of the frequency that factors best among the longest, as a table of clocks, their
    factors above and left of it; where none factors, a panel that says so."""
    factored = frequencies[frequencies.factorable].sort_values(["order", "error"])
    fig, ax = panel(height=4.4)
    ax.axis("off")
    if factored.empty:
        ax.text(0.5, 0.5, "no frequency of this network factors", ha="center", va="center")
        return fig
    k = int(factored.frequency.iloc[-1])
    nodes = waves[:, k, np.abs(waves[0, k]) > ACTIVE]
    parts = factorise(nodes)
    for column, node in enumerate(parts.other.T, start=1):
        _ring(ax, 2.6 * column, lw=0.8, ls=":")
        _node(ax, node, 2.6 * column, lw=2.2)
    for row, node in enumerate(parts.pair.T, start=1):
        _ring(ax, -2.6j * row, lw=0.8, ls=":")
        _node(ax, node, -2.6j * row, lw=2.2)
    size = np.abs(nodes).max()
    for (row, column), j in np.ndenumerate(parts.order):
        centre = 2.6 * (column + 1) - 2.6j * (row + 1)
        _ring(ax, centre, lw=1.2)
        _node(ax, nodes[:, j] / size, centre, lw=2.2)
    right = 2.6 * (nodes.shape[1] // 2) + 1.3
    ax.set(xlim=(-1.3, right), ylim=(-6.5, 1.3), aspect="equal")
    ax.set_title(f"frequency {k}: {nodes.shape[1]} nodes", loc="left", fontsize=10)
    return fig
