"""Chapter 19: checks of its exercises."""

from __future__ import annotations

from math import ceil, log2, pi, sin

from sympy import primerange

from grokbook.exercises.asked import essay, exercise, near


@exercise("ex-19-signs", draws={"n": range(5, 21), "arms": range(20, 400)})
def signs(least: float, pairs: int, *, n: int, arms: int) -> str | None:
    """A p value, and a number of pairs."""
    if near(least, 2.0**-n, 2e-6):
        return "this is one-sided: all signs minus is as far from a coin as all signs plus."
    if not near(least / 2.0 ** (1 - n), 1):
        return "count the patterns of signs whose sum is as large as it can be, of 2^n."
    needed = 1 + ceil(log2(arms / 0.05))
    if pairs == 1 + ceil(log2(1 / 0.05)) != needed:
        return f"so many suffice for one arm alone; Holm's first step divides 5 % by {arms}."
    if pairs < needed:
        return f"{pairs} pairs cannot reject: their least value, {2.0 ** (1 - pairs):.2g}, is above 0.05/{arms}."
    return None if pairs == needed else "fewer pairs suffice."


@exercise(
    "ex-19-renaming",
    draws={"p": tuple(primerange(23, 200)), "n": range(2, 11), "radius": [r / 100 for r in range(50, 200)]},
)
def renaming(before: float, after: float, *, p: int, n: int, radius: float) -> str | None:
    """Two lengths."""
    right = [2 * radius * sin(k * pi / p) for k in (1, n)]
    if near(before, p * right[0], 1e-5):
        return "MED is a mean over the p steps, and this is their sum."
    if not near(before, right[0], 1e-5):
        return "a step is the chord between two neighbours on the circle."
    if near(after, n * right[0], 1e-5):
        return "n times a chord is longer than the chord over n steps along the circle."
    if near(after, right[0], 1e-5):
        return "neighbours in number are no longer neighbours on the circle."
    return None if near(after, right[1], 1e-5) else f"after it, neighbours are {n} places apart on the circle."


own = essay("ex-19-own")
