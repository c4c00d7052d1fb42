"""The theorems on trained embeddings: what the classes explain of sums and of products, and the size of their balls."""

from __future__ import annotations

import numpy as np
import pandas as pd
import seaborn as sns
import xarray as xr
from matplotlib.figure import Figure

from grokbook.measures import circle_projection, dominant_frequencies
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.one_frequency import products
from grokbook.theory.uniformity import class_share, closeness


def product_share(embedding: np.ndarray) -> float:
    """Class share of the product features in the plane of the embedding's strongest frequency, between 0 and 1.

    `embedding` has shape (p, d) and some power at a frequency above 0.

    Example:
        >>> angle = 2 * np.pi * 2 * np.arange(7) / 7
        >>> round(product_share(np.stack([np.cos(angle), np.sin(angle)], axis=1)), 9)
        1.0
    """
    strongest = dominant_frequencies(embedding, 1)[0]
    return class_share(products(circle_projection(embedding, strongest)))


def snapshot_table(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a seed and snapshot of a recorded dataset: what classes explain, and the test accuracy.

    Columns: seed, step, `sums` and `products` (class shares), and `test_accuracy` at that step.
    """

    def row(seed: int, step: int) -> dict[str, float]:
        run = dataset.sel(seed=seed)
        phi = run.embedding.sel(snapshot=step).values.astype(float)
        shares = {"sums": class_share(phi[:, None] + phi[None]), "products": product_share(phi)}
        accuracy = float(run.test_accuracy.sel(step=step, method="nearest"))
        return {"seed": int(seed), "step": int(step), **shares, "test_accuracy": accuracy}

    return pd.DataFrame([row(seed, step) for seed in dataset.seed.values for step in dataset.snapshot.values])


def radius_table(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a seed: how large the classes' balls are beside the embedding's own, at the first and last snapshot.

    Columns: seed, `start` and `end`, the mean radius of a class over the radius of the embedding (from 1 to 2), and
    `test_accuracy` at the end.
    """

    def row(seed: int) -> dict[str, float]:
        run = dataset.sel(seed=seed)
        start, end = (closeness(run.embedding.isel(snapshot=n).values.astype(float)).relative for n in (0, -1))
        accuracy = float(run.test_accuracy.dropna("step")[-1])
        return {"seed": int(seed), "start": start, "end": end, "test_accuracy": accuracy}

    return pd.DataFrame([row(seed) for seed in dataset.seed.values])


SHOWN = {
    "products": {"color": COLOURS["measure"], "marker": "o"},
    "sums": {"color": COLOURS["theory"], "ls": "--"},
    "test_accuracy": {"color": COLOURS["test"], "marker": "o"},
}


@styled
def shares_over_training(tables: dict[str, pd.DataFrame]) -> Figure:
    """Class share of products (green) and of sums (dashed) at the snapshots, test accuracy below; a line a seed."""
    fig, axes = panels(2, len(tables), height=4.6, sharex="col", sharey=True)
    for column, (title, table) in zip(axes.T, tables.items(), strict=True):
        for name, style in SHOWN.items():
            ax = column[int(name == "test_accuracy")]
            sns.lineplot(table, x="step", y=name, units="seed", estimator=None, lw=1.2, ms=4, mew=0, ax=ax, **style)
            ax.set(xlabel="optimiser step", ylabel=name.replace("_", " ") if ax is column[1] else "share of the class")
        column[0].set_title(title)
        column[0].set_ylim(-0.05, 1.05)
    axes[0, 0].legend([axes[0, 0].lines[0], axes[0, 0].lines[-1]], ["products", "sums"], ncols=2, loc="lower right",
                      bbox_to_anchor=(1, 0.98), borderaxespad=0)  # fmt: skip
    return fig
