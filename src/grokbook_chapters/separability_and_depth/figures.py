"""Figures of chapter 07: three notions of being apart, what a probe reads at two stages, and
accuracies by depth."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.plotting.training import curves_by_setting
from grokbook_chapters.labelled import Datasets
from grokbook_chapters.separability_and_depth.separability import separate

GREEN = np.array([[0.0, 0.0], [1.0, 0.2], [2.0, 0.1], [1.2, 0.8]])
PURPLE = np.array([[0.3, 1.4], [1.1, 1.9], [2.2, 1.5], [1.6, 2.4]])
MEETING = np.array([[0.9, 0.4], [1.8, 1.2], [1.5, -0.6], [0.4, -0.4]])
"""Sets of the plane: the second is apart from the first, the hull of the third is not."""

PAIRS = {
    "pairs_mlp": ("measure", "-", "after the MLP"),
    "pairs_attention": ("second", "-", "after the attention"),
    "pairs_mlp_wrong": ("quiet", ":", "wrong classes"),
    "pairs_attention_wrong": ("quiet", ":", ""),
}
PROBES = {
    "probe_mlp": ("measure", "-", "after the MLP"),
    "probe_attention": ("second", "-", "after the attention"),
    "test_accuracy": ("test", "--", "the network"),
    "probe_dealt": ("quiet", ":", "random labels"),
}
"""What is drawn of a probed run: colour, dashes and words of each curve."""

APART = 0.075
"""Of the height of a panel: how far apart two labels stand."""


@styled
def notions() -> Figure:
    """Two sets with the widest slab between them, their projections on an axis, two whose hulls
    meet."""
    fig, ((apart, shadows, meeting),) = panels(1, 3, height=2.7)
    _hulls(apart, PURPLE)
    _hulls(meeting, MEETING)
    slab = separate(GREEN, PURPLE)
    x = np.array([0.0, 2.2])
    for shift, dashes in ((-slab.gap / 2, ":"), (0, "-"), (slab.gap / 2, ":")):
        y = (slab.offset + shift - slab.normal[0] * x) / slab.normal[1]
        apart.plot(x, y, dashes, lw=1.2, color=COLOURS["theory"])
    for points, colour, height in ((GREEN, "measure", 0.1), (PURPLE, "second", -0.1)):
        heights = np.full(len(points), height)
        shadows.plot(points[:, 0], heights, "o-", ms=5, color=COLOURS[colour])
    shadows.set(ylim=(-1, 1), yticks=[], title="not on the first axis")
    apart.set_title("convexly separable")
    meeting.set_title("topologically only")
    for ax in (apart, shadows, meeting):
        ax.set_xlabel("first coordinate")
    return fig


def _hulls(ax: Axes, other: np.ndarray) -> None:
    for points, colour in ((GREEN, COLOURS["measure"]), (other, COLOURS["second"])):
        ax.plot(*points.T, "o", ms=5, color=colour)
        corners = points[ConvexHull(points).vertices]
        ax.fill(*corners.T, lw=0, alpha=0.2, color=colour)


@styled
def stages(runs: xr.Dataset) -> Figure:
    """Share of test pairs that a linear probe has right, a line a run, and of separable pairs of
    classes, the median of the runs, at two stages."""
    fig, ((left, right),) = panels(1, 2, height=3.2, sharey=True)
    _probed(left, runs, PROBES)
    _probed(right, runs.median("seed").expand_dims("seed"), PAIRS)
    left.set(title="test pairs answered right", ylabel="share")
    right.set_title("separable pairs of classes")
    return fig


def _probed(ax: Axes, runs: xr.Dataset, lines: Mapping[str, tuple[str, str, str]]) -> None:
    ends = []
    for name, (meaning, dashes, words) in lines.items():
        colour = COLOURS[meaning]
        curves = runs[name].transpose("step", "seed")
        ax.plot(runs.step, curves, dashes, lw=1.2, color=colour)
        if words:
            ends.append((float(curves.isel(step=-1).median()), words, colour))
    ax.set(ylim=(-0.03, 1.05), xlabel="optimiser step")
    height = 2.0
    for end, words, colour in sorted(ends, reverse=True):
        height = min(end, height - APART)
        place = {"xytext": (5, 0), "textcoords": "offset points", "va": "center", "fontsize": 9}
        ax.annotate(words, (runs.step[-1], height), color=colour, **place)


def by_layers(runs: Datasets) -> Figure:
    """Accuracies of all runs, a panel a number of layers."""
    panels_of = {}
    for layers, data in runs.items():
        panels_of["1 layer" if layers == 1 else f"{layers} layers"] = data
    return curves_by_setting(panels_of)
