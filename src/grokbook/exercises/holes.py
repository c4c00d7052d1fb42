"""Chapter 04b: checks of its exercises."""

from __future__ import annotations

from itertools import product

import numpy as np

from grokbook.chapters.holes.counts import table_1
from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.runs.limits import LimitRule, limits
from grokbook.tasks import ModularTask


@exercise(
    "ex-04b-share", draws={"p": (53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101), "k": range(15, 43), "t": range(10, 36)}
)
def share(square: float, strip: float, zero: float, *, p: int, k: int, t: int) -> Mistakes:
    """Two shares from 0 to 1, and a real number t."""
    tasks = [ModularTask(p, train_fraction=0.3, split=split, hole=n) for split, n in (("square", k), ("strip", t))]
    tested = tasks[0].test_index.size
    right = [np.count_nonzero(~one.train_mask & ~one.hole_mask) / tested for one in tasks]
    yield near(square, 1 - k**2 / tested, 1e-6) or near(strip, 1 - t * p / tested, 1e-6), "0 is an operand too"
    yield near(square, 1 - (k + 1) ** 2 / p**2, 1e-6) or near(strip, 1 - (t + 1) / p, 1e-6), "of all cells"
    yield not near(square, right[0], 1e-6), "take the test cells in the SQUARE"
    yield not near(strip, right[1], 1e-6), "take the test cells in the STRIP"
    yield near(zero, tested / p, 1e-6), "has t + 1 rows"
    yield not near((zero + 1) * p, tested, 1e-6), "it is zero where all test cells"


@exercise("ex-04b-swapper", draws={"t": (40, 50, 60), "seed": range(100_000)})
def swapper(accuracy: float, more: float, *, t: int, seed: int) -> Mistakes:
    """A share from 0 to 1, and a number of test cells."""
    task = ModularTask(97, train_fraction=0.3, split="strip", hole=t, seed=seed)
    trained = {(int(i), int(j)) for i, j in zip(*np.nonzero(task.train_mask), strict=True)}
    tested = [cell for cell in product(range(97), repeat=2) if cell not in trained]
    known = {kind: sum(test(i, j) for i, j in tested) / len(tested) for kind, test in {
        "right": lambda i, j: i > t or (j, i) in trained,
        "either order": lambda i, j: i > t or j > t,
        "swapped": lambda i, j: (j, i) in trained,
    }.items()}  # fmt: skip
    if not near(accuracy, known["right"], 1e-6):
        yield near(accuracy, known["either order"], 1e-6), "trained or not"
        yield near(accuracy, known["swapped"], 1e-6), "outside the hole"
        yield True, "count the test cells"
    excess = table_1()["U-Acc"][f"STRIP {t}"] / 100 - accuracy
    yield near(more, excess * 97**2, 1e-6), "not of all cells"
    yield not near(more, excess * len(tested), 1e-6), "the difference of the accuracies"


@exercise("ex-04b-dip", draws={"a": [n / 100 for n in range(10, 91)], "h": range(10, 51), "w": range(120, 401, 4)})
def dip(raw: float, windowed: float, *, a: float, h: int, w: int) -> Mistakes:
    """Two accuracies from 0 to 1."""
    log = np.arange(0, 40 * w, h)
    curve = np.minimum(log / (10 * w), 1)
    curve[log.size // 2] = 1 - a
    right = [limits(log, curve, LimitRule(window=window)).lower for window in (0, w)]
    yield not near(raw, right[0], 1e-6), "without a window"
    yield near(windowed, 1 - 2 * a * h / w, 1e-6), "a triangle"
    yield near(windowed, right[0], 1e-6), "one point weighs"
    yield not near(windowed, right[1], 1e-6), "subtract the area of the dip"
