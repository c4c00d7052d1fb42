"""Chapter 10: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from scipy.stats import binom

from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.tasks.shapes import ShapeTask


@exercise("ex-10-orders", draws={"n": range(6, 33), "share": [k / 1000 for k in range(20, 301)]})
def orders(different: float, known: float, *, n: int, share: float) -> Mistakes:
    """Two shares from 0 to 1."""
    right = 24 * comb(n, 4) / n**4
    if not near(different, right):
        yield near(different, right / 24), "in every order"
        yield True, "count the choices of the first"
    if near(known, 1 - binom.pmf(0, 23, share), 1e-5):
        return
    yield near(known, 1 - binom.pmf(0, 24, share), 1e-5), "itself"
    yield near(known, 23 * share), "do not add"
    yield near(known, share), "another order is enough"
    yield True, "what is the chance that none"


@exercise("ex-10-split", draws={"n": range(6, 10), "pair": list(combinations(range(6), 2)), "seed": range(100_000)})
def split(blind: float, adds: float, *, n: int, pair: tuple[int, int], seed: int) -> Mistakes:
    """Two shares from 0 to 1."""
    task = ShapeTask(n, split="pair", pair=pair, seed=seed)
    held = task.targets[task.together]
    right = float(np.mean(held == np.bincount(task.targets[task.train_index]).argmax()))
    if not near(blind, right):
        yield blind == 0, "sometimes right"
        yield True, "all test images"
    yield not near(adds, 1), "what each of the two counts"


@exercise("ex-10-pooling", draws={"n": range(5, 9), "d": range(9, 16), "seed": range(100_000)})
def pooling(w: Sequence[float], b: float, least: int, *, n: int, d: int, seed: int) -> Mistakes:
    """A vector of d numbers, a number, and a number of features."""
    task, u = ShapeTask(n), np.random.default_rng(seed).normal(size=(n, d))
    weights = np.asarray(w, dtype=float)
    yield weights.shape != (d,), "w needs N numbers"
    sums = u[task.inputs].sum(axis=1) @ weights
    if not np.allclose(sums + 4 * b, task.targets, atol=1e-3):
        yield np.allclose(sums + b, task.targets, atol=1e-3), "once for each place"
        off = np.ptp(sums - task.targets)
        yield off < 1e-3, "a number b"
        yield True, "at some glyphs"
    yield least != n - 1, "the 1 behind"
