"""Chapter 02a: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sympy import primerange

from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.theory import sum_of_angles as angles

PRIMES = tuple(primerange(47, 200))


@exercise("ex-02a-rename", draws={"p": PRIMES, "k": range(1, 16), "gap": range(1, 9)})
def rename(like: Sequence[int], *, p: int, k: int, gap: int) -> Mistakes:
    """A list of two frequencies."""
    if any(one > (p - 1) // 2 for one in like):
        yield True, "are the same frequency", (p - 1) // 2
    yield set(like) == {k, k + gap}, "is the set itself"
    given, asked = angles.margin(p, list(like)), angles.margin(p, [k, k + gap])
    yield not np.isclose(given, asked), "has the margin", given, asked


@exercise("ex-02a-amplitudes", draws={"p": PRIMES, "k": range(1, 12), "other": range(12, 24)})
def amplitudes(a: float, largest: float, *, p: int, k: int, other: int) -> Mistakes:
    """An amplitude to two digits, and the margin."""
    def margin(amplitude: float) -> float:
        return angles.margin(p, [k, other], [amplitude, 1 - amplitude])

    yield not near(largest, margin(a)), "with the amplitudes a and 1 - a", margin(a)
    best = max(np.linspace(0.001, 0.999, 999), key=margin)
    if largest < 0.99 * margin(best):
        yield near(a, 0.5), "equal amplitudes"
        yield a > best, "is not the largest"
        yield True, "margin is not the largest"


@exercise("ex-02a-line", draws={"p": PRIMES[:20], "k": range(1, 24), "phase": [n / 100 for n in range(50)]})
def line(weights: np.ndarray, *, p: int, k: int, phase: float) -> Mistakes:
    """An array of 2p - 1 numbers, those of the units for n = -1, 0, ..., 2p - 3."""
    sums = np.arange(2 * p - 1)
    wanted = np.cos(2 * np.pi * k * sums / p + phase)
    if np.shape(weights) != wanted.shape:
        yield True, "there are N units", 2 * p - 1, np.shape(weights)
    yield np.allclose(weights, wanted), "values themselves"
    off = np.flatnonzero(~np.isclose(np.maximum(0, sums[:, None] - sums + 1) @ weights, wanted))
    if off.size:
        yield True, "from the sum", off[0]
