"""Chapter 10: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
from scipy.stats import binom

from companion.exercises.registry import Mistakes, exercise, near, number, tolerance
from grokbook_chapters.resnet_grokking.shapes import ShapeTask


@exercise("ex-10-orders", draws={"n": range(6, 33), "share": [k / 1000 for k in range(20, 201)]})
def orders(different: float, known: float, *, n: int, share: float) -> Mistakes:
    """Two shares from 0 to 1, to three digits."""
    right = 24 * comb(n, 4) / n**4
    one_order = ("in every order", right / 24)
    yield from number(different, right, "count the choices of the first", one_order)
    typical = (
        ("itself", 1 - binom.pmf(0, 24, share)),
        ("do not add", 23 * share),
        ("another order is enough", share),
    )
    yield from number(known, 1 - binom.pmf(0, 23, share), "what is the chance that none", *typical)


@exercise(
    "ex-10-split",
    draws={"n": range(6, 10), "pair": list(combinations(range(6), 2)), "seed": range(100_000)},
)
def split(blind: float, adds: float, *, n: int, pair: tuple[int, int], seed: int) -> Mistakes:
    """Two shares from 0 to 1, to three digits."""
    task = ShapeTask(n, split="pair", pair=pair, seed=seed)
    held = task.targets[task.together]
    most_frequent = np.bincount(task.targets[task.train_index]).argmax()
    right = float(np.mean(held == most_frequent))
    yield from number(blind, right, "all test images", ("sometimes right", 0))
    yield not near(adds, 1), "what each of the two counts"


@exercise("ex-10-pooling", draws={"n": range(5, 9), "d": range(9, 16), "seed": range(100_000)})
def pooling(w: Sequence[float], b: float, least: int, *, n: int, d: int, seed: int) -> Mistakes:
    """A vector of d numbers and a number, to three digits, and a number of features."""
    task = ShapeTask(n)
    u = np.random.default_rng(seed).normal(size=(n, d))
    weights = np.asarray(w, dtype=float)
    yield weights.shape != (d,), "w needs N numbers"
    features = u[task.inputs].sum(axis=1)
    left = task.targets - features @ weights
    rounding = np.abs(features) @ tolerance(weights) + 4 * tolerance(b) + 1e-6
    if not (np.abs(left - 4 * b) <= rounding).all():
        yield (np.abs(left - b) <= rounding).all(), "once for each place"
        yield (np.abs(left - left.mean()) <= rounding).all(), "a number b"
        yield True, "at some glyphs"
    yield least != n - 1, "the 1 behind"
