"""Chapter 11a: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt

import numpy as np
import pandas as pd
from scipy.stats import beta, binomtest

from grokbook.chapters.trained_toys import embeddings, runs
from grokbook.claims import load
from grokbook.exercises.asked import exercise, near
from grokbook.theory.parallelograms import representation_quality_index

MOVED = [
    (30, 8),
    *((35, seed) for seed in (2, 17, 18)),
    *((40, seed) for seed in (2, 3)),
    *((45, seed) for seed in (2, 3, 10, 13, 15)),
    *((50, seed) for seed in (0, 2, 4, 6, 7, 9, 11, 12, 13, 14, 17)),
    *((54, seed) for seed in (0, 2, 7, 9, 13, 17, 18)),
]
"""Recorded runs, by training pairs and seed, in which the step of the line is another one in the other unit."""


@exercise("ex-11a-start", draws={"p": range(8, 17), "seed": range(100_000)})
def start(cosine: float, nearer: float, square: float, *, p: int, seed: int) -> str | None:
    """A cosine, a share, and a mean."""
    own = np.random.default_rng(seed).uniform(size=p)
    right = abs(np.corrcoef(own, np.arange(p))[0, 1])
    if not near(abs(float(cosine)), right):
        return "both, the start and the ladder, lose their means before the cosine is taken."
    share = float(beta(0.5, (p - 2) / 2).sf(right**2))
    if abs(float(nearer) - share) > 0.03:
        if abs(float(nearer) - share / 2) < 0.02:
            return "a ladder going down is a ladder too: compare the cosines without their signs."
        if abs(1 - float(nearer) - share) < 0.03:
            return "these are the starts that are farther away."
        return "draw many starts, and count those with a larger cosine."
    if near((p - 1) * float(square), 1, 0.04):
        return None
    return "one direction is lost with the mean; a start is as likely to point in each of the others."


@cache
def _table() -> pd.DataFrame:
    """The recorded toys, a row a run."""
    return embeddings.measured(load(runs.toys()))


@exercise("ex-11a-clock", draws={"seed": range(100_000), "noise": [n / 100 for n in range(5, 41)]})
def clock(
    better: Sequence[Sequence[int]], passes: Sequence[bool | None], *, seed: int, noise: float
) -> str | None:  # fmt: skip
    """Three lists of whole numbers, one a seed, and three of True, False, None."""
    table = _table()
    wrong = np.random.default_rng(seed).normal(0, noise, len(table))
    blind = (table.accuracy - table.samples / 55).abs().to_numpy()
    for n, error in enumerate((blind, 0 * blind, np.abs(wrong))):
        scores = np.where(np.isclose(error, blind, atol=1e-12), 0, np.where(error < blind, 1, -1))
        right = [int(scores[table.seed == one].sum()) for one in sorted(set(table.seed))]
        given = [int(one) for one in better[n]]
        if given != right:
            if len(given) != len(right):
                return f"give a number for each seed, {len(right)} of them."
            if not n:
                return "the clock is the share itself, which is neither nearer nor farther away than the share: a tie."
            return "the oracle's error is zero." if n == 1 else "the error of the third prediction is the noise."
        won, of = sum(one > 0 for one in right), sum(one != 0 for one in right)
        sure = of > 0 and binomtest(won, of).pvalue <= 0.05
        if passes[n] is not (2 * won > of if sure else None):
            return f"of prediction {n + 1}, {won} of {of} seeds are better: " + (
                "that decides." if sure else "a fair coin does as well, so it has neither passed nor failed."
            )
    return None


@exercise("ex-11a-unit", draws={"p": range(5, 121), "run": MOVED})
def unit(factor: float, theirs: int, ours: int, *, p: int, run: tuple[int, int]) -> str | None:
    """A factor and two steps."""
    if not near(factor, sqrt(p / (p - 1)), 1e-5):
        if factor < 1:
            return "the deviation of chapter 11 is the smaller one, so its numbers are larger, not smaller."
        return "this is the quotient of the variances." if near(factor, p / (p - 1), 1e-5) else "divide the deviations."
    n, seed = run
    steps, numbers = embeddings.path(load({n: runs.toys()[n]})[n].sel(seed=seed))
    right = []
    for scale in (1.0, sqrt(10 / 9)):
        seen = (representation_quality_index(scale * one, 0.1, normalise=False) > 0.95 for one in numbers)
        right.append(next(int(step) for step, line in zip(steps, seen, strict=True) if line))
    if [int(theirs), int(ours)] == right:
        return None
    if [int(ours), int(theirs)] == right:
        return "the two are exchanged: larger numbers have larger gaps, and a line is seen no earlier."
    if int(theirs) != right[0]:
        return "in the program's unit `numbers` are taken as they are; look for the first step above the goal."
    return "in the larger unit fewer gaps are below the tolerance: multiply the ten numbers by their own factor."
