"""Chapter 08: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, isclose, pi, sqrt

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.theory.triple_product import limit_point, velocity


@exercise(
    "ex-08-hand",
    draws={"d_1": [n / 100 for n in range(10, 100)], "d_2": [n / 100 for n in range(110, 300)], "sign": (1, -1)},
)
def hand(limit: Sequence[float], *, d_1: float, d_2: float, sign: int) -> Mistakes:
    """Three numbers."""
    x, w, u = map(float, limit)
    yield not (near(w * w - x * x, d_1, 1e-4) and near(u * u - x * x, d_2, 1e-4)), "the gaps"
    yield not near(x * w * u, 1, 1e-4), "the product", x * w * u
    yield not (w * sign > 0 and u > 0), "only the smallest"


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
) -> Mistakes:
    """A point, two eigenvalues, and a number w."""
    a, b = map(float, limit)
    yield not near(a * b, delta, 1e-4), "the product", a * b
    yield not near(a * a - b * b, x * x - w * w, 1e-4), "x^2 - w^2 is conserved"
    yield (b if abs(w) > abs(x) else a) * (w if abs(w) > abs(x) else x) < 0, "the larger one"
    linear = [[-b * b, delta - 2 * a * b], [delta - 2 * a * b, -a * a]]  # of ((delta - xw) w, (delta - xw) x)
    right, given = np.sort(np.linalg.eigvalsh(linear)), np.sort(np.array(eigenvalues, dtype=float))
    yield np.allclose(given, [-delta, delta], atol=1e-6), "of the origin"
    yield not np.allclose(given, right, atol=1e-4), "one of the two is zero"
    yield near(drawn, x, 1e-9), "leads away"
    yield not near(drawn, -x, 1e-9), "on the stable line of the saddle"


@exercise(
    "ex-08-decay",
    draws={
        "delta": [n / 100 for n in range(80, 200)],
        "decay": [n / 1000 for n in range(10, 80)],
        "time": range(5, 15),
    },
)
def decay(share: float, largest: float, z: float, *, delta: float, decay: float, time: float) -> Mistakes:
    """A share from 0 to 1, and two numbers."""
    start = np.array([0.2, 0.5, 0.9])
    moving = solve_ivp(lambda _, y: velocity(y, target=delta) - decay * y, (0, time), start, rtol=1e-9, atol=1e-12)
    x, w, _ = moving.y[:, -1]
    yield near(share, exp(-decay * time), 1e-6), "twice the rate"
    yield not isclose(share, (x * x - w * w) / (start[0] ** 2 - start[1] ** 2), rel_tol=1e-4), "the rate of x^2 - w^2"
    grid = np.linspace(0, delta ** (1 / 3), 100_001)
    heights = (delta - grid**3) * grid
    yield near(largest, grid[heights.argmax()], 1e-4), "where the left side is greatest"
    yield not near(largest, heights.max(), 1e-4), "the largest lambda is the greatest"
    yield near(z, delta ** (1 / 3), 1e-6), "without weight decay"
    yield near((delta - z**3) * z, decay, 1e-4) and z < grid[heights.argmax()], "the smaller"
    right = brentq(lambda z: (delta - z**3) * z - decay, grid[heights.argmax()], grid[-1])
    yield not near(z, right, 1e-4), "solve (delta - z^3) z = lambda"


@exercise("ex-08-tie", draws={"delta": [n / 100 for n in range(50, 300)], "d_2": [n / 100 for n in range(10, 300)]})
def tie(case: str, product: float, rate: float, *, delta: float, d_2: float) -> Mistakes:
    """One of the four names, and two numbers."""
    yield case == "crossing", "it is a tie"
    yield case != "saddle", "the product is negative"
    yield product == 0, "t grows"
    yield not near(product, 1 / delta, 1e-4), "1 / z grows at a rate that tends"
    yield near(rate, delta * d_2, 1e-6), "its root"
    yield not near(rate, delta * sqrt(d_2), 1e-4), "near the limit P is zero and u"


@exercise("ex-08-zero", draws={"seed": range(100_000)})
def zero(limit: Sequence[float], word: str, *, seed: int) -> Mistakes:
    """Three numbers, and one of the three texts."""
    start = np.random.default_rng(seed).normal(size=3)
    given, right = np.asarray(limit, dtype=float), np.asarray(limit_point(start, target=0))
    least = np.abs(start).argmin()
    if not np.allclose(given, right, atol=1e-6):
        yield not given.any(), "their squares differ"
        yield np.allclose(given, np.where(np.arange(3) == least, 0, start), atol=1e-6), "from all three"
        yield np.allclose(np.abs(given), np.abs(right), atol=1e-6), "its sign"
        yield True, "the squares fall by one amount"
    yield word == "asymptotically stable", "rest as well"
    yield word != "stable", "paths that start near do not go"


@exercise("ex-08-plastic", draws={"side": [n / 10_000 for n in range(6_000, 14_000)]})
def plastic(top: float, start: Sequence[float], *, side: float) -> Mistakes:
    """A number, and three numbers from 0 to the side of the cube."""
    yield near(top, 1, 1e-6), "of the diagonal"
    yield not near(top, brentq(lambda rho: rho**3 - side**2 * rho - 1, 1, 3), 1e-4), "take d_1 = 0 and d_2 = side^2"
    point = np.asarray(start, dtype=float)
    yield point.shape != (3,) or point.min() < 0 or point.max() > side, "the start is to have three numbers"
    yield np.count_nonzero(point) < 2, "does not move"
    reached = float(np.max(limit_point(point)))
    yield not (reached > top - 1e-3), "only to", reached


@exercise("ex-08-returns", draws={"seed": range(100_000), "time": [n / 2 for n in range(40, 200)]})
def returns(fall: float, meets: int, turns: int, *, seed: int, time: float) -> Mistakes:
    """A number, and two numbers of times."""
    rng = np.random.default_rng(seed)
    start, normal = rng.uniform(0.2, 1.2, size=3), rng.normal(size=3)
    end = np.asarray(limit_point(start))
    yield fall == 0, "periodic orbit"
    yield not near(fall, (1 - start.prod()) ** 2 / 2, 1e-5), "in the limit the product is 1"
    yield meets == 0, "both sides"
    amount = np.linspace(0, 1, 200_001)[:, None] * (end**2 - start**2)  # by which all squares have changed
    heights = np.sqrt(start**2 + amount) @ normal
    level = (heights[0] + heights[-1]) / 2
    yield meets != int((np.diff(np.sign(heights - level)) != 0).sum()), "count the steps at which `heights`"
    right = ceil((time - 0.1) / (2 * pi))
    yield turns == 2 * right, "half plane"
    yield turns != right, "it crosses at t = 0.1 and then"
