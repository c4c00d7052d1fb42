"""Pictures on the p x p grid of operand pairs: the axes, and splits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from grokbook.plotting.style import COLOURS, panels, styled


def on_grid(axes: Iterable[Axes], titles: Iterable[str]) -> None:
    """Axes side by side as pictures of the grid: rows i, columns j, a title each."""
    for number, (ax, title) in enumerate(zip(axes, titles, strict=True)):
        ax.set(title=title, xlabel="$j$", ylabel="" if number else "$i$")
        ax.grid(False)


def draw_split(ax: Axes, task: Any) -> None:
    """The cells of a task (which has both masks): training cells blue, test cells grey, cells of
    the hole purple."""
    colours = ListedColormap([COLOURS["rest"], COLOURS["second"], COLOURS["train"]])
    kind = task.hole_mask * 1
    kind[task.train_mask] = 2
    ax.imshow(kind, cmap=colours, vmin=0, vmax=2)


@styled
def splits(tasks: Mapping[str, Any]) -> Figure:
    """The split of each task, a panel each, with a legend."""
    fig, axes = panels(1, len(tasks), height={1: 3.6, 2: 3.6, 3: 2.6}.get(len(tasks), 2.2))
    for ax, task in zip(axes[0], tasks.values(), strict=True):
        draw_split(ax, task)
    on_grid(axes[0], tasks)
    names = {
        "training set": COLOURS["train"],
        "test set": COLOURS["rest"],
        "test set, in the hole": COLOURS["second"],
    }
    handles = [
        Patch(fc=colour, ec=COLOURS["quiet"], lw=0.6, label=name) for name, colour in names.items()
    ]
    fig.legend(handles=handles, loc="outside lower center", ncols=3)
    return fig
