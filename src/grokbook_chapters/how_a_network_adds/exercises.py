"""Chapter 02a: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize_scalar
from sympy import primerange

from companion.exercises.registry import Mistakes, divided, exercise, near
from grokbook_chapters.how_a_network_adds import sum_of_angles as angles

PRIMES = tuple(primerange(47, 200))


@exercise("ex-02a-rename", draws={"p": PRIMES, "k": range(1, 16), "gap": range(1, 9)})
def rename(like: Sequence[int], *, p: int, k: int, gap: int) -> Mistakes:
    """A list of two frequencies."""
    half = (p - 1) // 2
    if max(like) > half:
        yield True, "are the same frequency", half
    yield set(like) == {k, k + gap}, "is the set itself"
    given = angles.margin(p, list(like))
    wanted = angles.margin(p, [k, k + gap])
    yield not np.isclose(given, wanted), "has the margin", given, wanted


@exercise("ex-02a-amplitudes", draws={"p": PRIMES, "k": range(1, 12), "other": range(12, 24)})
def amplitudes(a: float, largest: float, *, p: int, k: int, other: int) -> Mistakes:
    """An amplitude, and the margin, both to three digits."""

    def margin(amplitude: float) -> float:
        return angles.margin(p, [k, other], [amplitude, 1 - amplitude])

    # it is concave
    best = minimize_scalar(lambda a: -margin(a), bounds=(0, 1), options={"xatol": 1e-9})
    reached = margin(a)
    right = near(largest, -best.fun) or near(largest, reached)
    yield not right, "with the amplitudes a and 1 - a", reached
    if not near(a, best.x) and reached < -0.99 * best.fun:
        yield near(a, 0.5), "equal amplitudes"
        yield a > best.x, "is not the largest"
        yield True, "margin is not the largest"


@exercise(
    "ex-02a-line",
    draws={"p": PRIMES[:20], "k": range(1, 24), "phase": divided(range(50), 100)},
)
def line(weights: np.ndarray, *, p: int, k: int, phase: float) -> Mistakes:
    """An array of 2p - 1 numbers, those of the units for n = -1, 0, ..., 2p - 3, to three
    digits."""
    sums = np.arange(2 * p - 1)
    wanted = np.cos(2 * np.pi * k * sums / p + phase)
    if np.shape(weights) != wanted.shape:
        yield True, "there are N units", 2 * p - 1, np.shape(weights)
    yield near(weights, wanted), "values themselves"
    # unit n is silent up to the sum n, so the weights are found one after the other: there is one
    # set of them
    right = np.linalg.solve(np.maximum(0, sums[:, None] - sums + 1), wanted)
    for n in sums:
        if not near(weights[n], right[n]):
            yield True, "from the sum", int(n)
