"""Chapter 07: checks of its exercises."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import comb, gcd

import numpy as np

from grokbook.exercises.asked import exercise, near
from grokbook.measures import separate


@exercise("ex-07-triangles", draws={"dx": [n / 10 for n in range(50, 200)], "dy": [-n / 10 for n in range(50, 200)]})
def triangles(a: object, b: object, *, dx: float, dy: float) -> str | None:
    """Two arrays of shape (3, 2), the corners of two triangles."""
    both = [np.asarray(one, dtype=float) for one in (a, b)]
    if any(one.shape != (3, 2) for one in both):
        return f"the corners of a triangle are an array of shape (3, 2), not {both[0].shape} and {both[1].shape}."
    if any(abs(np.linalg.det(one[1:] - one[0])) < 1e-9 for one in both):
        return "one of them is no triangle: its corners lie on a line."

    def apart(direction: Sequence[float]) -> bool:
        first, second = (one @ np.asarray(direction, dtype=float) for one in both)
        return bool(first.max() < second.min() or second.max() < first.min())

    for name, direction in (("first", (1, 0)), ("second", (0, 1))):
        if apart(direction):
            return f"these are separable on the {name} axis too: their shadows there do not meet."
    return None if apart((dx, dy)) else "the shadows of the two on the direction (dx, dy) meet."


@exercise(
    "ex-07-composite",
    draws={"modulus": (6, 8, 9, 10, 12, 14, 15), "r": range(6), "i": range(6), "seed": range(100_000)},
)
def composite(stuck: Collection[int], gap: float, *, modulus: int, r: int, i: int, seed: int) -> str | None:
    """A list of classes from 0 to modulus - 1, and a distance."""
    given = {int(s) for s in stuck}
    if not given:
        return "the proof needs a prime: with this modulus steps of s - r need not lead through all residues."
    if given == set(range(modulus)) - {r}:
        return "from none is what one has with the full grid; a missing cell sets class r apart from some."
    if given != {s for s in range(modulus) if gcd(s - r, modulus) > 1} - {r}:
        return "count every s for which s - r and the modulus have a common divisor, dividing it or not."
    if near(gap, 0, 1e-6):
        return "with the full class the gap is zero; without the cell it is not."
    first, second = np.random.default_rng(seed).normal(size=(2, modulus, 2 * modulus))
    sums = [np.array([first[n] + second[(s - n) % modulus] for n in range(modulus)]) for s in (r, r + 1)]
    right = separate(np.delete(sums[0], i, axis=0), sums[1]).gap
    return None if near(gap, right, 1e-4) else "the gap is that of `separate` for `left` and the next class."


@exercise("ex-07-cover", draws={"n": range(24, 60, 2), "shift": (-3, -2, -1, 1, 2, 3), "seed": range(100_000)})
def cover(crossing: int, estimate: float, *, n: int, shift: int, seed: int) -> str | None:
    """A number of dimensions, and a share from 0 to 1."""
    if crossing != n // 2 - 1:
        return "one half is reached at n = 2 (d + 1); solve it for d."
    share = sum(comb(n - 1, k) for k in range(crossing + shift + 1)) / 2 ** (n - 1)
    if abs(estimate - share) < 5 * (share * (1 - share) / 100) ** 0.5:
        return None
    if estimate == 1:
        return "all of them are separable; do your labels depend on the points?"
    if (estimate - 0.5) * shift < 0:
        return "this is on the wrong side of one half: more dimensions make more labellings separable."
    return "take 100 draws of points and labels, and the share of those that `convexly_separable` accepts."


@exercise("ex-07-falls", draws={"n": range(10, 200), "F": [n / 100 for n in range(10, 91)]})
def falls(least: float, most: float, curve: Sequence[float], sparser: str, *, n: int, F: float) -> str | None:
    """Two numbers, n + 1 accuracies from 0 to 1, and one of the three texts."""
    if not near(least, F, 1e-9):
        return "the largest fall is a part of the total, which is never smaller."
    if near(most, n * F, 1e-9):
        return "two falls without a rise between them are one fall; of two neighbouring intervals one has to rise."
    if not near(most, -(-n // 2) * F, 1e-9):
        return "every second interval can fall, beginning with the first."
    values = np.asarray(curve, dtype=float)
    if values.shape != (n + 1,) or values.min() < 0 or values.max() > 1:
        return f"the curve needs {n + 1} accuracies from 0 to 1."
    largest = max(float((values[: k + 1] - values[k]).max()) for k in range(n + 1))
    total = sum(max(one - other, 0.0) for one, other in zip(values[:-1], values[1:], strict=True))
    if not near(largest, F, 1e-9):
        return f"the largest fall of your curve is {largest:g}."
    if not near(total, most, 1e-9):
        return f"the total fall of your curve is {total:g}" + ("; this is the least." if near(total, F) else ".")
    if sparser == "only smaller":
        return None
    return "both cannot grow: what is left out only takes pairs away, and a long interval falls no more than its parts."
