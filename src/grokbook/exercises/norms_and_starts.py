"""Chapter 03a: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg
from sympy import primerange

from grokbook.exercises.asked import exercise, near
from grokbook.measures import med
from grokbook.theory.one_frequency import circle
from grokbook.theory.toeplitz_start import squared_steps
from grokbook.theory.uniformity import closeness, med_limit


@exercise("ex-03-basis", draws={"m": (4, 5, 6), "n": (3, 4, 5), "seed": range(100_000)})
def basis(c: float, C: float, *, m: int, n: int, seed: int) -> str | None:
    """Two numbers."""
    rng = np.random.default_rng(seed)
    # singular values in falling order; a map of rank one attains c, a partial isometry the least C
    domain, codomain = (linalg.svdvals(rng.normal(size=(size, size))) for size in (n, m))
    if near(c, 1, 1e-9):
        return "these are constants as for orthonormal bases."
    if near(c, domain[-1] / codomain[0], 1e-6):
        some = min(m, n)
        least = np.sqrt(((domain[:some] / codomain[::-1][:some]) ** 2).sum())
        most = some**0.5 * domain[0] / codomain[-1]
        if near(C, domain[0] / codomain[-1], 1e-6):
            return "this C is enough for a map of rank one; a Frobenius norm adds up several singular values."
        if least > C * (1 + 1e-6):
            return f"this C is too small: for some A the quotient is {least:.4g}."
        return None if most * (1 + 1e-6) >= C else "this C is larger than it needs to be for orthonormal bases."
    if near(c, codomain[-1] / domain[0], 1e-6):
        return "the two bases are interchanged: A = B_W M B_V^-1."
    return f"this c is too {'large' if c > domain[-1] / codomain[0] else 'small'}: bound the norm of A = B_W M B_V^-1."


@exercise("ex-03a-circulant", draws={"a": range(2, 12), "b": range(12, 22), "c": range(2, 12), "d": range(12, 22)})
def circulant(
    before: Sequence[float], circulant: Sequence[Sequence[float]], after: float, *, a: int, b: int, c: int, d: int
) -> str | None:
    """Three numbers, three rows of three numbers, and a number."""
    toeplitz, right = linalg.toeplitz((1, a, b), (1, c, d)), linalg.circulant((1, a, b))
    if len(before) != 3:
        return "there are three steps, the closing step from the last row to the first among them."
    if not np.allclose(before, squared_steps(toeplitz)):
        return "a squared step is the sum of the squared differences of a row and the next one."
    given = np.asarray(circulant, dtype=float)
    if given.shape == (3, 3) and np.allclose(given, linalg.circulant((1, c, d)).T):
        return "this matrix keeps the row; the first column is to be kept."
    if given.shape == (3, 3) and np.allclose(given, toeplitz):
        return "the diagonals of this matrix do not close up: the second row is not the first, moved by one place."
    if given.shape != (3, 3) or not np.allclose(given, right):
        return "the first column is kept, and each row is the one above, moved by one place."
    if near(after**2, squared_steps(right)[0], 1e-6):
        return "this is the length of a step, not squared."
    return None if near(after, squared_steps(right)[0], 1e-6) else "take the first two rows; all steps are alike."


@exercise(
    "ex-03a-three", draws={"p": tuple(primerange(31, 90)), "k": range(1, 15), "radius": [n / 10 for n in range(5, 50)]}
)
def three(delta: float, quotient: float, *, p: int, k: int, radius: float) -> str | None:
    """A radius, and a quotient of two lengths."""
    table = circle(p, k, radius)
    found = closeness(table)
    right = med(table) / med_limit(found.deltas)
    if near(delta, 2 * radius, 1e-6):
        return "the smallest ball has its centre halfway between the ends of a class, and not at 0."
    if not near(delta, found.delta, 1e-5):
        return "the sums of a class lie on a line; half of the distance of the two at its ends is the radius."
    if near(quotient, med(table) / found.delta, 1e-5):
        return "this is MED by the radius of the classes; the bound is 4/3 cos(pi / (2 p)) times that."
    if near(quotient * right, 1, 1e-5) and not near(quotient, right, 1e-5):
        return "this is upside down: MED is below its bound."
    return None if near(quotient, right, 1e-5) else "divide MED of the circle by 4/3 cos(pi / (2 p)) delta."
