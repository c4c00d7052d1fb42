"""Chapter 04a: checks of its exercises."""

from __future__ import annotations

from math import log

import numpy as np

from grokbook.exercises.asked import exercise, near
from grokbook.tasks import ModularTask
from grokbook.theory.coverage import distance_to_training, least_training_size
from grokbook.theory.coverage_probability import first_covered


@exercise("ex-04a-distance", draws={"p": range(60, 400), "k": range(3, 20)})
def distance(torus: int, corner: int, fraction: float, *, p: int, k: int) -> str | None:
    """Two numbers of cells, and a fraction between 0 and 1."""
    beside = np.arange(p)
    around = np.minimum(beside, p - beside)
    if torus == 2 * k * k - 2 * k + 1:
        return "these are discs of the Manhattan distance; here both differences may be large at once."
    if torus == (2 * k + 1) ** 2:
        return "this counts the cells at distance k itself too; a disc has those below k."
    if torus != (np.maximum.outer(around, around) < k).sum():
        return "on the torus a disc is a square; the differences run from -(k - 1) to k - 1."
    if corner != (np.maximum.outer(beside, beside) < k).sum():
        return "in a corner only differences from 0 to k - 1 are left, in each of the two directions."
    if near(fraction, 2 * log(p) / torus, 1e-6):
        return "this is the printed fraction, 2 ln p / C; a smaller one suffices, with its exponential."
    return None if near(p * p * (1 - fraction) ** torus, 1, 1e-5) else "solve N (1 - fraction)^C = 1 with N = p^2."


@exercise("ex-04a-clumps", draws={"seed": range(100_000)}, quick={"p": 41, "draws": 200})
def clumps(covered: float, given_one: float, *, p: int, k: int, draws: int, seed: int) -> str | None:
    """A share of the draws, and a mean number of cells."""
    m = least_training_size(p, k, torus=True)
    left = (first_covered(p, k, draws, seed=seed, torus=True) > m).sum(axis=(1, 2))
    some = np.count_nonzero(left)
    if near(covered, some / draws, 1e-9):
        return "this is the share of the draws that leave a cell uncovered."
    if not near(covered, 1 - some / draws, 1e-9):
        return "the share of full coverage is the number of draws with `left == 0`, by the number of all draws."
    if near(given_one, left.sum() / draws, 1e-9):
        return "this mean is over all draws; the ones without uncovered cells are to be left out."
    if near(given_one, 1 / (1 - np.exp(-1)), 1e-2):
        return "this is the mean for cells that are independent of each other; take that of the draws."
    return None if near(given_one, left.sum() / some, 1e-9) else "add up `left` and divide by the draws that have one."


@exercise("ex-04a-own", draws={"p": range(80, 200), "alpha": [n / 1000 for n in range(300, 600)]})
def own(needed: float, radius: int, *, p: int, alpha: float) -> str | None:
    """A real number of cells, and a whole radius."""
    if near(needed, 2 * log(p) / alpha, 1e-6):
        return "this is the printed condition, alpha = 2 ln p / c; fewer cells suffice."
    if not near(p * p * (1 - alpha) ** needed, 1, 1e-3):
        return "with c cells in a disc E[U] is at most p^2 (1 - alpha)^c; make that 1."
    held = [sum(2 * abs(s) < k for s in range(-p, p)) for k in range(p)]
    if radius == next(k for k in range(1, p) if 2 * k * k - 2 * k + 1 >= needed):
        return "such a disc has enough cells of all classes, and few of its own."
    if not held[radius] >= needed:
        return f"a disc of radius {radius} has {held[radius]} cells of its own class, too few."
    return None if held[radius - 1] < needed else "a smaller radius has enough cells already."


@exercise("ex-04a-walk", draws={"p": range(61, 100), "i": range(40, 60), "j": range(2, 30)})
def walk(phi: object, other: tuple[int, int], *, p: int, i: int, j: int) -> str | None:
    """An array with p rows, and two whole numbers from 0 to p - 1."""
    table, (a, b) = np.asarray(phi, dtype=float), map(int, other)
    if table.ndim != 2 or len(table) != p or not (0 <= a < p and 0 <= b < p):
        return f"the embedding has {p} rows, and the cell two numbers from 0 to {p - 1}."
    if (a + b - i - j) % p:
        return f"({a}, {b}) is of another class than ({i}, {j})."
    if (a, b) in ((i, j), (j, i)):
        return "the two sums are equal, for addition does not mind the order of the operands."
    moved = np.linalg.norm(table[i] + table[j] - table[a] - table[b])
    bound = abs(i - a + j - b) * np.linalg.norm(np.diff(table, axis=0), axis=1).max()
    if moved > bound + 1e-9:
        return None
    if moved < 1e-9:
        return "here the left-hand side is zero too, as for all cells with one sum on a straight line."
    return f"the left-hand side is {moved:.3g}, and the printed bound {bound:.3g}: it is kept."


@exercise("ex-04a-chain", draws={"seed": range(100_000), "D_1": (4, 8, 12), "D_2": (6, 10)})
def chain(first: int, second: int, *, p: int, seed: int, D_1: int, D_2: int) -> str | None:
    """Two numbers of cells."""
    mask = ModularTask(p, train_fraction=0.3, seed=seed).train_mask
    i, j = np.indices((p, p)).reshape(2, -1)
    a, b = (one[mask.ravel()] for one in (i, j))
    apart = np.abs(i[:, None] - a) + np.abs(j[:, None] - b)
    nearest = np.where((i[:, None] + j[:, None] - a - b) % p == 0, apart, 2 * p).min(axis=1)
    right = tuple(int((nearest < limit).sum()) for limit in (D_1, D_2))
    given = (int(first), int(second))
    if given == right:
        return None
    if given == (right[0], right[0]):
        return "this uses D_1 for both; the chains have the limit D_2."
    if given == tuple((distance_to_training(mask) < limit).sum() for limit in (D_1, D_2)):
        return "this counts training cells of all classes."
    if given == tuple((nearest <= limit).sum() for limit in (D_1, D_2)):
        return "this counts cells at the limit itself; `nearer than` leaves them out."
    return "no chain to a cell is shorter than the direct way, and the chain of one step is the direct way."
