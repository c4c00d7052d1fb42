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
    chord = 2 * radius * sin(pi / p)
    yield from number(before, chord, "a step is the chord", ("a mean", p * chord))
    typical = (("along the circle", n * chord), ("neighbours in number", chord))
    yield from number(after, 2 * radius * sin(n * pi / p), "after it", *typical)


own = essay("ex-19-own")
