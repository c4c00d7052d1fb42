"""Pictures on the p x p grid of operand pairs: operation tables, equivalence classes, splits."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.tasks.arithmetic import ModularTask


def _plain(ax: Axes, title: str) -> None:
    ax.set_title(title)
    ax.set_xlabel("$j$")
    ax.set_ylabel("$i$")
    ax.grid(False)


@styled
def operation_tables(tasks: dict[str, ModularTask], residue: int) -> Figure:
    """Labels of each task as a picture, with the equivalence class of `residue` in black."""
    fig, axes = panels(1, len(tasks), height=2.7)
    for ax, (title, task) in zip(axes[0], tasks.items(), strict=True):
        table = task.labels.reshape(task.p, task.p)
        ax.imshow(table, cmap="cividis")
        ax.imshow((table == residue) * 1.0, cmap=ListedColormap([(0, 0, 0, 0), "#000000"]), vmin=0, vmax=1)
        _plain(ax, title)
    for ax in axes[0, 1:]:
        ax.set_ylabel("")
    return fig


@styled
def splits(tasks: dict[str, ModularTask]) -> Figure:
    """Training cells blue, test cells grey, cells of the hole amber: one panel for each task."""
    fig, axes = panels(1, len(tasks), height=2.6 if len(tasks) < 4 else 2.2)
    colours = ListedColormap(["#dcdcdc", COLOURS["hole"], COLOURS["train"]])
    for ax, (title, task) in zip(axes[0], tasks.items(), strict=True):
        kind = task.hole_mask * 1
        kind[task.train_mask] = 2
        ax.imshow(kind, cmap=colours, vmin=0, vmax=2)
        _plain(ax, title)
    for ax in axes[0, 1:]:
        ax.set_ylabel("")
    names = {"training set": COLOURS["train"], "test set": "#dcdcdc", "test set, in the hole": COLOURS["hole"]}
    fig.legend(handles=[Patch(color=c, label=n) for n, c in names.items()], loc="outside lower center", ncols=3)
    return fig
