"""The figures of chapter 14: effective dimension beside the published curve, and planes of points."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from grokbook.chapters.transformer_representations.claims import PUBLISHED, PUBLISHED_GROK
from grokbook.measures import dominant_frequencies
from grokbook.plotting.labels import name_lines
from grokbook.plotting.moving import in_order
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.runs.delay import grok_times


@styled
def dimension_curves(sizes: Mapping[str, Mapping[str, xr.Dataset]], with_published: str = "") -> Figure:
    """Effective dimension as a part of its start against the step as a part of generalisation; a panel a size.

    Each panel has runs by name, of two kinds at most; that called `with_published` has the published curve beside them,
    and the paper's bar of generalisation, 99 % of the test set; the others have 95 %. Runs that do not generalise are
    drawn against their last step in grey.
    """
    fig, axes = panels(1, len(sizes), height=3.4, sharey=True)
    for ax, (size, runs) in zip(axes[0], sizes.items(), strict=True):
        bar = 0.99 if size == with_published else 0.95
        for (label, data), colour in zip(runs.items(), (COLOURS["measure"], COLOURS["second"]), strict=False):
            for n, grok in enumerate(grok_times(data, threshold=bar).grok_step.astype(float)):
                run, known = data.effective_dimension[n], np.isfinite(grok)
                ax.plot(run.step[1:] / (grok if known else run.step[-1]), run[1:] / run[0], lw=1.1, alpha=0.8,
                        color=colour if known else COLOURS["quiet"],
                        label=f"{'' if known else '_'}{label}")  # fmt: skip
        if size == with_published:
            steps, values = np.array([*PUBLISHED.items()]).T
            ax.plot(steps[1:] / PUBLISHED_GROK, values[1:] / values[0], "s--", color=COLOURS["theory"], ms=4, lw=1.2,
                    label="published mean")  # fmt: skip
        ax.axvline(1, color=COLOURS["test"], ls=":", lw=1)
        ax.axhline(1, color=COLOURS["quiet"], lw=0.7)
        ax.set(xscale="log", xlabel=f"step / step of {bar:.0%} test accuracy", title=size)
    axes[0, 0].set_ylabel("effective dimension / at the start")
    for ax in axes[0]:
        ax.set_xlim(right=3 * ax.get_xlim()[1])  # room for names
        falling = sorted(ax.lines, key=lambda line: -line.get_ydata()[-1])
        lowest = {line.get_label(): line for line in falling}  # a name stands beside the run that ends lowest
        for line in set(ax.lines) - set(lowest.values()):
            line.set_label("_another run")
        name_lines(ax)
    return fig


@styled
def four_planes(planes: Mapping[str, np.ndarray], own: bool = False) -> Figure:
    """Points (p, 2) of each panel, joined in the order of the angle of one frequency, p prime.

    The frequency is that which is strongest in the first panel, with `own` that of each panel.
    """
    fig, axes = panels(1, len(planes), height=2.5)
    first = next(iter(planes.values()))
    for ax, (name, points) in zip(axes[0], planes.items(), strict=True):
        order = in_order(len(points), dominant_frequencies(points if own else first, 1)[0])
        ax.plot(*points[[*order, order[0]]].T, color=COLOURS["quiet"], lw=0.6, zorder=1)
        ax.scatter(*points.T, color=COLOURS["measure"], s=9, zorder=2)
        ax.set_title(name, fontsize=9)
        ax.set(box_aspect=1, xticks=[], yticks=[])
        ax.grid(False)
    return fig
