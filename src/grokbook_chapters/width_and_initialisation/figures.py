"""Figures of chapter 09: staircases of grok steps, ratios of pairs, the tables that a run starts
from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.curves.comparison import same_seed
from grokbook.models.start import embedding_start
from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook_chapters.labelled import Tables
from grokbook_chapters.width_and_initialisation.planning import (
    chance_of_ratio,
    factors_apart,
    pooled_spread,
)

LINES = ("measure", "second", "test", "theory")
"""Colours of the staircases of a panel, in their order."""

STARTS = {
    "normal": "random",
    "toeplitz_normal": "pattern alone",
    "small_normal": "scale alone",
    "normal_mean": "mean alone",
    "toeplitz": "all three",
}
"""What the page calls each start."""

STEPS = (200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
"""Steps that are written at an axis, where it has them."""

MOST_TICKS = 4
"""Of more than so many every other one is written."""

FARTHEST = 6
"""Ratios of pairs beyond it and its reciprocal are counted in the outermost bins."""

FACTORS = (0.25, 0.5, 1, 2, 4)
"""Ratios that are written at the axis of a histogram."""


@styled
def yardstick(alike: Tables, own: Tables) -> Figure:
    """Staircases of some settings with many seeds, dotted those of `own`; of the pairs of the first
    the share of which one takes at least q times as long, with what a log-normal law says and a
    point at a factor of two."""
    fig, axes = panels(1, 2, height=3.1)
    stairs, ratios = axes[0]
    _staircases(stairs, alike)
    _staircases(stairs, own, LINES[3:], ":")
    first = next(iter(alike))
    factors = factors_apart(alike[first])
    share = 1 - np.arange(len(factors)) / len(factors)
    spread = pooled_spread([alike[first]])
    law = [chance_of_ratio(spread, factor) for factor in factors]
    ratios.plot(factors, share, ".", ms=3, color=COLOURS[LINES[0]], label=f"pairs of {first}")
    ratios.plot(factors, law, "--", color=COLOURS["theory"], label="log-normal law")
    ratios.set(xlabel="factor q", ylabel="share of pairs at least q apart", ylim=(0, 1.02))
    double = (factors >= 2).mean()
    ratios.plot(2, double, "o", ms=7, color=COLOURS["measure"])
    beside = {"textcoords": "offset points", "va": "bottom", "color": COLOURS["measure"]}
    ratios.annotate(f"{double:.0%} at q = 2", (2, double), (8, 4), **beside)
    name_lines(stairs, ratios)
    return fig


@styled
def staircases(groups: Mapping[str, Tables]) -> Figure:
    """Share of the networks of each setting that have generalised by a step, a panel a group."""
    fig, axes = panels(1, len(groups), height=2.9, sharey=True)
    for ax, (title, tables) in zip(axes[0], groups.items(), strict=True):
        _staircases(ax, tables)
        room = 1.05 + 0.14 * len(tables)  # the legend stands above the stairs
        ax.set(title=title, ylim=(-0.03, room))
        ax.legend(loc="upper left")
        ax.label_outer()
    return fig


def _staircases(ax: Axes, tables: Tables, colours: Sequence[str] = LINES, line: str = "-") -> None:
    """One staircase a setting, a step up a network, up to the last step of its runs."""
    for colour, (label, table) in zip(colours, tables.items(), strict=False):
        seen = np.sort(table.grok_step.dropna().to_numpy(float))
        last = table.last_step.max()
        share = np.arange(len(seen) + 1) / len(table)
        begin = seen[0] if len(seen) else last
        ends = [begin, *seen, last]
        look = {"color": COLOURS[colour], "ls": line, "label": f"{label} ({len(table)})"}
        ax.step(ends, [0, *share[1:], share[-1]], where="post", **look)
        ax.plot(last, share[-1], "o", ms=4, color=COLOURS[colour])
    ax.set(xscale="log", ylim=(-0.03, 1.05), xlabel="step", ylabel="share that generalise")
    ax.set_yticks([0, 0.5, 1])
    ax.minorticks_off()
    low, high = ax.get_xlim()
    within = [step for step in STEPS if low <= step <= high]
    ax.set_xticks(within if len(within) <= MOST_TICKS else within[::2])
    ax.xaxis.set_major_formatter("{x:,.0f}")


@styled
def delays(with_them: pd.DataFrame, without: pd.DataFrame) -> Figure:
    """How many times as long the network with position vectors takes, a count of pairs of one seed.

    Of a pair of which only one generalises the ratio is a bound; a pair of which neither does is
    left out.
    """
    ratios = same_seed(with_them, without)
    edges = np.geomspace(1 / FARTHEST, FARTHEST, 23)
    parts = {
        "later with them": (ratios.low[ratios.low > 1], "measure"),
        "earlier with them": (ratios.high[ratios.high < 1], "second"),
    }
    fig, ax = panel(height=2.7)
    for name, (chosen, colour) in parts.items():
        label = f"{name} ({len(chosen)})"
        ax.hist(chosen.clip(*edges[[0, -1]]), edges, color=COLOURS[colour], label=label)
    ax.axvline(1, color=COLOURS["theory"], lw=1)
    ax.set(xscale="log", xlabel="steps with position vectors / without", ylabel="pairs")
    ax.minorticks_off()
    ax.set_xticks(FACTORS, [f"{factor:g}" for factor in FACTORS])
    ax.legend(loc="upper left")
    return fig


@styled
def starting_tables() -> Figure:
    """The starting tables that are compared, of 59 symbols and width 64, seed 0, one colour scale
    about zero."""
    tables = {title: embedding_start(kind, 59, 64, 0).numpy() for kind, title in STARTS.items()}
    largest = max(abs(table).max() for table in tables.values())
    fig, axes = panels(1, len(tables), height=2.1)
    for ax, (title, table) in zip(axes[0], tables.items(), strict=True):
        ax.imshow(table, cmap="RdBu_r", vmin=-largest, vmax=largest, interpolation="nearest")
        ax.set(xticks=[], yticks=[], title=title, box_aspect=59 / 64)
        ax.spines[:].set_visible(False)
    return fig
