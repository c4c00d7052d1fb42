"""The best renaming of the symbols: the least MED over i -> c i, against shuffled names and moved frequencies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import sympy
import xarray as xr
from scipy.spatial.distance import cdist

from grokbook.measures import least_med, mean_norm
from grokbook.runs.delay import grok_time


def best_shape(phi: np.ndarray) -> float:
    r"""The least MED over the renamings $i \mapsto ci$ over the mean length of a vector; `phi` has shape (p, d)."""
    return least_med(phi)[0] / mean_norm(phi)


def frequencies_moved(phi: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same waves at other frequencies: the Fourier coefficients of `phi` (p, d), p odd, in random order.

    Mean, powers and covariance stay as they are.
    """
    waves = np.fft.rfft(phi, axis=0)
    order = 1 + rng.permutation(len(waves) - 1)
    return np.fft.irfft(waves[[0, *order]], n=len(phi), axis=0)


def by_powers(phi: np.ndarray) -> np.ndarray:
    """Rows of the non-zero symbols of a table (p, d) in the order $1, g, g^2, ...$ of a primitive root g: (p - 1, d).

    Example:
        >>> by_powers(np.arange(5.0)[:, None]).ravel().tolist()
        [1.0, 2.0, 4.0, 3.0]
    """
    p = len(phi)
    root = sympy.primitive_root(p)
    return phi[[pow(root, n, p) for n in range(p - 1)]]


def renaming_table(dataset: xr.Dataset, draws: int = 99) -> pd.DataFrame:
    """One row a seed of a recorded dataset: `best_shape` at the first and the last snapshot, and its two nulls.

    Columns: seed, p, grok_step (NaN if never), `start` and `end`; of the last table with its rows in random order the
    least of `draws` values (`shuffled`); of `frequencies_moved` the 5 and 95 % quantiles and the median (`low`,
    `high`, `moved`).
    """
    rng, rows = np.random.default_rng(0), []

    def best(between: np.ndarray) -> float:
        """Least MED over all renamings, p prime, from the distances (p, p): the least mean distance of i and i + c."""
        i, c = np.arange(len(between)), np.arange(1, len(between) // 2 + 1)[:, None]
        return between[i, (i + c) % len(i)].mean(axis=1).min() / length

    for seed in dataset.seed.values:
        run = dataset.sel(seed=seed)
        first, last = (run.embedding.isel(snapshot=n).values.astype(float) for n in (0, -1))
        between, length = cdist(last, last), mean_norm(last)
        shuffled = min(best(between[np.ix_(o, o)]) for o in [rng.permutation(len(last)) for _ in range(draws)])
        waves = [best(cdist(w, w)) for w in (frequencies_moved(last, rng) for _ in range(draws))]
        low, moved, high = np.quantile(waves, [0.05, 0.5, 0.95])
        step = grok_time(run.step, run.train_accuracy, run.test_accuracy).grok_step
        rows.append({"seed": int(seed), "p": len(last), "grok_step": np.nan if step is None else step,
                     "start": best_shape(first), "end": best_shape(last), "shuffled": shuffled,
                     "low": low, "moved": moved, "high": high})  # fmt: skip
    return pd.DataFrame(rows)
