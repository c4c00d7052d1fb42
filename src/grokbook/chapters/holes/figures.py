"""The pictures of chapter 04b, from tables and recorded curves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.plotting.training import labelled

SPLITS = {"square": ("o", COLOURS["test"]), "strip": ("^", COLOURS["hole"])}
"""Marker and colour of the two kinds of rows of Table 1."""


def _equality(ax: Axes, title: str) -> None:
    """The line of equality of two percentages."""
    ax.plot([0, 100], [0, 100], ls="--", lw=1, color=COLOURS["theory"])
    ax.set(title=title, xlabel="% of test cells", xlim=(-3, 103), ylim=(-3, 103))


@styled
def accuracy_against_shares(frame: pd.DataFrame, shares: Mapping[str, np.ndarray]) -> Figure:
    """Table 1: U-Acc as points, the way down to L-Acc as bars, SQUARE round and STRIP triangular, against shares.

    `frame` has the columns of `table_1`; `shares`: title -> percent of the test cells of its rows.
    """
    fig, axes = panels(1, len(shares), height=3.1, sharey=True)
    down = np.stack([frame["U-Acc"] - frame["L-Acc"], 0 * frame["U-Acc"]])
    for ax, (title, x) in zip(axes[0], shares.items(), strict=True):
        _equality(ax, title)
        for split, (marker, colour) in SPLITS.items():
            own = (frame.split == split).to_numpy()
            style = {"fmt": marker, "ms": 5, "color": colour, "elinewidth": 1, "label": split.upper()}
            ax.errorbar(np.asarray(x)[own], frame["U-Acc"][own], down[:, own], **style)
    axes[0, 0].set_ylabel("published accuracy (%)")
    axes[0, 0].legend(loc="lower right")
    return fig


@styled
def table_1_measured(table: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """The rows of Table 1: published U-Acc with a bar down to L-Acc, our runs as points, the share outside the hole.

    `table` is what `holes.measured` gives, `runs` what `holes.runs_table` gives. Points are open where the run had not
    reached 95 % outside its hole.
    """
    fig, axes = panels(1, 1, height=3.6)
    ax, x = axes[0, 0], np.arange(len(table))
    ax.hlines(table.share, x - 0.38, x + 0.38, color=COLOURS["quiet"], lw=1.5, label="share outside the hole")
    down = np.stack([table["U-Acc"] - table["L-Acc"], 0 * x])
    ax.errorbar(x - 0.15, table["U-Acc"], down, fmt="D", ms=4.5, color=COLOURS["theory"], label="published")
    places = {row: n + 0.15 for n, row in enumerate(zip(table.split, table.hole, strict=True))}
    kinds = {"ours, right outside the hole": True, "ours, not yet right outside the hole": False}
    for label, done in kinds.items():
        own = runs[runs.generalised.fillna(True) == done] if len(runs) else runs.assign(upper=[])
        at = [places[row] for row in zip(own.split, own.hole, strict=True)]
        face = COLOURS["test"] if done else "white"
        ax.plot(at, 100 * own.upper, "o", ms=5.5, color=COLOURS["test"], mfc=face, label=label)
    ax.set_xticks(x, table.row, rotation=45, ha="right")
    ax.set(ylabel="test accuracy (%)", ylim=(-3, 103))
    fig.legend(loc="outside lower center", ncols=2)
    return fig


@styled
def outside_and_in_the_hole(runs: Mapping[str, xr.Dataset], levels: Mapping[str, float]) -> Figure:
    """A panel a row: every run's accuracy outside the hole (grey) and in it (amber), dotted the printed limit.

    `runs`: title -> dataset (dims seed and step); `levels`: title -> the printed limit, a share.
    """
    fig, axes = panels(1, len(runs), height=3.0, sharey=True)
    colours = {"outside the hole": "quiet", "in the hole": "hole"}
    for ax, (title, data) in zip(axes[0], runs.items(), strict=True):
        for name, colour in colours.items():
            curves = data[f"test_accuracy_{name.replace('the ', '').replace(' ', '_')}"].transpose("step", "seed")
            lines = ax.plot(curves.step, curves, color=COLOURS[colour], lw=1)
            lines[0].set_label(name)
        ax.axhline(levels[title], color=COLOURS["theory"], ls=":", lw=1.4, label="printed U-Acc")
        ax.set_title(title, fontsize=9)
        ax.set(xlabel="optimiser step", ylim=(-0.03, 1.05))
    axes[0, 0].set_ylabel("accuracy")
    fig.legend(*labelled(axes[0]), loc="outside lower center", ncols=3)
    return fig
