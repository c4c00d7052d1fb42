"""The picture of chapter 11a: what a decoder says of the plane."""

from __future__ import annotations

from collections.abc import Mapping

import xarray as xr
from matplotlib.figure import Figure

from grokbook.chapters.trained_toys.embeddings import at_end
from grokbook.chapters.trained_toys.runs import fig2
from grokbook.plotting.plane import numbered, window
from grokbook.plotting.style import panels, styled

# The paper's example of Fig. 2: two pairs of one label.
EXAMPLE = ((5, 9), (6, 8))


@styled
def regions(runs: Mapping[str, xr.Dataset], addition: tuple[int, int], modular: tuple[int, int]) -> Figure:
    """Fig. 2: symbols and the label of every midpoint, addition above, modular below; the good setting with two seeds.

    The bad one has the first of these.

    In the panels of addition the pairs of symbols of the paper's example are joined; at their midpoints stand the
    answers to them.
    """
    fig, axes = panels(2, 3, height=5)
    shown = {"addition": ("viridis", addition), "modular": ("twilight", modular)}
    for row, (task, (colours, seeds)) in zip(axes, shown.items(), strict=True):
        columns = (("bad", seeds[0]), ("good", seeds[0]), ("good", seeds[1]))
        for ax, (setting, seed) in zip(row, columns, strict=True):
            kind = f"{task}, bad" if setting == "bad" else task
            run, task_of = runs[kind].sel(seed=seed), fig2()[kind].config.task
            points, labels = at_end(run), task_of.outputs
            image = ax.imshow(run.decoded, origin="lower", extent=window(points), interpolation="nearest", alpha=0.8,
                      cmap=colours, vmin=0, vmax=labels - (task == "addition"))  # fmt: skip
            for ends in EXAMPLE if task == "addition" else ():
                ax.plot(*points[list(ends)].T, color="white", lw=1.6)
                said = run.answered.values[(task_of.inputs == ends).all(axis=1).argmax()]
                ax.text(*points[list(ends)].mean(axis=0), str(said), ha="center", va="center", fontsize=9, zorder=3,
                        bbox={"boxstyle": "square,pad=0.2", "fc": "white", "ec": "black"})  # fmt: skip
            numbered(ax, points)
            ax.set_title(f"{task}, {setting}\nseed {seed}: {float(run.test_accuracy[-1]):.0%}")
        fig.colorbar(image, ax=list(row), shrink=0.8, label="label", ticks=range(0, labels, labels // 5))
    return fig
