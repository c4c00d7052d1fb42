"""Chapter 09: checks of its exercises."""

from __future__ import annotations

from itertools import combinations
from math import log, sqrt

import numpy as np
from scipy.stats import norm

from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.measures import mean_norm, med
from grokbook.models.start import embedding_start


@exercise(
    "ex-09-one",
    draws={
        "fast": range(2000, 5000, 10),
        "slow": range(6000, 12_000, 10),
        "s": [n / 100 for n in range(25, 91)],
        "often": [n / 100 for n in range(5, 21)],
    },
)
def one(chance: float, spread: float, *, fast: int, slow: int, s: float, often: float) -> Mistakes:
    """A share of all cases, and a spread."""
    far = log(slow / fast)
    right = 2 * norm.sf(far / (s * sqrt(2)))
    if not near(chance, right):
        yield near(chance, right / 2), "in one order"
        yield near(chance, 2 * norm.sf(far / s)), "both runs vary"
        yield near(chance, 2 * norm.sf((slow / fast - 1) / (s * sqrt(2)))), "is of logarithms"
        yield True, "the chance is erfc(ln q / 2 s)"
    if near(2 * norm.sf(far / (float(spread) * sqrt(2))), often, 2e-3):
        return
    yield near(spread, s * often / right), "chance is no straight line"
    yield True, "with this spread the chance"


@exercise(
    "ex-09-hand",
    draws={
        "a1": range(200, 600, 10),
        "a2": range(600, 1000, 10),
        "a3": range(1000, 1400, 10),
        "b": range(505, 1505, 10),
        "last": range(1600, 2600, 10),
    },
)
def hand(score: int, p_value: float, largest: float, *, a1: int, a2: int, a3: int, b: int, last: int) -> Mistakes:
    """A whole number, a share, and a ratio."""
    steps, count = [a1, a2, a3, b, last + 1, last + 1], range(6)  # two that are equal: not known which is first

    def scored(group: tuple[int, ...]) -> int:
        others = [k for k in count if k not in group]
        return sum(int(np.sign(steps[k] - steps[i])) for i in group for k in others)

    right, every = scored((0, 1, 2)), [scored(group) for group in combinations(count, 3)]
    if score != right:
        yield score == 9, "is later than"
        yield True, "were followed to `last`"
    share = np.mean([one >= right for one in every])
    if not near(p_value, share):
        yield near(p_value, share - 0.05) or near(p_value, np.mean([one > right for one in every])), "its own grouping"
        yield True, "score all 20 groupings"
    if near(largest, a2 / last):
        return
    yield near(largest, (a1 + a2 + a3) / 3 / last), "not of means"
    yield True, "is at least `last`"


@exercise(
    "ex-09-scale",
    draws={
        "seed": range(100_000),
        "factor": [n / 100 for n in range(10, 91)],
        "q": [n / 100 for n in range(40, 71)],
        "s": [n / 100 for n in range(20, 91)],
    },
)
def scale(scaled: float, quotient: float, seeds: int, *, seed: int, factor: float, q: float, s: float) -> Mistakes:
    """MED, MED over the mean length, and a number of seeds."""
    table = factor * embedding_start("toeplitz_normal", 59, 64, seed).double().numpy()
    yield not near(scaled, med(table)), "steps get shorter"
    yield not near(quotient, med(table) / mean_norm(table)), "cancels"

    def power(n: int) -> float:
        return float(norm.cdf(abs(log(q)) / (s * sqrt(2 / n)) - norm.ppf(0.95)))

    right = next(n for n in range(1, 10_000) if power(n) >= 0.8)
    if seeds == right:
        return
    z = norm.ppf(0.95) + norm.ppf(0.8)
    yield seeds == int(np.ceil((z * s / log(q)) ** 2)), "both sides"
    yield seeds == int(np.ceil(2 * (norm.ppf(0.95) * s / log(q)) ** 2)), "half of the time"
    yield True, "round 2 (z_0.95 + z_0.8)^2 s^2 /"
