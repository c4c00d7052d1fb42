"""Chapter 11a: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt

import numpy as np
import pandas as pd
from scipy.stats import beta, binomtest

from companion.claims import load
from companion.exercises.registry import Mistakes, divided, exercise, near, number
from grokbook.theory.parallelograms import representation_quality_index
from grokbook_chapters.trained_toys import embeddings, runs

_SEEDS = {
    30: (8,),
    35: (2, 17, 18),
    40: (2, 3),
    45: (2, 3, 10, 13, 15),
    50: (0, 2, 4, 6, 7, 9, 11, 12, 13, 14, 17),
    54: (0, 2, 7, 9, 13, 17, 18),
}
MOVED = [(pairs, seed) for pairs, seeds in _SEEDS.items() for seed in seeds]
"""Recorded runs, by training pairs and seed, in which the step of the line is another one in the
other unit."""


@exercise("ex-11a-start", draws={"p": range(8, 17), "seed": range(100_000)})
def start(cosine: float, nearer: float, square: float, *, p: int, seed: int) -> Mistakes:
    """A cosine, to three digits, and a share and a mean, as exact as many draws make them."""
    own = np.random.default_rng(seed).uniform(size=p)
    right = abs(np.corrcoef(own, np.arange(p))[0, 1])
    yield from number(abs(float(cosine)), right, "lose their means")
    share = float(beta(0.5, (p - 2) / 2).sf(right**2))
    if abs(float(nearer) - share) > 0.03:
        yield abs(float(nearer) - share / 2) < 0.02, "going down"
        yield abs(1 - float(nearer) - share) < 0.03, "farther away"
        yield True, "draw many starts"
    yield not near(square, 1 / (p - 1), within=0.04 / (p - 1)), "one direction is lost"


@cache
def _table() -> pd.DataFrame:
    """The recorded toys, a row a run."""
    return embeddings.measured(load(runs.toys()))


@exercise("ex-11a-clock", draws={"seed": range(100_000), "noise": divided(range(5, 41), 100)})
def clock(
    better: Sequence[Sequence[int]], passes: Sequence[bool | None], *, seed: int, noise: float
) -> Mistakes:
    """Three lists of whole numbers, one a seed, and three of True, False, None."""
    table = _table()
    wrong = np.random.default_rng(seed).normal(0, noise, len(table))
    blind = (table.accuracy - table.samples / 55).abs().to_numpy()
    for n, error in enumerate((blind, 0 * blind, np.abs(wrong))):
        nearer = np.where(np.isclose(error, blind, atol=1e-12), 0, np.sign(blind - error))
        by_seed = pd.Series(nearer).groupby(table.seed.to_numpy()).sum()
        right = by_seed.astype(int).tolist()
        given = [int(score) for score in better[n]]
        if given != right:
            if len(given) != len(right):
                yield True, "for each seed", len(right)
            yield not n, "a tie"
            yield n == 1, "the oracle's error is zero"
            yield True, "the noise"
        won = int((by_seed > 0).sum())
        of = int((by_seed != 0).sum())
        sure = of > 0 and binomtest(won, of).pvalue <= 0.05
        if passes[n] is not (2 * won > of if sure else None):
            yield sure, "of prediction N", n + 1, won, of
            yield True, "neither passed nor failed", n + 1, won, of


@exercise("ex-11a-unit", draws={"p": range(5, 96), "run": MOVED})
def unit(factor: float, theirs: int, ours: int, *, p: int, run: tuple[int, int]) -> Mistakes:
    """A factor, to three digits, and two steps."""
    yield factor < 1, "smaller"
    yield from number(
        factor, sqrt(p / (p - 1)), "divide the deviations", ("variances", p / (p - 1))
    )
    n, seed = run
    steps, numbers = embeddings.path(load({n: runs.toys()[n]})[n].sel(seed=seed))

    def first_line(scale: float) -> int:
        for step, table in zip(steps, scale * numbers, strict=True):
            if representation_quality_index(table, 0.1, normalise=False) > 0.95:
                return int(step)
        raise LookupError("a recorded run of these has a line in either unit")

    in_theirs = first_line(1.0)
    in_ours = first_line(sqrt(10 / 9))
    yield (ours, theirs) == (in_theirs, in_ours), "exchanged"
    yield theirs != in_theirs, "in the program's unit `numbers`"
    yield ours != in_ours, "fewer gaps are below"
