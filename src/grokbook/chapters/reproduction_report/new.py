"""What this book found that none of the papers says: checks that can fail, with the numbers of the page's sentences.

Each gives its numbers by name and, as "true", whether the finding stood. Findings that are claims have theirs there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grokbook.measures import least_med, mean_norm, med
from grokbook.measures.representation import mean_squared_defect, spread
from grokbook.tasks.groups import cayley_table
from grokbook.theory import effective_flow
from grokbook.theory.coverage import expected_uncovered, guaranteed_size, printed_fraction, required_fraction
from grokbook.theory.group_deduction import additive_nullity
from grokbook.theory.memorisers import transpose_accuracy
from grokbook.theory.minimal_map import printed_norm, smallest_map
from grokbook.theory.one_frequency import circle
from grokbook.theory.parallelograms import all_samples
from grokbook.theory.toeplitz_start import draw_start, spread_within, squared_steps
from grokbook.theory.triple_product import conserved, flow, limit_point
from grokbook.theory.uniformity import closeness, common_point

Numbers = dict[str, Any]


def class_sums(tried: int = 20) -> Numbers:
    """The means of the classes of a sum beside the common point, and radii beside the embedding's, on random tables."""
    rng = np.random.default_rng(0)
    gap, ratios = 0.0, []
    for _ in range(tried):
        table = rng.normal(size=(23, 8))
        i = np.arange(23)
        means = [(table[i] + table[(r - i) % 23]).mean(axis=0) for r in range(23)]
        gap = max(gap, float(np.abs(np.array(means) - common_point(table)).max()))
        found = closeness(table)
        ratios.append(found.deltas.mean() / found.radius)
    return {"tried": tried, "gap": gap, "least": min(ratios), "true": gap < 1e-12 and min(ratios) >= 1}


