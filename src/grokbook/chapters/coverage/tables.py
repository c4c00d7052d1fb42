"""What the pictures of chapter 04a show: discs, uncovered cells, and coverage by training fraction and by radius."""

from __future__ import annotations

import numpy as np
import pandas as pd

from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.coverage import (
    disc_size,
    distance_to_training,
    expected_uncovered,
    miss_probability,
    printed_fraction,
    required_fraction,
    same_class_distance,
    same_class_size,
)
from grokbook.theory.coverage_probability import Estimate, first_covered

GRIDS = ("torus", "grid")


def disc_cells(p: int, k: int) -> dict[str, np.ndarray]:
    """Two training cells of a p x p grid (2), what they cover (1), and that of the own class (3); title -> (p, p).

    Example:
        >>> {title: int((kind > 0).sum()) for title, kind in disc_cells(7, 2).items()}
        {'bounded grid': 10, 'torus': 10, 'of the same class': 10}
    """
    mask = np.zeros((p, p), dtype=bool)
    mask[1, 1] = mask[p // 2 + 1, p // 2 + 1] = True
    near = {name: distance_to_training(mask, torus=name == "torus") < k for name in ("bounded grid", "torus")}
    own = near["bounded grid"] & (same_class_distance(mask) < k)
    kinds = {name: covered * 1 for name, covered in near.items()}
    kinds["of the same class"] = kinds["bounded grid"] + 2 * own
    return {name: np.where(mask, 2, kind) for name, kind in kinds.items()}


def uncovered_cells(train_mask: np.ndarray, k: int) -> dict[str, np.ndarray]:
    """Training cells (1) and uncovered ones (2) on the torus, by any class or by the own; title with number -> (p, p).

    Example:
        >>> list(uncovered_cells(np.eye(5, dtype=bool), 2))
        ['by any class: 10', 'by its own class: 20']
    """
    apart = {
        "by any class": distance_to_training(train_mask, torus=True),
        "by its own class": same_class_distance(train_mask, torus=True),
    }
    return {f"{name}: {(far >= k).sum()}": np.where(far >= k, 2, train_mask) for name, far in apart.items()}


def coverage_table(p: int, k: int, draws: int) -> pd.DataFrame:
    """Expected uncovered cells and probability of full coverage at 16 training fractions, exact and over `draws`.

    Columns: grid ("torus" or "grid"), fraction, `expected` (exact), `uncovered` (mean over draws), `covered` (share of
    draws), each with its standard `error`, and Markov's `bound` of the probability.

    Example:
        >>> coverage_table(7, 2, 50).shape
        (32, 8)
    """
    parts = []
    for grid in GRIDS:
        fractions = np.linspace(0.4 * required_fraction(p, k), min(1.25 * printed_fraction(p, k), 0.97), 16)
        sizes = (fractions * p * p).astype(int)
        first = first_covered(p, k, draws, torus=grid == "torus")
        counts = np.array([(first > m).sum(axis=(1, 2)) for m in sizes])
        expected = np.array([expected_uncovered(p, k, int(m), torus=grid == "torus") for m in sizes])
        part = pd.DataFrame({"grid": grid, "fraction": fractions, "expected": expected})
        part = part.assign(**{"uncovered": counts.mean(axis=1), "uncovered error": counts.std(axis=1) / draws**0.5})
        parts.append(part.assign(bound=np.maximum(0, 1 - expected), **_share((counts == 0).sum(axis=1), draws)))
    return pd.concat(parts, ignore_index=True)


def _share(hits: np.ndarray, draws: int) -> dict[str, list[float]]:
    """The share of draws that cover everything, and its standard error, as columns."""
    estimates = [Estimate.of(int(n), draws) for n in hits]
    return {"covered": [e.value for e in estimates], "covered error": [e.error for e in estimates]}


def class_table(p: int, train_fraction: float, draws: int) -> pd.DataFrame:
    """Coverage by cells of any class and of the own class on the torus, by radius: columns `by`, k, and three shares.

    `missed` is the share of cells that are uncovered over the draws, `exact` its expectation (NaN where the draws are
    too few to show it), `covered` the share of draws without an uncovered cell, with its standard error.

    Example:
        >>> class_table(7, 0.3, 2).by.unique().tolist()
        ['any class', 'own class']
    """
    m, n = int(train_fraction * p * p), p * p
    masks = [ModularTask(p, train_fraction=train_fraction, seed=s).train_mask for s in range(draws)]
    radii = np.arange(1, min(41, (p + 1) // 2) + 1)
    ways = {"any class": (distance_to_training, disc_size), "own class": (same_class_distance, same_class_size)}
    parts = []
    for by, (distance, size) in ways.items():
        apart = np.array([distance(mask, torus=True) for mask in masks])
        exact = miss_probability(n, np.array([size(int(k)) for k in radii]), m)
        part = pd.DataFrame({"by": by, "k": radii, "missed": [(apart >= k).mean() for k in radii]})
        whole = [(apart.max(axis=(1, 2)) < k).sum() for k in radii]
        parts.append(part.assign(exact=np.where(exact > 0.3 / (n * draws), exact, np.nan), **_share(whole, draws)))
    return pd.concat(parts, ignore_index=True)
