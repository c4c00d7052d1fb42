"""Chapter 04c: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sympy import primerange

from companion.exercises.registry import Mistakes, divided, exercise, near, number
from grokbook.tasks import ModularTask


@exercise(
    "ex-04c-three", draws={"p": tuple(primerange(31, 200)), "a": range(1, 30), "b": range(1, 30)}
)
def three(sizes: Sequence[int], slope: int, *, p: int, a: int, b: int) -> Mistakes:
    """A list of p numbers of cells, and a number from 0 to p - 1."""
    c = next(n for n in range(p) if (b * b - 4 * a * n) % p == 0)
    x, y = np.indices((p, p))
    values = (a * x * x + b * x * y + c * y * y) % p
    right = np.bincount(values.ravel(), minlength=p).tolist()
    given = [int(size) for size in sizes]
    if len(given) != p:
        yield True, "there are N classes", len(given)
    yield given == [p] * p, "as for addition"
    yield given[0] == 2 * p - 1, "one line"
    yield given != right, "there are N cells for each value"
    yield (a * slope * slope + b * slope + c) % p != 0, "the sign"


@exercise(
    "ex-04c-perfect",
    draws={
        "p": tuple(primerange(31, 200)),
        "low": divided(range(40, 56), 100),
        "high": divided(range(60, 81), 100),
    },
)
def perfect(perfect: Sequence[float], fresh: float, *, p: int, low: float, high: float) -> Mistakes:
    """Two products, and a share from 0 to 1, all to three digits."""
    cells = p * p
    tested = cells - (np.array([low, high]) * cells).astype(int)
    yield list(perfect) == [1, 1], "the accuracies"
    yield not near(perfect, tested / cells), "with an accuracy of 1 the product"
    # of the p^2 - p cells off the diagonal those that are tested with their transpose trained, in
    # expectation
    copied = (cells - p) * tested * (cells - tested) / (cells * (cells - 1))
    typical = (
        ("all test cells", copied[0] / tested[1]),
        ("leave out", (copied[0] - copied[1]) / tested[1]),
    )
    right = (copied[0] - copied[1]) / (tested[1] - copied[1])
    yield from number(fresh, right, "how many cells are missing", *typical)


@exercise(
    "ex-04c-difference",
    draws={
        "p": (53, 59, 61, 67, 71, 73, 79, 83, 89, 97),
        "fraction": divided(range(30, 71), 100),
        "seed": range(100_000),
    },
)
def difference(knows: float, copies: float, *, p: int, fraction: float, seed: int) -> Mistakes:
    """Two accuracies from 0 to 1, to three digits."""
    task = ModularTask(p, "subtract", fraction, seed=seed)
    i, j = np.nonzero(~task.train_mask)
    swapped = task.train_mask[j, i]
    typical = ("comes near", fraction), ("of all cells", swapped.sum() / p**2)
    yield from number(knows, swapped.mean(), "it is right on the test cells", *typical)
    # i - j is j - i modulo p on the diagonal alone, where the cell itself would have to be trained
    yield from number(copies, 0, "compare the labels of a cell", ("the negative", swapped.mean()))
