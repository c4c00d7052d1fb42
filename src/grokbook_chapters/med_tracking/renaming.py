"""The best renaming of the symbols: the least MED over i -> c i, against moved frequencies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import sympy
import xarray as xr

from grokbook.measures import least_med, mean_norm


def best_shape(phi: np.ndarray) -> float:
    r"""The least MED over the renamings $i \mapsto ci$ over the mean length of a vector; `phi` has
    shape (p, d)."""
    return least_med(phi)[0] / mean_norm(phi)


def frequencies_moved(phi: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same waves at other frequencies: the Fourier coefficients of `phi` (p, d), p odd, in
    random order.

    Mean, powers and covariance stay as they are.
    """
    waves = np.fft.rfft(phi, axis=0)
    order = 1 + rng.permutation(len(waves) - 1)
    return np.fft.irfft(waves[[0, *order]], n=len(phi), axis=0)


def best_names(runs: xr.Dataset, draws: int = 99) -> pd.DataFrame:
    """A row a run: `best_shape` of the embedding at its `start` and at its `end`, and the middle
    nine tenths, `low` to `high`, of what the end's waves have at other frequencies."""
    rng = np.random.default_rng(0)
    rows = []
    for tables in runs.embedding.transpose("seed", "snapshot", ...).values.astype(float):
        end = tables[-1]
        moved = [least_med(frequencies_moved(end, rng))[0] for _ in range(draws)]
        low, high = np.quantile(moved, [0.05, 0.95]) / mean_norm(end)
        rows.append((best_shape(tables[0]), best_shape(end), low, high))
    return pd.DataFrame(rows, columns=["start", "end", "low", "high"])


def by_powers(phi: np.ndarray) -> np.ndarray:
    """Rows of the non-zero symbols of a table (p, d) in the order $1, g, g^2, ...$ of a primitive
    root g: (p - 1, d).

    Example:
        >>> by_powers(np.arange(5.0)[:, None]).ravel().tolist()
        [1.0, 2.0, 4.0, 3.0]
    """
    p = len(phi)
    root = sympy.primitive_root(p)
    return phi[[pow(root, n, p) for n in range(p - 1)]]
