"""Pictures of runs in one call: their curves, and the embeddings that were kept of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from grokbook.curves.delay import grok_times
from grokbook.errors import ParameterError, checked_call
from grokbook.measures.principal import on_axes
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.plotting.training import learning_curves
from grokbook.runs.results import load


@checked_call
def plot_curves(runs: xr.Dataset) -> Figure:
    """Accuracy and loss of every seed against the step, with the median fit and grok steps marked.

    Raises ParameterError for a dataset that `grok_times` refuses, one without losses, or one with
    axes of a grid: choose a cell first.
    """
    for name in ("test_accuracy", "train_loss", "test_loss"):
        if name not in runs:
            raise ParameterError(f"the dataset has no {name!r}, which is drawn.")
    sides = [dim for dim in runs.test_accuracy.dims if dim not in ("seed", "run", "step")]
    if sides:
        raise ParameterError(
            f"the runs have an axis {sides[0]}; choose a cell, runs.sel({sides[0]}=...)."
        )
    return learning_curves(runs, grok_times(runs))


@checked_call
def plot_embedding(data: Any, seed: int = 0) -> Figure:
    """The rows of an embedding on its first two principal axes, each by its number: one picture, or
    one a snapshot.

    `data` is an embedding (p, d), what `load` gives, or a dataset of `train`, whose first, middle
    and last snapshot of a seed are drawn on the axes of the last. Raises ParameterError where there
    is no embedding.
    """
    tables: dict[str, np.ndarray | None] = {}
    if isinstance(data, xr.Dataset):
        steps = load(data, seed).steps
        for step in dict.fromkeys((steps[0], steps[len(steps) // 2], steps[-1])):
            tables[f"step {step:,}"] = load(data, seed, step).embedding
    else:
        tables[""] = getattr(data, "embedding", data)
    given = {title: table for title, table in tables.items() if table is not None}
    if len(given) < len(tables):
        raise ParameterError("the network has no embedding to be drawn.")
    last = list(given.values())[-1]

    @styled
    def drawn() -> Figure:
        fig, axes = panels(1, len(given), height=2.6 if len(given) > 1 else 4)
        for ax, (title, table) in zip(axes[0], given.items(), strict=True):
            points = on_axes(table, 2, last)
            ax.scatter(*points.T, s=3, color=COLOURS["measure"])
            for i, (x, y) in enumerate(points):
                ax.annotate(str(i), (x, y), fontsize=6)
            ax.set(
                title=title,
                xlabel="first principal axis",
                ylabel="second" if ax is axes[0, 0] else "",
            )
            ax.set_box_aspect(1)
        return fig

    return drawn()
