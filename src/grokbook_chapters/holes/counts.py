"""Table 1 of Gu et al. 2025 as printed, and what counting cells predicts for its rows."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.coverage import distance_to_training, same_class_distance
from grokbook_chapters.holes.runs import TABLE_1
from grokbook_chapters.labelled import Row


def table_1() -> pd.DataFrame:
    """Table 1 of Gu et al. 2025 as printed, index row: split, hole, U-Acc, L-Acc (percent) and
    GO-Epoch.

    Example:
        >>> table_1()["U-Acc"]["STRIP 67"].item()
        7.56
    """
    columns = ["split", "hole", "U-Acc", "L-Acc", "GO-Epoch"]
    frame = pd.DataFrame.from_dict(TABLE_1, orient="index", columns=columns)
    return frame.astype({"GO-Epoch": "Int64"}).rename_axis("row")


def row_task(row: str, rule: str = "code", seed: int = 0) -> ModularTask:
    """The task of one row: addition modulo 97, 30 % trained outside the hole, by the rule of the
    programs or the text.

    Example:
        >>> row_task("SQUARE 30", "text").train_index.size
        2534
    """
    split, hole, *_ = TABLE_1[row]
    return ModularTask(97, train_fraction=0.3, split=split, hole=hole, rule=rule, seed=seed)


def shares_of_test_cells(task: ModularTask) -> Row:
    """Percent of the test cells outside the hole, and percent for which (i, j) or (j, i) lies
    outside it.

    Both are counts that do not depend on the seed: the rule fixes how many cells outside the hole
    are trained.

    Example:
        >>> {
        ...     name: round(share, 2)
        ...     for name, share in shares_of_test_cells(row_task("STRIP 50", "text")).items()
        ... }
        {'outside': 38.71, 'either order': 67.77}
    """
    test = ~task.train_mask
    hole = task.hole_mask
    allowed = {"outside": ~hole, "either order": ~(hole & hole.T)}
    return {name: 100 * float((test & cells).sum() / test.sum()) for name, cells in allowed.items()}


@lru_cache(maxsize=1)
def predictors() -> pd.DataFrame:
    """Table 1 with the two shares of each row, and `implied`: both in percent.

    `implied` is the accuracy in the hole that the printed U-Acc A implies for a network that is
    right everywhere outside: (A - s) / (1 - s), s the share outside; below 0 where not even the
    cells outside can all be right.
    """
    shares = {row: shares_of_test_cells(row_task(row)) for row in TABLE_1}
    frame = table_1().join(pd.DataFrame.from_dict(shares, orient="index"))
    return frame.assign(implied=100 * (frame["U-Acc"] - frame.outside) / (100 - frame.outside))


@lru_cache(maxsize=4)
def covered_shares(seeds: int = 3, largest: int = 60, own: bool = False) -> np.ndarray:
    """Percent of test cells with a training cell at Manhattan distance below n, rows of Table 1 x n
    = 1 .. largest.

    The mean over `seeds` draws of the training set. `own` asks for a training cell of the same
    class.
    """
    distance = same_class_distance if own else distance_to_training
    radii = np.arange(1, largest + 1)
    shares = np.zeros((len(TABLE_1), largest))
    for number, row in enumerate(TABLE_1):
        for seed in range(seeds):
            mask = row_task(row, seed=seed).train_mask
            of_test_cells = distance(mask)[~mask]
            shares[number] += 100 * (of_test_cells[:, None] < radii).mean(axis=0) / seeds
    return shares


class Radius(NamedTuple):
    """A radius n, and the root of the mean squared error of its covered shares."""

    n: int
    rmse: float


def best_radius(covered: np.ndarray, accuracy: np.ndarray) -> Radius:
    """The radius whose covered shares come nearest to the accuracies.

    Example:
        >>> best_radius(np.array([[10.0, 50.0], [20.0, 70.0]]), np.array([52.0, 70.0]))
        Radius(n=2, rmse=1.4142135623730951)
    """
    errors = np.sqrt(((covered - accuracy[:, None]) ** 2).mean(axis=0))
    return Radius(int(errors.argmin()) + 1, float(errors.min()))


def radius_fits() -> pd.DataFrame:
    """The best single radius n for the SQUARE rows, the STRIP rows and all rows, and its error rmse
    in points."""
    frame = table_1()
    covered = covered_shares()
    parts = {
        "SQUARE": frame.split == "square",
        "STRIP": frame.split == "strip",
        "all": frame.hole > 0,
    }
    fits = [best_radius(covered[own], frame["U-Acc"][own].to_numpy()) for own in parts.values()]
    return pd.DataFrame(fits, index=list(parts))
