"""The pictures of chapter 15: the digits, norms and collapse beside the accuracies, the flow of the effective loss."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import torch
import xarray as xr
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from grokbook.chapters.images.settings import REACHED
from grokbook.models.mlp import MLP
from grokbook.plotting.pictures import samples_by_label
from grokbook.plotting.style import COLOURS, panels, seed_band, styled
from grokbook.plotting.training import accuracies, steps_axis
from grokbook.tasks.digits import SMALL, DigitsTask
from grokbook.theory.class_collapse import flow

TEN = ListedColormap(["#4477AA", "#EE6677", "#228833", "#CCBB44", "#66CCEE", "#AA3377", "#BBBBBB", "#117733", "#882255",
                      "#DDCC77"])  # fmt: skip
"""A colour a digit."""


def encoded(images: int = 500, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Small digits as points of a plane by a random ReLU network (64-200-200-2), (n, 2), and their labels.

    Example:
        >>> encoded(20)[0].shape
        (20, 2)

    Source: Liu et al. 2022, appendix I: "randomly encoded to a 2D embedding".
    """
    task = DigitsTask(images, seed, source=SMALL)
    pixels = torch.from_numpy(task.inputs[task.train_index]).float()
    network = MLP((64, 200, 200, 2))
    with torch.no_grad():
        points = network.forward(network.draw(seed), pixels)
    return points.double().numpy(), task.targets[task.train_index]


def samples(task: DigitsTask) -> Figure:
    """Some training images of each digit, a row a digit."""
    side = int(np.sqrt(task.inputs.shape[1]))
    images = task.inputs[task.train_index].reshape(-1, side, side)
    return samples_by_label(images, task.targets[task.train_index], name="digit")


@styled
def by_amount(tables: Mapping[str, Mapping[int, pd.DataFrame]]) -> Figure:
    """Steps to fit (circles) and to generalise (squares) by number of training images, a panel a set of images.

    Points are seeds, lines their medians; a run without the step has no point and counts as later.
    """
    fig, axes = panels(1, len(tables))
    for ax, (title, found) in zip(axes.ravel(), tables.items(), strict=True):
        for column, shape, colour, label in (
            ("fit_step", "o", COLOURS["train"], "95 % of the training set"),
            ("grok_step", "s", COLOURS["test"], f"{REACHED:.0%} of the test set"),
        ):
            steps = {n: table[column].astype(float) for n, table in sorted(found.items())}
            for n, each in steps.items():
                ax.plot([n] * len(each), each, shape, color=colour, alpha=0.6, ms=4)
            ax.plot(list(steps), [each.fillna(np.inf).median() for each in steps.values()], color=colour, label=label)
        ax.set(title=title, xscale="log", xlabel="training images", ylabel="optimiser step", ylim=(0, None))
        ax.set_xticks(list(steps), [str(n) for n in steps])
        ax.minorticks_off()
    axes.ravel()[0].legend()
    return fig


@styled
def large_and_usual(large: xr.Dataset, usual: xr.Dataset) -> Figure:
    """Accuracies (top), weight norm and share of variance within classes (bottom) of both starts, log steps."""
    fig, axes = panels(2, 2, height=5.0, sharex="col", sharey="row")
    for column, (title, data) in enumerate((("large start", large), ("torch's start", usual))):
        top, bottom = axes[:, column]
        accuracies(top, data)
        top.set_title(title)
        seed_band(bottom, data.weight_norm / data.weight_norm.isel(step=0), COLOURS["norm"], "weight norm / its start")
        seed_band(bottom, data.within_class_share, COLOURS["measure"], "variance within classes")
        bottom.set_ylim(-0.03, 1.15)
        steps_axis(bottom)
    for ax in axes[:, 1]:
        ax.set_ylabel("")
    axes[1, 0].set_ylabel("share")
    axes[0, 0].legend(loc="center left")
    axes[1, 0].legend(loc="lower left")
    return fig


@styled
def flowing(points: np.ndarray, labels: np.ndarray, times: list[float]) -> Figure:
    """Points of a plane at some times of the flow of the effective loss, a colour a class; the limit is the last."""
    path = flow(points, labels, times)
    fig, axes = panels(1, len(times), height=2.4, sharex=True, sharey=True)
    size = (points**2).sum()
    for ax, at, found in zip(axes[0], times, path, strict=True):
        ax.scatter(*found.T, c=labels, cmap=TEN, vmin=-0.5, vmax=9.5, s=9, lw=0)
        ax.plot(0, 0, "+", color=COLOURS["theory"])
        ax.set_title("limit" if np.isinf(at) else f"t = {at / size:.2g} Z" if at else "start")
        ax.set_aspect("equal", adjustable="box")
        ax.locator_params(nbins=3)
    return fig
