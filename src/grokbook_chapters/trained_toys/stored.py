"""What is stored with the program of Liu et al. 2022, toy/train_add.py, and how many of its numbers
come out again."""

from __future__ import annotations

import numpy as np
import pandas as pd

from grokbook.files import beside
from grokbook_chapters.trained_toys.runs import BATCH

# What the program stores where no line was seen; its steps count from 0 and are those before an
# update.
NEVER = 9_999

# By training pairs, for seeds 0 to 2: pairs of 55 that are right, those predicted right, step of an
# RQI above 0.95.
RESULTS = {int(pairs): tuple(map(tuple, found)) for pairs, found in beside(__file__).items()}

PRINTED = {"train": 1131, "test": 1530, "line": 801}
"""What the program prints of the run of Fig. 4d (45 training pairs, seed 58), in updates:
accuracies of 0.9, an RQI above 0.95. (It counts the first and the last from 0.)"""


def came_out(table: pd.DataFrame) -> pd.DataFrame:
    """Which numbers of the stored runs came out in ours, a row a run: `accuracy`, `predicted` and
    `steps`, True or False.

    `table` is that of `measured`. Runs in batches are left out, whose order is another. A line was
    first seen between two kept steps, or in neither program.
    """
    rows = []
    at_once = table[(table.samples <= BATCH) & table.seed.isin(range(3))]
    for run in at_once.itertuples():
        right, predicted, at = np.transpose(RESULTS[run.samples])[run.seed]
        same_line = np.isnan(run.steps)
        if at != NEVER:
            same_line = run.before < at + 1 <= run.steps
        rows.append(
            {
                "accuracy": round(55 * run.accuracy) == right,
                "predicted": round(55 * run.predicted) == predicted,
                "steps": bool(same_line),
            }
        )
    return pd.DataFrame(rows)
