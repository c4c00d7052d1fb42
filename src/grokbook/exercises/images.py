"""Chapter 15: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np

from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.measures.neural_collapse import simplex_distance, within_class_share
from grokbook.theory import class_collapse


@exercise(
    "ex-15-wait",
    draws={
        "alpha": [n / 10 for n in range(20, 101)],
        "rate": (0.0005, 0.001, 0.002, 0.003),
        "decay": [n / 100 for n in range(10, 101)],
    },
)
def wait(steps: float, *, alpha: float, rate: float, decay: float) -> Mistakes:
    """A number of steps."""
    right = -log(alpha) / log(1 - rate * decay)
    if near(steps, right, 5e-3):
        return
    yield near(steps, right / log(2), 5e-3) or near(steps, right / log(10), 5e-3), "natural logarithm"
    yield near(steps, log(alpha) / decay) or near(steps, log(alpha) / rate), "rate times decay"
    if near(steps, (1 - 1 / alpha) / (rate * decay)) or near(steps, (alpha - 1) / (rate * decay)):
        yield True, "share of what is left"
    yield True, "with so many steps alpha (1 - rate"


@exercise("ex-15-three", draws={"a": range(20), "b": range(20, 40), "c": range(40, 80)})
def three(end: Sequence[float], same: float, *, a: int, b: int, c: int) -> Mistakes:
    """Three numbers, and a number."""
    classes, found = [0, 0, 1], np.asarray(end, dtype=float)

    def limit(last: float) -> np.ndarray:
        return class_collapse.flow(np.array([[a], [b], [last]], dtype=float), classes, [np.inf])[0].ravel()

    if not np.allclose(found, limit(c), rtol=1e-3):
        yield np.allclose(found, [(a + b) / 2, (a + b) / 2, c]), "sum of the squares"
        yield np.ptp(found) < 1e-9, "keep their ratio"
        yield not near(found[0], found[1]), "attract each other"
        yield True, "the end is the class means times"
    yield not (np.ptp(limit(float(same))) < 1e-3), "the other class"


@exercise(
    "ex-15-shape", draws={"small": range(2, 6), "middle": range(6, 16), "large": range(30, 61), "seed": range(100_000)}
)
def shape(
    shapes: Sequence[float], share: Sequence[float], falls: bool, *, small: int, middle: int, large: int, seed: int
) -> Mistakes:
    """Five numbers, five numbers, True or False."""
    sizes = np.array([small, middle, large])
    classes = np.repeat([0, 1, 2], sizes)
    features, times = np.random.default_rng(seed).normal(size=(classes.size, 4)), np.array([0.0, 0.1, 0.5, 2.0, 9.0])
    means = np.array([features[classes == k].mean(axis=0) for k in range(3)])
    apart = ((features - means[classes]) ** 2).sum(axis=1)
    within = [(np.exp(-4 * sizes[classes] * t / (features**2).sum()) * apart).sum() for t in times]
    between = (sizes[:, None] * (means - features.mean(axis=0)) ** 2).sum()
    given, form = np.asarray(shapes, dtype=float), simplex_distance(features, classes)
    if given.shape != (5,) or not near(given[0], form):
        yield not given.any(), "a regular simplex"
        yield True, "at time 0"
    yield not np.allclose(given, form, rtol=1e-3), "the means are all multiplied"
    found = np.asarray(share, dtype=float)
    if found.shape != (5,) or not np.allclose(found, within / (within + between), atol=1e-4):
        if found.shape == (5,) and np.allclose(found, within_class_share(features, classes), atol=1e-4):
            yield True, "as if nothing moved"
        yield True, "take within_class_share"
    yield not bool(falls), "at every time"
