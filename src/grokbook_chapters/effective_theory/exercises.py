"""Chapter 11: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
import pandas as pd
from sympy import primerange

from companion.exercises.registry import Mistakes, exercise, near, number
from grokbook.theory.effective_flow import limit
from grokbook.theory.parallelograms import ideal_model
from grokbook_chapters.effective_theory import lines


@exercise("ex-11-count", draws={"p": range(60, 260, 2), "s": range(60, 119)})
def count(samples: int, parallelograms: int, *, p: int, s: int) -> Mistakes:
    """Two whole numbers: samples of the label, and parallelograms of all samples."""
    sums = np.add(*np.triu_indices(p))
    of_label = np.bincount(sums)
    if samples != of_label[s]:
        yield samples == min(s + 1, 2 * p - 1 - s), "both orders"
        yield samples == s // 2 + 1, "end at p - 1"
        yield samples < of_label[s], "count the pairs (i"
        yield True, "too many"
    right = (of_label * (of_label - 1) // 2).sum()
    yield parallelograms == comb(sums.size, 2), "only if they share a label"
    yield parallelograms == 2 * right, "in both orders"
    yield parallelograms != right, "add up n (n - 1) / 2"


@exercise("ex-11-limit", draws={"a": range(20), "b": range(40, 80), "c": range(20, 40)})
def limit_point(
    end: Sequence[float],
    total: float,
    step: float,
    flat: Sequence[float],
    *,
    a: int,
    b: int,
    c: int,
) -> Mistakes:
    """Three numbers, their sum and the step of their line, to three digits; three numbers of a
    start of your own."""
    start = np.array([a, b, c], dtype=float)
    given = np.asarray(end, dtype=float)
    right = limit(start, [(0, 2), (1, 1)])
    along = right * np.linalg.norm(given) / np.linalg.norm(right)
    yield near(given, along) and not near(given, right), "keeps the length"
    yield from number(given, right, "the end is the projection")
    unchanged = ("the linear flow", a + b + c)
    yield from number(total, right.sum(), "add up the three numbers", unchanged)
    stretched = ("is stretched", (c - a) / 2)
    yield from number(step, right[1] - right[0], "the step is E_1 - E_0 at the end", stretched)
    own = np.asarray(flat, dtype=float)
    yield np.ptp(own) == 0, "not all equal"
    yield near(own[0], own[2]) and near(own.sum(), 0), "no part among the solutions"
    yield not near(own[0], own[2]), "this start does not end"


@exercise("ex-11-split", draws={"first": range(100_000)})
def split(right: Sequence[int], at_least: float, more: float, *, first: int) -> Mistakes:
    """A list of a hundred whole numbers, and two shares from 0 to 1, to three digits."""
    models = [ideal_model(lines.training_set(10, 45, first + k), 10) for k in range(100)]
    tenths = (10 * pd.DataFrame(models)).round()
    unseen = tenths.validation
    yield list(right) == tenths.accuracy.tolist(), "of all 55 samples"
    yield list(right) != unseen.tolist(), "look at `validation`"
    yield from number(at_least, (unseen >= 9).mean(), "allow one miss")
    yield from number(more, (unseen == 10).mean(), "nine of ten are 90 %")


@exercise(
    "ex-11-modulo", draws={"p": tuple(primerange(29, 100)), "i": range(1, 15), "j": range(1, 15)}
)
def modulo(real: int, modular: int, angle: float, *, p: int, i: int, j: int) -> Mistakes:
    """Two whole numbers, and an angle in degrees, to three digits."""
    yield real != 1, "a line cannot close"
    yield modular != 2, "is 0 modulo p whatever"
    turns = np.exp(2j * np.pi * np.array([i, j]) / p).sum()
    right = np.degrees(np.angle(turns)) % 180
    point = ("where the point of i + j is", 360 * (i + j) / p % 360)
    yield from number(float(angle) % 180, right, "along the diagonal", point)
