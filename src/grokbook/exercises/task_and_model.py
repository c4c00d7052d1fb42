"""Chapter 02: checks of its exercises."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from sympy import primerange

from grokbook.exercises.asked import exercise, near
from grokbook.models.transformer import Shape, mlp, self_attention
from grokbook.tasks import ModularTask

PRIMES = tuple(primerange(47, 500))


@exercise("ex-02-subtract", draws={"p": PRIMES[:20], "seed": range(100_000)})
def subtraction(turned: Callable[..., tuple], kept: int, *, p: int, seed: int) -> str | None:
    """A function of i and j that gives a pair, and a number of cells."""
    task = ModularTask(p, "add", 0.3, seed=seed)
    i, j = np.divmod(np.arange(p * p), p)
    a, b = (np.broadcast_to(part, i.shape) % p for part in turned(i, j))
    if np.unique(a * p + b).size < p * p:
        return "your map takes two cells to the same place, so it is no renaming of the grid."
    pairs = np.unique(((i + j) % p) * p + (a - b) % p)
    if pairs.size > p:
        return "what your map makes of one class of addition is not one class of subtraction."
    moved = task.train_mask[a[task.train_index], b[task.train_index]]
    if kept == moved.sum():
        return None
    return f"{(~moved).sum()} cells leave: some of what your map makes of the training set falls outside the set."


@exercise("ex-02-own", draws={"p": PRIMES, "r": range(1, 46)})
def polynomials(missing: str, level: str, *, p: int, r: int) -> str | None:
    """Two texts such as "x**2 + y": polynomials in x and y with whole coefficients."""
    if count := ModularTask(p, missing).class_sizes()[r]:
        return f"{r} occurs in {count} cells of `{missing}`."
    task = ModularTask(p, level)
    if len(set(task.class_sizes())) > 1:
        return f"the classes of `{level}` are not all of size p: they have from {min(task.class_sizes())} cells on."
    grid = task.labels.reshape(p, p)
    steps = [np.diff(grid, axis=axis) % p for axis in (0, 1)]
    if all((step == step[0, 0]).all() for step in steps):
        return f"`{level}` is linear: a step in x or y always adds the same."
    return None if grid[1, 1] == r else f"`{level}` has the value {grid[1, 1]} at x = y = 1, not {r}."


@exercise("ex-02-strip", draws={"p": PRIMES[:30], "share": [n / 1000 for n in range(200, 601)]})
def strip(t: int, spare: int, *, p: int, share: float) -> str | None:
    """Two whole numbers: the smallest t, and by how many cells the training set is then short."""
    quota = int(share * p**2)
    outside = {s: int((~ModularTask(p, "add", share, "strip", s).hole_mask).sum()) for s in (t - 1, t)}
    if outside[t] > quota:
        return f"at t = {t} there are {outside[t] - quota} more cells outside than the programs draw: they leave some."
    if outside[t - 1] <= quota:
        return f"t = {t} is not the smallest: at t = {t - 1} all cells outside are taken too."
    return None if spare == quota - outside[t] else f"{outside[t]} cells are so many fewer than {quota}, not {spare}."


@exercise("ex-02-depth", draws={"seed": range(100_000), "j": range(1, 6), "other": range(6, 13)})
def depth(changed: Sequence[int], moved: float, *, seed: int, j: int, other: int) -> str | None:
    """A list of rows counted from 0, and the largest change in the last row."""
    shape = Shape(13, d_model=16, n_layers=2)
    w = shape.draw(seed)
    tokens = torch.tensor([[3, j, 13], [3, other, 13]])
    one, two = mlp(w, 0, self_attention(w, 0, w["W_E"][tokens] + w["W_pos"], shape))
    difference = (one - two).abs().amax(1)
    if 0 in changed:
        return "row 0 sees only itself: the causal mask lets no row look to the right."
    if 2 not in changed:
        return "row 2, which is read, also attends to row 1."
    if list(changed) != [1, 2]:
        return "row 1 holds the token that was changed."
    if near(moved, float(difference[2]), 1e-4):
        return None
    if near(moved, float(difference.max()), 1e-4):
        return "this is the largest change over all rows; the last row alone is asked for."
    return "take the largest absolute difference over the last row of the two results."
