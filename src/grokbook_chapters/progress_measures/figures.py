"""Figures of chapter 06: one run with its events, all runs, two questions to each measure, and a
measure of one's own."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, panels, seed_band, styled
from grokbook_chapters.labelled import Datasets
from grokbook_chapters.progress_measures.tables import (
    CONTROL_WAYS,
    LEVEL,
    in_order,
    readable,
    typical_run,
    with_controls,
)

DRAWN = {"clock": "quiet", "test_loss": "test", "med": "measure"}
"""Measures of `clock_and_curves`, with their colours."""

COMPARED = ("test_loss", "med", "oracle_early", "clock")
"""Measures of `lead_events`."""


@styled
def clock_and_curves(study: Datasets, rows: pd.DataFrame) -> Figure:
    """Accuracies, clock, test loss and MED of the run in which the lead of the test loss is the
    median, with the steps at which each is half way. `rows` are those of `controlled`."""
    typical = typical_run(rows)
    run = with_controls(study[typical.task]).sel(seed=typical.seed)
    same = (rows.task == typical.task) & (rows.seed == typical.seed)
    delays = rows[same].set_index("measure").measure_delay
    events = {"train": typical.fit_step, "test": typical.fit_step + typical.accuracy_delay}
    fig, axes = panels(2, 2, height=3.8, sharex=True)
    for kind, words in (("train", "training set"), ("test", "test set")):
        accuracy = run[f"{kind}_accuracy"]
        axes[0, 0].plot(run.step, accuracy, color=COLOURS[kind], label=words)
    axes[0, 0].set_title("accuracy")
    for ax, (name, colour) in zip(axes.flat[1:], DRAWN.items(), strict=True):
        ax.plot(run.step, run[name], color=COLOURS[colour], lw=1.5)
        ax.set_title(readable(name))
        if np.isfinite(delays[name]):
            half = typical.fit_step + delays[name]
            ax.axvline(half, ls="--", lw=1.1, color=COLOURS["theory"])
    for ax in axes.flat:
        for kind, step in events.items():
            ax.axvline(step, ls=":", lw=1.3, color=COLOURS[kind])
    for ax in axes[1]:
        ax.set_xlabel("optimiser step")
    name_lines(axes[0, 0])
    return fig


@styled
def lead_events(rows: pd.DataFrame, own: pd.DataFrame) -> Figure:
    """Steps from the fit until a measure is half way, over those until the accuracy is: a panel
    each of `COMPARED`, a dot a run of `rows` that generalises, hollow at the top where the measure
    never is, and a cross a run of `own`."""
    delays = rows[["accuracy_delay", "measure_delay"]].replace(np.inf, np.nan)
    end = 1.08 * float(delays.max(axis=None))
    fig, axes = panels(1, 4, height=2.5, sharex=True, sharey=True)
    drawn = rows[np.isfinite(rows.accuracy_delay) & rows.measure_delay.notna()]
    for ax, name in zip(axes[0], COMPARED, strict=True):
        part = drawn[drawn.measure == name]
        x = part.accuracy_delay
        y = part.measure_delay
        both = np.isfinite(y)
        colour = COLOURS["quiet" if name in CONTROL_WAYS else DRAWN.get(name, "measure")]
        dots = {"marker": "o", "ls": "none", "ms": 4, "alpha": 0.8, "color": colour}
        ax.plot([0, end], [0, end], ":", color=COLOURS["theory"], lw=1)
        ax.plot(x[both], y[both], **dots)
        ax.plot(x[~both], y[~both].clip(upper=end), mfc="none", **dots)
        here = own[(own.measure == name) & own.measure_delay.notna()]
        delays = here[["accuracy_delay", "measure_delay"]].clip(upper=end)
        ax.plot(*delays.to_numpy().T, "P", ms=8, color=COLOURS["theory"], mec="white", mew=0.8)
        ax.set_title(readable(name).split(",")[0])
        ax.set_box_aspect(1)  # so that a narrow drawing has two beside each other
        ax.set_xlabel("accuracy half way", fontsize=8.5)
    look = {"transform": axes[0, 0].transAxes, "fontsize": 8.5, "color": COLOURS["quiet"]}
    axes[0, 0].text(0.04, 0.88, "measure late", **look)
    axes[0, 0].text(0.97, 0.08, "measure early", ha="right", **look)
    axes[0, 0].set_ylabel("step: measure half way", fontsize=8.5)
    return fig


@styled
def two_questions(summary: pd.DataFrame) -> Figure:
    """Is a measure first (left), and does it go with the accuracy (right, filled: beyond chance)?
    A row a measure of `summary_table`, the controls on top, its word at the right."""
    table = in_order(summary)[::-1]
    rows = np.arange(len(table))
    is_control = table.index.isin(CONTROL_WAYS)
    colours = np.where(is_control, COLOURS["quiet"], COLOURS["measure"])
    faces = np.where(table.p_value <= LEVEL, colours, "white")
    fig, ((left, right),) = panels(1, 2, height=1 + 0.24 * len(table), sharey=True)
    left.scatter(table["first"] / table.runs, rows, 26, colours)
    right.scatter(table.tau, rows, 26, faces, edgecolors=colours)
    left.axvline(0.5, color=COLOURS["theory"], lw=0.8)
    right.axvline(0, color=COLOURS["theory"], lw=0.8)
    left.set(xlabel="first, share of networks", xlim=(-0.05, 1.05))
    right.set(xlabel="goes with the accuracy, $\\tau$", xlim=(-0.15, 1.05))
    left.set_yticks(rows, [readable(name) for name in table.index])
    for row, word in zip(rows, table.says, strict=True):
        place = {"xycoords": ("axes fraction", "data"), "va": "center", "fontsize": 8.5}
        right.annotate(word, (1.03, row), **place)
    return fig


READ_OUTS = {
    "train_accuracy": ("train", "training set", "-"),
    "test_accuracy": ("test", "test set", "-"),
    "fresh_readout": ("measure", "fresh read-out", "-"),
    "fresh_readout_dealt": ("quiet", "labels dealt out", ":"),
}
"""Curves of `fresh_read_outs`: colour, label, dashes."""


@styled
def fresh_read_outs(runs: Datasets) -> Figure:
    """Accuracies of networks, and what a fresh read-out of their features has right of the test
    set: a panel a kind of network."""
    fig, axes = panels(2, 2, height=4.6, sharey=True)
    for ax, (name, data) in zip(axes.flat, runs.items(), strict=True):
        for curve, (colour, label, dashes) in READ_OUTS.items():
            seed_band(ax, data[curve], COLOURS[colour], label, dashes)
        ax.set(title=name, xscale="log", ylim=(-0.03, 1.05))
    for ax in axes[-1]:
        ax.set_xlabel("optimiser step")
    for ax in axes[:, 0]:
        ax.set_ylabel("accuracy")
    name_lines(axes[0, 0])
    return fig


@styled
def own_measure(runs: xr.Dataset, name: str, label: str) -> Figure:
    """The accuracies above, a watched measure below, over the step."""
    fig, ((top,), (bottom,)) = panels(2, 1, height=3.4, sharex=True)
    seed_band(top, runs.train_accuracy, COLOURS["train"], "training set")
    seed_band(top, runs.test_accuracy, COLOURS["test"], "test set")
    seed_band(bottom, runs[name], COLOURS["measure"], label)
    top.set_ylabel("accuracy")
    bottom.set(ylabel=label, xlabel="optimiser step")
    name_lines(top)
    return fig
