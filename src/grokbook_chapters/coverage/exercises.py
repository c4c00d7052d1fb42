"""Chapter 04a: checks of its exercises."""

from __future__ import annotations

from math import log

import numpy as np

from companion.exercises.registry import Mistakes, divided, exercise, number
from grokbook.tasks import ModularTask
from grokbook.theory.coverage import (
    distance_to_training,
    least_training_size,
    same_class_distance,
)
from grokbook_chapters.coverage.coverage_probability import first_covered


@exercise("ex-04a-distance", draws={"p": range(60, 700), "k": range(3, 11)})
def distance(torus: int, corner: int, fraction: float, *, p: int, k: int) -> Mistakes:
    """Two numbers of cells, and a fraction between 0 and 1, to three digits."""
    beside = np.arange(p)
    around = np.minimum(beside, p - beside)
    yield torus == 2 * k * k - 2 * k + 1, "discs of the Manhattan distance"
    yield torus == (2 * k + 1) ** 2, "at distance k itself"
    yield torus != (np.maximum.outer(around, around) < k).sum(), "on the torus a disc is a square"
    yield corner != (np.maximum.outer(beside, beside) < k).sum(), "in a corner only differences"
    printed = ("2 ln p / C", 2 * log(p) / torus)
    yield from number(fraction, 1 - p ** (-2 / torus), "solve N (1 - fraction)^C = 1", printed)


@exercise("ex-04a-clumps", draws={"seed": range(100_000)}, quick={"p": 41, "draws": 200})
def clumps(covered: float, given_one: float, *, p: int, k: int, draws: int, seed: int) -> Mistakes:
    """A share of the draws, and a mean number of cells, both to three digits."""
    m = least_training_size(p, k, torus=True)
    left = (first_covered(p, k, draws, seed=seed, torus=True) > m).sum(axis=(1, 2))
    some = np.count_nonzero(left)
    yield from number(covered, 1 - some / draws, "all draws", ("that leave a cell", some / draws))
    independent = ("independent of each other", 1 / (1 - np.exp(-1)))
    typical = ("mean is over all draws", left.sum() / draws), independent
    yield from number(given_one, left.sum() / some, "add up `left` and divide", *typical)


@exercise("ex-04a-own", draws={"p": range(80, 200), "alpha": divided(range(300, 600), 1000)})
def own(needed: float, radius: int, *, p: int, alpha: float) -> Mistakes:
    """A real number of cells, to three digits, and a whole radius."""
    least = -2 * log(p) / log(1 - alpha)
    yield from number(
        needed, least, "with c cells in a disc E[U]", ("the printed condition", 2 * log(p) / alpha)
    )
    distances = 2 * np.abs(np.arange(-p, p))
    held = _within(distances, *range(p))
    of_all = next(k for k in range(1, p) if 2 * k * k - 2 * k + 1 >= least)
    yield radius == of_all, "cells of all classes"
    if not held[radius] >= least:
        yield True, "too few", radius, held[radius]
    yield not (held[radius - 1] < least), "a smaller radius has enough cells"


@exercise("ex-04a-walk", draws={"p": range(61, 100), "i": range(40, 60), "j": range(2, 30)})
def walk(phi: object, other: tuple[int, int], *, p: int, i: int, j: int) -> Mistakes:
    """An array with p rows, and two whole numbers from 0 to p - 1."""
    table = np.asarray(phi, dtype=float)
    a, b = map(int, other)
    fits = table.ndim == 2 and len(table) == p and 0 <= a < p and 0 <= b < p
    yield not fits, "the embedding has N rows", p - 1
    yield (a + b - i - j) % p, "another class", a, b
    yield (a, b) in ((i, j), (j, i)), "the order of the operands"
    moved = np.linalg.norm(table[i] + table[j] - table[a] - table[b])
    bound = abs(i - a + j - b) * np.linalg.norm(np.diff(table, axis=0), axis=1).max()
    if moved > bound + 1e-9:
        return
    yield moved < 1e-9, "on a straight line"
    yield True, "the left-hand side is N", moved, bound


@exercise("ex-04a-chain", draws={"seed": range(100_000), "D_1": (4, 8, 12), "D_2": (6, 10)})
def chain(first: int, second: int, *, p: int, seed: int, D_1: int, D_2: int) -> Mistakes:
    """Two numbers of cells."""
    mask = ModularTask(p, train_fraction=0.3, seed=seed).train_mask
    nearest = same_class_distance(mask)
    right = _within(nearest, D_1, D_2)
    given = [int(first), int(second)]
    if given == right:
        return
    yield given == [right[0], right[0]], "D_1 for both"
    yield given == _within(distance_to_training(mask), D_1, D_2), "cells of all classes"
    yield given == _within(nearest, D_1 + 1, D_2 + 1), "at the limit itself"
    yield True, "no chain to a cell is shorter"


def _within(distances: np.ndarray, *limits: int) -> list[int]:
    """How many cells are nearer than each limit."""
    return [int((distances < limit).sum()) for limit in limits]
