"""Chapter 09: checks of its exercises."""

from __future__ import annotations

from itertools import combinations
from math import ceil, log, sqrt

import numpy as np
from scipy.stats import norm

from companion.exercises.registry import Mistakes, exercise, number
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
    """A share of all cases, and a spread, both to three digits."""
    far = log(slow / fast)
    apart = s * sqrt(2)  # spread of the difference of two runs
    right = 2 * norm.sf(far / apart)
    typical = (
        ("in one order", right / 2),
        ("both runs vary", 2 * norm.sf(far / s)),
        ("is of logarithms", 2 * norm.sf((slow / fast - 1) / apart)),
    )
    yield from number(chance, right, "the chance is erfc(ln q / 2 s)", *typical)
    needed = far / (norm.isf(often / 2) * sqrt(2))
    straight = ("chance is no straight line", s * often / right)
    yield from number(spread, needed, "with this spread the chance", straight)


@exercise(
    "ex-09-hand",
    draws={
        "a1": range(400, 600, 10),
        "a2": range(600, 700, 10),
        "a3": range(1000, 1400, 10),
        "b": range(505, 1505, 10),
        "last": range(1600, 2600, 10),
    },
)
def hand(
    score: int, p_value: float, largest: float, *, a1: int, a2: int, a3: int, b: int, last: int
) -> Mistakes:
    """A whole number, a share, and a ratio, both to three digits."""
    # two that are equal: not known which is first
    steps = np.array([a1, a2, a3, b, last + 1, last + 1])
    earlier = np.sign(steps - steps[:, None]).sum(axis=1)  # within a group it adds up to 0
    scores = np.array([earlier[list(group)].sum() for group in combinations(range(6), 3)])
    right = scores[0]
    if score != right:
        yield score == 9, "is later than"
        yield True, "were followed to `last`"
    share = np.mean(scores >= right)
    typical = (("its own grouping", share - 0.05), ("its own grouping", np.mean(scores > right)))
    yield from number(p_value, share, "score all 20 groupings", *typical)
    of_means = ("not of means", (a1 + a2 + a3) / 3 / last)
    yield from number(largest, a2 / last, "is at least `last`", of_means)


@exercise(
    "ex-09-scale",
    draws={
        "seed": range(100_000),
        "factor": [n / 100 for n in range(10, 91)],
        "q": [n / 100 for n in range(40, 71)],
        "s": [n / 100 for n in range(20, 91)],
    },
)
def scale(
    scaled: float, quotient: float, seeds: int, *, seed: int, factor: float, q: float, s: float
) -> Mistakes:
    """MED, MED over the mean length, both to three digits, and a number of seeds."""
    table = factor * embedding_start("toeplitz_normal", 59, 64, seed).double().numpy()
    yield from number(scaled, med(table), "steps get shorter")
    yield from number(quotient, med(table) / mean_norm(table), "cancels")

    def power(n: int) -> float:
        return float(norm.cdf(abs(log(q)) / (s * sqrt(2 / n)) - norm.ppf(0.95)))

    right = next(n for n in range(1, 10_000) if power(n) >= 0.8)
    if seeds == right:
        return
    z = norm.ppf(0.95) + norm.ppf(0.8)
    one_side = (z * s / log(q)) ** 2
    no_power = 2 * (norm.ppf(0.95) * s / log(q)) ** 2
    yield seeds == ceil(one_side), "both sides"
    yield seeds == ceil(no_power), "half of the time"
    yield True, "round 2 (z_0.95 + z_0.8)^2 s^2 /"
