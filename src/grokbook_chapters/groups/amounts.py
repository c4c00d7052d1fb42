"""How many cells of a table fix the rest of it: of S3 by three counts, of other groups, and of
addition modulo p."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.claims import load
from grokbook.curves.delay import grok_times
from grokbook.tasks.groups import cayley_table
from grokbook.theory.linear_probability import critical_fraction, linear_probability
from grokbook_chapters.groups.claims import SWAP
from grokbook_chapters.groups.group_deduction import (
    collapse_sizes,
    coset_representation,
    deduced_accuracy,
    first_forced,
    half_way,
    implied_sizes,
    probability,
    random_places,
    rigid_sizes,
)
from grokbook_chapters.gu2025 import fig5

GROUPS = (
    *("Z4", "Z2xZ2", "Z6", "S3", "Z8", "Z2xZ4", "Z2xZ2xZ2", "D4", "Q8"),
    *("Z12", "Z2xZ6", "D6", "A4"),
)
"""All groups of 4, 6 and 8 elements, and four of the five of 12."""

PRIMES = (11, 23, 53, 97)
RECORDED = {47: 10, 97: 19}
"""Seeds of the recorded transformers by modulus."""


def amounts(draws: int, seed: int) -> pd.DataFrame:
    """What random training sets of S3 decide, by the share of its cells that is trained.

    Three columns are shares of random orders of the cells, the last one is the mean accuracy of a
    model that answers what the two rules deduce. `draws` orders each, five times as many for the
    two rules, which need less time.
    """
    table = cayley_table("S3")
    size = table.size
    matrices = coset_representation(table, SWAP)
    place = random_places(size, draws, seed).reshape(draws, *table.shape)
    right = [deduced_accuracy(table, place < cells).mean() for cells in range(size + 1)]
    columns = {
        "deduced by two rules": probability(first_forced(table, 5 * draws, seed), size),
        "implied in every group": probability(implied_sizes(table, draws, seed), size),
        "matrices rigid": probability(rigid_sizes(table, matrices, draws, seed), size),
        "accuracy by two rules": right,
    }
    return pd.DataFrame(columns, index=pd.Index(np.linspace(0, 1, size + 1), name="share"))


def shares_by_group(draws: int) -> pd.DataFrame:
    """Cells at which the two rules deduce the table in half of random orders, a row a group."""
    rows = []
    for name in GROUPS:
        table = cayley_table(name)
        orders = draws if len(table) < 12 else max(20, draws // 4)
        cells = half_way(first_forced(table, orders), table.size)
        row = {
            "group": name,
            "elements": len(table),
            "Abelian": bool((table == table.T).all()),
            "cells": cells,
            "share": cells / table.size,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def lines_and_collapse(p: int, draws: int) -> pd.DataFrame:
    """Addition modulo p: the share of random orders of the pairs that leave nothing but lines over
    the field of p elements, and that make real numbers equal, by the share of trained pairs."""
    pairs = p * (p + 1) // 2
    columns = {
        f"lines over the field of {p} elements": linear_probability(p, draws, modulus=True),
        "real embeddings collapse": probability(collapse_sizes(p, draws), pairs),
    }
    return pd.DataFrame(columns, index=np.linspace(0, 1, pairs + 1))


def shares_modulo(largest: int, draws: int) -> pd.DataFrame:
    """Unordered pairs modulo p at which half of random orders leave only lines over the field of p
    elements; fewer orders for larger p."""
    rows = []
    for p in PRIMES:
        if p > largest:
            break
        orders = min(draws, max(10, draws * 11 // p))
        pairs = p * (p + 1) // 2
        share = critical_fraction(p, orders, modulus=True)
        row = {"p": p, "pairs": pairs, "trained": round(share * pairs), "share": share}
        rows.append(row)
    return pd.DataFrame(rows).round(3)


def transformers() -> pd.DataFrame:
    """Recorded transformers on addition modulo p: the share of ordered pairs that is trained, that
    of unordered ones which this shows on average, and how many runs generalise."""
    rows = []
    experiments = {p: fig5(p, n_seeds=seeds) for p, seeds in RECORDED.items()}
    for p, runs in load(experiments).items():
        ordered = runs.attrs.get("train_fraction", 0.3)
        either_order = 1 - (1 - ordered) ** 2
        # a pair (a, a) has one order, all others have two
        unordered = ((p - 1) * either_order + 2 * ordered) / (p + 1)
        row = {
            "p": p,
            "ordered": ordered,
            "unordered": round(unordered, 2),
            "runs": runs.sizes["seed"],
            "generalise": int(grok_times(runs).grok_step.notna().sum()),
            "steps": int(runs.step[-1]),
        }
        rows.append(row)
    return pd.DataFrame(rows)
