"""Chapter 04b: checks of its exercises."""

from __future__ import annotations

import numpy as np

from companion.exercises.registry import Mistakes, divided, exercise, number
from grokbook.curves.limits import limits
from grokbook.tasks import ModularTask
from grokbook_chapters.holes.counts import table_1


@exercise(
    "ex-04b-share",
    draws={
        "p": (53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101),
        "k": range(15, 43),
        "t": range(10, 36),
    },
)
def share(square: float, strip: float, zero: float, *, p: int, k: int, t: int) -> Mistakes:
    """Two shares from 0 to 1, and a real number t, all to three digits."""
    task = ModularTask(p, train_fraction=0.3, split="square", hole=k)
    tested = task.test_index.size
    outside = np.count_nonzero(~task.train_mask & ~task.hole_mask) / tested
    typical = ("0 is an operand too", 1 - k**2 / tested), ("of all cells", 1 - (k + 1) ** 2 / p**2)
    yield from number(square, outside, "take the test cells in the SQUARE", *typical)
    task = ModularTask(p, train_fraction=0.3, split="strip", hole=t)
    outside = np.count_nonzero(~task.train_mask & ~task.hole_mask) / tested
    typical = ("0 is an operand too", 1 - t * p / tested), ("of all cells", 1 - (t + 1) / p)
    yield from number(strip, outside, "take the test cells in the STRIP", *typical)
    rows = ("has t + 1 rows", tested / p)
    yield from number(zero, tested / p - 1, "it is zero where all test cells", rows)


@exercise("ex-04b-swapper", draws={"t": (40, 50, 60), "seed": range(100_000)})
def swapper(accuracy: float, more: float, *, t: int, seed: int) -> Mistakes:
    """A share from 0 to 1, and a number of test cells, both to three digits."""
    task = ModularTask(97, train_fraction=0.3, split="strip", hole=t, seed=seed)
    i, j = np.nonzero(~task.train_mask)
    swapped = task.train_mask[j, i]
    right = ((i > t) | swapped).mean()
    typical = ("trained or not", ((i > t) | (j > t)).mean()), ("outside the hole", swapped.mean())
    yield from number(accuracy, right, "count the test cells", *typical)
    excess = table_1()["U-Acc"][f"STRIP {t}"] / 100 - right
    all_cells = ("not of all cells", excess * 97**2)
    yield from number(more, excess * i.size, "the difference of the accuracies", all_cells)


@exercise(
    "ex-04b-dip",
    draws={"a": divided(range(10, 91), 100), "h": range(10, 51), "w": range(120, 401, 4)},
)
def dip(raw: float, windowed: float, *, a: float, h: int, w: int) -> Mistakes:
    """Two accuracies from 0 to 1, to three digits."""
    log = np.arange(0, 40 * w, h)
    curve = np.minimum(log / (10 * w), 1)
    curve[log.size // 2] = 1 - a
    of_points = limits(log, curve, 0).lower
    of_windows = limits(log, curve, w).lower
    yield from number(raw, of_points, "without a window")
    typical = ("a triangle", 1 - 2 * a * h / w), ("one point weighs", of_points)
    yield from number(windowed, of_windows, "subtract the area of the dip", *typical)
