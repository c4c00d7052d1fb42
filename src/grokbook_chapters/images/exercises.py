"""Chapter 15: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from companion.exercises.registry import Mistakes, exercise, near, number
from grokbook_chapters.images import class_collapse
from grokbook_chapters.images.neural_collapse import simplex_distance, within_class_share


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
    logarithms = [("natural logarithm", right / log(base)) for base in (2, 10)]
    products = [("rate times decay", log(alpha) / one) for one in (decay, rate)]
    parts = [
        ("share of what is left", part / (rate * decay)) for part in (1 - 1 / alpha, alpha - 1)
    ]
    typical = (*logarithms, *products, *parts)
    # wide enough for ln(alpha) / (rate decay), the same at small steps
    yield from number(
        steps, right, "with so many steps alpha (1 - rate", *typical, within=0.005 * right
    )


@exercise("ex-15-three", draws={"a": range(20), "b": range(20, 40), "c": range(40, 80)})
def three(end: Sequence[float], same: float, *, a: int, b: int, c: int) -> Mistakes:
    """Three numbers, and a number, all to three digits."""
    classes, found = [0, 0, 1], np.asarray(end, dtype=float)

    def limit(last: float) -> np.ndarray:
        return class_collapse.flow(np.array([[a], [b], [last]], dtype=float), classes, [np.inf])[
            0
        ].ravel()

    if not near(found, limit(c)):
        yield np.ptp(found) < 1e-9, "keep their ratio"
        yield not near(found[0], found[1]), "attract each other"
        means = ("sum of the squares", [(a + b) / 2, (a + b) / 2, c])
        yield from number(found, limit(c), "the end is the class means times", means)
    yield from number(same, (a + b) / 2, "the other class")


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
    sizes = np.array([small, middle, large])
    classes = np.repeat([0, 1, 2], sizes)
    features, times = (
        np.random.default_rng(seed).normal(size=(classes.size, 4)),
        np.array([0.0, 0.1, 0.5, 2.0, 9.0]),
    )
    means = np.array([features[classes == k].mean(axis=0) for k in range(3)])
    apart = ((features - means[classes]) ** 2).sum(axis=1)
    within = [(np.exp(-4 * sizes[classes] * t / (features**2).sum()) * apart).sum() for t in times]
    between = (sizes[:, None] * (means - features.mean(axis=0)) ** 2).sum()
    given, form = np.asarray(shapes, dtype=float), simplex_distance(features, classes)
    yield not given.any(), "a regular simplex"
    yield given.shape != (5,) or not near(given[0], form), "at time 0"
    yield from number(given, np.full(5, form), "the means are all multiplied")
    still = ("as if nothing moved", np.full(5, within_class_share(features, classes)))
    yield from number(share, within / (within + between), "take within_class_share", still)
    yield not bool(falls), "at every time"
