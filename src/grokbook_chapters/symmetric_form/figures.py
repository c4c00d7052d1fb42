"""Figures of chapter 04c: three networks on two kinds of test cells, and the memoriser's arch."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panel, panels, styled
from grokbook.plotting.training import steps_axis
from grokbook.tasks import ModularTask
from grokbook.theory.memorisers import transpose_accuracy
from grokbook_chapters.labelled import Datasets
from grokbook_chapters.ranges import spread
from grokbook_chapters.symmetric_form.runs import FORM, FORMS, NETWORKS, PAPER, P

PARTS = {"swap shown": "test_accuracy_mirrored", "swap not shown": "test_accuracy_unmirrored"}
"""The two kinds of test cells, and the curve of each."""

DASHED = (0, (2, 1))


@styled
def both_kinds(networks: Datasets) -> Figure:
    """Accuracy of each network on the form: training cells, and test cells of both kinds."""
    fig, axes = panels(1, len(NETWORKS), height=3.1, sharey=True)
    for ax, name in zip(axes[0], NETWORKS, strict=True):
        data = networks[name, FORMS[FORM]].sel(step=slice(1, None))
        _draw(ax, data, "train_accuracy", "train", "-")
        _draw(ax, data, PARTS["swap shown"], "test", DASHED)
        _draw(ax, data, PARTS["swap not shown"], "test", "-")
        ax.set_title(name)
        steps_axis(ax)
    first = axes[0, 0]
    first.set(ylabel="accuracy", ylim=(-0.03, 1.08))
    _write(first, 0.04, 0.85, "training\ncells", "train", "left")
    _write(first, 0.98, 0.3, "swap shown", "test", "right")
    _write(first, 0.98, 0.17, "swap not shown", "test", "right")
    return fig


def _draw(ax: Axes, data: xr.Dataset, curve: str, colour: str, line: object) -> None:
    lines = data[curve].transpose("step", "seed")
    ax.plot(data.step, lines, ls=line, lw=1.3, alpha=0.9, color=COLOURS[colour])


def _write(ax: Axes, x: float, y: float, words: str, colour: str, side: str) -> None:
    place = {"ha": side, "va": "center", "transform": ax.transAxes}
    ax.text(x, y, words, color=COLOURS[colour], fontsize=9, **place)


def last_accuracies(networks: Datasets) -> pd.DataFrame:
    """Percent of the test cells of either kind that are right at the last step: a row a run."""
    names = {name: part for part, name in PARTS.items()}
    rows = {}
    for key, data in networks.items():
        last = data[list(names)].isel(step=-1, drop=True)
        rows[key] = 100 * last.to_dataframe().rename(columns=names)
    return pd.concat(rows, names=["network", "operation", "seed"])


def at_the_end(networks: Datasets) -> pd.DataFrame:
    """`last_accuracies` in words: a row a network and operation, the range over seeds."""
    by = last_accuracies(networks).groupby(["network", "operation"], sort=False)
    table = by.agg(spread, form=".0f", never="no such cell").add_suffix(", %").reset_index()
    return table.assign(operation=table.operation.str.replace("^2", "²"))


@styled
def arch(counted: pd.DataFrame) -> Figure:
    """Accuracy times test share: the swapping memoriser, expected and drawn, and the recorded
    transformers, a table of `by_fraction`."""
    fractions = np.linspace(0.02, 0.98, 100)
    accuracies = [transpose_accuracy(P, int(fraction * P**2)) for fraction in fractions]
    fig, ax = panel(height=3.4)
    ax.axvspan(min(PAPER), max(PAPER), color=COLOURS["quiet"], alpha=0.15, lw=0)
    ax.plot(fractions, accuracies * (1 - fractions), ls="--", lw=1.1, color=COLOURS["theory"])
    for fraction in np.linspace(0.1, 0.9, 9):
        drawn = [_drawn_product(fraction, seed) for seed in range(5)]
        ax.plot(np.full(5, fraction), drawn, "o", ms=4, color=COLOURS["quiet"])
    product = counted["product"]
    bars = [product - counted.low, counted.high - product]
    ax.errorbar(counted.index, product, bars, fmt="D", ms=5, capsize=3, color=COLOURS["test"])
    ax.text(0.5, 0.07, "a memoriser\nthat swaps,\nexpected\nand drawn", ha="center")
    ax.text(0.73, 0.235, "transformers", color=COLOURS["test"])
    ax.text(0.6, 0.01, "the paper's\nrange", ha="center")
    ax.set(xlabel="training fraction frac", ylabel=r"Acc $\cdot$ (1 - frac)", ylim=(0, 0.28))
    return fig


def _drawn_product(fraction: float, seed: int) -> float:
    """The product of a swapping memoriser on one random split."""
    task = ModularTask(P, train_fraction=fraction, seed=seed)
    return task.transposed_mask.sum() / task.test_index.size * (1 - fraction)
