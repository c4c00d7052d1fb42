"""Figures of chapter 11a: a run beside the flow, predictions beside accuracies, where lines form,
and the decoder's answers in the plane."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.labels import name_lines
from grokbook.plotting.plane import numbered, window
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook_chapters.labelled import Datasets
from grokbook_chapters.trained_toys.embeddings import at_end, fitted, flow, one_pace, pairs_of, path
from grokbook_chapters.trained_toys.runs import fig2

SHOWN_STEPS = 2_000
"""Up to here a run is drawn beside the flow."""

REGIONS = (
    ("addition, bad", 0),
    ("addition", 0),
    ("addition", 1),
    ("modular, bad", 0),
    ("modular", 0),
    ("modular", 4),
)
"""Settings and seeds that are drawn in the plane, a row a task."""

ONE_SUM = ([5, 9], [6, 8])
"""Two pairs with one sum, those of the paper's figure."""


@styled
def run_and_flow(run: xr.Dataset, samples: int, seed: int) -> Figure:
    """The ten numbers of a run and those of the flow from its start (dashed); below, the gap to the
    flow and to the null that goes at one pace."""
    fig, axes = panels(2, 1, height=3.5, sharex=True, height_ratios=[2, 1])
    above, below = axes[:, 0]
    steps, numbers = path(run.isel(seed=0))
    pairs = pairs_of(samples, seed)
    drawn = steps <= SHOWN_STEPS
    above.plot(steps[drawn], numbers[drawn], lw=1.2, color=COLOURS["measure"])
    for name, way, look in (("theory", flow, "--"), ("straight paths", one_pace, ":")):
        unit = fitted(steps, numbers, pairs, way).unit
        theory = way(numbers[0], pairs, unit * steps[drawn])
        gap = np.sqrt(((numbers[drawn] - theory) ** 2).mean(axis=1))
        below.plot(steps[drawn], gap, ls=look, color=COLOURS["theory"], label=f"to {name}")
        if way is flow:
            above.plot(steps[drawn], theory, color=COLOURS["theory"], lw=1, ls=look)
    last = steps[drawn][-1]
    for symbol, value in enumerate(numbers[drawn][-1]):
        above.annotate(str(symbol), (last, value), (4, -3), textcoords="offset points")
    above.set(ylabel="the ten numbers")
    below.set(xlabel="update", ylabel="distance", ylim=(0, None))
    below.legend(loc="upper right")
    return fig


@styled
def predicted(table: pd.DataFrame) -> Figure:
    """Accuracy on all pairs and the prediction from the embedding, against the share of pairs
    trained; below, their difference. `table` is that of `measured`."""
    fig, axes = panels(2, 1, height=4.4, sharex=True, height_ratios=[2, 1])
    above, below = axes[:, 0]
    share = table.samples / 55
    look = {"alpha": 0.5, "ms": 5}
    above.plot(share, table.accuracy, "o", color=COLOURS["test"], **look)
    above.plot(share - 0.012, table.predicted, "_", color=COLOURS["theory"], **look)
    above.plot([0, 1], [0, 1], ls=":", color=COLOURS["quiet"])
    below.plot(share, table.accuracy - table.predicted, "o", ms=4, color=COLOURS["measure"])
    below.axhline(0, color=COLOURS["quiet"], lw=0.8)
    above.set(ylabel="share of all pairs", ylim=(0, 1.03))
    below.set(xlabel="share of the pairs trained", ylabel="accuracy − predicted")
    return fig


@styled
def transition(table: pd.DataFrame, starts: pd.DataFrame) -> Figure:
    """Shares of the runs on a line and of the training sets that force one, by size; and by seed
    how much of the start is a ladder against the sizes at which the seed gets to a line."""
    fig, axes = panels(1, 2, height=3.2)
    left, right = axes[0]
    _share_of_runs(left, table, "steps", "o-", "measure", "on a line")
    _share_of_runs(left, table, "predicted steps", "--", "theory", "forced")
    left.set(xlabel="share of the pairs trained", ylabel="share of runs", ylim=(-0.03, 1.03))
    name_lines(left)
    right.plot(starts.slope, starts.reached, "o", ms=6, alpha=0.6, color=COLOURS["measure"])
    sizes = table.samples.nunique()
    right.set(xlabel="how much of the start is a ladder", ylabel=f"sizes with a line, of {sizes}")
    right.set_xlim(0, 1)
    return fig


def _share_of_runs(
    ax: Axes, table: pd.DataFrame, column: str, look: str, colour: str, label: str
) -> None:
    """The share of runs with a finite value in a column, by size."""
    share = np.isfinite(table[column]).groupby(table.samples).mean()
    ax.plot(share.index / 55, share, look, ms=5, color=COLOURS[colour], label=label)


@styled
def regions(planes: Datasets) -> Figure:
    """Embeddings in the plane over the labels that the decoder gives to midpoints there, the runs
    of `REGIONS`."""
    fig, axes = panels(2, 3, height=5)
    for ax, (kind, seed) in zip(axes.flat, REGIONS, strict=True):
        _region(ax, kind, planes[kind].sel(seed=seed))
    for row, kind in zip(axes, ("addition", "modular"), strict=True):
        labels = fig2()[kind].config.task.outputs
        ticks = range(0, labels, labels // 5)
        fig.colorbar(row[-1].images[0], ax=list(row), shrink=0.8, label="label", ticks=ticks)
    return fig


def _region(ax: Axes, kind: str, run: xr.Dataset) -> None:
    """One run: the decoder's labels as colours, the symbols, and of plain sums two pairs of one
    sum with the answers to them."""
    task = fig2()[kind].config.task
    points = at_end(run)
    cyclic = kind.startswith("modular")
    ax.imshow(
        run.decoded,
        origin="lower",
        extent=window(points),
        vmin=0,
        vmax=task.outputs if cyclic else task.outputs - 1,
        interpolation="nearest",
        alpha=0.8,
        cmap="twilight" if cyclic else "viridis",
    )
    for pair in () if cyclic else ONE_SUM:
        ax.plot(*points[pair].T, color="white", lw=1.6)
        answer = run.answered.values[(task.inputs == pair).all(axis=1).argmax()]
        box = {"boxstyle": "square,pad=0.2", "fc": "white", "ec": "black"}
        middle = points[pair].mean(axis=0)
        ax.text(*middle, answer, ha="center", va="center", fontsize=9, zorder=3, bbox=box)
    numbered(ax, points)
    name, _, bad = kind.partition(", ")
    seed = int(run.seed)
    ax.set_title(f"{name}, {bad or 'good'}\nseed {seed}: {float(run.test_accuracy[-1]):.0%}")
