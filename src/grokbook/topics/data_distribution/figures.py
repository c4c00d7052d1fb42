"""The pictures of chapter 04, from arrays, tables and recorded curves."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import seaborn as sns
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from grokbook.plotting.grids import on_grid
from grokbook.plotting.style import COLOURS, panels, seed_band, styled
from grokbook.plotting.training import labelled

DISCS = {"": "#eeeeee", "covered": "#8fd0bb", "training cell": COLOURS["train"],
         "covered, same class $i+j$": COLOURS["hole"]}  # fmt: skip
UNCOVERED = {"covered test cell": "#f6f6f6", "training cell": "#9cc4de", "uncovered": COLOURS["test"]}
"""Kinds of cells in their order 0, 1, ...: what the legend calls them (nothing: not in it), and their colours."""

GRIDS = {"torus": ("--", {"marker": "o", "mfc": COLOURS["measure"]}), "grid": ("-.", {"marker": "s", "mfc": "white"})}
SPLITS = {"square": ("o", COLOURS["test"]), "strip": ("^", COLOURS["hole"])}
"""Line and marker of the two grids; marker and colour of the two kinds of rows of Table 1."""

BY_PLACE = {
    "outside the hole": ("test_accuracy_outside_hole", "quiet"),
    "in the hole": ("test_accuracy_in_hole", "hole"),
    "all test cells": ("test_accuracy", "test"),
}
BY_TRANSPOSE = {
    "training set": ("train_accuracy", "train"),
    "test, transpose trained": ("test_accuracy_mirrored", "hole"),
    "test, transpose not trained": ("test_accuracy_unmirrored", "test"),
}
"""What `curves_by_part` draws: label -> variable and colour."""


@styled
def cells(kinds: Mapping[str, np.ndarray], names: Mapping[str, str], *, mark: bool = False) -> Figure:
    """Grids of cells in one colour a kind, row 0 at the top, side by side; title -> (p, p) of indices into `names`.

    With `mark` cells of the last kind are larger squares where they are fewer than 2 %.
    """
    fig, axes = panels(1, len(kinds), height=2.9)
    last = len(names) - 1
    for ax, kind in zip(axes[0], kinds.values(), strict=True):
        ax.imshow(kind, cmap=ListedColormap([*names.values()]), vmin=0, vmax=last)
        if mark and (kind == last).mean() < 0.02:
            rows, columns = np.nonzero(kind == last)
            ax.plot(columns, rows, "s", ms=3, color=[*names.values()][-1])
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(5, integer=True))
    on_grid(axes[0], kinds)
    shown = [Patch(color=colour, label=name) for name, colour in names.items() if name]
    fig.legend(handles=shown, loc="outside lower center", ncols=len(shown))
    return fig


@styled
def expectation_and_probability(table: pd.DataFrame, thresholds: Mapping[int, tuple[float, float]]) -> Figure:
    """Expected number of uncovered cells (top) and probability of full coverage (bottom), one column a radius.

    Lines are exact (below: Markov's bound), points are means over draws with standard errors. `table` is what
    `coverage.coverage_table` gives; `thresholds`: radius -> printed and sufficient fraction, vertical lines.
    """
    fig, axes = panels(2, len(thresholds), height=5.0, sharex="col", sharey="row")
    for (top, bottom), (k, (printed, sufficient)) in zip(axes.T, thresholds.items(), strict=True):
        for grid, (ls, marker) in GRIDS.items():
            rows = table[(table.k == k) & (table.grid == grid)]
            points = {"ls": "", "ms": 4, "color": COLOURS["measure"], "elinewidth": 1, **marker}
            line = {"color": COLOURS["theory"], "ls": ls, "lw": 1.1}
            seen, error = rows[rows.uncovered > 0], np.minimum(rows["uncovered error"], 0.9 * rows.uncovered)
            top.plot(rows.fraction, rows.expected, **line, label=f"$E$ and $1-E$, {grid}")
            top.errorbar(seen.fraction, seen.uncovered, error[seen.index], **points, label=f"simulated, {grid}")
            bottom.plot(rows.fraction, rows.bound, **line)
            bottom.errorbar(rows.fraction, rows.covered, rows["covered error"], **points)
        for ax in (top, bottom):
            ax.axvline(printed, color=COLOURS["quiet"], ls=":", lw=1.6, label=r"printed $2\ln p/C$")
            ax.axvline(sufficient, color=COLOURS["theory"], lw=0.8, label="sufficient $1-p^{-2/C}$")
        top.axhline(1, color=COLOURS["quiet"], lw=0.6)
        top.set(yscale="log", title=f"$k = {k}$, $C = {2 * k * (k - 1) + 1}$")
        bottom.set(ylim=(-0.04, 1.04), xlabel=r"training fraction $\alpha$")
    axes[0, 0].set(ylabel="uncovered cells")
    axes[0, 0].set_ylim(bottom=2e-3)
    axes[1, 0].set_ylabel("P(all covered)")
    fig.legend(*labelled(axes[0]), loc="outside lower center", ncols=3)
    return fig


@styled
def same_class_coverage(table: pd.DataFrame) -> Figure:
    """Share of uncovered cells, and of draws with none, by the radius k: cells of any class and of one's own; torus.

    `table` is what `coverage.class_table` gives.
    """
    fig, axes = panels(1, 2, height=3.2)
    left, right = axes[0]
    ways = {"any class": ("s", COLOURS["quiet"]), "own class": ("o", COLOURS["measure"])}
    for by, (marker, colour) in ways.items():
        rows = table[table.by == by]
        left.plot(rows.k, rows.exact, ls="--", lw=1, color=COLOURS["theory"])
        left.plot(rows.k, rows.missed.where(rows.missed > 0), marker, ms=3.5, color=colour, label=by)
        right.errorbar(rows.k, rows.covered, rows["covered error"], fmt=marker, ms=3.5, color=colour, elinewidth=1)
    left.plot([], [], ls="--", lw=1, color=COLOURS["theory"], label="exact")
    left.set(yscale="log", ylabel="share of cells uncovered", xlabel="radius $k$")
    right.set(ylabel="share of draws all covered", xlabel="radius $k$")
    left.legend()
    return fig


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
def curves_by_part(
    runs: Mapping[str, xr.Dataset],
    parts: Mapping[str, tuple[str, str]],
    levels: tuple[str, Mapping[str, float]],
    *,
    height: float = 1.75,
    **axes_settings: str,
) -> Figure:
    """One panel a dataset, three beside each other: accuracies over seeds on `parts`, a dotted level; title -> dataset.

    `parts` is such as `BY_PLACE`; `levels` the level's label and its value in each panel; `axes_settings` such as
    `xscale="log"`. A part without any value is left out.
    """
    rows = -(-len(runs) // 3)
    fig, axes = panels(rows, 3, height=height * rows + 0.6, sharex=True, sharey=True)
    for ax, (title, data) in zip(axes.flat, runs.items(), strict=False):
        for label, (variable, colour) in parts.items():
            if data[variable].notnull().any():
                seed_band(ax, data[variable], COLOURS[colour], label)
        ax.axhline(levels[1][title], color=COLOURS["theory"], ls=":", lw=1.4, label=levels[0])
        ax.set_title(title.replace("^2", "²"), fontsize=9)
        ax.set(**axes_settings)
    for ax in axes.flat[len(runs) :]:
        ax.set_visible(False)
    for ax in axes.flat[max(0, len(runs) - 3) : len(runs)]:
        ax.tick_params(labelbottom=True)
        ax.set_xlabel("optimiser step")
    for ax in axes[:, 0]:
        ax.set(ylabel="accuracy", ylim=(-0.03, 1.05))
    fig.legend(*labelled(axes.flat), loc="outside lower center", ncols=4)
    return fig


@styled
def measured_against_shares(ceilings: pd.DataFrame) -> Figure:
    """Measured ceilings (filled) and published ones (open) against the two shares of test cells; dashed: equality.

    `ceilings` is what `holes.measured_ceilings` gives; the two of a row are joined by a thin line.
    """
    fig, axes = panels(1, 2, height=3.3, sharey=True)
    titles = {"outside": "outside the hole", "either order": "outside in either order"}
    for ax, (share, title) in zip(axes[0], titles.items(), strict=True):
        _equality(ax, title)
        for split, (marker, colour) in SPLITS.items() if len(ceilings) else ():
            own = ceilings[ceilings.split == split]
            ax.vlines(own[share], own[["U", "U-Acc"]].min(axis=1), own[["U", "U-Acc"]].max(axis=1),
                      color=COLOURS["quiet"], lw=0.8)  # fmt: skip
            ax.plot(own[share], own["U-Acc"], marker, ms=5, color=colour, mfc="white")
            ax.plot(own[share], own.U, marker, ms=5.5, color=colour, label=f"{split.upper()} (open: published)")
    axes[0, 0].set_ylabel("highest test accuracy (%)")
    if len(ceilings):
        axes[0, 0].legend(loc="lower right")
    return fig


@styled
def swapping_memoriser(exact: pd.DataFrame, splits: pd.DataFrame) -> Figure:
    """Accuracy of a memoriser that swaps the operands, and that times the test share: exact, and on random splits.

    Both tables have the columns fraction, accuracy and product.
    """
    fig, axes = panels(1, 2, height=3.0)
    labels = {"accuracy": "test accuracy Acc", "product": r"Acc $\cdot$ (1 - frac)"}
    for ax, (name, label) in zip(axes[0], labels.items(), strict=True):
        ax.axvspan(0.5, 0.7, color=COLOURS["hole"], alpha=0.15, lw=0)
        sns.lineplot(exact, x="fraction", y=name, color=COLOURS["theory"], ls="--", lw=1.1, ax=ax,
                     label="exact expectation")  # fmt: skip
        sns.scatterplot(splits, x="fraction", y=name, color=COLOURS["measure"], s=18, linewidth=0, ax=ax,
                        label="random splits")  # fmt: skip
        ax.set(xlabel="training fraction frac", ylabel=label)
        ax.set_ylim(bottom=0)
        ax.legend().set_visible(name == "accuracy")
    return fig


@styled
def correct_cells(table: pd.DataFrame, memoriser: pd.DataFrame) -> Figure:
    """Fig. 4 as counts: right test cells / all cells by training fraction, with and without a trained transpose.

    `table` is what `symmetric_form.by_fraction` gives, `memoriser` what `symmetric_form.swapped` gives. Left: Acc (1 -
    frac) as stacked bars, with its range over seeds, beside the memoriser that swaps (dashes, exact). Right: the
    accuracy on both kinds of test cells. Fractions that are not in the table have the dash alone.
    """
    fig, axes = panels(1, 2, height=3.2)
    left, right = axes[0]
    kinds = {"mirrored": ("transpose trained", "hole"), "unmirrored": ("transpose not trained", "test")}
    base = 0
    for name, (label, colour) in kinds.items() if len(table) else ():
        left.bar(table.index, table[name], 0.06, base, color=COLOURS[colour], label=label)
        right.plot(table.index, table[f"accuracy {name}"], "o-", ms=4, color=COLOURS[colour])
        base = base + table[name]
    if len(table):
        spans = np.stack([table["product"] - table.low, table.high - table["product"]])
        left.errorbar(table.index, table["product"], spans, fmt="none", color=COLOURS["theory"], capsize=2)
    at = memoriser.fraction
    left.hlines(memoriser["product"], at - 0.04, at + 0.04, ls="--", lw=1.4, color=COLOURS["theory"],
                label="swapping memoriser")  # fmt: skip
    left.set_ylabel(r"Acc $\cdot$ (1 - frac)")
    left.set_ylim(bottom=0)
    right.set(ylabel="test accuracy", ylim=(-0.03, 1.05))
    for ax in (left, right):
        ax.set(xlabel="training fraction frac", xticks=at, xlim=(at.min() - 0.06, at.max() + 0.06))
    fig.legend(*labelled(axes[0]), loc="outside lower center", ncols=3)
    return fig
