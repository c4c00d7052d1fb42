"""Chapter 03: checks of its exercises."""

from __future__ import annotations

import numpy as np
from sympy import primerange

from companion.exercises.registry import Mistakes, exercise, number, tolerance
from grokbook.theory.uniformity import class_sums


@exercise(
    "ex-03-line", draws={"p": tuple(primerange(5, 60)), "r": range(1, 5), "total": range(-50, 51)}
)
def line(x: np.ndarray, *, p: int, r: int, total: int) -> Mistakes:
    """An array of p numbers, to three digits."""
    x = np.asarray(x, dtype=float)
    if x.shape != (p,):
        yield True, "one number", x.shape
    yield np.ptp(x) < 1e-9, "constant"
    sums = class_sums(x[:, None])[..., 0]
    rounding = class_sums(tolerance(x)[:, None])[r, :, 0]
    if (np.abs(sums[r] - total) <= rounding + 1e-9).all():
        return
    if np.ptp(sums[r]) < 1e-9:
        yield True, "equal, and equal to", sums[r][0]
    near_one = int(np.argmin(np.ptp(sums, axis=1)))
    yield True, "closest is class", sums[r].min(), sums[r].max(), near_one


@exercise("ex-03-multiply", draws={"p": tuple(primerange(11, 60)), "seed": range(100_000)})
def multiply(common: float, zero: float, *, p: int, seed: int) -> Mistakes:
    """Two numbers, to three digits."""
    phi = np.random.default_rng(seed).normal(size=p)
    sums = phi[:, None] + phi
    products = np.outer(np.arange(p), np.arange(p)) % p
    of_one = sums[products == 1].mean()
    of_none = sums[products == 0].mean()
    with_zero = ("the symbol 0 too", 2 * phi.mean())
    yield from number(common, of_one, "in the class of r the cells are (i", with_zero)
    twice = ("the cell (0, 0) twice", phi[0] + phi.mean())
    yield from number(zero, of_none, "class 0 has the 2p - 1 cells", twice)


@exercise(
    "ex-03-product",
    draws={
        "p": tuple(primerange(13, 60)),
        "u": range(1, 100),
        "v": range(101, 200),
        "r": range(1, 6),
    },
)
def product(share: float, twin: int, *, p: int, u: int, v: int, r: int) -> Mistakes:
    """A share between 0 and 1, to three digits, and a class."""
    right = (u - v) ** 2 / (2 * (u**2 + v**2))
    typical = (("one product alone", 0.5), ("the other part", 1 - right))
    yield from number(share, right, "write both products as cosines", *typical)
    yield twin == r, "the class itself"
    yield twin % p != -r % p, "the cosine of an angle"
