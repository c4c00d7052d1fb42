"""Chapter 12: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from grokbook.chapters.phase_diagrams import published
from grokbook.exercises.asked import exercise, near
from grokbook.runs import phases


@exercise("ex-12-relative", draws={"factor": [n / 1000 for n in range(1100, 1550)], "gap": range(500, 1500)})
def relative(late: Sequence[bool], slow: float, *, factor: float, gap: int) -> str | None:
    """A list of eight True and False, and a number above 1."""
    fits, tests = np.array([*published.NO_DECAY.values()]).T
    given = [bool(one) for one in late]
    if given != [test / fit > factor for fit, test in zip(fits, tests, strict=True)]:
        if given == (tests - fits >= gap).tolist():
            return "this is Table 1, which asks for a number of steps; your rule asks for a quotient."
        if given == (tests - fits > factor * fits).tolist():
            return "this compares the delay with the fit step; the rule compares the test step with it."
        return "a run is late where test step / fit step is above `factor`: eight answers, the smallest rate first."
    fit, test = published.NO_DECAY[1e-4]
    if near(slow, factor):
        return "Table 1 knows nothing of `factor`: it counts the steps of the delay."
    if near(slow, gap / test) or near(slow, gap / fit):
        return "not one of the two steps is to reach the bar: the delay grows with their difference."
    return None if near(slow, gap / (test - fit)) else "when is `slow` times the delay of this run equal to `gap`?"


@exercise("ex-12-chance", draws={"seed": range(100_000)})
def chance(agreements: Sequence[float], kappas: Sequence[float], *, seed: int) -> str | None:
    """Two agreements from 0 to 1, and two numbers kappa."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(published.panels()["b"].values.ravel(), 120, replace=False)
    answers = [np.full(120, "M"), rng.permutation(cells)]
    right = [phases.agreement(cells, one) for one in answers]
    if not np.allclose(agreements, right, atol=1e-3):
        return "an agreement is the share of the 120 cells in which the two letters are equal."
    if np.allclose(kappas, [phases.kappa(cells, one) for one in answers], atol=1e-3):
        return None
    if np.allclose(kappas, right, atol=1e-3):
        return "this leaves chance out: kappa is what an agreement has beyond that of random places."
    if np.allclose(kappas, [(a - 0.25) / 0.75 for a in right], atol=1e-3):
        return "the chance is not one in four: letters that are frequent in both diagrams meet more often."
    return "kappa is (a - c) / (1 - c), with c from the shares of each letter in both diagrams."


@exercise("ex-12-splits", draws={"p": range(8, 20), "held": range(5, 15), "least": [n / 100 for n in range(30, 71)]})
def splits(share: float, most: int, *, p: int, held: int, least: float) -> str | None:
    """A share from 0 to 1, and a whole number."""
    sizes = [int(n) for n in np.bincount(np.add(*np.triu_indices(p)))]
    ways = np.ones(1, dtype=object)
    for n in sizes:
        ways = np.convolve(ways, np.array([comb(n, k) for k in range(n)], dtype=object))
    pairs = sum(sizes)
    shares = [int(one) / comb(pairs, n) for n, one in enumerate(ways)]
    if not near(share, shares[held], 1e-4):
        if near(share, comb(pairs - 4, held) / comb(pairs, held), 1e-4):
            return "this looks at the four sums with one pair only; a sum with two pairs or more can be lost too."
        return "this is not the share: sums with two pairs can be lost too, and draws without replacement depend."
    right = next(n for n, one in enumerate(shares) if one < least) - 1
    if most > right:
        return f"with {most} test pairs fewer of the splits than the share `least` keep every sum."
    return None if most == right else f"more test pairs than {most} are possible; increase their number until it fails."
