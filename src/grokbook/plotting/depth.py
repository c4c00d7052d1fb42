"""Pictures of depth: raw test accuracy by number of layers, and separability stage by stage for each depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled


def _raw(ax: Axes, dataset: xr.Dataset) -> None:
    """Training accuracy (blue) and test accuracy (vermilion) of every seed, thin and unsmoothed."""
    shown = dataset.where(dataset.step >= 1, drop=True)
    for name, colour in (("train_accuracy", COLOURS["train"]), ("test_accuracy", COLOURS["test"])):
        ax.plot(shown.step, shown[name].transpose("step", "seed"), color=colour, lw=0.8, alpha=0.8)


@styled
def accuracy_panels(runs: Mapping[object, xr.Dataset], names: Sequence[object], titles: Sequence[str]) -> Figure:
    """One panel for each name, in two columns: raw accuracies of every seed; "not run" where there is no dataset."""
    rows = (len(names) + 1) // 2
    fig, axes = panels(rows, 2, height=0.6 + 2.1 * rows, sharey=True, sharex=True)
    for ax, name, title in zip(axes.flat, names, titles, strict=False):
        ax.set_title(title)
        if name in runs:
            _raw(ax, runs[name])
        else:
            ax.text(0.5, 0.5, "not run", transform=ax.transAxes, ha="center", color=COLOURS["theory"])
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    axes[0, 0].set_xscale("log")
    if not any(name in runs for name in names):
        axes[0, 0].set_xlim(1, 10)
    for ax in axes[:, 0]:
        ax.set_ylabel("accuracy")
        ax.set_ylim(-0.03, 1.05)
    for ax in axes[-1]:
        ax.set_xlabel("optimiser step")
    lines = [axes[0, 0].plot([], [], color=COLOURS[c])[0] for c in ("train", "test")]
    fig.legend(lines, ["training set", "test set"], loc="outside lower center", ncols=2)
    return fig


@styled
def shares_by_depth(table: pd.DataFrame) -> Figure:
    """Share of separable class pairs on all cells (left) and training cells by stage, one line a depth; null hollow.

    `table` has columns layers, stage, cells, share, null; seeds are averaged.
    """
    fig, axes = panels(1, 2, height=3.6, sharey=True)
    stages = sorted(dict.fromkeys(table.stage), key=_order)
    styles = ("-", "--", ":", "-.")
    for ax, cells in zip(axes[0], ("all", "train"), strict=True):
        part = table[table.cells == cells]
        for style, (layers, rows) in zip(styles, part.groupby("layers"), strict=False):
            means = rows.groupby("stage")[["share", "null"]].mean()
            means = means.loc[sorted(means.index, key=_order)]
            x = [stages.index(stage) for stage in means.index]
            name = f"{layers} layer{'s' * (layers > 1)}"
            ax.plot(x, means.share, f"o{style}", ms=5, color=COLOURS["measure"], label=name)
            ax.plot(x, means.null, f"o{style}", ms=5, mfc="none", lw=0.8, color=COLOURS["quiet"])
        ax.set_xticks(range(len(stages)), stages, rotation=45, ha="right")
        ax.set_title({"all": "all cells", "train": "training cells"}[cells])
        ax.set_ylim(-0.05, 1.05)
    axes[0, 1].plot([], [], "o-", mfc="none", color=COLOURS["quiet"], label="labels shuffled")
    axes[0, 0].set_ylabel("share of class pairs")
    fig.legend(*axes[0, 1].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    return fig


def _order(stage: str) -> tuple[int, int, int]:
    """Sum first, then attention and MLP of each layer in turn, the logits last."""
    kind, _, layer = stage.rpartition(" ")
    if kind not in ("attention", "MLP"):
        return (2 if stage == "logits" else 0), 0, 0
    return 1, int(layer), int(kind == "MLP")
