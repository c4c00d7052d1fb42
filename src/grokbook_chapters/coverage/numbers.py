"""What chapter 04a simulates, and every number and truth of its prose."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.claims import load
from companion.claims.finding import some_of
from companion.page import Prose, Truth
from grokbook.curves.delay import grok_times
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.coverage import (
    disc_size,
    disc_sizes,
    distance_to_training,
    expected_uncovered,
    guaranteed_size,
    least_training_size,
    printed_fraction,
    required_fraction,
    same_class_distance,
    same_class_size,
)
from grokbook_chapters.coverage.claims import radius_in_use, training_size, two_moduli
from grokbook_chapters.coverage.coverage_probability import first_covered, full_coverage

KINDS = {"any class": distance_to_training, "own class": same_class_distance}
"""By name the distance of each cell from the nearest training cell that counts (torus)."""


def farthest_cells(p: int, train_fraction: float, draws: int) -> pd.DataFrame:
    """How far the farthest cell of each random training set is from a training cell, of any class
    and of its own: a row a draw, inf where a class has no training cell.

    Example:
        >>> farthest_cells(7, 0.9, 2).columns.tolist()
        ['any class', 'own class']
    """
    rows = []
    for seed in range(draws):
        mask = ModularTask(p, train_fraction=train_fraction, seed=seed).train_mask
        rows.append({name: apart(mask, torus=True).max() for name, apart in KINDS.items()})
    return pd.DataFrame(rows)


def simulated(p: int, k: int, draws: int) -> pd.DataFrame:
    """Coverage at 16 training fractions on the torus and the bounded grid: the exact and the
    simulated number of uncovered cells, the share of draws with none, and its bound 1 - E."""
    least = 0.4 * required_fraction(p, k)
    most = min(1.25 * printed_fraction(p, k), 0.97)
    rows = []
    for grid in ("torus", "grid"):
        torus = grid == "torus"
        first = first_covered(p, k, draws, torus=torus)
        for fraction in np.linspace(least, most, 16):
            m = int(fraction * p * p)
            left = (first > m).sum(axis=(1, 2))
            expected = expected_uncovered(p, k, m, torus=torus)
            row = {"grid": grid, "fraction": fraction, "expected": expected}
            row["uncovered"] = left.mean()
            row["bound"] = max(0, 1 - expected)
            row["covered"] = (left == 0).mean()
            rows.append(row)
    return pd.DataFrame(rows)


def thresholds(p: int, k: int, draws: int) -> pd.DataFrame:
    """Four numbers of training cells, and how likely each covers both grids.

    On the torus the least with an expectation below one, the printed one and the least that is
    certain; and the one that gives 95 % on the bounded grid.
    """
    sizes = {
        "expectation below 1": least_training_size(p, k, torus=True),
        "printed": training_size(p, k),
        "95 % on the bounded grid": least_training_size(p, k, 0.05),
        "certain": guaranteed_size(p, k, torus=True),
    }
    rows = {}
    for name, m in sizes.items():
        row = {"cells": f"{m:,}", "share of the table": f"{m / p**2:.1%}"}
        for grid in ("torus", "bounded grid"):
            seen = full_coverage(p, k, m, torus=grid == "torus", draws=draws)
            row[f"covered, {grid}"] = f"{seen.value:.2f}"
        rows[name] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("threshold")


def numbers(
    p: int, k: int, train_fraction: float, near: np.ndarray, own: np.ndarray, farthest: pd.DataFrame
) -> Prose:
    """What the prose uses of one training set (distances `near` and `own`), of the draws of
    `farthest_cells` and of the counts."""
    m = training_size(p, k)
    grid = expected_uncovered(p, k, m)
    torus = expected_uncovered(p, k, m, torus=True)
    disc = disc_size(k)
    repeated = p * p * (1 - disc / p**2) ** m
    of_class = same_class_size(k)
    required = required_fraction(p, k)
    own_required = 1 - p ** (-2 / of_class)
    return {
        "modulus": p,
        "radius": k,
        "fraction": f"{train_fraction:.0%}",
        "disc": disc,
        "own": of_class,
        "any_required": f"{required:.0%}",
        "own_required": f"{own_required:.0%}",
        "printed": f"{printed_fraction(p, k):.3f}",
        "required": f"{required:.3f}",
        "corner": int(disc_sizes(p, k)[0, 0]),
        "m_printed": f"{m:,}",
        "e_torus": f"{torus:.2f}",
        "e_grid": f"{grid:.2f}",
        "e_repeated": f"{repeated:.2f}",
        "in_use": radius_in_use(97, 0.3),
        "unsafe_wins": Truth(grid > repeated, f"{grid:.2f} against {repeated:.2f}"),
        **_generalise(),
        **_one_set(near >= k, own >= k),
        **_radii(farthest),
    }


def _generalise() -> dict[str, str]:
    """How many of the recorded networks of `two_moduli` generalise, by modulus."""
    words = {}
    for modulus, table in load(two_moduli(), through=grok_times).items():
        words[f"groks_{modulus}"] = some_of(table.grok_step.notna())
    return words


def _one_set(far: np.ndarray, alone: np.ndarray) -> Prose:
    """How many cells one training set leaves uncovered, of any class and of their own."""
    seen = f"{far.sum():,} and {alone.sum():,} cells are uncovered"
    return {
        "near": f"{far.sum():,}",
        "alone": f"{alone.mean():.0%}",
        "far_apart": Truth(10 * far.sum() < alone.sum(), seen),
    }


def _radii(farthest: pd.DataFrame) -> Prose:
    """From which radius on 95 % of the draws are covered."""
    radii = 1 + farthest.quantile(0.95, interpolation="higher")
    by_any = radii["any class"]
    own = radii["own class"]
    reached = bool(np.isfinite(own))
    later = bool(reached and own > 2 * by_any)
    missing = "more than 1 draw in 20 leaves a class without a trained cell"
    return {
        "any_from": f"{by_any:.0f}",
        "own_from": f"{own:.0f}" if reached else "(none)",
        "own_reached": Truth(reached, missing),
        "own_later": Truth(later, f"{own:.0f} against {by_any:.0f}" if reached else ""),
    }
