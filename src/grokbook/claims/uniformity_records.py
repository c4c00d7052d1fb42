"""The theorems of chapter 03 on trained embeddings: what the classes explain of sums and of products, and radii."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.measures import circle_projection, dominant_frequencies
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
    rows = []
    for seed in dataset.seed.values:
        run = dataset.sel(seed=seed)
        for step in dataset.snapshot.values:
            phi = run.embedding.sel(snapshot=step).values.astype(float)
            rows.append(
                {
                    "seed": int(seed),
                    "step": int(step),
                    "sums": class_share(phi[:, None] + phi[None]),
                    "products": product_share(phi),
                    "test_accuracy": float(run.test_accuracy.sel(step=step, method="nearest")),
                }
            )
    return pd.DataFrame(rows)


def radius_table(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a seed: how large the classes' balls are beside the embedding's own, at the first and last snapshot.

    Columns: seed, `start` and `end`, the mean radius of a class over the radius of the embedding (from 1 to 2), and
    `test_accuracy` at the end.
    """
    rows = []
    for seed in dataset.seed.values:
        run = dataset.sel(seed=seed)
        tables = [run.embedding.isel(snapshot=n).values.astype(float) for n in (0, -1)]
        start, end = (closeness(phi).relative for phi in tables)
        final = float(run.test_accuracy.dropna("step")[-1])
        rows.append({"seed": int(seed), "start": start, "end": end, "test_accuracy": final})
    return pd.DataFrame(rows)
