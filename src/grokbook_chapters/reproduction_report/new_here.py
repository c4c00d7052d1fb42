"""What the book found that none of the papers says: a check for each, with the numbers that its
sentence uses.

A check gives numbers by name, and under `true` whether the finding stands.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grokbook.measures import least_med, mean_norm, med
from grokbook.measures.representation import mean_squared_defect, spread
from grokbook.tasks.groups import cayley_table
from grokbook.theory import coverage as covered
from grokbook.theory import effective_flow
from grokbook.theory.memorisers import transpose_accuracy
from grokbook.theory.one_frequency import circle
from grokbook.theory.parallelograms import all_samples
from grokbook.theory.toeplitz_start import draw_start, spread_within, squared_steps
from grokbook.theory.triple_product import conserved, flow, limit_point
from grokbook.theory.uniformity import closeness
from grokbook.theory.uniformity import common_point as mean_of_sums
from grokbook_chapters.groups.group_deduction import additive_nullity
from grokbook_chapters.labelled import Row
from grokbook_chapters.uniformity.minimal_map import printed_norm
from grokbook_chapters.uniformity.minimal_map import smallest_map as least_map

GROUPS = ("Z5", "Z12", "Z2xZ4", "S3", "D4", "Q8", "A4")
P = 97
"""Modulus of most checks."""


def common_point(p: int = 23, tried: int = 20) -> Row:
    """All classes of a sum have one mean, whatever the table."""
    rng = np.random.default_rng(0)
    i = np.arange(p)
    gaps = []
    radii = []
    for _ in range(tried):
        phi = rng.normal(size=(p, 8))
        means = np.array([(phi[i] + phi[(r - i) % p]).mean(axis=0) for r in i])
        gaps.append(np.abs(means - mean_of_sums(phi)).max())
        near = closeness(phi)
        radii.append(near.deltas.mean() / near.radius)
    stands = max(gaps) < 1e-12 and min(radii) >= 1
    return {"tried": tried, "gap": max(gaps), "least": min(radii), "true": stands}


def med_bound() -> Row:
    """The circle of the highest frequency has the largest MED at its norm."""
    bound = 2 * np.cos(np.pi / (2 * P))
    most = med(circle(P, (P - 1) // 2))
    least = med(circle(P, 1))
    stands = abs(most - bound) < 1e-9 > least - most
    return {"p": P, "most": most, "bound": bound, "least": least, "true": stands}


def renaming(p: int = 59) -> Row:
    """The least MED over renamings is one for all circles, larger for four, largest for noise."""
    noise = _least(np.random.default_rng(0).normal(size=(p, 64)))
    few = _least(np.hstack([circle(p, k) for k in (3, 10, 17, 24)]))
    ones = [_least(circle(p, k)) for k in (1, 5, 20)]
    stands = np.ptp(ones) < 1e-9 and ones[0] < few < noise
    return {"p": p, "one": ones[0], "few": few, "noise": noise, "true": stands}


def _least(phi: np.ndarray) -> float:
    return least_med(phi)[0] / mean_norm(phi)


def smallest_map(tried: int = 20) -> Row:
    """The least norm of Lemma B.1 over the printed one, on Gaussian draws."""
    sums = np.random.default_rng(0).normal(size=(tried, 7, 7))
    aim = np.eye(3)[0]
    ratios = [least_map(x, aim).norm / printed_norm(x, aim) for x in sums]
    return {"tried": tried, "low": min(ratios), "high": max(ratios), "true": min(ratios) > 1}


def coverage(k: int = 5, m: int = 2100) -> Row:
    """Cells that a random training set leaves uncovered, and the fraction that suffices."""
    cells = P * P
    torus = covered.expected_uncovered(P, k, m, torus=True)
    grid = covered.expected_uncovered(P, k, m, torus=False)
    ours = covered.required_fraction(P, k)
    left = covered.expected_uncovered(P, k, int(np.ceil(ours * cells)), torus=True)
    return {
        "p": P,
        "k": k,
        "m": m,
        "torus": torus,
        "grid": grid,
        "ours": ours,
        "theirs": covered.printed_fraction(P, k),
        "cells": cells,
        "sure": covered.guaranteed_size(P, k),
        "true": left <= 1 and torus < grid,
    }


def copyist(splits: int = 5) -> Row:
    """A memory that answers (j, i) for (i, j), beside random splits."""
    half = P * P // 2
    expected = transpose_accuracy(P, half)
    rng = np.random.default_rng(0)
    right = []
    for _ in range(splits):
        known = (rng.permutation(P * P) < half).reshape(P, P)
        right.append(known.T[~known].mean())
    return {"p": P, "half": expected, "true": abs(np.mean(right) - expected) < 0.01}


def toeplitz(draws: int = 200) -> Row:
    """A Toeplitz start has the expected squared step of independent entries, and less spread."""
    rng = np.random.default_rng(0)
    steps = {}
    within = {}
    for kind in ("toeplitz", "independent"):
        starts = [squared_steps(draw_start(kind, P, P, rng)).mean() for _ in range(draws)]
        steps[kind] = np.mean(starts)
        within[kind] = spread_within(kind, P, P)
    same = abs(steps["toeplitz"] / steps["independent"] - 1) < 0.05
    return {"p": P, **within, "true": same and within["toeplitz"] < within["independent"]}


def parallelograms(p: int = 47) -> Row:
    """The mean squared defect is four times the variance, for a circle and for noise."""
    of_circle = _defect(circle(p, 3))
    of_noise = _defect(np.random.default_rng(0).normal(size=(p, 16)))
    stands = np.allclose([of_circle, of_noise], 4)
    return {"circle": of_circle, "noise": of_noise, "true": stands}


def _defect(phi: np.ndarray) -> float:
    return mean_squared_defect(phi) / spread(phi)


def limit(tried: int = 10) -> Row:
    """Where starts of the cube end, by formula and by integration."""
    errors = []
    drifts = []
    for start in np.random.default_rng(0).uniform(0.1, 1, size=(tried, 3)):
        first, last = flow(start, [0.0, 60.0])
        errors.append(np.abs(last - limit_point(start)).max())
        drifts.append(np.abs(np.subtract(conserved(last), conserved(first))).max())
    return _small(tried, max(errors), max(drifts), 1e-6)


def _small(tried: int, error: float, drift: float, least: float) -> Row:
    stands = error < 1e-6 and drift < least
    return {"tried": tried, "error": error, "drift": drift, "true": stands}


def line_flow(tried: int = 10) -> Row:
    """Where the effective theory ends, and how far the sum grows that is called conserved."""
    pairs = all_samples(10)
    errors = []
    drifts = []
    grown = []
    for start in np.random.default_rng(0).normal(1, 1, size=(tried, 10)):
        first, last = effective_flow.flow(start, pairs, [0.0, 1e4])
        errors.append(np.abs(last - effective_flow.limit(first, pairs)).max())
        drifts.append(abs(np.linalg.norm(last) / np.linalg.norm(first) - 1))
        grown.append(last.sum() / first.sum() - 1)
    ends = _small(tried, max(errors), max(drifts), 1e-9)
    stands = ends["true"] and min(grown) > 0
    return ends | {"growth": min(grown), "most": max(grown), "true": stands}


def groups(p: int = 11) -> Row:
    """Degrees of freedom of vectors with equal sums for equal products."""
    real = {additive_nullity(cayley_table(name)) for name in GROUPS}
    lines = additive_nullity(cayley_table(f"Z{p}"), field=p)
    stands = (real, lines) == ({1}, 2)
    return {"reals": max(real), "tried": len(GROUPS), "p": p, "lines": lines, "true": stands}


CHECKS: tuple[Callable[[], Row], ...] = (
    common_point,
    med_bound,
    renaming,
    smallest_map,
    coverage,
    copyist,
    toeplitz,
    parallelograms,
    limit,
    line_flow,
    groups,
)


def own_findings() -> dict[str, Row]:
    """Every check of this module by its name."""
    return {check.__name__: check() for check in CHECKS}
