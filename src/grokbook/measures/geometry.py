"""The shape of an embedding as a set of points: how many directions it fills, and how wide it
is."""

from __future__ import annotations

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.fourier import NEGLIGIBLE
from grokbook.measures.inputs import Array, rows


def _centred(embedding: Array) -> np.ndarray:
    """The rows less their mean; refuses an embedding whose rows are all equal."""
    table = rows(embedding)
    centred = table - table.mean(axis=0)
    size = np.abs(table).max() or 1.0
    if np.sum((centred / size) ** 2) <= NEGLIGIBLE * np.sum((table / size) ** 2):
        raise ParameterError(
            "embedding has equal rows, but at least two must differ to have principal components."
        )
    return centred


def explained_variance(embedding: Array) -> np.ndarray:
    r"""PCA variance ratios $\lambda_m/\sum_n\lambda_n$, largest first; their sum is 1.

    `embedding` has shape (p, d); $\lambda_m$ are the eigenvalues of the covariance of its centred
    rows. The result is a numpy array of shape (min(p, d),).

    Raises ParameterError for a bad table or one whose rows are all equal.

    >>> explained_variance(np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])).round(12).tolist()
    [0.5, 0.5]
    """
    centred = _centred(embedding)
    scaled = centred / np.abs(centred).max()
    gram = scaled @ scaled.T if scaled.shape[0] <= scaled.shape[1] else scaled.T @ scaled
    variances = np.clip(np.linalg.eigvalsh(gram)[::-1], 0, None)
    return variances / variances.sum()


def effective_dimension(embedding: Array) -> float:
    r"""Effective number of directions, $\exp(-\sum_m r_m\ln r_m)$ with $r_m$ the PCA variance
    ratios.

    `embedding` has shape (p, d); the result lies in [1, min(p-1, d)]. It is 2 for one circle, 2n
    for n circles of equal radius in orthogonal planes.

    Raises ParameterError for a bad table or one whose rows are all equal.

    >>> round(effective_dimension(np.eye(5)), 9)
    4.0

    Source: Liu et al. 2022, Figure 7 (left): the exponential of the entropy of the explained
    variance.
    """
    ratios = explained_variance(embedding)
    positive = ratios[ratios > 0]
    return float(np.exp(-positive @ np.log(positive)))


def diameter(points: Array) -> float:
    """The largest distance of two of the points, shape (n, d).

    Raises ParameterError for rows that are not finite.

    >>> diameter([[0, 0], [3, 4], [1, 1]])
    5.0
    """
    table = rows(points, least=1, name="points")
    x = table - table.mean(axis=0)
    squares = np.einsum("ij,ij->i", x, x)
    return float(np.sqrt(max((squares[:, None] + squares - 2 * x @ x.T).max(), 0.0)))
