"""Chapter 11: checks of its exercises."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from grokbook.chapters.effective_theory import lines
from grokbook.exercises.asked import exercise, near
from grokbook.theory.effective_flow import limit
from grokbook.theory.parallelograms import ideal_model


@exercise("ex-11-count", draws={"p": range(60, 260, 2), "s": range(60, 119)})
def count(samples: int, parallelograms: int, *, p: int, s: int) -> str | None:
    """Two whole numbers: samples of the label, and parallelograms of all samples."""
    sums = np.add(*np.triu_indices(p))
    if samples != (right := int((sums == s).sum())):
        if samples == min(s + 1, 2 * p - 1 - s):
            return "this counts both orders of a pair; (i, j) and (j, i) are one sample."
        if samples == s // 2 + 1:
            return "symbols end at p - 1, so a label above that has fewer samples than this."
        return "count the pairs (i, j), i <= j < p, with i + j = s." if samples < right else "this is too many."
    right = sum(comb(int(n), 2) for n in np.bincount(sums))
    if parallelograms == right:
        return None
    if parallelograms == comb(sums.size, 2):
        return "this counts every two samples; two are a parallelogram only if they share a label."
    if parallelograms == 2 * right:
        return "this counts each two samples in both orders."
    return "add up n (n - 1) / 2 over all labels, n the number of samples of a label."


@exercise("ex-11-limit", draws={"a": range(20), "b": range(40, 80), "c": range(20, 40)})
def limit_point(
    end: Sequence[float], total: float, step: float, flat: Sequence[float], *, a: int, b: int, c: int
) -> str | None:
    """Three numbers, their sum, the step of their line, and a start of your own of three numbers."""
    start = np.array([a, b, c], dtype=float)
    found, right = np.asarray(end, dtype=float), limit(start, [(0, 2), (1, 1)])
    if found.shape != (3,) or not np.allclose(found, right, rtol=1e-3):
        if found.shape == (3,) and near(np.linalg.norm(found - right * (found @ right) / (right @ right)), 0):
            return "the direction is right, but the flow keeps the length of the start."
        return "the end is the projection of the start onto E_0 - 2 E_1 + E_2 = 0, stretched to the start's length."
    if not near(total, right.sum()):
        return "the sum is kept by the linear flow only." if near(total, a + b + c) else "add up the three numbers."
    if not near(step, right[1] - right[0]):
        if near(step, (c - a) / 2):
            return "this is the step of the projection; the end is stretched, and its step with it."
        return "the step is E_1 - E_0 at the end."
    own = np.asarray(flat, dtype=float)
    if np.ptp(own) == 0:
        return "your own start is to have three numbers that are not all equal."
    if near(own[0], own[2], 1e-9) and near(own.sum(), 0, 1e-9):
        return "your own start has no part among the solutions, so it does not come to a line at all."
    return None if near(own[0], own[2], 1e-9) else "this start does not end in one place: what is its end's step?"


@exercise("ex-11-split", draws={"first": range(100_000)})
def split(right: Sequence[int], at_least: float, more: float, *, first: int) -> str | None:
    """A list of a hundred whole numbers, and two shares from 0 to 1."""
    models = [ideal_model(lines.training_set(10, 45, first + k), 10) for k in range(100)]
    counts = [round(10 * model["validation"]) for model in models]
    if list(right) == [round(10 * model["accuracy"]) for model in models]:
        return "this is the accuracy of all 55 samples; only the ten that were not trained are asked for."
    if list(right) != counts:
        return "look at `validation`: ten times it is the number of right answers, for each of the hundred splits."
    if not near(at_least, np.mean([n >= 9 for n in counts])):
        return "at least 90 % of ten samples allow one miss."
    if not near(more, np.mean([n == 10 for n in counts])):
        return "nine of ten are 90 %, and not more than that."
    return None


@exercise("ex-11-modulo", draws={"p": (29, 31, 37, 41, 43, 47, 53), "i": range(29), "j": range(29)})
def modulo(real: int, modular: int, angle: float, *, p: int, i: int, j: int) -> str | None:
    """Two whole numbers, and an angle in degrees."""
    if real != 1:
        return "over the real numbers p steps of one size b come back to the start only if b = 0: a line cannot close."
    if modular != 2:
        return "the condition is p b = 0, and that is 0 modulo p whatever b is; the start is free too."
    turns = np.exp(2j * np.pi * np.array([i, j]) / p).sum()
    if near(np.sin(np.angle(turns) - np.radians(angle)), 0, 1e-4):
        return None
    if near((angle - 360 * (i + j) / p) % 360, 0):
        return "this is where the point of i + j is; the sum of two points has half of the sum of their angles."
    return "the sum of two vectors of one length lies along the diagonal, halfway between their angles."
