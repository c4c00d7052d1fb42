"""Chapter 19: checks of its exercises."""

from __future__ import annotations

from math import ceil, log2, pi, sin

from sympy import primerange

from companion.exercises.registry import Mistakes, essay, exercise, number


@exercise("ex-19-signs", draws={"n": range(5, 19), "arms": range(20, 400)})
def signs(least: float, pairs: int, *, n: int, arms: int) -> Mistakes:
    """A p value, to three digits, and a number of pairs."""
    one_sided = ("one-sided", 2.0**-n)
    yield from number(least, 2.0 ** (1 - n), "count the patterns of signs whose", one_sided)
    needed = 1 + ceil(log2(arms / 0.05))
    yield pairs == 1 + ceil(log2(1 / 0.05)) != needed, "one arm alone"
    if pairs < needed:
        yield True, "cannot reject", pairs, 2.0 ** (1 - pairs)
    yield pairs != needed, "fewer pairs suffice"


@exercise(
    "ex-19-renaming",
    draws={
        "p": tuple(primerange(23, 50)),
        "n": range(4, 11),
        "radius": [r / 100 for r in range(50, 200)],
    },
)
def renaming(before: float, after: float, *, p: int, n: int, radius: float) -> Mistakes:
    """Two lengths, to three digits."""
    right = [2 * radius * sin(k * pi / p) for k in (1, n)]
    yield from number(before, right[0], "a step is the chord", ("a mean", p * right[0]))
    typical = ("along the circle", n * right[0]), ("neighbours in number", right[0])
    yield from number(after, right[1], "after it", *typical)


own = essay("ex-19-own")
