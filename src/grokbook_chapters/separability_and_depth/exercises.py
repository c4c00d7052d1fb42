"""Chapter 07: checks of its exercises."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import comb, gcd

import numpy as np

from companion.exercises.registry import Mistakes, exercise, near, number
from grokbook_chapters.separability_and_depth.separability import separate


@exercise(
    "ex-07-triangles",
    draws={"dx": [n / 10 for n in range(50, 200)], "dy": [-n / 10 for n in range(50, 200)]},
)
def triangles(a: object, b: object, *, dx: float, dy: float) -> Mistakes:
    """Two arrays of shape (3, 2), the corners of two triangles."""
    first = np.asarray(a, dtype=float)
    second = np.asarray(b, dtype=float)
    if first.shape != (3, 2) or second.shape != (3, 2):
        yield True, "the corners of a triangle", first.shape, second.shape
    sides = np.stack([first[1:] - first[0], second[1:] - second[0]])
    yield bool((abs(np.linalg.det(sides)) < 1e-9).any()), "no triangle"

    def apart(direction: tuple[float, float]) -> bool:
        one = first @ direction
        other = second @ direction
        return bool(one.max() < other.min() or other.max() < one.min())

    for name, direction in (("first", (1, 0)), ("second", (0, 1))):
        yield apart(direction), "separable on the N axis too", name
    yield not apart((dx, dy)), "on the direction"


@exercise(
    "ex-07-composite",
    draws={
        "modulus": (6, 8, 9, 10, 12, 14, 15),
        "r": range(6),
        "i": range(6),
        "seed": range(100_000),
    },
)
def composite(
    stuck: Collection[int], gap: float, *, modulus: int, r: int, i: int, seed: int
) -> Mistakes:
    """A list of classes from 0 to modulus - 1, and a distance, to three digits."""
    given = {int(s) for s in stuck}
    others = set(range(modulus)) - {r}
    yield not given, "needs a prime"
    yield given == others, "apart from some"
    yield given != {s for s in others if gcd(s - r, modulus) > 1}, "a common divisor"
    first, second = np.random.default_rng(seed).normal(size=(2, modulus, 2 * modulus))
    n = np.arange(modulus)
    own = first + second[(r - n) % modulus]
    next_class = first + second[(r + 1 - n) % modulus]
    right = separate(np.delete(own, i, axis=0), next_class).gap
    yield from number(gap, right, "the gap is that of `separate`", ("with the full class", 0))


@exercise(
    "ex-07-cover",
    draws={"n": range(24, 60, 2), "shift": (-3, -2, -1, 1, 2, 3), "seed": range(100_000)},
)
def cover(crossing: int, estimate: float, *, n: int, shift: int, seed: int) -> Mistakes:
    """A number of dimensions, and a share from 0 to 1, as exact as 100 draws make it."""
    yield crossing != n // 2 - 1, "n = 2 (d + 1)"
    share = sum(comb(n - 1, k) for k in range(crossing + shift + 1)) / 2 ** (n - 1)
    if abs(estimate - share) < 5 * (share * (1 - share) / 100) ** 0.5:
        return
    yield estimate == 1, "depend on the points"
    yield (estimate - 0.5) * shift < 0, "the wrong side"
    yield True, "take 100 draws of points"


@exercise("ex-07-falls", draws={"n": range(10, 200), "F": [n / 100 for n in range(10, 91)]})
def falls(
    least: float, most: float, curve: Sequence[float], sparser: str, *, n: int, F: float
) -> Mistakes:
    """Two numbers, n + 1 accuracies from 0 to 1, all to three digits, and one of the three
    texts."""
    yield from number(least, F, "is a part of the total")
    total_of_most = -(-n // 2) * F
    yield from number(
        most, total_of_most, "every second interval can fall", ("without a rise", n * F)
    )
    values = np.asarray(curve, dtype=float)
    yield (
        values.shape != (n + 1,) or values.min() < 0 or values.max() > 1,
        "the curve needs N accuracies",
        n + 1,
    )
    largest = float((np.maximum.accumulate(values) - values).max())
    total = float(np.maximum(-np.diff(values), 0).sum())
    yield not near(largest, F), "the largest fall of your curve", largest
    if not near(total, total_of_most):
        yield near(total, F), "is the least", total
        yield True, "the total fall of your curve is N", total
    yield sparser != "only smaller", "cannot grow"
