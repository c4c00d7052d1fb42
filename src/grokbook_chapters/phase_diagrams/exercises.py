"""Chapter 12: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from companion.exercises.registry import Mistakes, exercise, number
from grokbook_chapters.phase_diagrams import agreement, published


@exercise(
    "ex-12-relative",
    draws={"factor": [n / 1000 for n in range(1100, 1550)], "gap": range(1100, 1500)},
)
def relative(late: Sequence[bool], slow: float, *, factor: float, gap: int) -> Mistakes:
    """A list of eight True and False, and a number above 1, to three digits."""
    fits, tests = np.array([*published.NO_DECAY.values()]).T
    given = [bool(flag) for flag in late]
    if given != (tests / fits > factor).tolist():
        yield given == (tests - fits >= gap).tolist(), "asks for a number of steps"
        yield given == (tests - fits > factor * fits).tolist(), "the delay with the fit step"
        yield True, "a run is late where test step /"
    fit, test = published.NO_DECAY[1e-4]
    typical = (
        ("knows nothing of `factor`", factor),
        ("the delay grows", gap / test),
        ("the delay grows", gap / fit),
    )
    yield from number(slow, gap / (test - fit), "when is `slow` times the delay", *typical)


@exercise("ex-12-chance", draws={"seed": range(100_000)})
def chance(agreements: Sequence[float], kappas: Sequence[float], *, seed: int) -> Mistakes:
    """Two agreements from 0 to 1, and two numbers kappa, to three digits."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(published.panels()["b"].values.ravel(), 120, replace=False)
    answers = [np.full(120, "M"), rng.permutation(cells)]
    shares = np.array([agreement.agreement(cells, answer) for answer in answers])
    yield from number(agreements, shares, "the share of the 120 cells")
    typical = (("leaves chance out", shares), ("not one in four", (shares - 0.25) / 0.75))
    right = [agreement.kappa(cells, answer) for answer in answers]
    yield from number(kappas, right, "kappa is (a - c) / (1 - c)", *typical)


@exercise(
    "ex-12-splits",
    draws={"p": range(8, 20), "held": range(5, 15), "least": [n / 100 for n in range(30, 71)]},
)
def splits(share: float, most: int, *, p: int, held: int, least: float) -> Mistakes:
    """A share from 0 to 1, to three digits, and a whole number."""
    sizes = np.bincount(np.add(*np.triu_indices(p))).tolist()
    ways = np.ones(1, dtype=object)
    for size in sizes:
        of_sum = [comb(size, k) for k in range(size)]
        ways = np.convolve(ways, np.array(of_sum, dtype=object))
    pairs = sum(sizes)
    shares = np.array([int(count) / comb(pairs, n) for n, count in enumerate(ways)])
    single = ("with two pairs", comb(pairs - 4, held) / comb(pairs, held))
    yield from number(share, shares[held], "not the share", single)
    right = int(np.argmax(shares < least)) - 1  # the first of these falls short
    yield most > right, "fewer of the splits", most
    yield most != right, "more test pairs", most
