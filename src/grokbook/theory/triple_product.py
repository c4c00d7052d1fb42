"""The flow of three numbers whose product shall be a target: trajectory, conserved quantities,
exact limit.

Gu et al. replace a network by three scalars x, w, u that follow the gradient of (target - x w u)^2
/ 2. The limit of every start is known in closed form up to the root of one cubic, and no
integration is needed to find it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import expit

from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array, like, to_numpy

STIFF = 2000.0
"""Decay rate times duration above which `flow` integrates implicitly (an explicit method would need
more steps)."""
HOPELESS = 1e20
"""Decay rate times duration above which `flow` refuses: double precision cannot follow it."""


def triples(points: Array | Sequence[float], name: str = "point") -> np.ndarray:
    """The points as float64 of shape (..., 3), after checking the shape and that every value is
    finite.

    Raises ParameterError otherwise.

    >>> triples([1, 2, 3])
    array([1., 2., 3.])
    """
    values = to_numpy(points)
    if values.ndim == 0 or values.shape[-1] != 3:
        raise ParameterError(
            f"{name} has shape {values.shape}, but must be (..., 3): the values of x, w and u."
        )
    if not np.isfinite(values).all():
        worst = values[~np.isfinite(values)][0]
        raise ParameterError(f"{name} holds the value {worst}, but x, w and u must be finite.")
    return values


def finite_target(target: float) -> float:
    """The target as a finite float; raises ParameterError otherwise.

    >>> finite_target(1)
    1.0
    """
    try:
        value = float(target)
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise ParameterError(
            f"target = {target!r:.60} is no number; the papers use 1 and 0."
        ) from error
    if not isfinite(value):
        raise ParameterError(f"target = {value} is not finite; the papers use 1 and 0.")
    return value


def gradient_of_product(point: Array | Sequence[float]) -> np.ndarray:
    """The gradient (w u, x u, x w) of the product x w u, shape (..., 3).

    >>> gradient_of_product([2.0, 3.0, 5.0])
    array([15., 10.,  6.])
    """
    x, w, u = np.moveaxis(triples(point), -1, 0)
    return np.stack([w * u, x * u, x * w], axis=-1)


def velocity(point: Array | Sequence[float], *, target: float = 1.0) -> np.ndarray:
    r"""The right-hand side of the three-variable system, numpy array of shape (..., 3).

    .. math:: \dot x &= (\delta - xwu)\,wu, \\ \dot w &= (\delta - xwu)\,xu, \\ \dot u &= (\delta -
        xwu)\,xw,

    with delta = target. It is minus the gradient of (delta - x w u)^2 / 2.

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Source: Gu et al. 2025, Equations 11-13; Gu 2024, Equations 7-9 and 19-21.
    """
    values = triples(point)
    rest = finite_target(target) - values.prod(axis=-1, keepdims=True)
    return rest * gradient_of_product(values)


def conserved(
    point: Array | Sequence[float],
) -> tuple[Array, Array] | tuple[float, float]:
    """The two quantities that never change along the flow: x^2 - w^2 and w^2 - u^2.

    The derivative of each square is 2 (delta - x w u) x w u, the same for all three. Takes shape
    (..., 3), gives two values (or two arrays of shape (...)); they are computed as products (x -
    w)(x + w), which is exact near ties.

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Example:
        >>> conserved([2.0, 1.0, 0.5])
        (3.0, 0.75)

    Source: this book; the papers name no conserved quantity.
    """
    x, w, u = np.moveaxis(triples(point), -1, 0)
    first = (x - w) * (x + w)
    second = (w - u) * (w + u)
    if first.ndim == 0:
        return float(first), float(second)
    return like(first, point), like(second, point)


def flow(
    start: Array | Sequence[float],
    times: Array | Sequence[float],
    *,
    target: float = 1.0,
    rtol: float = 1e-10,
) -> Array:
    """The trajectory of one start at increasing times, the first of which is the time of the start:
    (len(times), 3).

    Integrated by scipy's solve_ivp with relative tolerance rtol and an absolute tolerance of
    rtol/100 of the size each coordinate has at the start or in the limit: DOP853 (explicit, order
    8), or Radau (implicit, order 5, with the exact Jacobian) where the fastest decay rate times the
    duration exceeds `STIFF`. That rate is known beforehand: the square of the gradient of x w u
    grows or falls with the squares, so it is largest at the start or at the limit. A start that is
    drawn into a saddle (see `limit_point`) is thrown off it by rounding errors after a long time.

    Raises ParameterError for a start that is not three finite numbers, times that do not increase,
    rtol outside [1e-13, 0.1], and where rate times duration exceeds `HOPELESS`.

    Example:
        >>> flow([0.5, 0.5, 0.5], [0.0, 50.0]).round(6).tolist()
        [[0.5, 0.5, 0.5], [1.0, 1.0, 1.0]]

    Source: Gu et al. 2025, Equations 11-16.
    """
    first = triples(start, "start")
    moments = increasing(times)
    delta = finite_target(target)
    if first.ndim != 1:
        raise ParameterError(
            f"start has shape {first.shape}, but flow follows one start of shape (3,) at a time."
        )
    if not 1e-13 <= rtol <= 0.1:
        raise ParameterError(f"rtol = {rtol} must lie between 1e-13 and 0.1; 1e-10 is the default.")
    if len(moments) == 1 or not velocity(first, target=delta).any():
        return like(np.repeat(first[None], len(moments), axis=0), start)
    return like(_integrate(first, moments, delta, rtol), start)


def increasing(times: Array | Sequence[float]) -> np.ndarray:
    """The times as float64, checked to be a non-empty, finite, strictly increasing sequence
    (ParameterError).

    >>> increasing([0, 1])
    array([0., 1.])
    """
    moments = to_numpy(times)
    if moments.ndim != 1 or moments.size == 0 or not np.isfinite(moments).all():
        raise ParameterError(
            f"times has shape {moments.shape}, but must be a list of one or more finite numbers."
        )
    falls = np.flatnonzero(np.diff(moments) <= 0)
    if falls.size:
        i = int(falls[0])
        raise ParameterError(
            f"times must increase, but {moments[i + 1]:g} follows {moments[i]:g} (entry {i + 1})."
        )
    return moments


def _integrate(first: np.ndarray, moments: np.ndarray, delta: float, rtol: float) -> np.ndarray:
    def right(_: float, y: np.ndarray) -> np.ndarray:
        x, w, u = y
        gradient = np.array([w * u, x * u, x * w])
        return (delta - x * w * u) * gradient

    def slope(_: float, y: np.ndarray) -> np.ndarray:
        return jacobian(y, target=delta)

    ends = np.stack([first, limit_point(first, target=delta)])
    # the largest decay rate of the loss, infinite where it overflows
    with np.errstate(over="ignore"):
        stiffness = (gradient_of_product(ends) ** 2).sum(axis=-1).max() * (moments[-1] - moments[0])
    if not stiffness < HOPELESS:
        raise ParameterError(
            f"start = {first.tolist()} with target = {delta:g} moves too fast to be integrated for"
            f" this long: rate times duration is {stiffness:.1g}, but may be {HOPELESS:.0g};"
            " limit_point has no such bound."
        )
    method = {"method": "Radau", "jac": slope} if stiffness > STIFF else {"method": "DOP853"}
    tolerance = {"rtol": rtol, "atol": rtol * 1e-2 * np.abs(ends).max(axis=0)}
    solved = solve_ivp(
        right, (moments[0], moments[-1]), first, t_eval=moments, **method, **tolerance
    )
    if not solved.success:
        raise ParameterError(
            f"start = {first.tolist()} with target = {delta:g} could not be integrated; shorter"
            f" times or a larger rtol may do ({solved.message})."
        )
    return solved.y.T


def jacobian(point: Array | Sequence[float], *, target: float = 1.0) -> np.ndarray:
    r"""The matrix of first derivatives of the velocity, shape (..., 3, 3).

    .. math:: J = (\delta - P)\,H - g g^\top, \quad P = xwu, \quad g = (wu, xu, xw),

    with H the matrix of second derivatives of P: H_xw = u, H_xu = w, H_wu = x, zero on the
    diagonal.

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Source: derivatives of Gu et al. 2025, Equations 14-16.
    """
    values = triples(point)
    delta = finite_target(target)
    x, w, u = np.moveaxis(values, -1, 0)
    zero = np.zeros_like(x)
    rows = [np.stack(row, -1) for row in ([zero, u, w], [u, zero, x], [w, x, zero])]
    second = np.stack(rows, -2)
    g = gradient_of_product(values)
    gap = (delta - x * w * u)[..., None, None]
    return gap * second - g[..., :, None] * g[..., None, :]


def limit_point(start: Array | Sequence[float], *, target: float = 1.0) -> Array:
    r"""Where the flow ends: the limit of every start for t to infinity, exactly, without
    integration.

    All squares grow by one common amount s, so with a, b, c the squares of the start and delta =
    target

    .. math:: (\pm\sqrt{a + s},\ \pm\sqrt{b + s},\ \pm\sqrt{c + s}), \\
              (a + s)(b + s)(c + s) = \delta^2, \\ s > -\min(a, b, c).

    The cases, for delta other than 0: (1) two or three coordinates are 0: the start is an
    equilibrium and its own limit. (2) x w u is 0 or has the sign of delta: no sign changes (a
    coordinate that is 0 takes the sign that makes x w u = delta). (3) x w u has the other sign and
    one coordinate has the smallest magnitude: that coordinate goes through 0 and changes its sign.
    (4) As (3), but the smallest magnitude occurs twice or three times: the start is drawn into a
    saddle, s = -min. For delta = 0 always s = -min.

    Takes shape (..., 3), numpy or torch or lists, gives the same shape and kind. With tau = s + min
    the cubic is tau (tau + d_1)(tau + d_2) = delta^2 with differences d of squares, all terms
    positive, so that the result is accurate to about 1e-13 relative for tiny, huge and nearly tied
    starts alike.

    Raises ParameterError for a shape other than (..., 3) and for values that are not finite.

    Example:
        >>> limit_point([0.2, 0.5, 0.9]).round(6).tolist()
        [0.84896, 0.964745, 1.220956]
        >>> limit_point([0.0, 0.0, 0.7]).tolist()
        [0.0, 0.0, 0.7]

    Source: this book. Gu et al. 2025 (Figure 8) let the points of the unit cube go to (1, 1, 1).
    """
    values = triples(start, "start")
    delta = finite_target(target)
    flat = values.reshape(-1, 3)
    ends = _shrunk(flat) if delta == 0 else _ends(flat, delta)
    return like(ends.reshape(values.shape), start)


def _shrunk(points: np.ndarray) -> np.ndarray:
    """The smallest square taken from every square, signs kept: limits for target 0 and on the
    stable sets."""
    size = np.abs(points)
    least = size.min(axis=1, keepdims=True)
    return np.sign(points) * np.sqrt(size - least) * np.sqrt(size + least) + 0.0


def cases(points: np.ndarray, delta: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masks: on an axis, drawn into a saddle, and smallest coordinate changes sign (target not
    0)."""
    low, mid, _ = np.sort(np.abs(points), axis=1).T
    wrong = np.sign(points).prod(axis=1) * np.sign(delta) < 0
    return mid == 0, wrong & (low == mid), wrong & (low < mid)


