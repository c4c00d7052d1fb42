"""The pictures of chapter 10: the dictionary with a drawing error, and what happens in a run."""

from __future__ import annotations

import dataclasses

import numpy as np
import torch
import xarray as xr
from matplotlib.figure import Figure

from grokbook.plotting.pictures import bare
from grokbook.plotting.style import COLOURS, panels, seed_band, styled
from grokbook.plotting.training import accuracies, steps_axis
from grokbook.tasks.shapes import ShapeTask, tiles

COMPOSED = ((3, 1, 2, 5), (6, 0, 4, 10))
"""The quadruples that are drawn twice, clean and with the authors' error."""


@styled
def dictionary(task: ShapeTask) -> Figure:
    """Every glyph with its category and sides (top); composites drawn cleanly, and with the authors' error (bottom)."""
    fig, axes = panels(2, 1, height=3.6, height_ratios=(1, 1.9))
    top, bottom = axes[:, 0]
    top.imshow(np.hstack(tiles(task.n, task.tile)[0]), cmap="gray_r")
    sides = [k + 2 if k else 0 for k in range(task.n)]
    bare(top)
    top.set(
        xticks=(np.arange(task.n) + 0.5) * task.tile, xticklabels=[f"{k + 1}\n({s})" for k, s in enumerate(sides)],
        title="category (sides)",
    )  # fmt: skip
    asked = torch.tensor(COMPOSED).clamp(max=task.n - 1)
    drawn = [dataclasses.replace(task, faithful=faithful).show(asked)[:, 0].numpy() for faithful in (False, True)]
    drawn = [np.pad(np.pad(image, 2, constant_values=0.3), task.tile // 8) for pair in drawn for image in pair]
    bottom.imshow(np.hstack(drawn), cmap="gray_r")
    bare(bottom)
    bottom.set(xticks=[drawn[0].shape[1], 3 * drawn[0].shape[1]], xticklabels=["clean", "as the authors drew"])
    return fig


@styled
def over_training(data: xr.Dataset) -> Figure:
    """Accuracies (top), weight norm and MED of the glyphs (middle), probes (bottom) of some runs."""
    fig, axes = panels(3, 1, height=6.4, sharex="col", sharey="row")
    top, middle, bottom = axes[:, 0]
    accuracies(top, data)
    top.set_title("random split")
    seed_band(middle, data.weight_norm / data.weight_norm.isel(step=0), COLOURS["second"], "weight norm / its start")
    seed_band(middle, data.steps_apart, COLOURS["measure"], "steps between glyphs")
    for name, colour, label in (
        ("probe_sum", "measure", "sum"), ("probe_other", "second", "other values"), ("probe_dealt", "quiet", "dealt"),
    ):  # fmt: skip
        seed_band(bottom, data[name].clip(min=-0.2), COLOURS[colour], label)
    steps_axis(bottom)
    for ax, label in zip(axes[:, 0], ("accuracy", "relative size", "$R^2$ of a probe"), strict=True):
        ax.set_ylabel(label)
        ax.legend(loc="best")
    return fig
