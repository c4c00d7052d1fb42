"""Networks on S3 (Liu et al. 2022, Fig. 17 and 18): matrices that are trained, and what is measured on them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from grokbook.experiments.base import Experiment
from grokbook.experiments.liu2022 import rates
from grokbook.measures.group_quality import group_quality, predicted_accuracy
from grokbook.models.toy import Toy
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.tasks.groups import GroupTask, cayley_table
from grokbook.training.config import RunConfig
from grokbook.training.schedule import Schedule

CELLS = (12, 15, 18, 21, 24, 27, 30, 33)
"""Training cells of 36 that are recorded; the paper states neither its sizes nor its rates."""


def fig18(*, n_seeds: int = 3) -> dict[int, Experiment]:
    """The runs of Fig. 18 by number of training cells: six 3x3 matrices, decoder rate 1e-5, 3,000 steps.

    Example:
        >>> fig18()[24].config.n_train, fig18()[24].name
        (24, 'liu2022/fig18[cells=24]')
    """
    return {cells: _run(cells, n_seeds) for cells in CELLS}


def _run(cells: int, n_seeds: int) -> Experiment:
    config = RunConfig(
        GroupTask("S3", cells / 36),
        Toy(6, 9, product=True, spread=0.1),
        rates(1e-5),
        steps=3_000,
        log=Schedule(dense_until=3_000, dense_every=50),
        snapshots=60,
        loss="squared_error",
    )
    return Experiment(
        f"liu2022/fig18[cells={cells}]",
        config,
        seeds=tuple(range(n_seeds)),
        statement="RQI rises with the training set, with a transition near one half; Acc-hat bounds Acc from below.",
        source="Liu et al. 2022, Fig. 17 and 18",
        choices="sizes, decoder rate 1e-5, no decay, no L1 penalty, 3,000 steps",
    )


RUNS = (fig18,)


def matrices(run: xr.Dataset) -> np.ndarray:
    """The matrices of one run at its snapshots, (snapshots, n, k, k)."""
    table = run.embedding.transpose("snapshot", "token", "feature").values
    k = round(table.shape[-1] ** 0.5)
    return table.reshape(*table.shape[:2], k, k)


def measured(runs: Mapping[int, xr.Dataset], group: str = "S3") -> pd.DataFrame:
    """A row a run: share of cells trained, last RQI ("code"), first step at 0.95, accuracy and Acc-hat on all cells."""
    table, rows = cayley_table(group), []
    for cells, data in runs.items():
        for seed in data.seed.values:
            run, task = data.sel(seed=seed), GroupTask(group, cells / len(table) ** 2, seed=int(seed))
            history = matrices(run)
            quality = np.array([group_quality(e, table) for e in history])
            share, test = cells / table.size, float(run.test_accuracy[-1])
            rows.append({
                "share": share, "seed": int(seed), "rqi": quality[-1],
                "step": int(run.snapshot[int(np.argmax(quality > 0.95))]) if (quality > 0.95).any() else None,
                "accuracy": share * float(run.train_accuracy[-1]) + (1 - share) * test, "test": test,
                "predicted": predicted_accuracy(history[-1], table, task.train_mask),
            })  # fmt: skip
    return pd.DataFrame(rows)


@styled
def figure_18(rows: pd.DataFrame) -> Figure:
    """RQI, steps to 0.95, accuracy and predicted accuracy over the share of trained cells; a dot a run, best joined."""
    fig, axes = panels(2, 2, height=4.6, sharex=True)
    for ax, (name, label) in zip(axes.flat, (("rqi", "RQI"), ("step", "steps to RQI > 0.95"), ("accuracy", "accuracy"),
                                             ("predicted", "predicted accuracy")), strict=True):  # fmt: skip
        best = rows.groupby("share")[name].agg("min" if name == "step" else "max")
        ax.plot(rows.share, rows[name], "o", ms=4, color=COLOURS["measure"], alpha=0.7)
        ax.plot(best.index, best, color=COLOURS["train"])
        ax.axvline(0.5, color=COLOURS["quiet"], ls=":")
        ax.set(ylabel=label)
    for ax in axes[1]:
        ax.set_xlabel("share of the cells trained")
    return fig
