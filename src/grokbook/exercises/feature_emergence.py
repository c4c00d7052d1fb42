"""Chapter 17: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.theory import backpropagated
from grokbook.theory.feature_energy import local_maxima

PRODUCTS = [f"Z{a}xZ{b}" for a in range(2, 11) for b in range(2, 11)]


@exercise(
    "ex-17-window",
    draws={
        "K": range(1500, 3000),
        "s": (0.4, 0.5, 0.6, 0.7, 0.8, 1.2, 1.4, 1.5),
        "part": [n / 1000 for n in range(5, 50)],
    },
)
def window(eta: float, smaller: float, measured: float, *, K: int, s: float, part: float) -> Mistakes:
    """A weight decay, and two factors above 1."""
    top = 4 * K * s**4
    yield near(eta, 4 * K), "standard deviation 1"
    yield near(eta, 4 * K * s**2), "fourth power"
    yield not near(eta, top), "set the derivative of eta / (K"
    yield near(smaller, 1 / part), "straight line"
    high, low = (backpropagated.shrinkage(K, 4 * s**4, decay) for decay in (top, part * top))
    yield not near(smaller, high / low), "divide the formula at eta"
    yield near(measured, smaller, 1e-6), "the formula again"
    F, Y = backpropagated.random_features(5, K, scale=s), backpropagated.answers(5)
    high, low = (np.linalg.norm(backpropagated.feature_gradient(F, Y, decay)) for decay in (top, part * top))
    yield near(measured, low / high, 1e-2), "upside down"
    yield not near(measured, high / low, 1e-2), "take the norms of G_F"


@exercise("ex-17-product", draws={"group": PRODUCTS, "other": PRODUCTS})
def product(heights: Sequence[float], heights_other: Sequence[float], *, group: str, other: str) -> Mistakes:
    """Two lists of heights, a number for each hill."""
    for name, given in ((group, heights), (other, heights_other)):
        hills = local_maxima(name)
        real = sum(hill.dimension == 1 for hill in hills)
        found, right = (np.sort(np.asarray(each, dtype=float)) for each in (given, [hill.energy for hill in hills]))
        yield len(found) == 2 * len(right) - real != len(right), "and its conjugate are one hill", name
        yield len(found) != len(right), "N has N real characters", name, real, len(hills) - real, len(hills)
        yield np.allclose(4 * found, right), "for unit inputs", name
        yield not np.allclose(found, right), "is M/4", name


@exercise("ex-17-missing", draws={"M": range(11, 32, 2), "k": range(1, 6), "eta": [n / 10_000 for n in range(1, 200)]})
def missing(missed: float, energies: Sequence[float], *, M: int, k: int, eta: float) -> Mistakes:
    """A share of a norm, and a list of energies."""
    right = float(np.sqrt(2 / (M - 1)))
    yield near(missed, right**2), "of the square"
    yield not near(missed, right), "one frequency is missed"
    yield len(energies) != M // 2, "give one energy", M // 2
    every = backpropagated.cosines(M)
    learned = backpropagated.features(5 * np.delete(every, range(4 * k - 4, 4 * k), axis=0), M)
    left = [backpropagated.modulated(w, M, learned, eta) for w in every[::4]]
    yield np.allclose(energies, M / 4), "nothing was learned"
    yield int(np.argmax(energies)) != k - 1, "was left out"
    yield not np.allclose(energies, left, rtol=1e-3, atol=1e-6), "learn the nodes"
