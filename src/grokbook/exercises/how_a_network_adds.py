"""Chapter 02a: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import linprog
from sympy import primerange

from grokbook.exercises.asked import exercise, near
from grokbook.theory import sum_of_angles as angles

PRIMES = tuple(primerange(47, 200))


@exercise("ex-02a-rename", draws={"p": PRIMES, "k": range(1, 16), "gap": range(1, 9)})
def rename(like: Sequence[int], *, p: int, k: int, gap: int) -> str | None:
    """A list of two frequencies."""
    if any(one > (p - 1) // 2 for one in like):
        return f"frequencies go from 1 to {(p - 1) // 2}; m and {p} - m are the same frequency."
    if set(like) == {k, k + gap}:
        return "this is the set itself; another one is asked for."
    given, asked = angles.margin(p, list(like)), angles.margin(p, [k, k + gap])
    return None if np.isclose(given, asked) else f"your set has the margin {given:.6f}, and the given one {asked:.6f}."


@exercise("ex-02a-amplitudes", draws={"p": PRIMES, "k": range(1, 12), "other": range(12, 24)})
def amplitudes(a: float, largest: float, *, p: int, k: int, other: int) -> str | None:
    """An amplitude to two digits, and the margin."""
    gaps = 1 - np.cos(2 * np.pi * np.outer(np.arange(1, p), [k, other]) / p)
    rows = np.column_stack([gaps[:, 1] - gaps[:, 0], np.ones(p - 1)])  # t <= a g_k(d) + (1 - a) g_other(d)
    best = linprog([0, -1], A_ub=rows, b_ub=gaps[:, 1], bounds=[(0, 1), (None, None)])
    reached = float((gaps @ [a, 1 - a]).min())
    if not near(largest, reached, 1e-3):
        return f"with the amplitudes a and 1 - a at your a the margin is {reached:.5f}."
    if reached > -best.fun * 0.99:
        return None
    if near(a, 0.5):
        return "equal amplitudes are not the best: the margin grows when one is made larger."
    return f"this margin is not the largest; it grows when a {'falls' if a > best.x[0] else 'grows'}."


@exercise("ex-02a-line", draws={"p": PRIMES[:20], "k": range(1, 24), "phase": [n / 100 for n in range(50)]})
def line(weights: np.ndarray, *, p: int, k: int, phase: float) -> str | None:
    """An array of 2p - 1 numbers, those of the units for n = -1, 0, ..., 2p - 3."""
    sums = np.arange(2 * p - 1)
    wanted = np.cos(2 * np.pi * k * sums / p + phase)
    if np.shape(weights) != wanted.shape:
        return f"there are {2 * p - 1} units, and your array has the shape {np.shape(weights)}."
    if np.allclose(weights, wanted):
        return "these are the values themselves; a unit that bends at n needs the change of the slope there."
    off = np.flatnonzero(~np.isclose(np.maximum(0, sums[:, None] - sums + 1) @ weights, wanted))
    return None if not off.size else f"from the sum {off[0]} on the network has another value than the cosine."
