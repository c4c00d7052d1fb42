"""Curves of training runs: accuracy and loss with the delay marked, measures under them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.curves.delay import median_step
from grokbook.errors import ParameterError
from grokbook.measures import registry
from grokbook.plotting.labels import name_again, name_lines, outside
from grokbook.plotting.style import COLOURS, mark, panels, seed_band, styled


def symbol(name: str) -> str:
    """A measure's symbol as matplotlib's mathematics can set it."""
    return "$" + registry()[name].symbol.replace(r"\lVert", r"\|").replace(r"\rVert", r"\|") + "$"


def steps_axis(ax: Axes) -> None:
    """Optimiser steps on a log scale."""
    ax.set_xscale("log")
    ax.set_xlabel("optimiser step")


def accuracies(ax: Axes, dataset: xr.Dataset) -> None:
    """Accuracy on training and test set, every seed and the median."""
    seed_band(ax, dataset.train_accuracy, COLOURS["train"], "training set")
    seed_band(ax, dataset.test_accuracy, COLOURS["test"], "test set")
    ax.set_ylabel("accuracy")
    ax.set_ylim(-0.03, 1.05)


@styled
def learning_curves(dataset: xr.Dataset, times: pd.DataFrame | None = None) -> Figure:
    """Accuracy (left) and loss (right) against the step (log scale), training set blue, test set
    vermilion.

    `times` (from `grokbook.curves.delay.grok_times`) marks the median fit and grok steps, as
    `median_step` has them.
    """
    fig, axes = panels(1, 2)
    left, right = axes[0]
    accuracies(left, dataset)
    seed_band(right, dataset.train_loss, COLOURS["train"], "training set")
    seed_band(right, dataset.test_loss, COLOURS["test"], "test set")
    right.set_ylabel("cross entropy (nats)")
    for ax in (left, right):
        steps_axis(ax)
    for column, text, colour in (("fit_step", "fits", "train"), ("grok_step", "groks", "test")):
        where = None if times is None else median_step(times, column)
        if where is not None:
            mark(left, where, text, COLOURS[colour])
    name_lines(left, right)
    if outside(fig):
        name_again(fig)
    return fig


@styled
def mirrored_accuracy(runs: dict[str, xr.Dataset]) -> Figure:
    """Test accuracy by whether the mirror image was trained (dashed) or not; one panel for each
    named dataset."""
    fig, axes = panels(1, len(runs), sharey=True)
    for ax, (title, dataset) in zip(axes[0], runs.items(), strict=True):
        seed_band(ax, dataset.train_accuracy, COLOURS["train"], "training set")
        if dataset.test_accuracy_mirrored.notnull().any():
            seed_band(
                ax,
                dataset.test_accuracy_mirrored,
                COLOURS["test"],
                "test, mirror image trained",
                ls=(0, (2, 1)),
            )
        seed_band(
            ax, dataset.test_accuracy_unmirrored, COLOURS["test"], "test, mirror image not trained"
        )
        ax.set(title=title, ylim=(-0.03, 1.05))
        steps_axis(ax)
    axes[0, 0].set_ylabel("accuracy")
    fig.legend(*labelled(axes[0]), loc="outside lower center", ncols=3)
    return fig


def labelled(axes: np.ndarray) -> tuple[list[Artist], list[str]]:
    """Lines and labels of several axes, each label once: what a legend of the whole figure
    takes."""
    artists: dict[str, Artist] = {}
    for ax in axes:
        for line, text in zip(*ax.get_legend_handles_labels(), strict=True):
            artists.setdefault(text, line)
    return list(artists.values()), list(artists)


@styled
def curves_by_setting(runs: Mapping[str, xr.Dataset | None]) -> Figure:
    """Accuracy of every run on training set (blue) and test set (vermilion), raw, one panel a
    setting; log steps.

    A setting whose dataset is None gets a panel that says "not run". Raises ParameterError for
    no settings at all.
    """
    if not runs:
        raise ParameterError("there are no settings to draw, but the figure needs one or more.")
    columns = min(3 if len(runs) % 3 == 0 else 2, len(runs))  # three stand in one row
    rows = -(-len(runs) // columns)
    fig, axes = panels(rows, columns, height=0.6 + 2.1 * rows, sharey=True)
    for ax, (label, dataset) in zip(axes.flat, runs.items(), strict=False):
        ax.set(title=label, ylim=(-0.03, 1.05))
        if dataset is None:
            centre = {"transform": ax.transAxes, "ha": "center", "va": "center"}
            ax.text(0.5, 0.5, "not run", color=COLOURS["quiet"], **centre)
            ax.set_xticks([])
            continue
        logged = dataset.where(dataset.step >= 1, drop=True)
        for name, width, alpha in (("train", 0.8, 0.5), ("test", 1.2, 0.9)):
            values = logged[f"{name}_accuracy"].transpose("step", ...).values
            curves = values.reshape(len(values), -1)
            ax.plot(logged.step, curves, color=COLOURS[name], lw=width, alpha=alpha)
        steps_axis(ax)
    for ax in axes.flat[len(runs) :]:
        ax.set_visible(False)
    for ax in axes[:, 0]:
        ax.set_ylabel("accuracy")
    words = {COLOURS["train"]: "training set", COLOURS["test"]: "test set"}
    for drawn in axes.flat:
        if drawn.lines:
            for line in drawn.lines:
                word = words.get(line.get_color())
                if word not in drawn.get_legend_handles_labels()[1]:
                    line.set_label(word)
            name_lines(drawn)
            break
    return fig


@styled
def measure_curves(dataset: xr.Dataset, names: list[str]) -> Figure:
    """One row a measure (green; norms purple) under the accuracies, all against the step."""
    fig, axes = panels(len(names) + 1, 1, height=1.55 * (len(names) + 1), sharex=True)
    accuracies(axes[0, 0], dataset)
    for ax, name in zip(axes[1:, 0], names, strict=True):
        seed_band(
            ax, dataset[name], COLOURS["second" if name.endswith("norm") else "measure"], name
        )
        ax.set_ylabel(symbol(name))
    steps_axis(axes[-1, 0])
    name_lines(axes[0, 0])
    return fig
