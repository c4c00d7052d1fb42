"""Chapter 03a: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg
from sympy import primerange

from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.measures import med
from grokbook.theory.one_frequency import circle
from grokbook.theory.toeplitz_start import squared_steps
from grokbook.theory.uniformity import closeness, med_limit


@exercise("ex-03-basis", draws={"m": (4, 5, 6), "n": (3, 4, 5), "seed": range(100_000)})
def basis(c: float, C: float, *, m: int, n: int, seed: int) -> Mistakes:
    """Two numbers."""
    rng = np.random.default_rng(seed)
    # singular values in falling order; a map of rank one attains c, a partial isometry the least C
    domain, codomain = (linalg.svdvals(rng.normal(size=(size, size))) for size in (n, m))
    yield near(c, 1, 1e-9), "as for orthonormal bases"
    if near(c, domain[-1] / codomain[0], 1e-6):
        some = min(m, n)
        least = np.sqrt(((domain[:some] / codomain[::-1][:some]) ** 2).sum())
        most = some**0.5 * domain[0] / codomain[-1]
        yield near(C, domain[0] / codomain[-1], 1e-6), "several singular values"
        yield least > C * (1 + 1e-6), "C is too small", least
        yield not (most * (1 + 1e-6) >= C), "larger than it needs to be"
        return
    yield near(c, codomain[-1] / domain[0], 1e-6), "interchanged"
    yield c > domain[-1] / codomain[0], "c is too large"
    yield True, "c is too small"


@exercise("ex-03a-circulant", draws={"a": range(2, 12), "b": range(12, 22), "c": range(2, 12), "d": range(12, 22)})
def circulant(
    before: Sequence[float], circulant: Sequence[Sequence[float]], after: float, *, a: int, b: int, c: int, d: int
) -> Mistakes:
    """Three numbers, three rows of three numbers, and a number."""
    toeplitz, right = linalg.toeplitz((1, a, b), (1, c, d)), linalg.circulant((1, a, b))
    yield len(before) != 3, "the closing step"
    yield not np.allclose(before, squared_steps(toeplitz)), "a squared step is the sum"
    given = np.asarray(circulant, dtype=float)
    yield given.shape == (3, 3) and np.allclose(given, linalg.circulant((1, c, d)).T), "keeps the row"
    yield given.shape == (3, 3) and np.allclose(given, toeplitz), "do not close up"
    yield given.shape != (3, 3) or not np.allclose(given, right), "the first column is kept"
    yield near(after**2, squared_steps(right)[0], 1e-6), "not squared"
    yield not near(after, squared_steps(right)[0], 1e-6), "take the first two rows"


@exercise(
    "ex-03a-three", draws={"p": tuple(primerange(31, 90)), "k": range(1, 15), "radius": [n / 10 for n in range(5, 50)]}
)
def three(delta: float, quotient: float, *, p: int, k: int, radius: float) -> Mistakes:
    """A radius, and a quotient of two lengths."""
    table = circle(p, k, radius)
    found = closeness(table)
    right = med(table) / med_limit(found.deltas)
    yield near(delta, 2 * radius, 1e-6), "centre"
    yield not near(delta, found.delta, 1e-5), "the sums of a class lie on a line"
    yield near(quotient, med(table) / found.delta, 1e-5), "by the radius"
    yield near(quotient * right, 1, 1e-5) and not near(quotient, right, 1e-5), "upside down"
    yield not near(quotient, right, 1e-5), "divide MED of the circle by 4/3"