def _ends(points: np.ndarray, delta: float) -> np.ndarray:
    """Limits for a target that is not 0, (N, 3)."""
    order = np.argsort(np.abs(points), axis=1, kind="stable")
    ordered = np.take_along_axis(points, order, axis=1)
    axis, saddle, _ = cases(points, delta)
    low, mid, high = np.abs(ordered).T
    unit = np.maximum(high, np.cbrt(abs(delta)))  # makes logarithms small
    with np.errstate(divide="ignore", over="ignore"):
        first = np.log((mid - low) / unit) + np.log(mid / unit + low / unit)
        second = np.log((high - low) / unit) + np.log(high / unit + low / unit)
        y = _log_root(first, second, 2 * np.log(abs(delta)) - 6 * np.log(unit))
        mid = np.copysign(unit * np.exp(np.logaddexp(y, first) / 2), ordered[:, 1])
        high = np.copysign(unit * np.exp(np.logaddexp(y, second) / 2), ordered[:, 2])
        reached = np.stack([delta / high / mid, mid, high], axis=1)
    ends = np.empty_like(points)
    np.put_along_axis(ends, order, reached, axis=1)
    ends[axis] = points[axis]
    ends[saddle] = _shrunk(points[saddle])
    return ends


def _log_root(first: np.ndarray, second: np.ndarray, right: np.ndarray) -> np.ndarray:
    """y = log tau with tau (tau + d_1)(tau + d_2) = exp(right), given log d_1 and log d_2.

    The left side minus the right is increasing and convex in y, and not negative at right / 3:
    Newton's iteration from there falls to the root and cannot leave it.
    """
    y = right / 3
    for _ in range(100):
        excess = y + np.logaddexp(y, first) + np.logaddexp(y, second) - right
        step = excess / (1 + expit(y - first) + expit(y - second))
        y = y - step
        if (np.abs(step) <= 1e-16 * np.abs(y)).all():
            break
    return y
