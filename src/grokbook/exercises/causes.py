"""Chapter 19: checks of its exercises."""

from __future__ import annotations

from math import ceil, log2, pi, sin

from sympy import primerange

from grokbook.exercises.asked import Mistakes, essay, exercise, near


@exercise("ex-19-signs", draws={"n": range(5, 21), "arms": range(20, 400)})
def signs(least: float, pairs: int, *, n: int, arms: int) -> Mistakes:
    """A p value, and a number of pairs."""
    yield near(least, 2.0**-n, 2e-6), "one-sided"
    yield not near(least / 2.0 ** (1 - n), 1), "count the patterns of signs whose"
    needed = 1 + ceil(log2(arms / 0.05))
    yield pairs == 1 + ceil(log2(1 / 0.05)) != needed, "one arm alone"
    if pairs < needed:
        yield True, "cannot reject", pairs, 2.0 ** (1 - pairs)
    yield pairs != needed, "fewer pairs suffice"


@exercise(
    "ex-19-renaming",
    draws={"p": tuple(primerange(23, 200)), "n": range(2, 11), "radius": [r / 100 for r in range(50, 200)]},
)
def renaming(before: float, after: float, *, p: int, n: int, radius: float) -> Mistakes:
    """Two lengths."""
    right = [2 * radius * sin(k * pi / p) for k in (1, n)]
    yield near(before, p * right[0], 1e-5), "a mean"
    yield not near(before, right[0], 1e-5), "a step is the chord"
    yield near(after, n * right[0], 1e-5), "along the circle"
    yield near(after, right[0], 1e-5), "neighbours in number"
    yield not near(after, right[1], 1e-5), "after it"


own = essay("ex-19-own")
