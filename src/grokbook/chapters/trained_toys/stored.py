"""What is stored with the program of Liu et al. 2022, toy/train_add.py, and how many of its numbers come out again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.chapters.trained_toys.embeddings import FITTED, GOAL, path, quality
from grokbook.chapters.trained_toys.runs import BATCH

# What the program stores where no line was seen; its steps count from 0 and are those before an update.
NEVER = 9_999

# By training pairs, for seeds 0 to 2: pairs of 55 that are right, those predicted right, step of an RQI above 0.95.
RESULTS = {
    5: ((7, 6, 8), (5, 5, 6), (NEVER, NEVER, NEVER)),
    10: ((12, 15, 14), (11, 14, 12), (NEVER, NEVER, NEVER)),
    15: ((15, 17, 24), (15, 15, 21), (NEVER, NEVER, NEVER)),
    20: ((25, 20, 32), (25, 20, 25), (NEVER, NEVER, NEVER)),
    25: ((27, 29, 50), (26, 30, 50), (NEVER, NEVER, 2553)),
    30: ((39, 31, 51), (39, 31, 51), (NEVER, NEVER, 739)),
    35: ((42, 41, 54), (42, 41, 54), (NEVER, NEVER, 1171)),
    40: ((50, 43, 55), (50, 42, 55), (867, NEVER, 943)),
    45: ((50, 55, 55), (50, 55, 55), (833, 1071, 887)),
    50: ((53, 53, 54), (54, 55, 55), (1011, 1272, 977)),
    54: ((51, 53, 54), (55, 55, 55), (1033, 1086, 850)),
}

# The run of Fig. 4d as the program prints it (800, 1130, 1530), in updates: until its accuracies are 0.9 and its RQI
# is above 0.95.
RUN = {"samples": 45, "seed": 58, "train": 1131, "test": 1530, "line": 801}

# RQI and test accuracies that are stored with the programs of Fig. 2: its good runs, and the bad modular one.
FIG2 = {"rqi": 0.619, "test": 0.88, "modular": 0.917, "modular_bad": 0.077}


def compared(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each stored run that was made again, and whether its three numbers came out; from `measured`.

    `steps`: the stored step lies between the kept step at which the line was first seen and the one before, or neither
    has one. Runs in batches are left out: the order of the batches is not that of the program.
    """
    rows = []
    for run in table[(table.samples <= BATCH) & table.seed.isin(range(3))].itertuples():
        right, predicted, step = (kind[run.seed] for kind in RESULTS[run.samples])
        seen = np.isnan(run.steps) if step == NEVER else run.before < step + 1 <= run.steps
        rows.append({
            "samples": run.samples, "seed": run.seed, "accuracy": round(55 * run.accuracy) == right,
            "predicted": round(55 * run.predicted) == predicted, "steps": bool(seen),
        })  # fmt: skip
    return pd.DataFrame(rows, columns=["samples", "seed", "accuracy", "predicted", "steps"])


def met(data: xr.Dataset) -> dict[str, float]:
    """First logged updates of the only run at which its accuracies are 0.9 and its RQI is above 0.95 (NaN: none)."""
    run = data.isel(seed=0)
    steps, numbers = path(run)
    reached = {kind: run.step.values[run[f"{kind}_accuracy"].values >= FITTED] for kind in ("train", "test")}
    reached["line"] = steps[quality(numbers) > GOAL]
    return {name: float(found[0]) if len(found) else np.nan for name, found in reached.items()}
