"""Progress measures: the curves of one run with their events, and the lead of every measure over tasks and seeds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled

STATES = {
    "not generalised": "never",
    "not fitted": "no fit",
    "no delay": "no delay",
    "not recorded": "too late",
    "undefined": "none",
    "other way": "other way",
    "no clear move": "no move",
}
"""What a cell without a lead says, by the state of its runs."""


def readable(name: str) -> str:
    """A measure's name as words.

    >>> readable("restricted_loss_now")
    'restricted loss now'
    """
    return name.replace("_", " ").replace("med ", "MED ").replace(" ipr", " IPR").replace("gu2024", "(2024)")


def _title(name: str) -> str:
    words = "MED" if name == "med" else readable(name)
    return words.replace("normalised med", "normalised MED")


@styled
def progress_curves(run: xr.Dataset, rows: pd.DataFrame, columns: int = 3) -> Figure:
    """Accuracies and every measure of one run (dim `step`), with the events that a lead time is made of.

    `rows` has a row a measure (from `lead_rows`): the fit step and the accuracy's half way are dotted lines in all
    panels, blue and vermilion; a measure's own half way is a dashed green line, where it has one.
    """
    names = list(rows.measure)
    count = -(-(len(names) + 1) // columns)
    fig, axes = panels(count, columns, height=1.35 * count + 0.4, sharex=True)
    flat = axes.ravel()
    flat[0].plot(run.step, run.train_accuracy, color=COLOURS["train"], label="training set")
    flat[0].plot(run.step, run.test_accuracy, color=COLOURS["test"], label="test set")
    flat[0].set_title("accuracy", fontsize=9)
    for ax, (_, row) in zip(flat[1:], rows.iterrows(), strict=False):
        ax.plot(run.step, run[row.measure], color=_colour(row.measure), lw=1.1)
        ax.set_title(_title(row.measure), fontsize=9)
        if row.state == "ok":
            ax.axvline(row.measure_step, color=COLOURS["measure"], ls="--", lw=1.1)
        else:
            ax.annotate(STATES[row.state], (0.97, 0.82), xycoords="axes fraction", ha="right", fontsize=8)
    for ax in flat[: len(names) + 1]:
        _events(ax, rows.iloc[0])
        ax.tick_params(labelsize=7.5)
    for ax in flat[len(names) + 1 :]:
        ax.set_visible(False)
    for ax in flat[max(len(names) + 1 - columns, 0) : len(names) + 1]:
        ax.set_xlabel("optimiser step", fontsize=8.5)
        ax.tick_params(labelbottom=True)
    fig.legend(*flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=8.5)
    return fig


def _colour(name: str) -> str:
    return COLOURS["norm" if name.endswith("norm") else "test" if name == "test_loss" else "measure"]


def _events(ax: Axes, row: pd.Series) -> None:
    for column, colour in (("fit_step", "train"), ("accuracy_step", "test")):
        if pd.notna(row[column]):
            ax.axvline(row[column], color=COLOURS[colour], ls=":", lw=1.1)


@styled
def lead_summary(rows: pd.DataFrame, summary: pd.DataFrame) -> Figure:
    """Left: lead of every measure in every run (dots; a row of dots a measure), its median over runs and its null.

    Leads are shares of the accuracy's own time after fitting; positive is earlier than the accuracy. The grey bar is
    the 5 to 95 % range of the median when measures are matched with the accuracies of other runs. The numbers at the
    right edge are runs with a lead, of runs that generalise with a delay. Right: the share of runs whose increments
    are associated with the accuracy's at p <= 0.05, with the 5 % that chance gives as a dashed line.
    """
    names = list(summary.index)
    height = 0.36 * len(names) + 1.1
    fig, axes = panels(1, 2, height=height, sharey=True, width_ratios=[3.2, 1])
    left, right = axes[0]
    for y, name in enumerate(names):
        _lead_row(left, y, rows[rows.measure == name], summary.loc[name])
    tested = summary.tested.to_numpy(dtype=float)
    shares = np.divide(summary.associated, tested, out=np.full(len(names), np.nan), where=tested > 0)
    right.barh(range(len(names)), shares, height=0.55, color=COLOURS["measure"], alpha=0.7)
    for y, share in enumerate(shares):
        if np.isnan(share):
            right.annotate("not defined", (0.03, y), fontsize=7.5, va="center", color=COLOURS["theory"])
    right.axvline(0.05, color=COLOURS["theory"], ls="--", lw=1)
    right.set_xlim(0, 1)
    right.set_xlabel("runs with $p \\leq 0.05$")
    left.axvline(0, color=COLOURS["test"], lw=1, ls=":")
    left.set_xlim(-1.08, 1.3)
    left.set_yticks(range(len(names)), [_title(name) for name in names], fontsize=8.5)
    left.set_ylim(len(names) - 0.4, -0.6)
    left.set_xlabel("lead / time from fitting to half accuracy")
    return fig


def _lead_row(ax: Axes, y: int, rows: pd.DataFrame, summary: pd.Series) -> None:
    """One measure of `lead_summary`: null, runs spread out by task, median, and how many runs are behind it."""
    if np.isfinite(summary.null_low):
        ax.barh(y, summary.null_high - summary.null_low, left=summary.null_low, height=0.72, color=COLOURS["quiet"],
                alpha=0.45, lw=0)  # fmt: skip
    tasks = list(rows.task.unique())
    offsets = np.linspace(-0.27, 0.27, max(len(tasks), 2))
    places = rows.task.map(dict(zip(tasks, offsets, strict=False)))
    ax.plot(rows.share, y + places, "o", ms=2.6, color=COLOURS["measure"], alpha=0.65, mew=0)
    if np.isfinite(summary["median"]):
        ax.plot([summary["median"]] * 2, [y - 0.36, y + 0.36], color=COLOURS["theory"], lw=1.8, solid_capstyle="butt")
    ax.annotate(f"{summary.defined} of {summary.runs}", (1.28, y), ha="right", va="center", fontsize=7.5)


@styled
def lead_cells(rows: pd.DataFrame) -> Figure:
    """Measure x task: the median lead over seeds (colour: share of the accuracy's time; number: steps).

    A cell in which no seed has a lead is hatched and says why; a number with a star has fewer seeds than the others.
    """
    measures, tasks = list(rows.measure.unique()), list(rows.task.unique())
    grouped = rows.groupby(["measure", "task"], sort=False)
    shares = grouped.share.median().unstack("task").reindex(index=measures, columns=tasks)
    fig, axes = panels(1, 1, height=0.34 * len(measures) + 2.1)
    ax = axes[0, 0]
    image = ax.imshow(shares.to_numpy(dtype=float), cmap="PuOr", vmin=-1, vmax=1, aspect="auto")
    for (measure, task), group in grouped:
        _cell(ax, tasks.index(task), measures.index(measure), group)
    ax.set_xticks(range(len(tasks)), tasks, rotation=35, ha="right", fontsize=8)
    ax.set_yticks(range(len(measures)), [_title(name) for name in measures], fontsize=8.5)
    ax.grid(False)
    fig.colorbar(image, ax=ax, label="lead / time to half accuracy", pad=0.01, fraction=0.03)
    return fig


def _cell(ax: Axes, x: int, y: int, group: pd.DataFrame) -> None:
    """The text of one cell; hatching where no seed has a lead."""
    leads = group.lead.dropna().astype(float)
    if len(leads):
        strong = abs(group.share.median()) > 0.6
        text = f"{leads.median():.0f}" + ("*" if len(leads) < len(group) else "")
        ax.text(x, y, text, ha="center", va="center", fontsize=7.5, color="white" if strong else "black")
        return
    ax.add_patch(_hatched(x, y))
    states = group.state[group.accuracy_step.notna()] if group.accuracy_step.notna().any() else group.state
    words = STATES[states.mode().iloc[0]].replace(" ", "\n")
    ax.text(x, y, words, ha="center", va="center", fontsize=6, color=COLOURS["theory"], linespacing=0.85)


def _hatched(x: int, y: int) -> object:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, fc="white", ec=COLOURS["quiet"], hatch="////", lw=0, alpha=0.6)


@styled
def own_measure(dataset: xr.Dataset, names: Mapping[str, str]) -> Figure:
    """A few measures of one dataset under its accuracies, every seed: name -> label of the axis."""
    fig, axes = panels(1 + len(names), 1, height=1.7 * (1 + len(names)), sharex=True)
    top = axes[0, 0]
    for seed in dataset.seed.values:
        run = dataset.sel(seed=seed)
        first = seed == dataset.seed.values[0]
        top.plot(run.step, run.train_accuracy, color=COLOURS["train"], label="training set" if first else None)
        top.plot(run.step, run.test_accuracy, color=COLOURS["test"], label="test set" if first else None)
        for ax, name in zip(axes[1:, 0], names, strict=True):
            ax.plot(run.step, run[name], color=COLOURS["measure"])
    for ax, label in zip(axes[1:, 0], names.values(), strict=True):
        ax.set_ylabel(label)
    top.set_ylabel("accuracy")
    top.legend(loc="center right")
    axes[-1, 0].set_xlabel("optimiser step")
    return fig
