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
    both = [np.asarray(one, dtype=float) for one in (a, b)]
    if any(one.shape != (3, 2) for one in both):
        yield True, "the corners of a triangle", both[0].shape, both[1].shape
    yield any(abs(np.linalg.det(one[1:] - one[0])) < 1e-9 for one in both), "no triangle"

    def apart(direction: Sequence[float]) -> bool:
        first, second = (one @ np.asarray(direction, dtype=float) for one in both)
        return bool(first.max() < second.min() or second.max() < first.min())

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
    yield not given, "needs a prime"
    yield given == set(range(modulus)) - {r}, "apart from some"
    yield given != {s for s in range(modulus) if gcd(s - r, modulus) > 1} - {r}, "a common divisor"
    first, second = np.random.default_rng(seed).normal(size=(2, modulus, 2 * modulus))
    sums = [
        np.array([first[n] + second[(s - n) % modulus] for n in range(modulus)]) for s in (r, r + 1)
    ]
    right = separate(np.delete(sums[0], i, axis=0), sums[1]).gap
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
