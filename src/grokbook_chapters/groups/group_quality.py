r"""Representation quality of matrix embeddings: how many equalities of products in a group the
matrices share.

A generalised parallelogram is two different ordered pairs (a, b), (c, d) with ab = cd in the group;
matrices close it where $E_a E_b$ and $E_c E_d$ nearly agree (Liu et al. 2022, appendix H). A Cayley
table is an integer array (n, n).
"""

from __future__ import annotations

import numpy as np

from grokbook.errors import ParameterError, check_choice
from grokbook.measures.inputs import Array, to_numpy

TOLERANCES = {"code": 0.5, "paper": 0.01}
"""Conventions, with the tolerance of each: the authors' program, and the text (whose value is that
of appendix E)."""


def equal_products(table: np.ndarray) -> np.ndarray:
    """All generalised parallelograms of a group, int64 (q, 2, 2): two different ordered pairs with
    one product.

    They are n times n (n - 1) / 2 for a group of n elements.

    Example:
        >>> from grokbook.tasks.groups import cayley_table
        >>> len(equal_products(cayley_table("S3"))), equal_products(cayley_table("Z2")).tolist()
        (90, [[[0, 0], [1, 1]], [[0, 1], [1, 0]]])

    Source: Liu et al. 2022, appendix H; the authors' program counts 90 for S3.
    """
    table = np.asarray(table)
    first, second = np.triu_indices(table.size, 1)
    same = table.ravel()[first] == table.ravel()[second]
    cells = np.stack([first[same], second[same]], axis=1)
    order = np.argsort(table.ravel()[cells[:, 0]], kind="stable")
    return np.stack(np.divmod(cells[order], len(table)), axis=-1)


def closed_products(
    embedding: Array, table: np.ndarray, *, convention: str = "code", delta: float | None = None
) -> np.ndarray:
    r"""Which of `equal_products` the matrices close, bool (q,).

    Args:
        embedding: (n, k, k), a matrix for each element.
        table: the Cayley table, (n, n).
        convention: "code": all matrices are divided by their common root mean square, and the mean
            over the k^2 entries of $(E_aE_b-E_cE_d)^2$ must be below $\delta = 0.5$; "paper":
            $\lVert E_aE_b-E_cE_d\rVert_F^2 \le \delta$ as it stands, with no scale.
        delta: another tolerance than the convention's.

    Raises ParameterError for matrices of another shape, not finite, or (with "code") all zero.

    Source: Liu et al. 2022, appendix H.1, which states no value of delta; appendix E has 0.01.
    """
    check_choice("convention", convention, TOLERANCES)
    matrices = to_numpy(embedding)
    n = len(table)
    if matrices.ndim != 3 or matrices.shape[0] != n or matrices.shape[1] != matrices.shape[2]:
        raise ParameterError(
            f"embedding has shape {matrices.shape}, but must be ({n}, k, k): a matrix an element."
        )
    scale = float(np.sqrt((matrices**2).mean())) if convention == "code" else 1.0
    if not np.isfinite(matrices).all() or scale == 0:
        raise ParameterError("embedding must be finite and have an entry that is not zero.")
    matrices = matrices / scale
    tolerance = TOLERANCES[convention] if delta is None else delta
    (a, b), (c, d) = equal_products(table).transpose(1, 2, 0)
    square = (matrices[a] @ matrices[b] - matrices[c] @ matrices[d]) ** 2
    if convention == "code":
        return square.mean(axis=(1, 2)) < tolerance
    return square.sum(axis=(1, 2)) <= tolerance


def group_quality(embedding: Array, table: np.ndarray, *, convention: str = "code") -> float:
    r"""RQI of matrices: the share of generalised parallelograms that they close, in [0, 1].

    Args and errors as in `closed_products`.

    Example: a representation has 1. So have, by the text's rule, any matrices that are small
    enough.
        >>> from grokbook.tasks.groups import cayley_table
        >>> z2, noise = cayley_table("Z2"), np.random.default_rng(0).normal(size=(2, 3, 3))
        >>> group_quality(np.array([[[1.0]], [[-1.0]]]), z2), group_quality(noise, z2)
        (1.0, 0.0)
        >>> group_quality(noise / 100, z2), group_quality(noise / 100, z2, convention="paper")
        (0.0, 1.0)

    Source: Liu et al. 2022, appendix H.
    """
    return float(closed_products(embedding, table, convention=convention).mean())


def answered_cells(closed: np.ndarray, table: np.ndarray, trained: np.ndarray) -> np.ndarray:
    r"""The cells sure to be answered, bool (n, n): trained ones, and those that a closed equality
    links to one.

    `closed` (q,) says which of `equal_products` hold, `trained` (n, n) which cells are trained,
    both as truth values or 0 and 1. Their share of all cells is the predicted accuracy,
    $\widehat{\mathrm{Acc}}$.

    Raises ParameterError for `closed` or `trained` of another shape.

    Example: nothing is closed, so the trained cells alone.
        >>> from grokbook.tasks.groups import cayley_table
        >>> answered_cells(np.zeros(2, bool), cayley_table("Z2"), np.eye(2, dtype=bool)).sum()
        np.int64(2)

    Source: Liu et al. 2022, appendix D, Eq. 12 and 13.
    """
    equalities = equal_products(table)
    _check_shape("closed", closed, equalities.shape[:1])
    _check_shape("trained", trained, np.shape(table))
    (a, b), (c, d) = equalities[np.asarray(closed) > 0].transpose(1, 2, 0)
    known = np.asarray(trained) > 0
    answered = known.copy()
    np.logical_or.at(answered, (a, b), known[c, d])
    np.logical_or.at(answered, (c, d), known[a, b])
    return answered


def _check_shape(name: str, given: np.ndarray, shape: tuple[int, ...]) -> None:
    """Raises ParameterError for another shape than this."""
    if np.shape(given) != shape:
        raise ParameterError(
            f"{name} has shape {np.shape(given)}, but must be {shape} for this table."
        )


def predicted_accuracy(
    embedding: Array, table: np.ndarray, trained: np.ndarray, *, convention: str = "code"
) -> float:
    r"""$\widehat{\mathrm{Acc}}$ of matrices on the whole table: the share of `answered_cells`;
    errors as there.

    Example:
        >>> from grokbook.tasks.groups import cayley_table
        >>> z2, half = cayley_table("Z2"), np.array([[True, True], [False, False]])
        >>> predicted_accuracy(np.array([[[1.0]], [[-1.0]]]), z2, half)
        1.0

    Source: Liu et al. 2022, appendix D, Eq. 13.
    """
    closed = closed_products(embedding, table, convention=convention)
    return float(answered_cells(closed, table, trained).mean())
