"""The smallest linear map that sends every pair sum of one class to one point: Lemma B.1 of Gu et
al., corrected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grokbook.errors import ParameterError
from grokbook.theory.vectors import Rows, vectors


@dataclass(frozen=True)
class MinimalMap:
    r"""The smallest map, with its certificate.

    `norm` is its operator norm (and its Frobenius norm, since it has rank one), `matrix` the map,
    shape (m, d). `nearest` = v, shape (d,), is the point of the affine hull nearest to 0, and
    `weights` writes it as $v = \sum_i a_i s_i$ with $\sum_i a_i = 1$: any map that sends all $s_i$
    to r sends v to r, so none is smaller than $\lVert r\rVert / \lVert v\rVert$.
    """

    norm: float
    matrix: np.ndarray
    nearest: np.ndarray
    weights: np.ndarray


def pair_sums(x: Rows) -> np.ndarray:
    """The sums x_i + x_{-i} of the cells of class 0, shape (p, d), of the vectors `x`, shape (p,
    d).

    Raises ParameterError for rows that are not finite.
    """
    table = vectors(x, "x")
    return table + table[-np.arange(len(table)) % len(table)]


def nearest_to_zero(points: Rows) -> tuple[np.ndarray, np.ndarray]:
    """The point of the affine hull of `points`, shape (n, d), that is nearest to 0, and its
    weights, adding up to 1.

    Raises ParameterError for rows that are not finite.

    >>> point, weights = nearest_to_zero([[1, 0], [0, 1]])
    >>> point.round(12).tolist(), weights.round(12).tolist()
    ([0.5, 0.5], [0.5, 0.5])
    """
    table = vectors(points, "points")
    edges = table[1:] - table[0]
    move = np.linalg.lstsq(edges.T, -table[0], rcond=1e-10)[0] if len(edges) else np.zeros(0)
    weights = np.append(1 - move.sum(), move)
    return table[0] + move @ edges, weights


def smallest_map(x: Rows, r: Rows, *, tolerance: float = 1e-9) -> MinimalMap:
    r"""The linear map l of least norm with $l(x_i) + l(x_{-i}) = r$ for all i modulo p.

    $\min \lVert l\rVert = \lVert r\rVert / \mathrm{dist}(0, \mathrm{aff}\{x_i + x_{-i}\})$,
    attained by $l(w) = \frac{\langle w, v\rangle}{\lVert v\rVert^2} r$ with v the nearest point; no
    such l exists if 0 lies in the affine hull. `x`, shape (p, d); `r`, shape (m,), is not zero.
    Distances below `tolerance` times the longest sum count as zero. The modulus need not be prime.

    Raises ParameterError when no such map exists, or for values that are not finite.

    Source: Gu et al. 2025, Lemma B.1, which prints $\lVert r\rVert / 2M$ with $M = \max_i\lVert
    x_i\rVert$: in the example 0.354. See `printed_norm`.
    """
    sums = pair_sums(x)
    target = _target(r)
    if not target.any():
        raise ParameterError("r is zero, but it must not be: the zero map would do.")
    nearest, weights = nearest_to_zero(sums)
    distance = float(np.linalg.norm(nearest))
    if distance <= tolerance * max(float(np.linalg.norm(sums, axis=1).max()), 1e-300):
        raise ParameterError(
            "no linear map sends every x_i + x_(-i) to r, because 0 lies in the affine hull of"
            " these sums; move them off it, for instance by adding one vector to all x_i."
        )
    matrix = np.outer(target, nearest) / distance**2
    return MinimalMap(float(np.linalg.norm(target)) / distance, matrix, nearest, weights)


def printed_norm(x: Rows, r: Rows) -> float:
    r"""The value that Lemma B.1 prints, $\lVert r\rVert / 2M$ with $M = \max_i \lVert x_i\rVert$.

    It is a lower bound of the true minimum, and equal to it exactly when all $x_i$ are the same
    vector. `x`, `r`: as for `smallest_map`.

    Raises ParameterError for values that are not finite or x that are all zero.

    Source: Gu et al. 2025, Lemma B.1.
    """
    longest = float(np.linalg.norm(vectors(x, "x"), axis=1).max())
    if longest == 0:
        raise ParameterError(
            "all x_i are zero, but the printed value divides by the longest of them."
        )
    return float(np.linalg.norm(_target(r))) / (2 * longest)


def _target(r: Rows) -> np.ndarray:
    """The vector (m,) of a class."""
    return vectors(np.atleast_2d(np.asarray(r, dtype=float)), "r")[0]