def bound_of_med(p: int = 97) -> Numbers:
    """MED of the circles of the highest and the lowest frequency, and the bound."""
    bound = 2 * np.cos(np.pi / (2 * p))
    most, least = med(circle(p, (p - 1) // 2)), med(circle(p, 1))
    return {"p": p, "most": most, "bound": bound, "least": least, "true": abs(most - bound) < 1e-9 > least - most}


def renamed(p: int = 59) -> Numbers:
    """Least MED over renamings, by the mean length, of circles of one frequency, of four at once, and of noise."""

    def shape(table: np.ndarray) -> float:
        return least_med(table)[0] / mean_norm(table)

    rng = np.random.default_rng(0)
    ones = [shape(circle(p, k)) for k in (1, 5, 20)]
    few = shape(np.hstack([circle(p, k) for k in (3, 10, 17, 24)]))
    noise = shape(rng.normal(size=(p, 64)))
    return {"p": p, "one": ones[0], "few": few, "noise": noise, "true": np.ptp(ones) < 1e-9 and ones[0] < few < noise}


def least_map(tried: int = 20) -> Numbers:
    """The least norm of a map with l(x_i) + l(x_-i) = r by the printed value, on Gaussian draws."""
    rng = np.random.default_rng(0)
    draws = [rng.normal(size=(7, 7)) for _ in range(tried)]
    r = np.eye(3)[0]
    ratios = [smallest_map(x, r).norm / printed_norm(x, r) for x in draws]
    return {"tried": tried, "low": min(ratios), "high": max(ratios), "true": min(ratios) > 1}


def uncovered_cells(p: int = 97, k: int = 5, m: int = 2100) -> Numbers:
    """Expected number of uncovered cells on torus and grid; the fraction that suffices, the printed one, certainty."""
    torus, grid = (expected_uncovered(p, k, m, torus=ring) for ring in (True, False))
    ours, theirs = required_fraction(p, k), printed_fraction(p, k)
    least = expected_uncovered(p, k, int(np.ceil(ours * p * p)), torus=True)
    return {"p": p, "k": k, "m": m, "torus": torus, "grid": grid, "ours": ours, "theirs": theirs, "cells": p * p,
            "sure": guaranteed_size(p, k), "true": least <= 1 and torus < grid}  # fmt: skip


def copies(p: int = 97) -> Numbers:
    """The accuracy of a memory that answers (j, i) for (i, j), half of the cells trained, beside random splits."""
    half = transpose_accuracy(p, p * p // 2)
    rng, right = np.random.default_rng(0), []
    for _ in range(5):
        trained = np.zeros(p * p, dtype=bool)
        trained[rng.permutation(p * p)[: p * p // 2]] = True
        right.append(trained.reshape(p, p).T[~trained.reshape(p, p)].mean())
    return {"p": p, "half": half, "true": abs(np.mean(right) - half) < 0.01}


def structure(p: int = 97, draws: int = 200) -> Numbers:
    """Relative variance of the squared steps within a start, Toeplitz or independent; their means must agree."""
    rng = np.random.default_rng(0)
    means = [np.mean([squared_steps(draw_start(kind, p, p, rng)).mean() for _ in range(draws)])
             for kind in ("toeplitz", "independent")]  # fmt: skip
    within = {kind: spread_within(kind, p, p) for kind in ("toeplitz", "independent")}
    alike = abs(means[0] / means[1] - 1) < 0.05
    return {"p": p, **within, "true": alike and within["toeplitz"] < within["independent"]}


def defects(p: int = 47) -> Numbers:
    """Mean squared defect of all parallelograms by the variance, of a circle and of noise."""
    noise = np.random.default_rng(0).normal(size=(p, 16))
    found = [mean_squared_defect(table) / spread(table) for table in (circle(p, 3), noise)]
    return {"circle": found[0], "noise": found[1], "true": bool(np.allclose(found, 4))}


def ends(tried: int = 10) -> Numbers:
    """Where starts of the cube end, by the formula and by integration, and the drift of what is conserved."""
    starts = np.random.default_rng(0).uniform(0.1, 1, size=(tried, 3))
    paths = [flow(start, [0.0, 60.0]) for start in starts]
    error = max(float(np.abs(path[-1] - limit_point(start)).max()) for path, start in zip(paths, starts, strict=True))
    drift = max(float(np.abs(np.subtract(conserved(path[-1]), conserved(path[0]))).max()) for path in paths)
    return {"tried": tried, "error": error, "drift": drift, "true": error < 1e-6 and drift < 1e-6}


def normalised_flow(tried: int = 10) -> Numbers:
    """The end of the effective theory's flow beside the start's projection on the solutions; its length and sum."""
    pairs, rng = all_samples(10), np.random.default_rng(0)
    starts = rng.normal(1, 1, size=(tried, 10))
    paths = [effective_flow.flow(start, pairs, [0.0, 1e4]) for start in starts]
    error = max(np.abs(path[-1] - effective_flow.limit(path[0], pairs)).max() for path in paths)
    drift = max(abs(np.linalg.norm(path[-1]) / np.linalg.norm(path[0]) - 1) for path in paths)
    grown = [path[-1].sum() / path[0].sum() - 1 for path in paths]
    kept = error < 1e-6 and drift < 1e-9 and min(grown) > 0
    return {"tried": tried, "error": error, "drift": drift, "growth": min(grown), "most": max(grown), "true": kept}


def collapsed() -> Numbers:
    """Degrees of freedom of vectors with equal sums for equal products: groups over the reals, Z_11 over a field."""
    names = ("Z5", "Z12", "Z2xZ4", "S3", "D4", "Q8", "A4")
    found = {additive_nullity(cayley_table(name)) for name in names}
    lines = additive_nullity(cayley_table("Z11"), field=11)
    return {"reals": max(found), "tried": len(names), "p": 11, "lines": lines, "true": (found, lines) == ({1}, 2)}


# The checks by the names that the page has for their findings.
CHECKS: dict[str, Callable[[], Numbers]] = {
    "common_point": class_sums,
    "med_bound": bound_of_med,
    "renaming": renamed,
    "smallest_map": least_map,
    "coverage": uncovered_cells,
    "copyist": copies,
    "toeplitz": structure,
    "parallelograms": defects,
    "limit": ends,
    "line_flow": normalised_flow,
    "groups": collapsed,
}
