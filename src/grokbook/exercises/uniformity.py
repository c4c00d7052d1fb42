"""Chapter 03: checks of its exercises."""

from __future__ import annotations

import numpy as np
from sympy import primerange

from grokbook.exercises.asked import exercise, near
from grokbook.theory.uniformity import class_sums


@exercise("ex-03-line", draws={"p": tuple(primerange(5, 60)), "r": range(1, 5), "total": range(-50, 51)})
def line(x: np.ndarray, *, p: int, r: int, total: int) -> str | None:
    """An array of p numbers."""
    x = np.asarray(x, dtype=float)
    if x.shape != (p,):
        return f"one number for each of the {p} residues is needed, and your array has the shape {x.shape}."
    if np.ptp(x) < 1e-9:
        return "a constant embedding has all classes at one point; one that is not constant is asked for."
    sums = class_sums(x[:, None])[..., 0]
    if np.allclose(sums[r], total):
        return None
    if np.ptp(sums[r]) < 1e-9:
        return f"the sums of class {r} are equal, and equal to {sums[r][0]:g} instead of {total}."
    near_one = int(np.argmin(np.ptp(sums, axis=1)))
    return f"the sums of class {r} go from {sums[r].min():g} to {sums[r].max():g}; closest is class {near_one}."


@exercise("ex-03-multiply", draws={"p": tuple(primerange(11, 60)), "seed": range(100_000)})
def multiply(common: float, zero: float, *, p: int, seed: int) -> str | None:
    """Two numbers."""
    phi = np.random.default_rng(seed).normal(size=p)
    sums, products = phi[:, None] + phi, np.outer(np.arange(p), np.arange(p)) % p
    if near(common, 2 * phi.mean(), 1e-5):
        return "this is the mean over the symbol 0 too, which no cell of such a class has."
    if not near(common, sums[products == 1].mean(), 1e-5):
        return "in the class of r the cells are (i, r/i), and r/i runs through all symbols but 0."
    if near(zero, phi[0] + phi.mean(), 1e-5):
        return "this counts the cell (0, 0) twice, once in its row and once in its column."
    right = sums[products == 0].mean()
    return None if near(zero, right, 1e-5) else "class 0 has the 2p - 1 cells of one row and one column."


@exercise(
    "ex-03-product", draws={"p": tuple(primerange(13, 60)), "u": range(1, 100), "v": range(101, 200), "r": range(1, 6)}
)
def product(share: float, twin: int, *, p: int, u: int, v: int, r: int) -> str | None:
    """A share between 0 and 1, and a class."""
    right = (u - v) ** 2 / (2 * (u**2 + v**2))
    if near(share, 0.5, 1e-6) and not near(right, 0.5, 1e-6):
        return "one half is the share of one product alone."
    if near(share, 1 - right, 1e-6) and not near(right, 0.5, 1e-6):
        return "this is the other part, which depends on i - j."
    if not near(share, right, 1e-5):
        return "write both products as cosines of i + j and of i - j, and compare the squares of their factors."
    if twin == r:
        return "this is the class itself."
    return None if twin % p == -r % p else "the cosine of an angle is that of which other angle?"
