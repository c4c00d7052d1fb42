r"""Representation quality modulo p: how many parallelograms of the addition table the embedding
closes."""

from __future__ import annotations

import numpy as np

from grokbook.errors import ParameterError, shown
from grokbook.measures.fourier import NEGLIGIBLE
from grokbook.measures.inputs import Array, rows

TOLERANCE = 0.75


def _defects(table: np.ndarray) -> np.ndarray:
    r"""Squared lengths of $\phi_i+\phi_j-\phi_m-\phi_n$ for all unordered pairs {i, j} != {m, n} of
    one class."""
    p = len(table)
    first = np.arange(p)[:, None]
    second = (np.arange(p)[None, :] - first) % p  # [i, r]: the partner of i in the class r
    i, r = np.nonzero(first <= second)
    i = i[np.argsort(r, kind="stable")]
    r = np.sort(r)
    defects = []
    for residue in range(p):
        mine = i[r == residue]
        sums = table[mine] + table[second[mine, residue]]
        gram = sums @ sums.T
        square = np.diag(gram)[:, None] + np.diag(gram)[None, :] - 2 * gram
        defects.append(square[np.triu_indices(len(mine), 1)])
    return np.clip(np.concatenate(defects), 0, None)


def spread(embedding: Array) -> float:
    r"""Mean squared distance of the rows from their mean, $V =
    \frac1p\sum_i\lVert\phi_i-\bar\phi\rVert^2$.

    `embedding` has shape (p, d). Raises ParameterError for a bad table.
    """
    table = rows(embedding)
    return float(((table - table.mean(axis=0)) ** 2).sum(axis=1).mean())


def mean_squared_defect(embedding: Array) -> float:
    r"""Mean of $\lVert\phi_i+\phi_j-\phi_m-\phi_n\rVert^2$ over all ordered (i, j, m, n) with i + j
    = m + n mod p.

    It is exactly 4 V for *every* embedding, V = `spread`: the sums of each class have the same
    mean, twice the mean row. So no average of squared defects can measure a representation modulo
    p; only their distribution can.

    Raises ParameterError for a bad table.

    >>> table = np.random.default_rng(0).normal(size=(7, 3))
    >>> bool(np.isclose(mean_squared_defect(table), 4 * spread(table)))
    True

    Source: this book (chapter 6).
    """
    table = rows(embedding)
    p = len(table)
    total = 0.0
    for residue in range(p):
        sums = table + table[(residue - np.arange(p)) % p]
        total += ((sums[:, None, :] - sums[None, :, :]) ** 2).sum()
    return float(total / p**3)


def representation_quality(embedding: Array, tolerance: float = TOLERANCE) -> float:
    r"""Share of parallelograms modulo p that the embedding closes to within a tolerance, in [0, 1].

    A parallelogram is two different unordered pairs {i, j}, {m, n} with i + j = m + n modulo p. It
    is closed when $\lVert\phi_i+\phi_j-\phi_m-\phi_n\rVert \le \delta\,\sqrt{4V}$, where V is
    `spread` and $\sqrt{4V}$ the root mean square of that length over the whole table
    (`mean_squared_defect`); $\delta$ = `tolerance`. `embedding` has shape (p, d). It is near 0 for
    random rows in many dimensions, where all lengths are nearly their mean.

    Raises ParameterError for a bad table, one whose rows are all equal, fewer than four rows, or a
    tolerance that is not a positive number.

    >>> i = 2 * np.pi * np.arange(11) / 11
    >>> circle = np.stack([np.cos(i), np.sin(i)], axis=1)
    >>> noise = np.random.default_rng(0).normal(size=(11, 64))
    >>> representation_quality(circle) > representation_quality(noise) == 0
    True

    Source: Liu et al. 2022, section 3.1 (RQI), for addition without a modulus and a one-dimensional
    embedding scaled to variance 1, with tolerance 0.01. Modulo p that count is 0 for a circle;
    hence the wider tolerance, and the length in units of its own root mean square.
    """
    table = rows(embedding, least=4)
    if not 0 < tolerance < np.inf:
        raise ParameterError(f"tolerance = {shown(tolerance)} must be a positive number.")
    variance = spread(table)
    if variance <= NEGLIGIBLE * (table**2).sum() / len(table):
        raise ParameterError(
            "embedding has equal rows, but at least two must differ to have a scale."
        )
    return float((_defects(table - table.mean(axis=0)) <= 4 * tolerance**2 * variance).mean())
