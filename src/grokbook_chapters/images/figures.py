"""Figures of chapter 15: samples of the digits, two starts, sizes of the training set, phases, the
flow of the effective loss."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.labels import name_lines
from grokbook.plotting.style import COLOURS, bare, panel, panels, seed_band, styled
from grokbook.plotting.training import accuracies, steps_axis
from grokbook_chapters.images.class_collapse import flow
from grokbook_chapters.images.digits import DigitsTask
from grokbook_chapters.labelled import Datasets, Tables

FLOW_TIMES = {"start": 0.0, "t = 0.005 Z": 0.005, "t = 0.02 Z": 0.02, "limit": np.inf}
"""Times of the flow that are drawn, in units of Z."""


@styled
def samples_by_label(
    images: np.ndarray, labels: np.ndarray, *, columns: int = 10, name: str = "label"
) -> Figure:
    """The first `columns` of the images (N, side, side), ink 1 and ground 0, of each label that
    there is, in rows."""
    side = images.shape[-1]
    gap = max(2, side // 6)
    cell = side + gap
    inside = slice(gap // 2, gap // 2 + side)
    kinds = np.unique(labels)
    cells = np.zeros((len(kinds), columns, cell, cell))
    for row, label in enumerate(kinds):
        chosen = images[labels == label][:columns]
        cells[row, : len(chosen), inside, inside] = chosen
    page = cells.transpose(0, 2, 1, 3).reshape(len(kinds) * cell, -1)
    fig, ax = panel(height=3.4)
    ax.imshow(page, cmap="gray_r", vmin=0, vmax=1)
    bare(ax)
    ax.set(yticks=(np.arange(len(kinds)) + 0.5) * cell, yticklabels=kinds, ylabel=name)
    return fig


def training_images(task: DigitsTask) -> Figure:
    """Some of the training images of the small digits, a row a digit."""
    pictures = task.inputs[task.train_index].reshape(-1, 8, 8)
    return samples_by_label(pictures, task.targets[task.train_index], name="digit")


@styled
def two_starts(large: xr.Dataset, usual: xr.Dataset, spread: float) -> Figure:
    """Accuracies, weight norm and variance within classes: from large first weights and from
    torch's."""
    fig, axes = panels(2, 2, height=3.7, sharex="col", sharey="row")
    titles = f"first weights times {spread:g}", "usual first weights"
    for column, title, data in zip(axes.T, titles, (large, usual), strict=True):
        accuracies(column[0], data)
        column[0].set_title(title)
        norm = data.weight_norm / data.weight_norm.isel(step=0)
        within = data.within_class_share
        seed_band(column[1], norm, COLOURS["measure"], "weight norm", "--")
        seed_band(column[1], within, COLOURS["measure"], "variance within classes")
        steps_axis(column[1])
    axes[0, 1].set_ylabel("")
    axes[1, 0].set(ylabel="share", ylim=(-0.03, None))
    name_lines(*axes[:, 0])
    return fig


@styled
def on_mnist(runs: Datasets, fresh: Datasets) -> Figure:
    """Accuracies of the recorded runs on MNIST, a panel a factor of the first weights, and of
    `fresh` read-outs with two ridges."""
    fig, axes = panels(1, len(runs), sharey=True)
    for ax, (start, data) in zip(axes[0], runs.items(), strict=True):
        accuracies(ax, data)
        refitted = fresh[start]
        seed_band(ax, refitted.fresh_readout_heavy, COLOURS["measure"], "fresh read-out")
        seed_band(ax, refitted.fresh_readout, COLOURS["measure"], "less ridge", "--")
        ax.set(title=f"first weights times {start:g}", ylabel="")
        steps_axis(ax)
    axes[0, 0].set_ylabel("accuracy")
    name_lines(axes[0, 0])
    return fig


@styled
def by_amount(times: Mapping[str, Tables]) -> Figure:
    """When networks fit and generalise, over the number of training images: a panel a set, a point
    a seed, lines through the medians."""
    fig, axes = panels(1, len(times))
    for ax, (name, tables) in zip(axes[0], times.items(), strict=True):
        rows = pd.concat(tables, names=["images"]).astype(float)
        _line(ax, rows.fit_step, "train", "o", "fits", -9)
        _line(ax, rows.grok_step, "test", "s", "generalises", 9)
        shown = [*tables][::2]
        ax.set(title=name, xscale="log", xlabel="training images", ylim=(0, None))
        ax.set(ylabel="optimiser step")
        ax.set_xticks(shown, shown)
        ax.minorticks_off()
    return fig


def _line(ax: Axes, steps: pd.Series, kind: str, shape: str, words: str, off: int) -> None:
    middle = steps.fillna(np.inf).groupby("images").median()
    images = steps.index.get_level_values("images")
    colour = COLOURS[kind]
    side = "left" if off > 0 else "right"
    at = middle.index[1], middle.iloc[1]
    ax.scatter(images, steps, 16, colour, marker=shape)
    ax.plot(middle, color=colour)
    ax.annotate(words, at, (off, 5), "data", "offset points", color=colour, ha=side)


@styled
def gathering(points: np.ndarray, labels: np.ndarray) -> Figure:
    """The flow of the effective loss from some points (n, 2): each as the numeral of its label,
    zeros in colour."""
    size = (points**2).sum()
    path = flow(points, labels, [time * size for time in FLOW_TIMES.values()])
    fig, axes = panels(1, len(FLOW_TIMES), height=2.4, sharex=True, sharey=True)
    for ax, name, at in zip(axes[0], FLOW_TIMES, path, strict=True):
        for digit in range(10):
            ink = COLOURS["theory" if digit else "measure"]
            x, y = at[labels == digit].T
            ax.plot(x, y, ls="", marker=f"${digit}$", ms=4, mew=0, color=ink)
        ax.set_title(name)
        ax.set_aspect("equal", adjustable="box")
        ax.locator_params(nbins=3)
    return fig
