"""What the norms of an operator and of its matrix say of each other, and when an MLP block is
additive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grokbook.errors import ParameterError
from grokbook.theory.vectors import Rows, vectors


@dataclass(frozen=True)
class Norms:
    """Operator norm, Frobenius norm and rank of a matrix in orthonormal bases."""

    operator: float
    frobenius: float
    rank: int


def norms(matrix: Rows) -> Norms:
    r"""The norms of a matrix: $\lVert l\rVert \le \lVert M\rVert_F \le
    \sqrt{\mathrm{rank}\,M}\,\lVert l\rVert$.

    `matrix` = M, shape (m, n), writes l in orthonormal bases. With singular values $\sigma_1 \ge
    \dots$ the operator norm is $\sigma_1$ and $\lVert M\rVert_F^2 = \sum_i \sigma_i^2$, of which
    rank M are not zero.

    Raises ParameterError unless the matrix is finite.

    Source: Gu et al. 2025, Lemma 3.4, with min(m, n) sharpened to the rank.
    """
    table = vectors(matrix, "matrix")
    sizes = np.linalg.svd(table, compute_uv=False)
    rank = int((sizes > sizes[0] * max(table.shape) * np.finfo(float).eps).sum())
    return Norms(float(sizes[0]), float(np.linalg.norm(table)), rank)


def in_bases(operator: Rows, domain: Rows, codomain: Rows) -> np.ndarray:
    r"""The matrix of an operator in other bases, $M = B_W^{-1} A B_V$.

    `operator` = A, shape (m, n), in the standard bases; the columns of `domain` = $B_V$, shape (n,
    n), and `codomain` = $B_W$, shape (m, m), are the basis vectors.

    Raises ParameterError for shapes that do not fit or a basis that is singular.
    """
    a = vectors(operator, "operator")
    v = vectors(domain, "domain")
    w = vectors(codomain, "codomain")
    if v.shape != (a.shape[1],) * 2 or w.shape != (a.shape[0],) * 2:
        raise ParameterError(
            f"bases of shapes {v.shape} and {w.shape} do not fit an operator of shape {a.shape}."
        )
    if min(np.linalg.matrix_rank(v) - len(v), np.linalg.matrix_rank(w) - len(w)) < 0:
        raise ParameterError(
            "the columns of a basis must be independent, but one of the bases is singular."
        )
    return np.linalg.solve(w, a @ v)


def chain_in_bases(operator: Rows, domain: Rows, codomain: Rows) -> bool:
    r"""Whether Lemma 3.4 holds as printed: $\lVert l\rVert \le \lVert M\rVert_F \le
    \sqrt{\min(m,n)}\lVert l\rVert$.

    l = `operator` has its operator norm in the Euclidean norms; M is its matrix in the bases given
    by the columns of `domain` and `codomain`. Orthonormal bases leave both norms as they are;
    others do not.

    Raises ParameterError as `in_bases` does.

    Source: Gu et al. 2025, Lemma 3.4.
    """
    size = norms(operator).operator
    frobenius = float(np.linalg.norm(in_bases(operator, domain, codomain)))
    largest = np.sqrt(min(np.shape(operator))) * size
    return bool(size <= frobenius * (1 + 1e-12) and frobenius <= largest * (1 + 1e-12))


def relu_block(x: Rows, W_in: Rows, W_out: Rows, pattern: np.ndarray | None = None) -> np.ndarray:
    r"""An MLP block with its skip connection, $x + \mathrm{ReLU}(x W_{in}) W_{out}$, row by row.

    `x` has shape (n, d), `W_in` (d, h), `W_out` (h, d). With `pattern`, shape (h,), of 0 and 1, the
    units that are switched on are fixed beforehand: $x + (x W_{in} \odot \text{pattern}) W_{out}$,
    which is linear in x.

    Raises ParameterError for rows that are not finite.

    Source: Gu et al. 2025, Eq. (2).
    """
    table = vectors(x, "x")
    first = vectors(W_in, "W_in")
    last = vectors(W_out, "W_out")
    before = table @ first
    hidden = np.maximum(before, 0) if pattern is None else before * np.asarray(pattern, dtype=float)
    return table + hidden @ last


def splitting_error(
    a: Rows, b: Rows, W_in: Rows, W_out: Rows, pattern: np.ndarray | None = None
) -> float:
    r"""How far a block is from being additive: $\max\lVert B(a+b) - B(a) - B(b)\rVert / \max\lVert
    B(a+b)\rVert$.

    `a` and `b`, shape (n, d), are what the two operands write; B is `relu_block` with the other
    arguments.

    Raises ParameterError for rows that are not finite.

    Source: Gu et al. 2025, proof of Theorem 3.5 (Appendix B.3), which takes the error to be 0.
    """
    whole = relu_block(np.add(a, b), W_in, W_out, pattern)
    parts = relu_block(a, W_in, W_out, pattern) + relu_block(b, W_in, W_out, pattern)
    scale = np.linalg.norm(whole, axis=1).max()
    return float(np.linalg.norm(whole - parts, axis=1).max() / scale) if scale else 0.0
