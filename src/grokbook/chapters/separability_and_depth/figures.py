"""The figures of chapter 07: two sets and what separates them; pairs and a probe while networks learn."""

from __future__ import annotations

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from scipy.spatial import ConvexHull, QhullError

from grokbook.measures.separability import Separation
from grokbook.plotting.style import COLOURS, panels, styled


def _hull(ax: Axes, points: np.ndarray, colour: str) -> None:
    """Points with their convex hull; a segment where they lie on a line."""
    ax.plot(points[:, 0], points[:, 1], "o", ms=5, color=colour)
    try:
        corners = points[ConvexHull(points).vertices]
    except (QhullError, ValueError):
        ax.plot(points[:, 0], points[:, 1], color=colour, lw=1.5, alpha=0.6)
        return
    ax.add_patch(Polygon(corners, color=colour, alpha=0.2, lw=0))


@styled
def three_notions(first: np.ndarray, second: np.ndarray, meeting: np.ndarray, slab: Separation) -> Figure:
    """Two sets in the plane and the widest slab between them; both on the first axis; a set whose hull meets the first.

    `slab` is `grokbook.measures.separate(first, second)`.
    """
    fig, axes = panels(1, 3, height=2.9)
    left, middle, right = axes[0]
    one, other = COLOURS["train"], COLOURS["second"]
    for ax, points in ((left, second), (right, meeting)):
        _hull(ax, first, one)
        _hull(ax, points, other)
    both = np.concatenate([first, second])[:, 0]
    xs = np.array([both.min(), both.max()])
    for shift, style in ((-slab.gap / 2, ":"), (0, "-"), (slab.gap / 2, ":")):
        left.plot(xs, (slab.offset + shift - slab.normal[0] * xs) / slab.normal[1], style, color=COLOURS["theory"])
    for points, colour, height in ((first, one, 0.1), (second, other, -0.1)):
        _hull(middle, np.column_stack([points[:, 0], np.full(len(points), height)]), colour)
    middle.set(ylim=(-1, 1), yticks=[])
    for ax, title in zip(axes[0], ("convexly separable", "not on the first axis", "topologically only"), strict=True):
        ax.set(title=title, xlabel="first coordinate")
    left.set_ylabel("second coordinate")
    return fig


def _line(ax: Axes, series: xr.DataArray, colour: str, label: str, style: str = "-") -> None:
    """Every seed thin, the median thick with a mark at each look."""
    table = series.transpose("step", "seed")
    ax.plot(series.step, table, style, color=colour, lw=0.6, alpha=0.4)
    fill = {} if style == "-" else {"mfc": "none"}
    ax.plot(series.step, table.median("seed"), f"o{style}", color=colour, ms=3.5, label=label, **fill)


@styled
def pairs_and_probe(data: xr.Dataset) -> Figure:
    """Left: separable pairs with true classes and wrong ones; right: a probe on test cells, the network, a control."""
    fig, axes = panels(1, 2, height=4.4, sharey=True)
    left, right = axes[0]
    for stage, colour, words in (("attention", "second", "after the attention"), ("mlp", "measure", "after the MLP")):
        _line(left, data[f"pairs_{stage}"], COLOURS[colour], words)
        _line(left, data[f"pairs_{stage}_wrong"], COLOURS[colour], f"{words}, wrong classes", ":")
        _line(right, data[f"probe_{stage}"], COLOURS[colour], f"probe {words}")
    _line(right, data.test_accuracy, COLOURS["test"], "the network itself", "--")
    _line(right, data.probe_dealt, COLOURS["quiet"], "probe, labels dealt out", ":")
    for ax, title in ((left, "separable pairs of classes, all cells"), (right, "right answers on test cells")):
        ax.set(title=title, ylim=(-0.03, 1.05), xlabel="optimiser step")
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), fontsize=8)
    left.set_ylabel("share")
    return fig
