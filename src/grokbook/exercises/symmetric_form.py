"""Chapter 04c: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sympy import primerange

from grokbook.exercises.asked import exercise, near
from grokbook.tasks import ModularTask


@exercise("ex-04c-three", draws={"p": tuple(primerange(31, 200)), "a": range(1, 30), "b": range(1, 30)})
def three(sizes: Sequence[int], slope: int, *, p: int, a: int, b: int) -> str | None:
    """A list of p numbers of cells, and a number from 0 to p - 1."""
    c = next(n for n in range(p) if (b * b - 4 * a * n) % p == 0)
    x, y = np.indices((p, p))
    right = np.bincount(((a * x * x + b * x * y + c * y * y) % p).ravel(), minlength=p).tolist()
    given = [int(one) for one in sizes]
    if len(given) != p:
        return f"there are {p} classes, and your list has {len(given)} numbers."
    if given == [p] * p:
        return "these are sizes as for addition; a square takes half of the non-zero residues, each twice."
    if given[0] == 2 * p - 1:
        return "class 0 has so many cells where the form has two different factors; here they are one line."
    if given != right:
        return f"there are {p} cells for each value of x + b y / (2a); square it, and multiply by a."
    if (a * slope * slope + b * slope + c) % p == 0:
        return None
    return "look at the sign: x + b y / (2a) is zero where x = -b y / (2a)."


@exercise(
    "ex-04c-perfect",
    draws={
        "p": tuple(primerange(31, 200)),
        "low": [n / 100 for n in range(40, 56)],
        "high": [n / 100 for n in range(60, 81)],
    },
)
def perfect(perfect: Sequence[float], fresh: float, *, p: int, low: float, high: float) -> str | None:
    """Two products, and a share from 0 to 1."""
    cells = p * p
    tested = [cells - int(fraction * cells) for fraction in (low, high)]
    if list(perfect) == [1, 1]:
        return "these are the accuracies; multiply them by the share of the test cells."
    if not all(near(one, n / cells, 1e-3) for one, n in zip(perfect, tested, strict=True)):
        return "with an accuracy of 1 the product is the share of the test cells."
    # of the p^2 - p cells off the diagonal those that are tested with their transpose trained, in expectation
    copied = [(cells - p) * n * (cells - n) / (cells * (cells - 1)) for n in tested]
    if near(fresh, copied[0] / tested[1], 1e-4):
        return "this is the accuracy on all test cells; those with a trained transpose are right already."
    if near(fresh, (copied[0] - copied[1]) / tested[1], 1e-4):
        return "this is a share of all test cells; leave out those that can be copied."
    right = (copied[0] - copied[1]) / (tested[1] - copied[1])
    return None if near(fresh, right, 1e-4) else "how many cells are missing, and how many are there to fill them?"


@exercise(
    "ex-04c-difference",
    draws={
        "p": (53, 59, 61, 67, 71, 73, 79, 83, 89, 97),
        "fraction": [n / 100 for n in range(30, 71)],
        "seed": range(100_000),
    },
)
def difference(knows: float, copies: float, *, p: int, fraction: float, seed: int) -> str | None:
    """Two accuracies from 0 to 1."""
    task = ModularTask(p, "subtract", fraction, seed=seed)
    trained, tested = set(task.train_index.tolist()), task.test_index.tolist()
    partners = [(n % p) * p + n // p for n in tested]
    swapped = sum(partner in trained for partner in partners)
    if near(knows, fraction, 1e-9):
        return "this is the training fraction; the accuracy comes near it, and is to be counted."
    if near(knows, swapped / p**2, 1e-9):
        return "this is a share of all cells; an accuracy is one of the test cells."
    if not near(knows, swapped / len(tested), 1e-9):
        return "it is right on the test cells whose transpose was trained, and on no others."
    if near(copies, knows, 1e-9):
        return "the label of the transpose is the negative of the right one, so copying it does not help."
    right = sum(b in trained and task.labels[a] == task.labels[b] for a, b in zip(tested, partners, strict=True))
    return None if near(copies, right / len(tested), 1e-9) else "compare the labels of a cell and of its transpose."
