"""Equilibria of the x w u flow, their stability, a Lyapunov function that works and the printed one that does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array
from grokbook.theory.triple_product import conserved, finite_target, gradient_of_product, triples, velocity

Values = float | np.ndarray


def product(point: Array | Sequence[float]) -> Values:
    """P = x w u, shape (...)."""
    return _plain(triples(point).prod(axis=-1))


def _plain(values: Any) -> Values:
    return float(values) if np.ndim(values) == 0 else values


def lyapunov(point: Array | Sequence[float], *, target: float = 1.0) -> Values:
    r"""The loss whose gradient flow the system is: L = (delta - P)^2 / 2, with P = x w u and delta = target.

    It is never negative and 0 exactly on the surface P = delta; with the two conserved quantities it proves that
    every point of that surface is stable (`surface_lyapunov`). Shape (..., 3) in, (...) out.

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Source: this book; it takes the place of Gu et al. 2025, Equation 17.
    """
    return _plain((finite_target(target) - triples(point).prod(axis=-1)) ** 2 / 2)


def lyapunov_rate(
    point: Array | Sequence[float], *, target: float = 1.0
) -> Values:
    r"""The derivative of L along the flow: minus the squared length of the velocity, so never positive.

    .. math:: \dot L = -(\delta - P)^2\,(w^2u^2 + x^2u^2 + x^2w^2).

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Source: this book.
    """
    return _plain(-(velocity(point, target=target) ** 2).sum(axis=-1))


def surface_lyapunov(point: Array | Sequence[float], equilibrium: Array | Sequence[float]) -> Values:
    r"""A Lyapunov function of one point of the surface: L plus the squared change of the conserved quantities.

    .. math:: \Lambda = L + \tfrac12 (x^2 - w^2 - i_1)^2 + \tfrac12 (w^2 - u^2 - i_2)^2,

    with i_1, i_2 the values of the equilibrium and delta its product. Its derivative along the flow is that of L,
    never positive. It is 0 only where product and both quantities agree, in a neighbourhood only at the equilibrium,
    so Lyapunov's theorem applies to it, as it does not to L (0 on all of the surface) or to the printed V.

    Raises ParameterError for an equilibrium with product 0 and for values that are not finite.

    Source: this book, for Gu et al. 2025, Theorems C.9 and C.12.
    """
    delta = product(triples(equilibrium, "equilibrium"))
    if not isinstance(delta, float) or delta == 0:
        raise ParameterError(f"equilibrium has the product {delta}, but must be one point whose product is not 0.")
    found = triples(point)
    first, second = conserved(found)
    i_1, i_2 = conserved(equilibrium)
    return _plain(lyapunov(found, target=delta) + ((first - i_1) ** 2 + (second - i_2) ** 2) / 2)


def printed_v(point: Array | Sequence[float]) -> Values:
    """The printed candidate V = (x - 1)^2 + (w - 1)^2 + (u - 1)^2, shape (..., 3) in, (...) out.

    Source: Gu et al. 2025, Equation 17; Gu 2024, Equation 22.
    """
    return _plain(((triples(point) - 1) ** 2).sum(axis=-1))


def printed_v_rate(point: Array | Sequence[float]) -> Values:
    """The derivative of V as printed, (3 P - w u - x u - x w)(1 - P): half of the true one (`v_rate`).

    Source: Gu et al. 2025, Equation 18; Gu 2024, Equation 23.
    """
    found = triples(point)
    p = found.prod(axis=-1)
    return _plain((3 * p - gradient_of_product(found).sum(axis=-1)) * (1 - p))


def v_rate(point: Array | Sequence[float]) -> Values:
    r"""The true derivative of V along the flow with target 1.

    .. math:: \dot V = \nabla V \cdot f = 2\,(1 - P)\,(3P - S), \qquad S = wu + xu + xw.

    Where x, w, u are not negative and P <= 1 it is not positive, because S >= 3 P^(2/3) >= 3 P (arithmetic and
    geometric mean). Where P > 1 and S > 3 P it is positive, and such points exist as near to (1, 1, 1) as one likes
    (`rising_point`).

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Source: this book, from Gu et al. 2025, Equation 17; the printed formula lacks the factor 2.
    """
    return _plain(2 * ((triples(point) - 1) * velocity(point)).sum(axis=-1))


def rising_point(r: float) -> np.ndarray:
    r"""A point at distance about sqrt(2) r from (1, 1, 1) where the printed V grows along the flow.

    It is (1 + r, 1 - r, (1 + r^2/2)/(1 - r^2)), so that P = 1 + r^2/2, S - 3P = r^2/2 + O(r^4) and the derivative of
    V is r^4/2 + O(r^6).

    Raises ParameterError unless 0 < r <= 0.5.

    Source: this book; it refutes the last step of Gu et al. 2025, Appendix C, and Gu 2024, Appendix B.2.
    """
    if not 0 < r <= 0.5:
        raise ParameterError(f"r = {r} must be above 0 and at most 0.5, the distance scale from (1, 1, 1).")
    return np.array([1 + r, 1 - r, (1 + r * r / 2) / (1 - r * r)])


def rising_share(radius: float, n: int = 20000, seed: int = 0) -> float:
    """The share of n uniform points of the ball of this radius about (1, 1, 1) at which the true V' is positive.

    A search without the construction of `rising_point`. For small balls the share is about a tenth of the radius, so
    no ball, however small, is free of such points.

    Raises ParameterError unless 0 < radius <= 1 and n >= 1.

    Source: this book.
    """
    if not 0 < radius <= 1 or n < 1:
        raise ParameterError(f"radius = {radius} must lie in (0, 1] and n = {n} must be 1 or more.")
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(n, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    points = 1 + radius * rng.random((n, 1)) ** (1 / 3) * direction
    return float(np.mean(v_rate(points) > 0))


def eigenvalues(point: Array | Sequence[float], *, target: float = 1.0) -> tuple[float, float, float]:
    r"""The three eigenvalues of the Jacobian at an equilibrium, in closed form, in increasing order.

    On the surface P = delta (any delta): :math:`-(w^2u^2 + x^2u^2 + x^2w^2), 0, 0`, which for delta = 1 is
    :math:`-(x^{-2} + w^{-2} + u^{-2}), 0, 0`. On an axis at the value v: :math:`-|\delta v|, 0, |\delta v|`.

    Raises ParameterError for a point that is no equilibrium (velocity above 1e-9 of the point's size).

    Source: this book, for Gu et al. 2025, Theorem C.9.
    """
    found, delta = _equilibrium(point, target)
    if _on_axis(found):
        size = abs(delta) * float(np.abs(found).max())
        return (-size, 0.0, size) if size else (0.0, 0.0, 0.0)
    return -float((gradient_of_product(found) ** 2).sum()), 0.0, 0.0


def stability(point: Array | Sequence[float], *, target: float = 1.0) -> str:
    """What kind of equilibrium a point is: "stable", "saddle" or "unstable origin". None is asymptotically stable.

    "stable": stable in the sense of Lyapunov, because no equilibrium is isolated never asymptotically. These are the
    points of the surface x w u = target for a target other than 0 and, for target 0, all of x w u = 0. "saddle": on
    an axis, target not 0, one growing direction. "unstable origin": the origin, target not 0, where the linear part
    vanishes and the diagonal leads away.

    Raises ParameterError for a point that is no equilibrium.

    Source: this book, for Gu et al. 2025, Theorem C.9.
    """
    found, delta = _equilibrium(point, target)
    if delta == 0 or not _on_axis(found):
        return "stable"
    return "saddle" if found.any() else "unstable origin"


def _on_axis(point: np.ndarray) -> bool:
    return bool(np.count_nonzero(point) <= 1)


def _equilibrium(point: Array | Sequence[float], target: float) -> tuple[np.ndarray, float]:
    found, delta = triples(point), finite_target(target)
    speed = float(np.abs(velocity(found, target=delta)).max())
    rests = found.ndim == 1 and (_on_axis(found) or abs(found.prod() - delta) <= 1e-9 * max(abs(delta), 1e-300))
    size = np.abs(found)  # for target 0 the product may be 0 up to a rounding error of the largest
    if not rests and not (found.ndim == 1 and delta == 0 and size.min() <= 1e-9 * size.max()):
        raise ParameterError(
            f"point = {found.tolist()} is no equilibrium (speed {speed:.2g}); equilibria are the points with "
            f"x w u = {delta:g} and the three axes."
        )
    return found, delta


def identities() -> dict[str, sympy.Expr]:
    """What is left of each identity of this module after simplification: every value is 0 where it holds.

    Keys: "dL", "dV", "dV printed" (not 0: half of dV is missing), "d(x^2-w^2)", "d(w^2-u^2)", "dP", "Jacobian".

    Source: this book; Gu et al. 2025, Equations 14-18.
    """
    x, w, u, delta = symbols = sympy.symbols("x w u delta")
    p, e2 = x * w * u, w**2 * u**2 + x**2 * u**2 + x**2 * w**2
    field = [(delta - p) * w * u, (delta - p) * x * u, (delta - p) * x * w]

    def rate(f: sympy.Expr) -> sympy.Expr:
        return sum(sympy.diff(f, v) * g for v, g in zip(symbols, field, strict=False))

    v, s = (x - 1) ** 2 + (w - 1) ** 2 + (u - 1) ** 2, w * u + x * u + x * w
    printed, gradient = (3 * p - s) * (1 - p), sympy.Matrix([p]).jacobian([x, w, u])
    linear = sympy.Matrix(field).jacobian([x, w, u]).subs(delta, p) + gradient.T * gradient
    rest = {
        "dL": rate((delta - p) ** 2 / 2) + (delta - p) ** 2 * e2,
        "dV": rate(v).subs(delta, 1) - 2 * printed,
        "dV printed": rate(v).subs(delta, 1) - printed,
        "d(x^2-w^2)": rate(x**2 - w**2),
        "d(w^2-u^2)": rate(w**2 - u**2),
        "dP": rate(p) - (delta - p) * e2,
        "Jacobian": sum(sympy.expand(entry) ** 2 for entry in linear),
    }
    return {name: sympy.factor(sympy.expand(value)) for name, value in rest.items()}


def leading_principal_minors(matrix: Array | Sequence[Sequence[float]]) -> list[float]:
    """The determinants of the upper left 1x1, 2x2, ... blocks of a square matrix.

    All of them being <= 0, the test the papers use, does not make a matrix negative semi-definite: for
    diag(-1, 1, 1) they are -1, -1, -1. The right test is (-1)^k times EVERY principal k x k minor >= 0.

    Source: Gu et al. 2025, Appendix C, after Equation 18; Gu 2024, after Equation 23.
    """
    table = np.asarray(matrix, dtype=float)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or not np.isfinite(table).all():
        raise ParameterError(f"matrix has shape {table.shape}, but must be square and finite.")
    return [float(np.linalg.det(table[:k, :k])) for k in range(1, len(table) + 1)]
