"""What Gu et al. 2025 say of holes, judged by counts (Remark 3.11) and by the recorded runs (Table
1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from companion.claims import Finding, Runs, claim, judge
from grokbook.theory.coverage import distance_to_training
from grokbook_chapters.holes.counts import radius_fits, table_1
from grokbook_chapters.holes.measured import (
    CAME,
    NEAR,
    against_printed,
    compared,
    limits_of_parts,
    longest,
    table_of_runs,
)
from grokbook_chapters.holes.runs import longer, rows
from grokbook_chapters.ranges import spread

# when the rule of GT1 was last changed: as it had been on 24 November
RULE = "2026-11-28T19:26:46+00:00 ebf9f161"


@claim(
    "G33",
    "gu2025",
    "Remark 3.11, Table 1",
    section="Table 1 against two shares and a distance",
    says=(
        "as printed, with no distance named, true of any training set: one cell covers the grid "
        "within {within}; our reading, one radius for all {rows} rows, misses the printed U-Acc by "
        "{value:.1f} points (root mean square, at n = {n:.0f}; SQUARE alone {square.rmse:.1f} at n "
        "= {square.n:.0f}, STRIP {strip.rmse:.1f} at n = {strip.n:.0f}); the printed U-Acc - L-Acc "
        "is {swing:.1f} in the mean of these rows"
    ),
)
def ceiling_by_distance(radius: int | None = None, fits: pd.DataFrame | None = None) -> Finding:
    """For an upper limit of 1 the training set must "cover the entire test set within a certain
    Manhattan distance".

    With a `radius` at which one training cell does not cover the grid the statement says something.
    Our reading: one distance explains all ceilings of Table 1, with a root mean squared error of at
    most the mean of U-Acc - L-Acc. `fits` are by default those of `radius_fits`.
    """
    corner = np.zeros((97, 97), dtype=bool)
    corner[0, 0] = True
    within = int(distance_to_training(corner).max())
    fits = radius_fits() if fits is None else fits
    table = table_1()
    swing = (table["U-Acc"] - table["L-Acc"]).mean()
    n, rmse = fits.loc["all"]
    anything = radius is None or radius > within
    return judge(
        anything or bool(rmse <= swing),
        anything=anything,
        value=rmse,
        swing=swing,
        within=within,
        rows=len(table),
        n=n,
        square=fits.loc["SQUARE"],
        strip=fits.loc["STRIP"],
    )


@claim(
    "GT1",
    "gu2025",
    "Table 1",
    section="Table 1 measured",
    seconds=10,
    runs=rows,
    beside=longer,
    through=limits_of_parts,
    bars={"near": (2.0, 10.0)},
    rule_changed=RULE,
    says=(
        "{runs} runs by the programs' rule, of each seed the longest, upper limits within "
        "{near:.0f} points of the printed ones: {came}; with other tolerances: {bars}; over the "
        "rows our medians and the printed limits have rank correlation {order:.2f}; STRIP 67, "
        "where grokking disappears in print, is not judged"
    ),
)
def ceilings_of_table_1(runs: Runs, *, near: float = NEAR) -> Finding:
    """U-Acc is "the upper limit of accuracy achievable through grokking", from 99 % (SQUARE 30) to
    8 % (STRIP 67).

    It fails where a run exceeds the ceiling of its row by more than `near` points, and holds where
    every row is reproduced. A run that is lower says "not by its last step" and decides nothing. A
    row without a GO-Epoch has no accuracy "achievable through grokking": told, not judged.
    """
    lives = longest(table_of_runs(runs))
    lives["against"] = against_printed(lives, near)
    table = compared(lives, near)
    listed = []
    for came in CAME:
        rows = table[table.came == came]
        if len(rows):
            words = [in_words(row, lives[lives.row == row.name]) for _, row in rows.iterrows()]
            listed.append(f"{came}: {', '.join(words)}")
    parts = table.came[table["GO-Epoch"].notna()]
    return judge(
        *parts.map({"exceeded": False, "reproduced": True}.get),
        value=(parts == "exceeded").sum(),
        low=0,
        high=0,
        runs=table.seeds.sum(),
        near=near,
        came="; ".join(listed),
        order=table.U.corr(table["U-Acc"], method="spearman"),
    )


def in_words(row: pd.Series, runs: pd.DataFrame) -> str:
    """A row of `compared` with the upper limits of the runs that decide what came of it, and the
    printed one."""
    if row.came == "not run":
        return str(row.name)
    deciding = {"exceeded": "above", "reproduced": "agrees"}.get(row.came)
    if deciding:
        runs = runs[runs.against == deciding]
    steps = f"{runs.last_step.max():,} / {row['U-Acc']:.1f}"
    return f"{row.name} ({spread(runs.upper)} by step {steps})"
