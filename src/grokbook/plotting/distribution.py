"""Pictures of the experiments on where the training data lie: Table 1, Fig. 4, and the networks of section 6.1."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.claims.ceilings import Runs, row_name
from grokbook.claims.table1 import row_task, shares_of_test_cells
from grokbook.experiments.data_distribution import FIG_4_FRACTIONS
from grokbook.experiments.published import table_1
from grokbook.plotting.style import COLOURS, panels, seed_band, styled
from grokbook.theory.memorisers import transpose_accuracy

SPLITS = {"square": ("o", COLOURS["test"]), "strip": ("^", COLOURS["hole"])}
"""Marker and colour of the two kinds of rows, as in the figure of the published numbers."""


@styled
def table_1_measured(runs: pd.DataFrame) -> Figure:
    """The rows of Table 1: published U-Acc with a bar down to L-Acc, our runs as points, the share outside the hole.

    `runs` is what `grokbook.claims.ceilings.runs_table` gives. Points are open where the run had not reached 95 %
    outside its hole.
    """
    table = table_1()
    fig, axes = panels(1, 1, height=3.6)
    ax, x = axes[0, 0], np.arange(len(table))
    shares = [shares_of_test_cells(row_task(s, h))["outside"] for s, h in zip(table.split, table.hole, strict=True)]
    ax.hlines(shares, x - 0.38, x + 0.38, color=COLOURS["quiet"], lw=1.5, label="share outside the hole")
    down = np.stack([table["U-Acc"] - table["L-Acc"], 0 * x])
    ax.errorbar(x - 0.15, table["U-Acc"], down, fmt="D", ms=4.5, color=COLOURS["theory"], label="published")
    _points(ax, runs, {row: n for n, row in enumerate(zip(table.split, table.hole, strict=True))})
    ax.set_xticks(x, [row_name(s, h) for s, h in zip(table.split, table.hole, strict=True)], rotation=45, ha="right")
    ax.set_ylabel("test accuracy (%)")
    ax.set_ylim(-3, 103)
    fig.legend(loc="outside lower center", ncols=2)
    return fig


def _points(ax: Axes, runs: pd.DataFrame, places: Mapping[tuple[str, int], int]) -> None:
    """Runs of each row as points: open, and in another line of the legend, where they have not generalised."""
    kinds = {"ours, right outside the hole": True, "ours, not yet right outside the hole": False}
    for label, done in kinds.items():
        own = runs[runs.generalised.fillna(True) == done] if len(runs) else runs
        at = [places[row] + 0.15 for row in zip(own.split, own.hole, strict=True)] if len(own) else []
        values = 100 * own.upper if len(own) else []
        face = COLOURS["test"] if done else "white"
        ax.plot(at, values, "o", ms=5.5, color=COLOURS["test"], mfc=face, label=label)


@styled
def accuracy_by_part(runs: Runs) -> Figure:
    """One panel a row of Table 1: accuracy outside the hole, in it, and on all test cells; published U-Acc dotted."""
    rows = -(-len(runs) // 3)
    fig, axes = panels(rows, 3, height=1.75 * rows + 0.6, sharex=True, sharey=True)
    published = table_1().set_index(["split", "hole"])
    for ax, (row, data) in zip(axes.flat, runs.items(), strict=False):
        if data.test_accuracy_outside_hole.notnull().any():
            seed_band(ax, data.test_accuracy_outside_hole, COLOURS["quiet"], "outside the hole")
        seed_band(ax, data.test_accuracy_in_hole, COLOURS["hole"], "in the hole")
        seed_band(ax, data.test_accuracy, COLOURS["test"], "all test cells")
        ax.axhline(published["U-Acc"][row] / 100, color=COLOURS["theory"], ls=":", lw=1.4, label="published U-Acc")
        ax.set_title(row_name(*row))
    _finish_panels(fig, axes, len(runs))
    return fig


def _finish_panels(fig: Figure, axes: np.ndarray, used: int) -> None:
    for ax in axes.flat[used:]:
        ax.set_visible(False)
    for ax in axes.flat[max(0, used - 3) : used]:
        ax.tick_params(labelbottom=True)
        ax.set_xlabel("optimiser step")
    for ax in axes[:, 0]:
        ax.set_ylabel("accuracy")
    axes[0, 0].set_ylim(-0.03, 1.05)
    fig.legend(*_once(axes), loc="outside lower center", ncols=4)


def _once(axes: np.ndarray) -> tuple[list, list]:
    """Lines and labels of all panels, each label once."""
    found = {}
    for ax in axes.flat:
        for line, text in zip(*ax.get_legend_handles_labels(), strict=True):
            found.setdefault(text, line)
    return list(found.values()), list(found)


@styled
def measured_against_shares(ceilings: pd.DataFrame) -> Figure:
    """Measured ceilings (filled) and published ones (open) against the two shares of test cells; dashed: equality.

    `ceilings` is what `grokbook.claims.ceilings.measured_ceilings` gives.
    """
    fig, axes = panels(1, 2, height=3.3, sharey=True)
    titles = {"outside": "outside the hole", "either order": "outside in either order"}
    for ax, (name, title) in zip(axes[0], titles.items(), strict=True):
        ax.plot([0, 100], [0, 100], ls="--", lw=1, color=COLOURS["theory"])
        _both(ax, ceilings, name)
        ax.set(title=title, xlabel="% of test cells", xlim=(-3, 103), ylim=(-3, 103))
    axes[0, 0].set_ylabel("highest test accuracy (%)")
    axes[0, 0].legend(loc="lower right")
    return fig


def _both(ax: Axes, ceilings: pd.DataFrame, share: str) -> None:
    """Measured and published accuracy of the rows, joined by a thin line, against one share."""
    published = table_1().set_index(["split", "hole"])["U-Acc"]
    for split, (marker, colour) in SPLITS.items():
        own = ceilings[ceilings.split == split] if len(ceilings) else ceilings
        printed = [published[split, hole] for hole in own.hole] if len(own) else []
        x, y = (own[share], own.U) if len(own) else ([], [])
        ax.vlines(x, np.minimum(y, printed), np.maximum(y, printed), color=COLOURS["quiet"], lw=0.8)
        ax.plot(x, printed, marker, ms=5, color=colour, mfc="white", ls="")
        ax.plot(x, y, marker, ms=5.5, color=colour, ls="", label=f"{split.upper()} (open: published)")


@styled
def correct_cells(table: pd.DataFrame, p: int = 97) -> Figure:
    """Fig. 4 as counts: right test cells / all cells by training fraction, with and without a trained transpose.

    `table` is what `grokbook.claims.symmetric_form.by_fraction` gives. Left: Acc (1 - frac) as stacked bars, with its
    range over seeds, beside the memoriser that swaps (dashes, exact). Right: the accuracy on both kinds of test cells.
    Fractions that are not in the table have the dash alone.
    """
    fig, axes = panels(1, 2, height=3.2)
    left, right = axes[0]
    if len(table):
        _stacked(left, table)
    fractions = np.array(FIG_4_FRACTIONS)
    swapped = [(1 - a) * transpose_accuracy(p, int(a * p * p)) for a in fractions]
    left.hlines(swapped, fractions - 0.04, fractions + 0.04, ls="--", lw=1.4, color=COLOURS["theory"])
    left.plot([], [], ls="--", color=COLOURS["theory"], label="swapping memoriser")
    left.set_ylabel(r"Acc $\cdot$ (1 - frac)")
    left.set_ylim(bottom=0)
    for name, colour in (("accuracy mirrored", "hole"), ("accuracy unmirrored", "test")) if len(table) else ():
        right.plot(table.index, table[name], "o-", ms=4, color=COLOURS[colour])
    right.set_ylabel("test accuracy")
    right.set_ylim(-0.03, 1.05)
    for ax in (left, right):
        ax.set(xlabel="training fraction frac", xticks=fractions, xlim=(fractions[0] - 0.06, fractions[-1] + 0.06))
    fig.legend(*_once(axes), loc="outside lower center", ncols=3)
    return fig


def _stacked(ax: Axes, table: pd.DataFrame) -> None:
    """Both kinds of right answers on top of each other, with the range of their sum over seeds."""
    ax.bar(table.index, table.mirrored, 0.06, color=COLOURS["hole"], label="transpose trained")
    ax.bar(table.index, table.unmirrored, 0.06, table.mirrored, color=COLOURS["test"], label="transpose not trained")
    spans = np.stack([table["product"] - table.low, table.high - table["product"]])
    ax.errorbar(table.index, table["product"], spans, fmt="none", color=COLOURS["theory"], capsize=2)


@styled
def network_curves(runs: Mapping[str, xr.Dataset], columns: int = 3) -> Figure:
    """One panel a network and task: training set, test cells with and without a trained transpose; chance dotted."""
    rows = -(-len(runs) // columns)
    fig, axes = panels(rows, columns, height=2.1 * rows + 0.6, sharex=True, sharey=True)
    for ax, (title, data) in zip(axes.flat, runs.items(), strict=False):
        seed_band(ax, data.train_accuracy, COLOURS["train"], "training set")
        seed_band(ax, data.test_accuracy_mirrored, COLOURS["hole"], "test, transpose trained")
        seed_band(ax, data.test_accuracy_unmirrored, COLOURS["test"], "test, transpose not trained")
        ax.axhline(1 / data.sizes["token"], color=COLOURS["theory"], ls=":", lw=1, label="guessing")
        ax.set_title(title.replace("^2", "²"), fontsize=9)
        ax.set_xscale("log")
    _finish_panels(fig, axes, len(runs))
    return fig
