"""Coverage by training fraction and by radius, exact and over random training sets."""

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


def coverage_table(p: int, k: int, draws: int) -> pd.DataFrame:
    """Expected uncovered cells and probability of full coverage at 16 training fractions, exact and over `draws`.

    Columns: grid ("torus" or "grid"), fraction, `expected` (exact), `uncovered` (mean over draws), `covered` (share of
    draws), each with its standard `error`, and Markov's `bound` of the probability.

    Example:
        >>> coverage_table(7, 2, 50).shape
        (32, 8)
    """
    parts = []
    for grid in ("torus", "grid"):
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
