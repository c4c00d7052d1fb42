"""Chapter 10: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from scipy.stats import binom

from grokbook.exercises.asked import exercise, near
from grokbook.tasks.shapes import ShapeTask


@exercise("ex-10-orders", draws={"n": range(6, 33), "share": [k / 1000 for k in range(20, 301)]})
def orders(different: float, known: float, *, n: int, share: float) -> str | None:
    """Two shares from 0 to 1."""
    right = 24 * comb(n, 4) / n**4
    if not near(different, right):
        if near(different, right / 24):
            return "this counts each set of four glyphs once, and they stand in every order."
        return "count the choices of the first, the second, the third and the fourth glyph."
    if near(known, 1 - binom.pmf(0, 23, share), 1e-5):
        return None
    if near(known, 1 - binom.pmf(0, 24, share), 1e-5):
        return "a test image is not trained itself: it has 23 other orders."
    if near(known, 23 * share):
        return "chances of events that may happen together do not add; take that of none."
    if near(known, share):
        return "this is the chance that an image is trained; for an image that is not, another order is enough."
    return "what is the chance that none of the other orders is trained?"


@exercise("ex-10-split", draws={"n": range(6, 10), "pair": list(combinations(range(6), 2)), "seed": range(100_000)})
def split(blind: float, adds: float, *, n: int, pair: tuple[int, int], seed: int) -> str | None:
    """Two shares from 0 to 1."""
    task = ShapeTask(n, split="pair", pair=pair, seed=seed)
    held = task.targets[task.together]
    right = float(np.mean(held == np.bincount(task.targets[task.train_index]).argmax()))
    if not near(blind, right):
        if blind == 0:
            return "its guess is the most frequent label of the training set, and that is sometimes right."
        return "this is not the share of the images with both glyphs; all test images are another set."
    return (
        None
        if near(adds, 1)
        else "the program that adds knows what each of the two counts from images with one of them."
    )


@exercise("ex-10-pooling", draws={"n": range(5, 9), "d": range(9, 16), "seed": range(100_000)})
def pooling(w: Sequence[float], b: float, least: int, *, n: int, d: int, seed: int) -> str | None:
    """A vector of d numbers, a number, and a number of features."""
    task, u = ShapeTask(n), np.random.default_rng(seed).normal(size=(n, d))
    weights = np.asarray(w, dtype=float)
    if weights.shape != (d,):
        return f"w needs {d} numbers, one for each feature."
    sums = u[task.inputs].sum(axis=1) @ weights
    if not np.allclose(sums + 4 * b, task.targets, atol=1e-3):
        if np.allclose(sums + b, task.targets, atol=1e-3):
            return "b is added once for each place, four times to an image; give the b of one glyph."
        off = np.ptp(sums - task.targets)
        return (
            "this w needs a number b that is not yours." if off < 1e-3 else "u w + b is not the value at some glyphs."
        )
    return (
        None if least == n - 1 else "n vectors need n entries to be independent, and the 1 behind each is one of them."
    )
