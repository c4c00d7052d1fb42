"""Chapter 02: checks of its exercises."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from sympy import primerange

from companion.exercises.registry import Mistakes, divided, exercise, number
from grokbook.models.transformer import Shape, mlp, self_attention
from grokbook.tasks import ModularTask

PRIMES = tuple(primerange(47, 500))


@exercise("ex-02-subtract", draws={"p": PRIMES[:20], "seed": range(100_000)})
def subtraction(turned: Callable[..., tuple], kept: int, *, p: int, seed: int) -> Mistakes:
    """A function of i and j that gives a pair, and a number of cells."""
    task = ModularTask(p, "add", 0.3, seed=seed)
    i, j = np.divmod(np.arange(p * p), p)
    a, b = (np.broadcast_to(part, i.shape) % p for part in turned(i, j))
    yield np.unique(a * p + b).size < p * p, "two cells to the same place"
    pairs = np.unique(((i + j) % p) * p + (a - b) % p)
    yield pairs.size > p, "is not one class of subtraction"
    moved = task.train_mask[a[task.train_index], b[task.train_index]]
    yield kept != moved.sum(), "falls outside the set", (~moved).sum()


@exercise("ex-02-own", draws={"p": PRIMES, "r": range(1, 46)})
def polynomials(missing: str, level: str, *, p: int, r: int) -> Mistakes:
    """Two texts such as "x**2 + y": polynomials in x and y with whole coefficients."""
    if count := ModularTask(p, missing).class_sizes()[r]:
        yield True, "occurs in", count, missing
    task = ModularTask(p, level)
    if len(set(task.class_sizes())) > 1:
        yield True, "not all of size p", level, min(task.class_sizes())
    grid = task.labels.reshape(p, p)
    down = np.diff(grid, axis=0) % p
    across = np.diff(grid, axis=1) % p
    yield np.ptp(down) == 0 and np.ptp(across) == 0, "is linear", level
    if grid[1, 1] != r:
        yield True, "`N` has the value N at x = y = 1", level, grid[1, 1]


@exercise("ex-02-strip", draws={"p": PRIMES[:30], "share": divided(range(200, 601), 1000)})
def strip(t: int, spare: int, *, p: int, share: float) -> Mistakes:
    """Two whole numbers: the smallest t, and by how many cells the training set is then short."""
    quota = int(share * p**2)

    def outside(strip: int) -> int:
        hole = ModularTask(p, "add", share, "strip", strip).hole_mask
        return hole.size - np.count_nonzero(hole)

    cells = outside(t)
    if cells > quota:
        yield True, "more cells outside than the programs draw", t, cells - quota
    yield outside(t - 1) <= quota, "not the smallest", t, t - 1
    if spare != quota - cells:
        yield True, "so many fewer", cells, quota, spare


@exercise("ex-02-depth", draws={"seed": range(100_000), "j": range(1, 6), "other": range(6, 13)})
def depth(changed: Sequence[int], moved: float, *, seed: int, j: int, other: int) -> Mistakes:
    """A list of rows counted from 0, and the largest change in the last row, to three digits."""
    shape = Shape(13, d_model=16, n_layers=2)
    w = shape.draw(seed)
    tokens = torch.tensor([[3, j, 13], [3, other, 13]])
    one, two = mlp(w, 0, self_attention(w, 0, w["W_E"][tokens] + w["W_pos"], shape))
    difference = (one - two).abs().amax(1)
    yield 0 in changed, "the causal mask"
    yield 2 not in changed, "also attends to row 1"
    yield list(changed) != [1, 2], "row 1 holds the token"
    over_all = ("over all rows", float(difference.max()))
    yield from number(moved, float(difference[2]), "take the largest absolute", over_all)
