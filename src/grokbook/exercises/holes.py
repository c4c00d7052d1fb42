"""Chapter 04b: checks of its exercises."""

from __future__ import annotations

from itertools import product

import numpy as np

from grokbook.chapters.holes.counts import table_1
from grokbook.exercises.asked import exercise, near
from grokbook.runs.limits import LimitRule, limits
from grokbook.tasks import ModularTask


@exercise(
    "ex-04b-share", draws={"p": (53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101), "k": range(15, 43), "t": range(10, 36)}
)
def share(square: float, strip: float, zero: float, *, p: int, k: int, t: int) -> str | None:
    """Two shares from 0 to 1, and a real number t."""
    tasks = [ModularTask(p, train_fraction=0.3, split=split, hole=n) for split, n in (("square", k), ("strip", t))]
    tested = tasks[0].test_index.size
    right = [np.count_nonzero(~one.train_mask & ~one.hole_mask) / tested for one in tasks]
    if near(square, 1 - k**2 / tested, 1e-6) or near(strip, 1 - t * p / tested, 1e-6):
        return "this hole is too small: 0 is an operand too, so k + 1 operands are at most k."
    if near(square, 1 - (k + 1) ** 2 / p**2, 1e-6) or near(strip, 1 - (t + 1) / p, 1e-6):
        return "this is a share of all cells; divide by the number of test cells."
    if not near(square, right[0], 1e-6):
        return "take the test cells in the SQUARE hole from all test cells, p*p - m of them."
    if not near(strip, right[1], 1e-6):
        return "take the test cells in the STRIP hole from all test cells, p*p - m of them."
    if near(zero, tested / p, 1e-6):
        return "a STRIP hole up to t has t + 1 rows, not t."
    return None if near((zero + 1) * p, tested, 1e-6) else "it is zero where all test cells lie in the hole."


@exercise("ex-04b-swapper", draws={"t": (40, 50, 60), "seed": range(100_000)})
def swapper(accuracy: float, more: float, *, t: int, seed: int) -> str | None:
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
        if near(accuracy, known["either order"], 1e-6):
            return "this counts a cell when its swap lies outside the hole, trained or not."
        if near(accuracy, known["swapped"], 1e-6):
            return "this leaves out test cells outside the hole, which are right whatever their swap."
        return "count the test cells that are right, and divide by the number of test cells."
    excess = table_1()["U-Acc"][f"STRIP {t}"] / 100 - accuracy
    if near(more, excess * 97**2, 1e-6):
        return "an accuracy is a share of the test cells, not of all cells."
    return None if near(more, excess * len(tested), 1e-6) else "the difference of the accuracies, in test cells."


@exercise("ex-04b-dip", draws={"a": [n / 100 for n in range(10, 91)], "h": range(10, 51), "w": range(120, 401, 4)})
def dip(raw: float, windowed: float, *, a: float, h: int, w: int) -> str | None:
    """Two accuracies from 0 to 1."""
    log = np.arange(0, 40 * w, h)
    curve = np.minimum(log / (10 * w), 1)
    curve[log.size // 2] = 1 - a
    right = [limits(log, curve, LimitRule(window=window)).lower for window in (0, w)]
    if not near(raw, right[0], 1e-6):
        return "without a window the lower limit is the least logged value."
    if near(windowed, 1 - 2 * a * h / w, 1e-6):
        return "the dip is a triangle: half of its base of 2h steps times its depth."
    if near(windowed, right[0], 1e-6):
        return "in a mean over w steps one point weighs little."
    return None if near(windowed, right[1], 1e-6) else "subtract the area of the dip, divided by w, from 1."
