"""The figures of chapter 14: planes of points, the effective dimension beside the published curve,
dropout, the diagram, and training sets that cover or force a line."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from companion.page.interactive import interactive
from grokbook.curves.delay import grok_times
from grokbook.measures import dominant_frequencies
from grokbook.measures.principal import on_axes
from grokbook.plotting.grids import on_grid
from grokbook.plotting.labels import name_lines
from grokbook.plotting.moving import circle_over_training, in_order, moving_run
from grokbook.plotting.phases import diagrams
from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook.plotting.training import curves_by_setting
from grokbook_chapters.labelled import Datasets
from grokbook_chapters.transformer_representations import contrast
from grokbook_chapters.transformer_representations.claims import PUBLISHED, PUBLISHED_GROK
from grokbook_chapters.transformer_representations.embedding import strangers, tables
from grokbook_chapters.transformer_representations.runs import (
    PAPER,
    PLAIN,
    RATES,
    SMALL_DROPPED,
    SMALL_RUNS,
)

CAPTION = (
    "In this run the ring comes with the test accuracy, and few frequencies with it. Recorded,",
    "addition modulo {glue:text}`p_shown`. Points: its numbers on the first two principal axes of",
    "each step; bars and curves: the spectrum and both accuracies.",
)
ALT = (
    "Left: points in a plane, joined in their order, first a tangle, at the end regular. Right:",
    "the spectrum, first flat, then with a few peaks, above the two accuracies.",
)


@styled
def draw_planes(planes: Mapping[str, np.ndarray], own: bool = False) -> Figure:
    """Points (p, 2) of each panel, joined in the order of the angle of one frequency, p prime.

    The frequency is that which is strongest in the first panel, with `own` that of each panel.
    """
    fig, axes = panels(1, len(planes), height=2.5)
    first = next(iter(planes.values()))
    for ax, (name, points) in zip(axes[0], planes.items(), strict=True):
        _ring(ax, points, points if own else first)
        ax.set_title(name, fontsize=9)
    return fig


def _ring(ax: Axes, points: np.ndarray, guide: np.ndarray) -> None:
    """Points (p, 2), joined in the order of the angle of the strongest frequency of `guide`."""
    order = in_order(len(points), dominant_frequencies(guide, 1)[0])
    loop = points[[*order, order[0]]]
    ax.plot(*loop.T, color=COLOURS["quiet"], lw=0.6, zorder=1)
    ax.scatter(*points.T, color=COLOURS["measure"], s=9, zorder=2)
    ax.set(box_aspect=1, xticks=[], yticks=[])
    ax.grid(False)


@styled
def tangle_to_ring(run: xr.Dataset) -> Figure:
    """First two principal components of a run at the start, at 99 % test accuracy where it gets
    there, and at the end."""
    return draw_planes(_moments(run), own=True)


def _moments(run: xr.Dataset) -> dict[str, np.ndarray]:
    """The plane (p, 2) of a run by the name of each moment that it reaches."""
    times = grok_times(run, threshold=0.99).iloc[0]
    steps = run.snapshot.values
    last = len(steps) - 1
    names = {0: "start", last: "end"}
    if not pd.isna(times.grok_step):
        names[int(np.abs(steps - times.grok_step).argmin())] = "99 % right"
    embeddings = tables(run)
    planes = {}
    for place in sorted(names):
        planes[f"{names[place]}, step {steps[place]:,}"] = on_axes(embeddings[place], 2)
    return planes


def moving(run: xr.Dataset) -> None:
    """Put the plane of a run on the page, with a slider over its training."""
    snapshots = run.snapshot.values
    steps = [int(snapshots[0]), int(snapshots[len(snapshots) // 2]), int(snapshots[-1])]
    interactive(
        "grokking_run",
        "fig-pca-run",
        " ".join(CAPTION),
        " ".join(ALT),
        moving_run(run, pca=True),
        circle_over_training(run, steps, pca=True),
    )


@styled
def dimensions(recorded: Datasets) -> Figure:
    """Effective dimension of each run in units of its start, over the step in units of that of
    generalisation: with dropout and without, of both sizes; left the published mean."""
    fig, axes = panels(1, 2, height=3.4, sharey=True)
    left, right = axes[0]
    _dimension(left, recorded[PAPER], "dropout 0.05", "measure", 0.99)
    _dimension(left, recorded[PLAIN], "no dropout", "second", 0.99)
    _dimension(right, recorded[SMALL_DROPPED], f"dropout {RATES[0]:g}", "measure", 0.95)
    _dimension(right, recorded[SMALL_RUNS], "no dropout", "second", 0.95)
    published = pd.Series(PUBLISHED) / PUBLISHED[1]
    later = published.iloc[1:]
    look = {"color": COLOURS["theory"], "ms": 4, "lw": 1.2, "label": "published mean"}
    left.plot(later.index / PUBLISHED_GROK, later, "s--", **look)
    left.set(title="p = 59, width 256", ylabel="effective dimension / at the start")
    right.set(title="p = 31, small")
    for ax, bar in ((left, 0.99), (right, 0.95)):
        ax.set(xscale="log", xlabel=f"step / step of {bar:.0%} test accuracy")
        ax.axvline(1, color=COLOURS["test"], ls=":", lw=1)
        ax.axhline(1, color=COLOURS["quiet"], lw=0.7)
        ax.set_xlim(right=3 * ax.get_xlim()[1])  # room for names
    name_lines(left, right)
    return fig


def _dimension(ax: Axes, data: xr.Dataset, label: str, colour: str, bar: float) -> None:
    """A line for each run, in grey and over its last step where it does not generalise; the name
    stands at that which ends lowest."""
    size = data.effective_dimension
    ends = grok_times(data, threshold=bar).grok_step.astype(float)
    lowest = int(size.values[:, -1].argmin())
    look = {"lw": 1.1, "alpha": 0.8}
    for n, grok in enumerate(ends):
        curve = size[n] / size[n, 0]
        generalises = np.isfinite(grok)
        look["color"] = COLOURS[colour if generalises else "quiet"]
        look["label"] = label if n == lowest else f"_{label}"
        unit = grok if generalises else curve.step[-1].item()
        ax.plot(curve.step[1:] / unit, curve[1:], **look)


def starts(run: xr.Dataset) -> Figure:
    """The end on its own axes, the start on its own and on those of the end, and a start that had
    no part in the training."""
    start, end = tables(run)[[0, -1]]
    other, its_end = next(strangers(start, end, 1))
    planes = {
        "end, its own axes": on_axes(end, 2),
        "start, its own axes": on_axes(start, 2),
        "start, axes of the end": on_axes(start, 2, of=end),
        "a stranger's start": on_axes(other, 2, of=its_end),
    }
    return draw_planes(planes)


def dropout(dropped: Datasets) -> Figure:
    """Accuracies by the share of numbers dropped; dotted the training accuracy that is taken with
    numbers dropped."""
    fig = curves_by_setting({f"dropout {share:.2g}": data for share, data in dropped.items()})
    for ax, data in zip(fig.axes, dropped.values(), strict=False):
        ax.plot(data.step[1:], data.fit_with_dropout.T[1:], ":", lw=1.2, color=COLOURS["train"])
    return fig


def diagram(phases: xr.DataArray) -> Figure:
    """The phase diagram of the small transformer."""
    return diagrams({"transformer, p = 31": phases})


def rings(generalises: xr.Dataset, others: Datasets) -> Figure:
    """The last embedding of a run that generalises and of the first run of others, each on its own
    first two axes."""
    planes = {"generalises": on_axes(tables(generalises)[-1], 2)}
    for name, data in others.items():
        planes[name] = on_axes(tables(data.isel(seed=0))[-1], 2)
    return draw_planes(planes, own=True)


@styled
def sets() -> Figure:
    """Which cells of the table each of the four chosen training sets has, both orders of a pair."""
    fig, axes = panels(1, len(contrast.HELD_OUT), height=2.2)
    colours = ListedColormap(["#dcdcdc", COLOURS["train"]])
    for ax, name in zip(axes[0], contrast.HELD_OUT, strict=True):
        mask = contrast.trained_mask(contrast.training_pairs(name))
        ax.imshow(mask, vmin=0, vmax=1, cmap=colours)
        ax.set(xticks=[0, 5, 9], yticks=[0, 5, 9], box_aspect=1)
    on_grid(axes[0], list(contrast.HELD_OUT))
    return fig


@styled
def by_set(rows: pd.DataFrame, ideal: pd.Series) -> Figure:
    """Test accuracy of each run of the four sets as a ring, and as a stroke that of the ideal
    model."""
    fig, ax = panel(height=2.8)
    for place, (name, share) in enumerate(ideal.items()):
        part = rows[rows["training set"] == name]
        height = 0.07 * (part.seed - part.seed.mean()) - place
        ax.plot(part.test, height, "o", ms=5, mfc="none", color=COLOURS["test"])
        ends = (-place - 0.42, -place + 0.42)
        ax.plot([share, share], ends, "--", color=COLOURS["theory"])
    ax.set_yticks(-np.arange(len(ideal)), ideal.index)
    ax.set(xlim=(-0.04, 1.04), ylim=(0.5 - len(ideal), 0.5), xlabel="test accuracy")
    return fig
