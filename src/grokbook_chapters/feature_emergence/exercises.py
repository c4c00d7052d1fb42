"""Chapter 17: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

import numpy as np

from companion.exercises.registry import Mistakes, divided, exercise, near, number
from grokbook_chapters.feature_emergence import backpropagated

PRODUCTS = [f"Z{a}xZ{b}" for a in range(2, 11) for b in range(2, 11)]


@exercise(
    "ex-17-window",
    draws={
        "K": range(1500, 3000),
        "s": (0.4, 0.5, 0.6, 0.7, 0.8, 1.2, 1.4, 1.5),
        "part": divided(range(5, 50), 1000),
    },
)
def window(
    eta: float, smaller: float, measured: float, *, K: int, s: float, part: float
) -> Mistakes:
    """A weight decay and two factors above 1, to three digits; the measured one as exact as random
    features make it."""
    top = 4 * K * s**4
    typical = ("standard deviation 1", 4 * K), ("fourth power", 4 * K * s**2)
    yield from number(eta, top, "set the derivative of eta / (K", *typical)
    high = backpropagated.shrinkage(K, 4 * s**4, top)
    low = backpropagated.shrinkage(K, 4 * s**4, part * top)
    yield from number(smaller, high / low, "divide the formula at eta", ("straight line", 1 / part))
    F = backpropagated.random_features(5, K, scale=s)
    Y = backpropagated.answers(5)
    high = np.linalg.norm(backpropagated.as_printed(F, Y, top))
    low = np.linalg.norm(backpropagated.as_printed(F, Y, part * top))
    right = high / low
    typical = ("upside down", 1 / right), ("the formula again", smaller)
    yield from number(measured, right, "take the norms of G_F", *typical, within=0.01 * right)


@exercise("ex-17-product", draws={"group": PRODUCTS, "other": PRODUCTS})
def product(
    heights: Sequence[float], heights_other: Sequence[float], *, group: str, other: str
) -> Mistakes:
    """Two lists of heights, a number for each hill, to three digits."""
    for name, given in ((group, heights), (other, heights_other)):
        n, m = (int(part[1:]) for part in name.split("x"))
        # the characters that are their own inverse, without the trivial one
        real = gcd(n, 2) * gcd(m, 2) - 1
        pairs = (n * m - 1 - real) // 2
        ordered = sorted(map(float, given))
        count = len(ordered)
        right = [n * m / 4] * pairs + [n * m / 2] * real
        if near(ordered, right):
            continue
        yield count == n * m - 1 != len(right), "and its conjugate are one hill", name
        yield count != len(right), "N has N real characters", name, real, pairs, real + pairs
        yield near(4 * np.array(ordered), right), "for unit inputs", name
        yield True, "is M/4", name


@exercise(
    "ex-17-missing",
    draws={"M": range(11, 32, 2), "k": range(1, 6), "eta": divided(range(1, 200), 10_000)},
)
def missing(missed: float, energies: Sequence[float], *, M: int, k: int, eta: float) -> Mistakes:
    """A share of a norm, and a list of energies, to three digits."""
    right = float(np.sqrt(2 / (M - 1)))
    yield from number(missed, right, "one frequency is missed", ("of the square", right**2))
    every = backpropagated.cosines(M)
    others = np.delete(every, range(4 * k - 4, 4 * k), axis=0)

    def left(size: float) -> np.ndarray:
        learned = backpropagated.features(size * others, M)
        return np.array([backpropagated.modulated(w, M, learned, eta) for w in every[::4]])

    given = np.asarray(energies, dtype=float)
    wanted = left(5.0)
    if given.shape != wanted.shape:
        yield True, "give one energy", len(wanted)
    if near(given, wanted, within=1e-6):
        return
    yield near(given, np.full(len(wanted), M / 4)), "nothing was learned"
    yield near(given, left(1.0), within=1e-6), "five times as large"
    yield int(np.argmax(given)) != k - 1, "was left out"
    yield True, "learn the nodes"
