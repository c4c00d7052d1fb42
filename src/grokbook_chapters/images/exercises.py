"""Chapter 15: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from companion.exercises.registry import Mistakes, exercise, near, number
from grokbook_chapters.images import class_collapse
from grokbook_chapters.images.neural_collapse import (
    class_parts,
    simplex_distance,
    within_class_share,
)


@exercise(
    "ex-15-wait",
    draws={
        "alpha": [n / 10 for n in range(20, 101)],
        "rate": (0.0005, 0.001, 0.002, 0.003),
        "decay": [n / 100 for n in range(10, 100)],
    },
)
def wait(steps: float, *, alpha: float, rate: float, decay: float) -> Mistakes:
    """A number of steps, to three digits or to the whole step before or after."""
    right = -log(alpha) / log(1 - rate * decay)
    pace = rate * decay
    typical = (
        ("natural logarithm", right / log(2)),
        ("natural logarithm", right / log(10)),
        ("rate times decay", log(alpha) / decay),
        ("rate times decay", log(alpha) / rate),
        ("share of what is left", (1 - 1 / alpha) / pace),
        ("share of what is left", (alpha - 1) / pace),
    )
    wide = 0.005 * right  # enough for ln(alpha) / (rate decay), the same at small steps
    yield from number(steps, right, "with so many steps alpha (1 - rate", *typical, within=wide)


@exercise("ex-15-three", draws={"a": range(20), "b": range(20, 40), "c": range(40, 80)})
def three(end: Sequence[float], same: float, *, a: int, b: int, c: int) -> Mistakes:
    """Three numbers, and a number, all to three digits."""
    given = np.asarray(end, dtype=float)
    start = np.array([[a], [b], [c]], dtype=float)
    limit = class_collapse.flow(start, [0, 0, 1], [np.inf]).ravel()
    mean = (a + b) / 2
    if not near(given, limit):
        yield np.ptp(given) < 1e-9, "keep their ratio"
        yield not near(given[0], given[1]), "attract each other"
        means = ("sum of the squares", [mean, mean, c])
        yield from number(given, limit, "the end is the class means times", means)
    yield from number(same, mean, "the other class")


@exercise(
    "ex-15-shape",
    draws={
        "small": range(2, 6),
        "middle": range(6, 16),
        "large": range(30, 61),
        "seed": range(100_000),
    },
)
def shape(
    shapes: Sequence[float],
    share: Sequence[float],
    falls: bool,
    *,
    small: int,
    middle: int,
    large: int,
    seed: int,
) -> Mistakes:
    """Five numbers, five numbers, all to three digits, True or False."""
    classes = np.repeat([0, 1, 2], [small, middle, large])
    features = np.random.default_rng(seed).normal(size=(classes.size, 4))
    times = np.array([[0.0], [0.1], [0.5], [2.0], [9.0]])
    parts = class_parts(features, classes)
    squares = (parts.deviations**2).sum(axis=1)
    rates = 4 * parts.sizes / (features**2).sum()
    within = (np.exp(-rates * times) * squares).sum(axis=1)
    between = ((parts.means - features.mean(axis=0)) ** 2).sum()
    given = np.asarray(shapes, dtype=float)
    form = simplex_distance(features, classes)
    yield not given.any(), "a regular simplex"
    yield given.shape != (5,) or not near(given[0], form), "at time 0"
    yield from number(given, np.full(5, form), "the means are all multiplied")
    still = ("as if nothing moved", np.full(5, within_class_share(features, classes)))
    yield from number(share, within / (within + between), "take within_class_share", still)
    yield not bool(falls), "at every time"
