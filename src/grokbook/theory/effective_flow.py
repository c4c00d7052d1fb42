r"""The effective theory of Liu et al. 2022, section 3.2: how embeddings move towards a line, in
closed form.

With $M = A^\top A/|P_0(D)|$, and for embeddings R (p, d) the loss $\ell_0 = \mathrm{tr}\,R^\top M
R$ and the length $Z_0 = \lVert R\rVert^2$, the effective loss is $\ell_{\rm eff} = \ell_0/Z_0$ and
$H = 2M/Z_0$ (Eq. 8). Two flows:

- the gradient flow of $\ell_{\rm eff}$ (Eq. 4), $\dot R = -(H - \rho)R$, $\rho = 2\ell_{\rm
  eff}/Z_0$: it keeps $Z_0$;
- the linear flow that the paper solves (Eq. 9), $\dot R = -HR$: it keeps the sum $C = \sum_k E_k$.

Neither keeps both, unless C = 0. They pass through the same directions: the first is the second,
stretched back to its length at each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy.linalg import eigh

from grokbook.errors import ParameterError, check_choice, shown
from grokbook.measures.inputs import Array, to_numpy
from grokbook.theory.parallelograms import NEGLIGIBLE, gram, nullity, permissible_set, samples_of

KINDS = ("normalised", "linear")

Pairs = Iterable[Sequence[int]]


def _embedding(start: Array) -> np.ndarray:
    """The embeddings as a (p, d) table that is not zero; raises ParameterError otherwise."""
    table = to_numpy(start)
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or not np.isfinite(table).all() or not table.any():
        raise ParameterError(
            f"start has shape {np.shape(start)}, but must be finite, (p, d) or (p,), not all 0."
        )
    return table


def quadratic_form(pairs: Pairs, p: int) -> np.ndarray:
    r"""The matrix M of $\ell_0 = \mathrm{tr}\,R^\top M R$, float64 of shape (p, p).

    It is $A^\top A/|P_0(D)|$ (Eq. 5). Without a parallelogram it is zero. The authors' code and
    appendix F of the paper have $A^\top A$, the same flow at another speed.

    Raises ParameterError for bad pairs.
    """
    samples = samples_of(pairs, p)
    return gram(samples, p) / max(1, len(permissible_set(samples)))


def effective_loss(embedding: Array, pairs: Pairs) -> float:
    r"""$\ell_{\rm eff} = \ell_0/Z_0$, which neither a stretch nor (for C = 0) a shift of the result
    changes in sign.

    `embedding` is (p, d) or (p,). Raises ParameterError for a bad table or bad pairs.

    Source: Liu et al. 2022, Eq. 5.
    """
    table = _embedding(embedding)
    m = quadratic_form(pairs, len(table))
    return float(np.einsum("id,ij,jd->", table, m, table) / (table**2).sum())


def velocity(embedding: Array, pairs: Pairs, *, kind: str = "normalised") -> np.ndarray:
    r"""$\dot R$ of a flow at an embedding, (p, d): minus the gradient of $\ell_{\rm eff}$, or
    $-HR$.

    Args:
        embedding: (p, d) or (p,).
        pairs: the training set.
        kind: "normalised" (Eq. 4) or "linear" (Eq. 9).

    Raises ParameterError for a bad table, bad pairs or another kind.
    """
    check_choice("kind", kind, KINDS)
    table = _embedding(embedding)
    z0 = (table**2).sum()
    towards = quadratic_form(pairs, len(table)) @ table
    rate = (table * towards).sum() / z0 if kind == "normalised" else 0.0
    return -2 * (towards - rate * table) / z0


def flow(
    start: Array,
    pairs: Pairs,
    times: Sequence[float],
    *,
    kind: str = "normalised",
) -> np.ndarray:
    r"""The exact solution at the given times, (len(times), p, d), or (len(times), p) for a start
    (p,).

    .. math:: R(t) = \lVert R_0\rVert \frac{e^{-Ht}R_0}{\lVert e^{-Ht}R_0\rVert}
        \quad\text{(normalised)}

    with $H = 2M/Z_0$ at the start, which this flow does not change. In the linear flow $Z_0$ falls;
    the paper keeps H as it was, $R(t) = e^{-Ht}R_0$, and so do we. H has as many zero eigenvalues
    as `nullity` says, and of $R_0$ a component along an eigenvector below $10^{-14}p\lVert
    R_0\rVert$ is rounding and counts as none.

    Args as in `velocity`, times in the units of Eq. 4 (steps times the learning rate).

    Raises ParameterError as `velocity` does, and for a time below 0 or one that is not finite.

    Source: this book, from Liu et al. 2022, Eq. 4 to 9.
    """
    check_choice("kind", kind, KINDS)
    table = _embedding(start)
    t = np.asarray(times, dtype=float)
    pairs = list(pairs)
    if t.ndim != 1 or not np.isfinite(t).all() or (t < 0).any():
        raise ParameterError(f"times = {shown(times)} must be finite numbers of 0 or more.")
    z0 = (table**2).sum()
    values, vectors = eigh(2 * quadratic_form(pairs, len(table)) / z0)
    values[: nullity(pairs, len(table))] = 0.0
    weights = vectors.T @ table
    absent = (np.abs(weights) <= 1e-14 * len(table) * np.sqrt(z0)).all(axis=1)
    weights[absent] = values[absent] = 0.0
    # the slowest component present stays of order one, so that late times do not underflow
    if kind == "normalised":
        values[~absent] -= values[~absent].min()
    path = np.einsum("ij,tj,jd->tid", vectors, np.exp(-np.outer(t, values)), weights)
    if kind == "normalised":
        path *= np.sqrt(z0) / np.linalg.norm(path, axis=(1, 2), keepdims=True)
    return path.reshape(len(t), *np.shape(to_numpy(start)))


def limit(start: Array, pairs: Pairs) -> np.ndarray:
    r"""Where the normalised flow ends: $\lVert R_0\rVert\,\Pi R_0/\lVert\Pi R_0\rVert$, $\Pi$ onto
    the solutions.

    Shape as `start`. Raises ParameterError for a bad table or pairs, and for a start without a part
    in the null space.

    Source: this book. The shape at the end is the start's projection, so it is decided before the
    flow begins.
    """
    table = _embedding(start)
    pairs = list(pairs)
    p = len(table)
    _, eigenvectors = eigh(quadratic_form(pairs, p))
    null = eigenvectors[:, : nullity(pairs, p)]
    constant = null @ (null.T @ table)
    if np.linalg.norm(constant) < NEGLIGIBLE * np.linalg.norm(table):
        raise ParameterError(
            "start has no part among the solutions of the equations, so the flow has no such limit."
        )
    limit_table = constant * np.linalg.norm(table) / np.linalg.norm(constant)
    return limit_table.reshape(np.shape(to_numpy(start)))


def conserved(embedding: Array) -> tuple[np.ndarray, float]:
    r"""$C = \sum_k E_k$, (d,), and $Z_0 = \sum_k\lVert E_k\rVert^2$.

    The gradient flow of $\ell_{\rm eff}$ keeps $Z_0$, and C grows as $\dot C = (2\ell_{\rm
    eff}/Z_0)\,C$, so it keeps C only where C = 0; the linear flow keeps C.

    Raises ParameterError for a bad table.

    Source: Liu et al. 2022, Eq. 6, 24 and 27, where the term of $\dot C$ is lost.
    """
    table = _embedding(embedding)
    return table.sum(axis=0), float((table**2).sum())
