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
    given = [bool(one) for one in late]
    if given != [test / fit > factor for fit, test in zip(fits, tests, strict=True)]:
        yield given == (tests - fits >= gap).tolist(), "asks for a number of steps"
        yield given == (tests - fits > factor * fits).tolist(), "the delay with the fit step"
        yield True, "a run is late where test step /"
    fit, test = published.NO_DECAY[1e-4]
    grows = [("the delay grows", gap / one) for one in (test, fit)]
    unknown = ("knows nothing of `factor`", factor)
    yield from number(slow, gap / (test - fit), "when is `slow` times the delay", unknown, *grows)


@exercise("ex-12-chance", draws={"seed": range(100_000)})
def chance(agreements: Sequence[float], kappas: Sequence[float], *, seed: int) -> Mistakes:
    """Two agreements from 0 to 1, and two numbers kappa, to three digits."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(published.panels()["b"].values.ravel(), 120, replace=False)
    answers = [np.full(120, "M"), rng.permutation(cells)]
    right = [agreement.agreement(cells, one) for one in answers]
    yield from number(agreements, right, "the share of the 120 cells")
    one_in_four = ("not one in four", [(a - 0.25) / 0.75 for a in right])
    typical = ("leaves chance out", right), one_in_four
    found = [agreement.kappa(cells, one) for one in answers]
    yield from number(kappas, found, "kappa is (a - c) / (1 - c)", *typical)


@exercise(
    "ex-12-splits",
    draws={"p": range(8, 20), "held": range(5, 15), "least": [n / 100 for n in range(30, 71)]},
)
def splits(share: float, most: int, *, p: int, held: int, least: float) -> Mistakes:
    """A share from 0 to 1, to three digits, and a whole number."""
    sizes = [int(n) for n in np.bincount(np.add(*np.triu_indices(p)))]
    ways = np.ones(1, dtype=object)
    for n in sizes:
        ways = np.convolve(ways, np.array([comb(n, k) for k in range(n)], dtype=object))
    pairs = sum(sizes)
    shares = [int(one) / comb(pairs, n) for n, one in enumerate(ways)]
    single = ("with two pairs", comb(pairs - 4, held) / comb(pairs, held))
    yield from number(share, shares[held], "not the share", single)
    right = next(n for n, one in enumerate(shares) if one < least) - 1
    yield most > right, "fewer of the splits", most
    yield most != right, "more test pairs", most
