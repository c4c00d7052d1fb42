"""Chapter 08: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, copysign, exp, pi, sqrt

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from companion.exercises.registry import (
    ROUGH,
    Mistakes,
    divided,
    exercise,
    near,
    number,
    tolerance,
    too_rough,
)
from grokbook.theory.triple_product import limit_point, velocity


@exercise(
    "ex-08-hand",
    draws={
        "d_1": divided(range(10, 100), 100),
        "d_2": divided(range(110, 300), 100),
        "sign": (1, -1),
    },
)
def hand(limit: Sequence[float], *, d_1: float, d_2: float, sign: int) -> Mistakes:
    """Three numbers, to three digits."""
    if near(limit, right := limit_point((0, sign * sqrt(d_1), sqrt(d_2)))):
        return
    yield too_rough(limit, right), ROUGH
    x, w, u = map(float, limit)
    yield not (near(w * w - x * x, d_1) and near(u * u - x * x, d_2)), "the gaps"
    yield not near(x * w * u, 1), "the product", x * w * u
    yield True, "only the smallest"


@exercise(
    "ex-08-two",
    draws={
        "x": divided(range(10, 90), 100),
        "w": divided(range(-100, -200, -1), 100),
        "delta": divided(range(5, 20), 10),
    },
)
def two(
    limit: Sequence[float],
    eigenvalues: Sequence[float],
    drawn: float,
    *,
    x: float,
    w: float,
    delta: float,
) -> Mistakes:
    """A point, two eigenvalues, and a number w, all to three digits."""
    gap = w * w - x * x
    b = copysign(sqrt((gap + sqrt(gap**2 + 4 * delta**2)) / 2), max(w, x, key=abs))
    if not near(limit, right := (delta / b, b)):
        yield too_rough(limit, right), ROUGH
        first, other = map(float, limit)
        yield not near(first * other, delta), "the product", first * other
        yield not near(other**2 - first**2, gap), "x^2 - w^2 is conserved"
        yield True, "the larger one"
    a = delta / b
    # of ((delta - xw) w, (delta - xw) x)
    linear = [[-b * b, delta - 2 * a * b], [delta - 2 * a * b, -a * a]]
    given = np.sort(np.array(eigenvalues, dtype=float))
    origin = ("of the origin", [-delta, delta])
    yield from number(given, np.linalg.eigvalsh(linear), "one of the two is zero", origin)
    yield from number(drawn, -x, "on the stable line of the saddle", ("leads away", x))


@exercise(
    "ex-08-decay",
    draws={
        "delta": divided(range(80, 200), 100),
        "decay": divided(range(40, 80), 1000),
        "time": range(5, 15),
    },
)
def decay(
    share: float, largest: float, z: float, *, delta: float, decay: float, time: float
) -> Mistakes:
    """A share from 0 to 1, and two numbers, all to three digits."""
    start = np.array([0.2, 0.5, 0.9])

    def moves(_: float, y: np.ndarray) -> np.ndarray:
        return velocity(y, target=delta) - decay * y

    path = solve_ivp(moves, (0, time), start, rtol=1e-9, atol=1e-12)
    x, w, _ = path.y[:, -1]
    left = (x * x - w * w) / (start[0] ** 2 - start[1] ** 2)
    yield from number(share, left, "the rate of x^2 - w^2", ("twice the rate", exp(-decay * time)))
    grid = np.linspace(0, delta ** (1 / 3), 100_001)
    heights = (delta - grid**3) * grid
    place = grid[heights.argmax()]
    where = ("where the left side is greatest", place)
    yield from number(largest, heights.max(), "the largest lambda is the greatest", where)

    def gap(z: float) -> float:
        return (delta - z**3) * z - decay

    small = brentq(gap, 0, place)
    right = brentq(gap, place, grid[-1])
    typical = ("without weight decay", delta ** (1 / 3)), ("the smaller", small)
    yield from number(z, right, "solve (delta - z^3) z = lambda", *typical)


@exercise(
    "ex-08-tie",
    draws={
        "delta": divided(range(50, 300), 100),
        "d_2": divided([n for n in range(10, 300) if not 97 < n < 103], 100),
    },
)
def tie(case: str, product: float, rate: float, *, delta: float, d_2: float) -> Mistakes:
    """One of the four names, and two numbers, to three digits."""
    yield case == "crossing", "it is a tie"
    yield case != "saddle", "the product is negative"
    yield from number(product, 1 / delta, "1 / z grows at a rate that tends", ("t grows", 0))
    root = ("its root", delta * d_2)
    yield from number(rate, delta * sqrt(d_2), "near the limit P is zero and u", root)


@exercise("ex-08-zero", draws={"seed": range(100_000)})
def zero(limit: Sequence[float], word: str, *, seed: int) -> Mistakes:
    """Three numbers, to three digits, and one of the three texts."""
    start = np.random.default_rng(seed).normal(size=3)
    given = np.asarray(limit, dtype=float)
    right = np.asarray(limit_point(start, target=0))
    least = np.abs(start).argmin()
    yield not given.any(), "their squares differ"
    yield near(np.abs(given), np.abs(right)) and not near(given, right), "its sign"
    some = ("from all three", np.where(np.arange(3) == least, 0, start))
    yield from number(given, right, "the squares fall by one amount", some)
    yield word == "asymptotically stable", "rest as well"
    yield word != "stable", "paths that start near do not go"


@exercise("ex-08-plastic", draws={"side": divided(range(6_000, 14_000), 10_000)})
def plastic(top: float, start: Sequence[float], *, side: float) -> Mistakes:
    """A number, to three digits, and three numbers from 0 to the side of the cube."""
    right = brentq(lambda rho: rho**3 - side**2 * rho - 1, 1, 3)
    yield from number(top, right, "take d_1 = 0 and d_2 = side^2", ("of the diagonal", 1))
    point = np.asarray(start, dtype=float)
    outside = point.shape != (3,) or point.min() < 0 or point.max() > side + tolerance(side)
    yield outside, "the start is to have three numbers"
    yield np.count_nonzero(point) < 2, "does not move"
    reached = float(np.max(limit_point(point)))
    rounded = tolerance(side)  # the largest limit grows by less than the side does
    yield not (reached > right - 1e-3 - rounded), "only to", reached


@exercise("ex-08-returns", draws={"seed": range(100_000), "time": divided(range(40, 200), 2)})
def returns(fall: float, meets: int, turns: int, *, seed: int, time: float) -> Mistakes:
    """A number, to three digits, and two numbers of times."""
    rng = np.random.default_rng(seed)
    start = rng.uniform(0.2, 1.2, size=3)
    normal = rng.normal(size=3)
    end = np.asarray(limit_point(start))
    loss = (1 - start.prod()) ** 2 / 2
    yield from number(fall, loss, "in the limit the product is 1", ("periodic orbit", 0))
    yield meets == 0, "both sides"
    # by which all squares have changed
    amount = np.linspace(0, 1, 200_001)[:, None] * (end**2 - start**2)
    heights = np.sqrt(start**2 + amount) @ normal
    level = (heights[0] + heights[-1]) / 2
    crossings = np.count_nonzero(np.diff(np.sign(heights - level)))
    yield meets != crossings, "count the steps at which `heights`"
    right = ceil((time - 0.1) / (2 * pi))
    yield turns == 2 * right, "half plane"
    yield turns != right, "it crosses at t = 0.1 and then"
