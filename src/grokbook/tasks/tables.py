"""Small tables about tasks, for pages and terminals: operations, split sizes."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from grokbook.tasks.arithmetic import ModularTask
from grokbook.tasks.polynomials import OPERATIONS


def operation_table(p: int) -> pd.DataFrame:
    """Every named operation modulo a prime p: polynomial, whether it commutes, sizes of its classes.

    `empty` is the number of residues that never occur, `smallest` and `largest` the sizes of the other classes.
    """
    rows = []
    for name, polynomial in OPERATIONS.items():
        task = ModularTask(p, name)
        sizes = task.class_sizes()
        rows.append(
            {
                "operation": name,
                "f(x, y)": polynomial.replace("**", "^").replace("*", ""),
                "commutes": "yes" if task.commutes else "no",
                "empty": int((sizes == 0).sum()),
                "smallest": int(sizes[sizes > 0].min()),
                "largest": int(sizes.max()),
            }
        )
    return pd.DataFrame(rows)


def split_table(p: int, train_fraction: float, holes: Iterable[tuple[str, int | None]]) -> pd.DataFrame:
    """Sizes of training and test set for each (split, hole), by the rule of the programs and that of the text."""
    return pd.DataFrame([_split_sizes(p, train_fraction, split, hole) for split, hole in holes])


def _split_sizes(p: int, train_fraction: float, split: str, hole: int | None) -> dict[str, object]:
    code, text = (ModularTask(p, "add", train_fraction, split, hole, rule=rule) for rule in ("code", "text"))
    return {
        "split": split,
        "hole": "–" if hole is None else str(hole),
        "cells in hole": int(code.hole_mask.sum()),
        "train, code": int(code.train_index.size),
        "train, text": int(text.train_index.size),
        "test, code": int(code.test_index.size),
        "test, text": int(text.test_index.size),
    }
