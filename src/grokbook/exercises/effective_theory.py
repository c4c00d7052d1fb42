"""Chapter 11: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from grokbook.chapters.effective_theory import lines
from grokbook.exercises.asked import Mistakes, exercise, near
from grokbook.theory.effective_flow import limit
from grokbook.theory.parallelograms import ideal_model


@exercise("ex-11-count", draws={"p": range(60, 260, 2), "s": range(60, 119)})
def count(samples: int, parallelograms: int, *, p: int, s: int) -> Mistakes:
    """Two whole numbers: samples of the label, and parallelograms of all samples."""
    sums = np.add(*np.triu_indices(p))
    if samples != (right := int((sums == s).sum())):
        yield samples == min(s + 1, 2 * p - 1 - s), "both orders"
        yield samples == s // 2 + 1, "end at p - 1"
        yield samples < right, "count the pairs (i"
        yield True, "too many"
    right = sum(comb(int(n), 2) for n in np.bincount(sums))
    if parallelograms == right:
        return
    yield parallelograms == comb(sums.size, 2), "only if they share a label"
    yield parallelograms == 2 * right, "in both orders"
    yield True, "add up n (n - 1) / 2"


@exercise("ex-11-limit", draws={"a": range(20), "b": range(40, 80), "c": range(20, 40)})
def limit_point(
    end: Sequence[float], total: float, step: float, flat: Sequence[float], *, a: int, b: int, c: int
) -> Mistakes:
    """Three numbers, their sum, the step of their line, and a start of your own of three numbers."""
    start = np.array([a, b, c], dtype=float)
    found, right = np.asarray(end, dtype=float), limit(start, [(0, 2), (1, 1)])
    if found.shape != (3,) or not np.allclose(found, right, rtol=1e-3):
        if found.shape == (3,) and near(np.linalg.norm(found - right * (found @ right) / (right @ right)), 0):
            yield True, "keeps the length"
        yield True, "the end is the projection"
    if not near(total, right.sum()):
        yield near(total, a + b + c), "the linear flow"
        yield True, "add up the three numbers"
    if not near(step, right[1] - right[0]):
        yield near(step, (c - a) / 2), "is stretched"
        yield True, "the step is E_1 - E_0 at the end"
    own = np.asarray(flat, dtype=float)
    yield np.ptp(own) == 0, "not all equal"
    yield near(own[0], own[2], 1e-9) and near(own.sum(), 0, 1e-9), "no part among the solutions"
    yield not near(own[0], own[2], 1e-9), "this start does not end"


@exercise("ex-11-split", draws={"first": range(100_000)})
def split(right: Sequence[int], at_least: float, more: float, *, first: int) -> Mistakes:
    """A list of a hundred whole numbers, and two shares from 0 to 1."""
    models = [ideal_model(lines.training_set(10, 45, first + k), 10) for k in range(100)]
    counts = [round(10 * model["validation"]) for model in models]
    yield list(right) == [round(10 * model["accuracy"]) for model in models], "of all 55 samples"
    yield list(right) != counts, "look at `validation`"
    yield not near(at_least, np.mean([n >= 9 for n in counts])), "allow one miss"
    yield not near(more, np.mean([n == 10 for n in counts])), "nine of ten are 90 %"


@exercise("ex-11-modulo", draws={"p": (29, 31, 37, 41, 43, 47, 53), "i": range(29), "j": range(29)})
def modulo(real: int, modular: int, angle: float, *, p: int, i: int, j: int) -> Mistakes:
    """Two whole numbers, and an angle in degrees."""
    yield real != 1, "a line cannot close"
    yield modular != 2, "is 0 modulo p whatever"
    turns = np.exp(2j * np.pi * np.array([i, j]) / p).sum()
    if near(np.sin(np.angle(turns) - np.radians(angle)), 0, 1e-4):
        return
    yield near((angle - 360 * (i + j) / p) % 360, 0), "where the point of i + j is"
    yield True, "along the diagonal"
