"""Equilibria of the x w u flow, their stability, a Lyapunov function that works and the printed one
that does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array
from grokbook.theory.triple_product import gradient_of_product, triples, velocity

Point = Array | Sequence[float]
Values = float | np.ndarray


def _plain(values: Any) -> Values:
    return float(values) if np.ndim(values) == 0 else values


def lyapunov(point: Point) -> Values:
    r"""The loss whose gradient flow the system is: L = (1 - P)^2 / 2, with P = x w u.

    It is never negative and 0 exactly on the surface P = 1; with the two conserved quantities
    it proves that every point of that surface is stable. Shape (..., 3) in, (...) out.

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Source: this book; it takes the place of Gu et al. 2025, Equation 17.
    """
    return _plain((1 - triples(point).prod(axis=-1)) ** 2 / 2)


def lyapunov_rate(point: Point) -> Values:
    r"""The derivative of L along the flow: minus the squared length of the velocity, so never
    positive.

    .. math:: \dot L = -(1 - P)^2\,(w^2u^2 + x^2u^2 + x^2w^2).

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Source: this book.
    """
    return _plain(-(velocity(point) ** 2).sum(axis=-1))


def printed_v(point: Point) -> Values:
    """The printed candidate V = (x - 1)^2 + (w - 1)^2 + (u - 1)^2, shape (..., 3) in, (...) out.

    Source: Gu et al. 2025, Equation 17; Gu 2024, Equation 22.
    """
    return _plain(((triples(point) - 1) ** 2).sum(axis=-1))


def printed_v_rate(point: Point) -> Values:
    """The derivative of V as printed, (3 P - w u - x u - x w)(1 - P): half of the true one
    (`v_rate`).

    Source: Gu et al. 2025, Equation 18; Gu 2024, Equation 23.
    """
    points = triples(point)
    p = points.prod(axis=-1)
    return _plain((3 * p - gradient_of_product(points).sum(axis=-1)) * (1 - p))


def v_rate(point: Point) -> Values:
    r"""The true derivative of V along the flow with target 1.

    .. math:: \dot V = \nabla V \cdot f = 2\,(1 - P)\,(3P - S), \qquad S = wu + xu + xw.

    Where x, w, u are not negative and P <= 1 it is not positive, because S >= 3 P^(2/3) >= 3 P
    (arithmetic and geometric mean). Where P > 1 and S > 3 P it is positive, and such points exist
    as near to (1, 1, 1) as one likes (`rising_point`).

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Source: this book, from Gu et al. 2025, Equation 17; the printed formula lacks the factor 2.
    """
    return _plain(2 * ((triples(point) - 1) * velocity(point)).sum(axis=-1))


def rising_point(r: float) -> np.ndarray:
    r"""A point at distance about sqrt(2) r from (1, 1, 1) where the printed V grows along the flow.

    It is (1 + r, 1 - r, (1 + r^2/2)/(1 - r^2)), so that P = 1 + r^2/2, S - 3P = r^2/2 + O(r^4) and
    the derivative of V is r^4/2 + O(r^6).

    Raises ParameterError unless 0 < r <= 0.5.

    Source: this book; it refutes the last step of Gu et al. 2025, Appendix C, and Gu 2024, Appendix
    B.2.
    """
    if not 0 < r <= 0.5:
        raise ParameterError(
            f"r = {r} must be above 0 and at most 0.5, the distance scale from (1, 1, 1)."
        )
    return np.array([1 + r, 1 - r, (1 + r * r / 2) / (1 - r * r)])


def leading_principal_minors(matrix: Array | Sequence[Sequence[float]]) -> list[float]:
    """The determinants of the upper left 1x1, 2x2, ... blocks of a square matrix.

    All of them being <= 0, the test the papers use, does not make a matrix negative semi-definite:
    for diag(-1, 1, 1) they are -1, -1, -1. The right test is (-1)^k times EVERY principal k x k
    minor >= 0.

    Source: Gu et al. 2025, Appendix C, after Equation 18; Gu 2024, after Equation 23.
    """
    table = np.asarray(matrix, dtype=float)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.isfinite(table).all():
        raise ParameterError(f"matrix has shape {table.shape}, but must be square and finite.")
    return [float(np.linalg.det(table[:k, :k])) for k in range(1, len(table) + 1)]
