"""Where the papers predict different things: training sets that cover the table, and training sets that force a line.

The toy of Liu et al. 2022 on the sums of two of ten symbols, with four chosen training sets of 42 of the 55 pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.finding import UNDECIDED, some
from grokbook.claims.runs import every_run
from grokbook.measures import med
from grokbook.runs.experiment import Experiment
from grokbook.runs.liu2022 import addition
from grokbook.tasks.chosen import ChosenAddition
from grokbook.theory.coverage import distance_to_training
from grokbook.theory.parallelograms import (
    Sample,
    all_samples,
    grokking_rate,
    ideal_model,
    nullity,
    representation_quality_index,
)
from grokbook.training.schedule import Schedule

P, STEPS, SEEDS = 10, 3_000, 5  # symbols, steps of a run, runs of a set
TOLERANCE, ALL = 0.1, 1 - 1e-6  # the code's rule for a closed parallelogram; accuracy from which every pair is right
_ROW = tuple((0, j) for j in range(2, P))
# The 13 test pairs of each set. Without a line: symbol 0 stands in two training pairs, alone with their sums.
HELD_OUT: dict[str, tuple[Sample, ...]] = {
    "line, covered": ((0, 2), (0, 9), (1, 3), (1, 7), (2, 4), (2, 6), (2, 7), (2, 9), (3, 9), (4, 9), (5, 6), (5, 7),
                      (6, 8)),
    "line, hole": ((0, 7), (1, 6), (1, 7), (1, 8), (2, 5), (2, 6), (2, 7), (2, 8), (2, 9), (3, 6), (3, 7), (3, 8),
                   (4, 7)),
    "no line, covered": (*_ROW, (2, 3), (2, 6), (3, 5), (4, 6), (6, 8)),
    "no line, hole": (*_ROW, (1, 7), (1, 8), (1, 9), (2, 8), (2, 9)),
}  # fmt: skip


def training_pairs(name: str) -> list[Sample]:
    """The 42 training pairs of a set."""
    return [pair for pair in all_samples(P) if pair not in HELD_OUT[name]]


def contrast() -> dict[str, Experiment]:
    """The runs of the four sets: the toy with one number a symbol, as in Fig. 3 of Liu et al. 2022."""
    toy = replace(addition(steps=STEPS, stop=None), log=Schedule(dense_until=STEPS, dense_every=50), snapshots=31)
    configs = {name: replace(toy, task=ChosenAddition(P, trained=training_pairs(name))) for name in HELD_OUT}
    return {name: Experiment(f"liu2022/contrast[{name}]", config, tuple(range(SEEDS)))
            for name, config in configs.items()}  # fmt: skip


RUNS = (contrast,)


def trained_mask(name: str) -> np.ndarray:
    """Which cells of the table (both orders of a pair) are trained, bool (p, p)."""
    i, j = np.array(HELD_OUT[name]).T
    mask = np.ones((P, P), dtype=bool)
    mask[i, j] = mask[j, i] = False
    return mask


def predictions() -> pd.DataFrame:
    """A row a set (index): what both papers look at, before anything is trained.

    `sums` is the number of different sums trained, `farthest` the largest Manhattan distance of a cell from a trained
    one, `freedom` the nullity, `rate` lambda_3 Z_0, `ideal` the share of test pairs that an ideal model answers.
    """
    rows = {}
    for name in HELD_OUT:
        pairs, far = training_pairs(name), distance_to_training(trained_mask(name)).max()
        rows[name] = {"pairs": len(pairs), "sums": len({i + j for i, j in pairs}), "farthest": int(far),
                      "freedom": nullity(pairs, P), "rate": grokking_rate(pairs, P),
                      "ideal": ideal_model(pairs, P)["validation"]}  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("training set")


def outcomes(runs: Mapping[str, xr.Dataset]) -> pd.DataFrame:
    """A row a run: set, seed, accuracies, step at which the test set is at 0.9 (NaN: never), last RQI and MED.

    `line`, `right` and `fitted`: whether the set forces a line, and whether all test and all training pairs are right.
    MED is that of the numbers moved and stretched to mean 0 and variance 1, without closing the circle.
    """
    rows = []
    for name, seed, run in every_run(runs):
        numbers = run.embedding.isel(snapshot=-1).transpose("token", "feature").values.astype(float)
        late = run.step.values[run.test_accuracy.values >= 0.9]
        rows.append({
            "training set": name, "seed": seed, "line": name.startswith("line"),
            "training": float(run.train_accuracy[-1]), "test": float(run.test_accuracy[-1]),
            "step": late[0] if len(late) else np.nan, "rqi": representation_quality_index(numbers, TOLERANCE),
            "med": med((numbers - numbers.mean()) / numbers.std(), cyclic=False),
        })  # fmt: skip
    table = pd.DataFrame(rows)
    return table.assign(right=table.test > ALL, fitted=table.training > ALL)


def tell_apart(rows: pd.DataFrame, measure: str) -> float:
    """Of all pairs of a run that answers every test pair and one that does not: share in which the former has more."""
    good, bad = (rows[measure][kind].to_numpy() for kind in (rows.right, ~rows.right))
    return float((good[:, None] > bad + 1e-9).mean()) if good.size and bad.size else np.nan


@claim("LT11", "liu2022", "section 3.2", section="Cover or parallelograms?", runs=contrast, origin="ours",
       rule_changed="2026-11-24T19:32 0772874", says=(
    "with cover held equal a forced line adds {line:+.2f} to the test accuracy, with the line held equal cover adds ",
    "{cover:+.2f}; {perfect} runs whose data force a line answer every test pair, of the fitted ones {fitted}; of the ",
    "runs without a line {others}, where an ideal model answers {ideal:.0%}; chance of a line's effect as large if ",
    "the {sets} sets were dealt out: p = {p:.2g}"))  # fmt: skip
def line_or_cover(runs: Runs) -> Finding:
    """Where all sums are trained, a training set that implies "a unique linear structure" generalises whether it covers
    the table or not: a line decides more than cover does.

    Beyond chance, with the set as the unit (p < 0.05), which four sets cannot show: one of six orders is as good.
    """
    if any(runs[name] is None for name in HELD_OUT):
        return Finding(UNDECIDED, "not all of the four sets are recorded")
    rows, sets = outcomes(runs), list(runs.experiments or runs)
    mean = rows.groupby("training set").test.mean()
    (a, b), (c, d) = mean[[*HELD_OUT]].to_numpy().reshape(2, 2)
    line, cover = (a + b - c - d) / 2, (a + c - b - d) / 2
    has = mean.index.str.startswith("line")
    dealt = [mean.to_numpy()[list(which)].sum() for which in combinations(range(len(mean)), int(has.sum()))]
    p = float(np.mean([one >= mean[has].sum() - 1e-12 for one in dealt]))
    beyond = True if p < 0.05 else None if 1 / len(dealt) >= 0.05 else False
    parts = (bool(line > abs(cover)), beyond) if runs.complete() else (None,)
    forced, others = (rows[rows.line == kind] for kind in (True, False))
    count = {name: some(int(part.right.sum()), len(part)) for name, part in
             (("perfect", forced), ("fitted", forced[forced.fitted]), ("others", others))}  # fmt: skip
    return judge(*parts, value=line, line=line, cover=cover, p=p, sets=len(sets), ideal=predictions().ideal.min(),
                 **count)  # fmt: skip
