"""Chapter 03a: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import linalg

from companion.exercises.registry import Mistakes, divided, exercise, near, number, tolerance
from grokbook.measures import med
from grokbook.theory.one_frequency import circle
from grokbook.theory.toeplitz_start import squared_steps
from grokbook.theory.uniformity import closeness
from grokbook_chapters.norms_and_starts.med_limit import med_limit


@exercise("ex-03-basis", draws={"m": (4, 5, 6), "n": (3, 4, 5), "seed": range(100_000)})
def basis(c: float, C: float, *, m: int, n: int, seed: int) -> Mistakes:
    """Two numbers, to three digits."""
    rng = np.random.default_rng(seed)
    # singular values in falling order; a map of rank one attains c, a partial isometry the least C
    domain = linalg.svdvals(rng.normal(size=(n, n)))
    codomain = linalg.svdvals(rng.normal(size=(m, m)))
    right = domain[-1] / codomain[0]
    typical = ("as for orthonormal bases", 1), ("interchanged", codomain[-1] / domain[0])
    yield from number(c, right, "c is too large" if c > right else "c is too small", *typical)
    rank = min(m, n)
    gains = domain[:rank] / codomain[::-1][:rank]
    least = np.sqrt((gains**2).sum())
    most = rank**0.5 * domain[0] / codomain[-1]
    if least - tolerance(least) <= C <= most + tolerance(most):
        return
    yield near(C, domain[0] / codomain[-1]), "several singular values"
    yield least > C, "C is too small", least
    yield True, "larger than it needs to be"


@exercise(
    "ex-03a-circulant",
    draws={"a": range(2, 12), "b": range(12, 22), "c": range(2, 12), "d": range(12, 22)},
)
def circulant(
    before: Sequence[float],
    circulant: Sequence[Sequence[float]],
    after: float,
    *,
    a: int,
    b: int,
    c: int,
    d: int,
) -> Mistakes:
    """Three numbers, three rows of three numbers, and a number, all to three digits."""
    toeplitz = linalg.toeplitz((1, a, b), (1, c, d))
    right = linalg.circulant((1, a, b))
    yield len(before) != 3, "the closing step"
    yield not near(before, squared_steps(toeplitz)), "a squared step is the sum"
    given = np.asarray(circulant, dtype=float)
    typical = ("keeps the row", linalg.circulant((1, c, d)).T), ("do not close up", toeplitz)
    yield from number(given, right, "the first column is kept", *typical)
    step = squared_steps(right)[0]
    yield from number(after, step, "take the first two rows", ("not squared", step**0.5))


@exercise(
    "ex-03a-three",
    draws={"p": (5, 7, 11, 13), "k": range(1, 5), "radius": divided(range(50, 500), 100)},
)
def three(delta: float, quotient: float, *, p: int, k: int, radius: float) -> Mistakes:
    """A radius, and a quotient of two lengths, both to three digits."""
    table = circle(p, k, radius)
    radii = closeness(table)
    right = med(table) / med_limit(radii.deltas)
    centre = ("centre", 2 * radius)
    yield from number(delta, radii.delta, "the sums of a class lie on a line", centre)
    typical = ("by the radius", med(table) / radii.delta), ("upside down", 1 / right)
    yield from number(quotient, right, "divide MED of the circle by 4/3", *typical)
