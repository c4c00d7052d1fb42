"""Figures of chapter 10: the dictionary, some images, a run that is followed, when the recorded
runs fit and generalise, and where they do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.curves.phases import PhaseRule, phases
from grokbook.plotting.labels import name_lines
from grokbook.plotting.phases import diagrams
from grokbook.plotting.style import COLOURS, bare, panels, seed_band, styled
from grokbook.plotting.training import accuracies, steps_axis
from grokbook_chapters.resnet_grokking.runs import LATE, LONGER, REACHED, SPLITS
from grokbook_chapters.resnet_grokking.shapes import ShapeTask, tiles

SHOWN = ((3, 1, 2, 5), (6, 0, 4, 10))
"""Two images of the dictionary of eleven glyphs, by the numbers of their quarters."""

PALE = 0.25
"""Darkness of a glyph that the page does not train on; 1 is black."""


@styled
def dictionary(used: int) -> Figure:
    """The dictionary of eleven glyphs, and two images of four: drawn cleanly, and as the authors'
    program does. Of the dictionary all but the first `used` are pale."""
    task = ShapeTask(11)
    shown = torch.tensor(SHOWN)
    pictures = []
    for faithful in (False, True):
        for image in replace(task, faithful=faithful).show(shown)[:, 0].numpy():
            framed = np.pad(image, 2, constant_values=0.3)
            pictures.append(np.pad(framed, 14))
    beside = np.hstack(pictures)
    fig, ((top,), (bottom,)) = panels(2, 1, height=3.6, height_ratios=(1, 1.9))
    glyphs = tiles(11, task.tile)[0].copy()
    glyphs[used:] *= PALE
    top.imshow(np.hstack(glyphs), cmap="gray_r", vmin=0, vmax=1)
    bottom.imshow(beside, cmap="gray_r")
    for ax in (top, bottom):
        bare(ax)
    names = ["1\nblank"]
    names += [f"{sides - 1}\n({sides})" for sides in range(3, 13)]
    places = (np.arange(11) + 0.5) * task.tile
    top.set(title="category (sides)", xticks=places, xticklabels=names)
    sums = []
    for image in SHOWN:
        categories = [glyph + 1 for glyph in image]
        sums.append(f"{'+'.join(map(str, categories))}\n= {sum(categories)}")
    eighths = np.array([1, 3, 6]) * beside.shape[1] / 8
    bottom.set(xticks=eighths, xticklabels=[*sums, "the same two,\nas the authors drew"])
    return fig


@styled
def samples(task: ShapeTask, count: int = 6) -> Figure:
    """Images of the task drawn at random, each with the sum of its categories."""
    chosen = np.random.default_rng(task.seed).choice(len(task.inputs), count)
    images = task.show(torch.from_numpy(task.inputs[chosen]))[:, 0].numpy()
    framed = [np.pad(image, 1, constant_values=0.3) for image in images]
    fig, ((ax,),) = panels(1, 1, height=1.5)
    ax.imshow(np.hstack(framed), cmap="gray_r")
    bare(ax)
    places = (np.arange(count) + 0.5) * framed[0].shape[1]
    ax.set(xticks=places, xticklabels=[int(label) + 4 for label in task.targets[chosen]])
    return fig


@styled
def followed(run: xr.Dataset) -> Figure:
    """Accuracies, the weight norm as a part of its start, and probes for the sum, for sums of other
    values and for labels dealt out."""
    fig, ((top,), (middle,), (bottom,)) = panels(3, 1, height=6, sharex=True)
    accuracies(top, run)
    norm = run.weight_norm / run.weight_norm.isel(step=0)
    seed_band(middle, norm, COLOURS["second"], "weight norm")
    probes = {
        "sum": (run.probe_sum, "measure"),
        "other values": (run.probe_other, "second"),
        "dealt": (run.probe_dealt, "quiet"),
    }
    for name, (values, colour) in probes.items():
        seed_band(bottom, values.clip(min=-0.2), COLOURS[colour], name)
    middle.set_ylabel("part of its start")
    bottom.set_ylabel("$R^2$ of a probe")
    steps_axis(bottom)
    name_lines(top, middle, bottom)
    return fig


@styled
def by_split(small: Mapping[str, pd.DataFrame]) -> Figure:
    """How many of the small runs have fitted and generalised by each step, a panel a split; beside
    them those without decay that generalise."""
    fig, axes = panels(1, len(SPLITS), height=2.7, sharey=True)
    for ax, split in zip(axes[0], SPLITS, strict=True):
        decayed = small[split]
        last = LONGER[split]
        _counted(ax, decayed.fit_step, last, "fit", "train")
        _counted(ax, decayed.grok_step, last, "generalise", "test")
        _counted(ax, small[f"{split}, no decay"].grok_step, last, "no decay", "quiet")
        ax.set(title=f"split: {split}", ylim=(-0.3, 5.5))
        steps_axis(ax)
    axes[0, 0].set_ylabel("runs, of five")
    name_lines(*axes[0])
    return fig


def _counted(ax: Axes, steps: pd.Series, last: int, name: str, colour: str) -> None:
    """A stair that rises by one at each step, up to the last one."""
    rises = [10, *sorted(steps.dropna().astype(int)), last]
    heights = [*range(len(rises) - 1), len(rises) - 2]
    ax.plot(rises, heights, drawstyle="steps-post", color=COLOURS[colour], label=name)


def by_share(cells: xr.Dataset) -> Figure:
    """The phases of the small runs by share of trained images and weight decay."""
    rule = PhaseRule(REACHED, cap=int(cells.step.max()), gap=LATE)
    return diagrams({"random split": phases(cells, rule, goal=REACHED).phase})
