"""Table 1 of Gu et al. 2025 as measured: the recorded runs of its rows, beside the published numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims import Finding, Runs, claim, found, judge
from grokbook.claims.finding import UNDECIDED
from grokbook.experiments.base import Experiment
from grokbook.measures.limits import LimitRule, limits_table, moving_mean
from grokbook.topics.data_distribution.table_1 import (
    SHARES,
    TABLE_1,
    Row,
    best_radius,
    ceiling_by_distance,
    change,
    covered_shares,
    predictors,
    row_name,
    rows,
    table_1,
)
from grokbook.topics.data_distribution.tables import censored_median, listed, spread

GENERALISED = 0.95
"""A run has generalised outside its hole when its moving mean there has reached this accuracy."""

NEAR = 5.0
"""Points within which an accuracy counts as near another."""

PARTS = {
    "outside": "test_accuracy_outside_hole",
    "in hole": "test_accuracy_in_hole",
    "transpose trained": "test_accuracy_mirrored",
    "transpose not trained": "test_accuracy_unmirrored",
}
"""Parts of the test set of a row and the variables that hold the accuracy on them."""

RULES = {
    "raw": LimitRule(window=0),
    "window 500": LimitRule(window=500),
    "rise 3": LimitRule(rise=0.03),
    "rise 10": LimitRule(rise=0.1),
    "persistence 0": LimitRule(persistence=0),
    "persistence 1000": LimitRule(persistence=1000),
    "plateau 100 to 300": LimitRule(plateau=(100, 300)),
    "plateau 500 to 1000": LimitRule(plateau=(500, 1000)),
}
"""Other readings of U-Acc, L-Acc and GO-Epoch, one choice changed in each; the default is `LimitRule()`."""

# ------------------------------------------------------------------------------------------------------- measured


def limits_of_parts(data: xr.Dataset, rule: LimitRule | None = None) -> pd.DataFrame:
    """One row a run of a row: seed, what `limits_table` finds, and the accuracy on the `PARTS` of the test set.

    The parts are moving means at the step of the upper limit, so that `upper` is their mean weighted with the shares of
    test cells. `generalised`: whether the largest moving mean outside the hole is at least `GENERALISED` (NA for STRIP
    67 by the programs' rule, where no test cell lies outside the hole).
    """
    rule = rule or LimitRule()
    table = limits_table(data, rule).reset_index()
    curves = {part: [_smoothed(data[name].sel(seed=s), rule) for s in table.seed] for part, name in PARTS.items()}
    parts = {
        part: [float(np.interp(step, *curve)) for step, curve in zip(table.upper_step, found, strict=True)]
        for part, found in curves.items()
    }
    highest = [float(means.max()) for _, means in curves["outside"]]
    done = pd.array([None if np.isnan(h) else h >= GENERALISED for h in highest], dtype="boolean")
    return table.assign(**parts, generalised=done)


def _smoothed(curve: xr.DataArray, rule: LimitRule) -> tuple[np.ndarray, np.ndarray]:
    """Steps and moving mean of one variable of one seed; a NaN where the variable has no value (an empty part)."""
    known = curve.dropna("step")
    if known.size < 2:
        return np.zeros(1), np.full(1, np.nan)
    return moving_mean(known.step.values, known.values, rule.window)


def joined(tables: Mapping[Row, pd.DataFrame]) -> pd.DataFrame:
    """Tables of the runs of several rows in one, with the columns split and hole; empty for none."""
    parts = [table.assign(split=split, hole=hole) for (split, hole), table in tables.items()]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["split", "hole"])


def runs_table(runs: Mapping[Row, xr.Dataset], rule: LimitRule | None = None) -> pd.DataFrame:
    """`limits_of_parts` of the recorded runs of each row, with the columns split and hole; one row a run."""
    return joined({row: limits_of_parts(data, rule) for row, data in runs.items()})


def implied_in_hole(accuracy: float, outside_share: float) -> float:
    """Share of the hole's cells that must be right for a test accuracy, if every test cell outside it is right.

    With s = outside_share: (accuracy - s) / (1 - s), below 0 where not even the cells outside can all be right.

    Example:
        >>> round(implied_in_hole(0.8, 0.6), 12)
        0.5
    """
    return (accuracy - outside_share) / (1 - outside_share)


NUMBERS = ("U", "U low", "U high", "L", "onset", "outside", "in hole")
COLUMNS = ("seeds", *NUMBERS, "range", "onsets", "generalised", "rising")


def measured(runs: pd.DataFrame) -> pd.DataFrame:
    """The eleven rows of Table 1, published and measured: `runs` is what `runs_table` gives; accuracies in percent.

    Medians over the recorded seeds. Columns: row, split, hole, share (outside the hole), seeds, U-Acc, L-Acc, GO-Epoch
    (published), U, U low, U high, range (as text), `gap` (points from the published U-Acc to our range), L, onset,
    onsets (their range), `outside` and `in hole` (at the upper limit), `generalised` and `rising` (numbers of runs),
    `implied` (in the hole, by the published U-Acc).
    """
    table = predictors().rename(columns={"outside": "share"}).drop(columns=["either order"])
    own = pd.DataFrame([_summary(runs, *row) for row in zip(table.split, table.hole, strict=True)])
    own = own.reindex(columns=COLUMNS).astype(dict.fromkeys(NUMBERS, float))
    table = table.assign(row=[row_name(*row) for row in zip(table.split, table.hole, strict=True)], **own)
    below, above = table["U low"] - table["U-Acc"], table["U-Acc"] - table["U high"]
    implied = 100 * implied_in_hole(table["U-Acc"] / 100, table.share / 100)
    return table.assign(implied=implied, gap=np.maximum(np.maximum(below, above), 0))


def _summary(runs: pd.DataFrame, split: str, hole: int) -> dict[str, object]:
    """Medians and ranges over the runs of one row; only counts of 0 where there is none."""
    own = runs[(runs.split == split) & (runs.hole == hole)]
    if not len(own):
        return {"seeds": 0, "generalised": 0, "rising": 0}
    percent = 100 * own[["upper", "lower", "outside", "in hole"]].astype(float)
    median = percent.median()
    return {
        "seeds": len(own),
        "U": median["upper"],
        "U low": percent.upper.min(),
        "U high": percent.upper.max(),
        "range": spread(percent.upper),
        "L": median["lower"],
        "onset": censored_median(own.onset),
        "onsets": spread(own.onset, ".0f", f"later than {own.last_step.max()}"),
        "outside": median["outside"],
        "in hole": median["in hole"],
        "generalised": int(own.generalised.fillna(False).sum()),
        "rising": int(own.truncated.sum()),
    }


def sensitivity(runs: Mapping[Row, xr.Dataset]) -> pd.DataFrame:
    """How far the numbers of a row move with the reading: medians over seeds under the default and all of `RULES`.

    Columns: row; U, L and onset under the default; `U raw`, `U window 500`, `L raw`, `L window 500` in percent;
    `earliest` and `latest` onset over all rules, `latest` missing where one of them finds none by the end.
    """
    return pd.DataFrame([_moves(row, data) for row, data in runs.items()])


def _moves(row: Row, data: xr.Dataset) -> dict[str, object]:
    tables = {"": limits_table(data)} | {name: limits_table(data, rule) for name, rule in RULES.items()}
    shown = {
        f"{letter} {name}".strip(): 100 * tables[name][column].median()
        for name in ("", "raw", "window 500")
        for letter, column in (("U", "upper"), ("L", "lower"))
    }
    onsets = pd.Series([censored_median(table.onset) for table in tables.values()])
    times = {"onset": onsets[0], "earliest": onsets.min(), "latest": onsets.max(skipna=False)}
    return {"row": row_name(*row)} | shown | times


def accounting(runs: pd.DataFrame) -> pd.DataFrame:
    """Where the points between the published U-Acc and ours are: mean over the recorded runs of each row.

    With s the share of test cells outside the hole, a and b the accuracies outside it and in it, and c the accuracy in
    the hole that the published number implies if everything outside is right,

    published - ours = s (1 - a) + (1 - s) (c - b),

    the columns `difference`, `outside` and `hole`, in points of the test accuracy; also row and seeds.
    """
    table, found = predictors().set_index(["split", "hole"]), []
    for row, own in runs.groupby(["split", "hole"], sort=False):
        s = table.outside[row] / 100
        c, b = implied_in_hole(table["U-Acc"][row] / 100, s), own["in hole"].mean()
        lost = {"outside": 100 * s * (1 - own.outside.mean()) if s else 0.0, "hole": 100 * (1 - s) * (c - b)}
        found.append({"row": row_name(*row), "seeds": len(own), "difference": sum(lost.values())} | lost)
    return pd.DataFrame(found)


def measured_ceilings(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows of Table 1 whose ceiling is measured: at least one run has generalised outside the hole; medians over those.

    Columns: row, split, hole, seeds (that generalised), U, `in hole`, `U-Acc` (published; all percent), `outside` and
    `either order` (the two predictors).
    """
    done, counted = runs[runs.generalised.fillna(False)] if len(runs) else runs, predictors()
    found = []
    for row, own in done.groupby(["split", "hole"], sort=False):
        known = counted[(counted.split == row[0]) & (counted.hole == row[1])].iloc[0]
        medians = {"U": 100 * own.upper.median(), "in hole": 100 * own["in hole"].median()}
        names = {"row": row_name(*row), "split": row[0], "hole": row[1], "seeds": len(own)}
        found.append(names | medians | {name: known[name] for name in ("U-Acc", *SHARES)})
    return pd.DataFrame(found)


def variants_table(made: Runs, runs: pd.DataFrame) -> pd.DataFrame:
    """What each variant of a row gave, beside the row itself and the paper; "not run" and its cost where not recorded.

    `made` is what is recorded of `variants`. Columns: row, change, published (U-Acc), `as it was` (median U of the
    row's own runs of the same seeds), seeds, U, `outside`, `in hole`, onsets, and `came of it`: "not run, about 35 min
    a seed", or how U now lies to the published U-Acc. Accuracies in percent.
    """
    return pd.DataFrame([_variant(run, made[label], runs) for label, run in made.experiments.items()])


def _variant(experiment: Experiment, data: xr.Dataset | None, runs: pd.DataFrame) -> dict[str, object]:
    row = experiment.config.task.split, experiment.config.task.hole
    published = table_1().set_index(["split", "hole"])["U-Acc"][row]
    alike = runs if data is None or not len(runs) else runs[runs.seed.isin(data.seed.values)]
    before = _summary(alike, *row).get("U")
    own = {"seeds": 0} if data is None else _summary(runs_table({row: data}), *row)
    cost = f"not run, about {experiment.predicted(1).seconds / 60:.0f} min a seed"
    named = {"row": row_name(*row), "change": change(experiment), "published": published, "as it was": before}
    columns = {name: own.get(name) for name in ("seeds", "U", "outside", "in hole", "onsets")}
    return named | columns | {"came of it": cost if data is None else became(published, before, own["U"])}


def became(published: float, before: float | None, after: float) -> str:
    """How an upper limit lies to the published one: within `NEAR` points, nearer than it was, or not."""
    if abs(after - published) <= NEAR:
        return "near the published number"
    nearer = before is not None and abs(after - published) < abs(before - published) - NEAR
    return "nearer to it, not near" if nearer else "no nearer"


# --------------------------------------------------------------------------------------------------------- claims

MEASURED = "Table 1 measured"


@claim("GT1", "gu2025", "Table 1", section=MEASURED, seconds=8, runs=rows, through=limits_of_parts,
       says={UNDECIDED: "",
             "": ("{runs} runs ({each} a row): the published U-Acc is within {near:.0f} points of our range in {agree} "
                  "of {rows} rows; elsewhere (ours / published) {off}; ",
                  "no run has reached {generalised:.0%} outside its hole by the end in {slow}")})
def ceilings_of_table_1(runs: Runs) -> Finding:
    """With a hole the test accuracy reaches the printed U-Acc, from 99 % (SQUARE 30) to 8 % (STRIP 67).

    A row agrees when the published limit is within `NEAR` points of our range. "Holds with correction" when the rows
    agree in which some run has generalised outside its hole, and others do not.
    """
    table = measured(joined(runs))
    if (table.seeds == 0).any():
        return Finding(UNDECIDED)
    agree, slow = table.gap <= NEAR, (table.generalised == 0) & (table.share > 0)
    verdict = "holds" if agree.all() else "holds with correction" if agree[~slow].all() else "fails"
    off = table[~agree]
    one = off["U high"] - off["U low"] < 0.05
    ranges = [f"{low:.1f}" if alike else f"{low:.1f} to {high:.1f}"
              for low, high, alike in zip(off["U low"], off["U high"], one, strict=True)]  # fmt: skip
    words = {"off": listed(off.assign(own=ranges), "{row} {own} / {U-Acc:.1f}"), "slow": listed(table[slow])}
    words |= {"each": spread(table.seeds, ".0f"), "near": NEAR, "generalised": GENERALISED}
    words |= {"runs": table.seeds.sum(), "agree": agree.sum(), "rows": len(table)}
    return found(verdict, float(table.gap.median()), float(table.gap.min()), float(table.gap.max()), "0", **words)


@claim("G33", "gu2025", "Table 1, Remark 3.11", section=MEASURED, seconds=8, runs=rows, through=limits_of_parts,
       says=("{printed}; measured, {done} rows in which a run has generalised outside the hole: best radius {radius}, ",
             "off by {error:.1f}; correlation with the share outside {outside:.2f}, in either order {either:.2f}; ",
             "right in the hole {least:.0f} to {most:.0f}%"))
def ceiling_set_by_distance(runs: Runs, printed: Finding | None = None) -> Finding:
    """The ceiling of the test accuracy with a hole is set by which cells the training set covers within a distance.

    One distance explains the published ceilings (`printed`, by default `ceiling_by_distance`) and the measured ones.
    """
    printed = printed or ceiling_by_distance()
    done = measured_ceilings(joined(runs))
    if len(done) < 3:
        return printed
    order = [(split, hole) for split, hole, *_ in TABLE_1]
    measured_rows = [order.index(row) for row in zip(done.split, done.hole, strict=True)]
    radius, error = best_radius(covered_shares("code")[measured_rows], done.U.to_numpy())
    band = float((table_1()["U-Acc"] - table_1()["L-Acc"]).mean())
    numbers = {name.split()[0]: done.U.corr(done[name]) for name in SHARES}
    numbers |= {"done": len(done), "radius": radius, "error": error}
    numbers |= {"least": done["in hole"].min(), "most": done["in hole"].max(), "printed": printed.evidence}
    parts = (printed.verdict == "holds", error <= band)
    return judge(*parts, value=printed.value, low=0, high=band, published=f"at most {band:.1f} points", **numbers)
