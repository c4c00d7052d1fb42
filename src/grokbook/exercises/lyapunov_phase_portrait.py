"""Chapter 08: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, isclose, pi, sqrt

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from grokbook.exercises.asked import exercise, near
from grokbook.theory.triple_product import limit_point, velocity


@exercise(
    "ex-08-hand",
    draws={"d_1": [n / 100 for n in range(10, 100)], "d_2": [n / 100 for n in range(110, 300)], "sign": (1, -1)},
)
def hand(limit: Sequence[float], *, d_1: float, d_2: float, sign: int) -> str | None:
    """Three numbers."""
    x, w, u = map(float, limit)
    if not (near(w * w - x * x, d_1, 1e-4) and near(u * u - x * x, d_2, 1e-4)):
        return "the gaps w^2 - x^2 and u^2 - x^2 never change, and these are others than at the start."
    if not near(x * w * u, 1, 1e-4):
        return f"the product of these is {x * w * u:.3g}; the limit lies on the surface with the product 1."
    return None if w * sign > 0 and u > 0 else "w or u has changed its sign; only the smallest can pass through zero."


@exercise(
    "ex-08-two",
    draws={
        "x": [n / 100 for n in range(10, 90)],
        "w": [-n / 100 for n in range(100, 200)],
        "delta": [n / 10 for n in range(5, 20)],
    },
)
def two(
    limit: Sequence[float], eigenvalues: Sequence[float], drawn: float, *, x: float, w: float, delta: float
) -> str | None:
    """A point, two eigenvalues, and a number w."""
    a, b = map(float, limit)
    if not near(a * b, delta, 1e-4):
        return f"the product of the limit is {a * b:.3g}, and the target {delta:g}."
    if not near(a * a - b * b, x * x - w * w, 1e-4):
        return "x^2 - w^2 is conserved, and the limit has another value of it."
    if (b if abs(w) > abs(x) else a) * (w if abs(w) > abs(x) else x) < 0:
        return "the larger one has changed its sign, and only the smaller one can pass through zero."
    linear = [[-b * b, delta - 2 * a * b], [delta - 2 * a * b, -a * a]]  # of ((delta - xw) w, (delta - xw) x)
    right, given = np.sort(np.linalg.eigvalsh(linear)), np.sort(np.array(eigenvalues, dtype=float))
    if np.allclose(given, [-delta, delta], atol=1e-6):
        return "these are the eigenvalues of the origin, the saddle."
    if not np.allclose(given, right, atol=1e-4):
        return "one of the two is zero, for the hyperbola consists of equilibria; the other is the trace."
    if near(drawn, x, 1e-9):
        return "the line x = w leads away from the saddle at the origin."
    return None if near(drawn, -x, 1e-9) else "on the stable line of the saddle the product is negative."


@exercise(
    "ex-08-decay",
    draws={
        "delta": [n / 100 for n in range(80, 200)],
        "decay": [n / 1000 for n in range(10, 80)],
        "time": range(5, 15),
    },
)
def decay(share: float, largest: float, z: float, *, delta: float, decay: float, time: float) -> str | None:
    """A share from 0 to 1, and two numbers."""
    start = np.array([0.2, 0.5, 0.9])
    moving = solve_ivp(lambda _, y: velocity(y, target=delta) - decay * y, (0, time), start, rtol=1e-9, atol=1e-12)
    x, w, _ = moving.y[:, -1]
    if near(share, exp(-decay * time), 1e-6):
        return "the squares fall at twice the rate of the coordinates."
    if not isclose(share, (x * x - w * w) / (start[0] ** 2 - start[1] ** 2), rel_tol=1e-4):
        return "the rate of x^2 - w^2 is a multiple of itself; solve that equation."
    grid = np.linspace(0, delta ** (1 / 3), 100_001)
    heights = (delta - grid**3) * grid
    if near(largest, grid[heights.argmax()], 1e-4):
        return "this is the z where the left side is greatest; the largest lambda is its value there."
    if not near(largest, heights.max(), 1e-4):
        return "the largest lambda is the greatest value of (delta - z^3) z."
    if near(z, delta ** (1 / 3), 1e-6):
        return "this is the limit without weight decay; it lowers z a little."
    if near((delta - z**3) * z, decay, 1e-4) and z < grid[heights.argmax()]:
        return "this is the smaller of two equilibria on the diagonal, and a path leads away from it."
    right = brentq(lambda z: (delta - z**3) * z - decay, grid[heights.argmax()], grid[-1])
    return None if near(z, right, 1e-4) else "solve (delta - z^3) z = lambda and take the largest root."


@exercise("ex-08-tie", draws={"delta": [n / 100 for n in range(50, 300)], "d_2": [n / 100 for n in range(10, 300)]})
def tie(case: str, product: float, rate: float, *, delta: float, d_2: float) -> str | None:
    """One of the four names, and two numbers."""
    if case == "crossing":
        return "no coordinate is the smallest alone: it is a tie, and none of them can pass through zero first."
    if case != "saddle":
        return "the product is negative at the start, and none of the coordinates is zero."
    if product == 0:
        return "z tends to zero, but t grows; solve the equation for small z."
    if not near(product, 1 / delta, 1e-4):
        return "1 / z grows at a rate that tends to a number as z falls; which?"
    if near(rate, delta * d_2, 1e-6):
        return "d_2 is the square of the third coordinate in the limit; its root multiplies z."
    return None if near(rate, delta * sqrt(d_2), 1e-4) else "near the limit P is zero and u about the root of d_2."


@exercise("ex-08-zero", draws={"seed": range(100_000)})
def zero(limit: Sequence[float], word: str, *, seed: int) -> str | None:
    """Three numbers, and one of the three texts."""
    start = np.random.default_rng(seed).normal(size=3)
    given, right = np.asarray(limit, dtype=float), np.asarray(limit_point(start, target=0))
    least = np.abs(start).argmin()
    if not np.allclose(given, right, atol=1e-6):
        if not given.any():
            return "all three cannot vanish: their squares differ by as much as at the start."
        if np.allclose(given, np.where(np.arange(3) == least, 0, start), atol=1e-6):
            return "the smallest square is taken from all three, not from one."
        if np.allclose(np.abs(given), np.abs(right), atol=1e-6):
            return "no coordinate changes its sign, for P keeps its own and only the smallest could."
        return "the squares fall by one amount until the product is zero."
    if word == "asymptotically stable":
        return "points of the same coordinate plane or axis rest as well, and are not drawn to it."
    return None if word == "stable" else "paths that start near do not go far, for all squares fall by little."


@exercise("ex-08-plastic", draws={"side": [n / 10_000 for n in range(6_000, 14_000)]})
def plastic(top: float, start: Sequence[float], *, side: float) -> str | None:
    """A number, and three numbers from 0 to the side of the cube."""
    if near(top, 1, 1e-6):
        return "this is the limit of the diagonal, where all gaps are zero; larger gaps lead farther out."
    if not near(top, brentq(lambda rho: rho**3 - side**2 * rho - 1, 1, 3), 1e-4):
        return "take d_1 = 0 and d_2 = side^2 in the equation for tau; the largest square is tau + d_2."
    point = np.asarray(start, dtype=float)
    if point.shape != (3,) or point.min() < 0 or point.max() > side:
        return f"the start is to have three numbers from 0 to {side:g}."
    if np.count_nonzero(point) < 2:
        return "this start lies on an axis and does not move."
    reached = float(np.max(limit_point(point)))
    return None if reached > top - 1e-3 else f"from this start the largest coordinate comes only to {reached:.4f}."


@exercise("ex-08-returns", draws={"seed": range(100_000), "time": [n / 2 for n in range(40, 200)]})
def returns(fall: float, meets: int, turns: int, *, seed: int, time: float) -> str | None:
    """A number, and two numbers of times."""
    rng = np.random.default_rng(seed)
    start, normal = rng.uniform(0.2, 1.2, size=3), rng.normal(size=3)
    end = np.asarray(limit_point(start))
    if fall == 0:
        return "the loss would come back to its value only on a periodic orbit."
    if not near(fall, (1 - start.prod()) ** 2 / 2, 1e-5):
        return "in the limit the product is 1 and the loss is zero; take the loss at the start."
    if meets == 0:
        return "start and limit lie on both sides of this plane."
    amount = np.linspace(0, 1, 200_001)[:, None] * (end**2 - start**2)  # by which all squares have changed
    heights = np.sqrt(start**2 + amount) @ normal
    level = (heights[0] + heights[-1]) / 2
    if meets != int((np.diff(np.sign(heights - level)) != 0).sum()):
        return "count the steps at which `heights` changes its sign."
    right = ceil((time - 0.1) / (2 * pi))
    if turns == 2 * right:
        return "a whole plane is crossed twice a turn, a half plane once."
    return None if turns == right else "it crosses at t = 0.1 and then every 2 pi."
