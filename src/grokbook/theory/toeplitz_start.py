"""An embedding that starts as a Toeplitz or circulant matrix: the lengths of its steps, in closed
form and drawn."""

from __future__ import annotations

import numpy as np
from scipy.linalg import circulant, toeplitz

from grokbook.errors import ParameterError, check_choice

STARTS = ("independent", "toeplitz", "circulant")


def draw_start(kind: str, p: int, d: int, rng: np.random.Generator) -> np.ndarray:
    r"""A random table (p, d) with standard normal entries.

    `kind`: "independent" entries; "toeplitz", entry (i, j) depends on i - j alone, from p + d - 1
    independent numbers; "circulant", entry (i, j) depends on i - j modulo p alone, and needs p = d.

    Raises ParameterError for an unknown kind or a circulant that is not square.

    Source: Gu 2024, Eq. 13 and Gu et al. 2025, Eq. (19): "Toeplitz(v, v')", called circulant there.
    """
    check_choice("kind", kind, STARTS)
    if kind == "circulant":
        if p != d:
            raise ParameterError(
                f"a circulant table is square, but p = {p} and d = {d}; the nearest has d = {p}."
            )
        return circulant(rng.normal(size=p))
    if kind == "toeplitz":
        return toeplitz(rng.normal(size=p), rng.normal(size=d))
    return rng.normal(size=(p, d))


def squared_steps(table: np.ndarray) -> np.ndarray:
    """The squared lengths of the steps from each row to the next and back to the first, shape
    (p,)."""
    steps = np.diff(table, axis=0, append=table[:1])
    return np.einsum("ij,ij->i", steps, steps)


def step_covariance(kind: str, d: int, lag: int) -> float:
    r"""Covariance of two squared steps that are `lag` rows apart, for entries of variance 1, the
    closing step left out.

    Independent: $8d$ at lag 0, $2d$ at lag 1, then 0. Toeplitz: $12d - 4$ at lag 0, $12(d - h)$ for
    $1 \le h < d$, 2 at h = d, then 0, because the steps of neighbouring rows share d - 1 of their d
    entries. Circulant (p = d): all steps are equal, so it is the variance of one, $12 d$, at every
    lag.

    Raises ParameterError for an unknown kind.
    """
    check_choice("kind", kind, STARTS)
    if kind == "circulant":
        return 12 * d
    if kind == "independent":
        return {0: 8 * d, 1: 2 * d}.get(lag, 0)
    if lag == 0:
        return 12 * d - 4
    return 12 * (d - lag) if lag < d else 2 * (lag == d)


def spread_within(kind: str, p: int, d: int) -> float:
    r"""Expected variance of the p - 1 squared steps inside one table, over the square of their
    mean, $(2d)^2$.

    $\frac1n \sum_i \mathrm{Var}_i - \frac1{n^2} \sum_{i,j} \mathrm{Cov}_{ij}$ with n = p - 1 steps
    (the closing step left out). The covariances are those of `step_covariance`.

    Raises ParameterError for an unknown kind.
    """
    n = p - 1
    covariances = np.array([step_covariance(kind, d, h) for h in range(n)], dtype=float)
    counts = np.where(np.arange(n) == 0, n, 2 * (n - np.arange(n)))
    return float((covariances[0] - (counts * covariances).sum() / n**2) / (2 * d) ** 2)


def spread_between(kind: str, p: int, d: int) -> float:
    r"""Variance of the mean squared step from table to table, over the square of its mean,
    $(2d)^2$.

    $\frac1{n^2} \sum_{i,j} \mathrm{Cov}_{ij}$ with n = p - 1 steps: what the spread inside a table
    leaves.

    Raises ParameterError for an unknown kind.
    """
    return float(step_covariance(kind, d, 0) / (2 * d) ** 2 - spread_within(kind, p, d))
