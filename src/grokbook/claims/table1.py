"""Table 1 of Gu et al. 2025 against counts of cells: shares of the test set, and coverage within one radius."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd

from grokbook.experiments.published import TABLE_1, table_1
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.coverage import distance_to_training

SHARES = ("outside", "either order")
"""Predictors of U-Acc: test cells outside the hole; test cells that lie outside it in one order of the operands."""


def row_task(split: str, hole: int, rule: str = "code", seed: int = 0) -> ModularTask:
    """The task of one row: addition modulo 97, 30 % trained outside the hole, by the rule of the programs or the text.

    Example:
        >>> row_task("square", 30, "text").train_index.size
        2534
    """
    return ModularTask(97, train_fraction=0.3, split=split, hole=hole, rule=rule, seed=seed)


def shares_of_test_cells(task: ModularTask) -> dict[str, float]:
    """Percent of the test cells outside the hole, and percent for which (i, j) or (j, i) lies outside it.

    Both are counts that do not depend on the seed: the rule fixes how many cells outside the hole are trained.

    Example:
        >>> {name: round(share, 2) for name, share in shares_of_test_cells(row_task("strip", 50, "text")).items()}
        {'outside': 38.71, 'either order': 67.77}
    """
    test, hole = ~task.train_mask, task.hole_mask
    allowed = {"outside": ~hole, "either order": ~(hole & hole.T)}
    return {name: 100 * float((test & cells).sum() / test.sum()) for name, cells in allowed.items()}


def predictors(rule: str = "code") -> pd.DataFrame:
    """Table 1 with the two shares of each row, in percent, and what U-Acc exceeds them by.

    Example:
        >>> predictors().round(1).loc[10, ["outside", "either order"]].tolist() == [39.6, 74.5]
        True
    """
    rows = [shares_of_test_cells(row_task(split, hole, rule)) for split, hole, *_ in TABLE_1]
    frame = pd.concat([table_1(), pd.DataFrame(rows)], axis=1)
    return frame.assign(**{f"U-Acc - {name}": frame["U-Acc"] - frame[name] for name in SHARES})


def correlations(frame: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Correlation of U-Acc with each share over the SQUARE rows, the STRIP rows and all rows.

    Example:
        >>> round(correlations(predictors())["square", "outside"], 3)
        0.985
    """
    parts = {"square": frame[frame.split == "square"], "strip": frame[frame.split == "strip"], "all": frame}
    return {(part, name): float(rows["U-Acc"].corr(rows[name])) for part, rows in parts.items() for name in SHARES}


@lru_cache(maxsize=8)
def covered_shares(rule: str = "code", seeds: int = 3, largest: int = 60) -> np.ndarray:
    """Percent of test cells with a training cell at Manhattan distance below n, rows of Table 1 x n = 1 .. largest.

    The mean over `seeds` draws of the training set.
    """
    radii = np.arange(1, largest + 1)
    found = np.zeros((len(TABLE_1), largest))
    for number, (split, hole, *_) in enumerate(TABLE_1):
        for seed in range(seeds):
            task = row_task(split, hole, rule, seed)
            apart = distance_to_training(task.train_mask)[~task.train_mask]
            found[number] += 100 * (apart[:, None] < radii).mean(axis=0) / seeds
    return found


def best_radius(covered: np.ndarray, accuracy: np.ndarray) -> tuple[int, float]:
    """The radius n whose covered shares come nearest to the accuracies, and the root of the mean squared error.

    Example:
        >>> best_radius(np.array([[10.0, 50.0], [20.0, 70.0]]), np.array([52.0, 70.0]))
        (2, 1.4142135623730951)
    """
    errors = np.sqrt(((covered - accuracy[:, None]) ** 2).mean(axis=0))
    return int(errors.argmin()) + 1, float(errors.min())


def radius_fits(rule: str = "code", seeds: int = 3) -> pd.DataFrame:
    """The best single radius for the SQUARE rows, the STRIP rows and all rows: columns rows, n, rmse (points)."""
    frame, covered = table_1(), covered_shares(rule, seeds)
    parts = {"SQUARE": frame.split == "square", "STRIP": frame.split == "strip", "all": frame.hole > 0}
    fits = {name: best_radius(covered[rows], frame["U-Acc"].to_numpy()[rows]) for name, rows in parts.items()}
    return pd.DataFrame([{"rows": name, "n": n, "rmse": rmse} for name, (n, rmse) in fits.items()])
