"""Table 1 of Gu et al. 2025 as measured: the recorded runs of its rows, beside the published numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.claims.table1 import row_task, shares_of_test_cells
from grokbook.experiments.base import Experiment, available
from grokbook.experiments.data_distribution import table_1_run
from grokbook.experiments.published import TABLE_1, table_1
from grokbook.measures.limits import LimitRule, limits_table, moving_mean

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

Row = tuple[str, int]
Runs = Mapping[Row, xr.Dataset]

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


def row_name(split: str, hole: int) -> str:
    """A row's name in the paper's words, as "SQUARE 30".

    Example:
        >>> row_name("strip", 50)
        'STRIP 50'
    """
    return f"{split.upper()} {hole}"


def recorded_rows(n_seeds: int = 3) -> dict[Row, xr.Dataset]:
    """The recorded runs of each row of Table 1, rows without any left out: (split, hole) -> dataset of its seeds."""
    found = {(split, hole): available(table_1_run(split, hole, n_seeds=n_seeds)) for split, hole, *_ in TABLE_1}
    return {row: runs for row, runs in found.items() if runs is not None}


def combined(runs: Mapping[object, xr.Dataset]) -> xr.Dataset:
    """An empty dataset with the provenance of all of these, for one box on when and with what they were recorded."""
    made = [part for data in runs.values() for part in json.loads(data.attrs["provenance"])]
    origins = {data.attrs.get("origin", "recorded") for data in runs.values()}
    return xr.Dataset(attrs={"origin": min(origins, default="recorded"), "provenance": json.dumps(made)})


def implied_in_hole(accuracy: float, outside_share: float) -> float:
    """Share of the hole's cells that must be right for a test accuracy, if every test cell outside it is right.

    With s = outside_share: (accuracy - s) / (1 - s), below 0 where not even the cells outside can all be right.

    Example:
        >>> round(implied_in_hole(0.8, 0.6), 12)
        0.5
    """
    return (accuracy - outside_share) / (1 - outside_share)


def runs_table(runs: Runs, rule: LimitRule | None = None) -> pd.DataFrame:
    """One row a recorded run: split, hole, seed, what `limits_table` finds, the accuracy on parts of the test set.

    The parts are moving means at the step of the upper limit, so that `upper` is their mean weighted with the shares of
    test cells; `highest outside` is the largest moving mean outside the hole, `generalised` whether it is at least
    `GENERALISED` (NA for STRIP 67 by the programs' rule, where no test cell lies outside the hole).
    """
    tables = [_one_row(row, data, rule or LimitRule()) for row, data in runs.items()]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _one_row(row: Row, data: xr.Dataset, rule: LimitRule) -> pd.DataFrame:
    table = limits_table(data, rule).reset_index()
    tops = list(zip(table.seed, table.upper_step, strict=True))
    for part, variable in PARTS.items():
        table[part] = [_mean_at(data, variable, seed, step, rule) for seed, step in tops]
    highest = [_highest(data, seed, rule) for seed in table.seed]
    generalised = pd.array([None if np.isnan(h) else bool(h >= GENERALISED) for h in highest], dtype="boolean")
    named = {"split": row[0], "hole": row[1]}
    return table.assign(**named, **{"highest outside": highest}, generalised=generalised)


def _smoothed(data: xr.Dataset, variable: str, seed: int, rule: LimitRule) -> tuple[np.ndarray, np.ndarray] | None:
    """The moving mean of one variable of one seed; None where the variable has no value (an empty part)."""
    curve = data[variable].sel(seed=seed).dropna("step")
    return moving_mean(curve.step.values, curve.values, rule.window) if curve.size > 1 else None


def _mean_at(data: xr.Dataset, variable: str, seed: int, step: int, rule: LimitRule) -> float:
    curve = _smoothed(data, variable, seed, rule)
    return float("nan") if curve is None else float(np.interp(step, *curve))


def _highest(data: xr.Dataset, seed: int, rule: LimitRule) -> float:
    curve = _smoothed(data, PARTS["outside"], seed, rule)
    return float("nan") if curve is None else float(curve[1].max())


# ------------------------------------------------------------------------------------------------ tables of the page


def spread(values: pd.Series, form: str = ".1f", never: str = "") -> str:
    """The range of numbers as "low to high", one number as it is; missing ones count as beyond every number, `never`.

    Example:
        >>> spread(pd.Series([3.0, None, 1.0]), ".0f", "later")
        '1 to later'
    """
    known = values.dropna().astype(float)
    if not known.size:
        return never
    low, high = format(known.min(), form), format(known.max(), form)
    high = high if known.size == values.size else never
    return low if low == high else f"{low} to {high}"


def censored_median(values: pd.Series) -> float:
    """Median with missing values taken as later than all others; NaN where the middle one is missing.

    Example:
        >>> censored_median(pd.Series([100, None, 300], dtype="Int64")), censored_median(pd.Series([1.0, None]))
        (300.0, nan)
    """
    middle = float(np.median(values.astype("Float64").fillna(np.inf).astype(float)))
    return middle if np.isfinite(middle) else float("nan")


def measured(runs: pd.DataFrame) -> pd.DataFrame:
    """The eleven rows of Table 1, published and measured: `runs` is what `runs_table` gives; accuracies in percent.

    Medians over the recorded seeds. Columns: row, split, hole, seeds, U-Acc, L-Acc, GO-Epoch (published), U, U low,
    U high, range (as text), L, onset, onsets (their range), `outside` and `in hole` (at the upper limit), `generalised`
    and `rising` (numbers of runs), `implied` (in the hole, by the published U-Acc).
    """
    table = table_1()
    own = [_summary(runs, split, hole) for split, hole in zip(table.split, table.hole, strict=True)]
    shares = [shares_of_test_cells(row_task(s, h))["outside"] for s, h in zip(table.split, table.hole, strict=True)]
    names = [row_name(s, h) for s, h in zip(table.split, table.hole, strict=True)]
    joined = pd.concat([table.assign(row=names, share=shares), pd.DataFrame(own)], axis=1)
    implied = 100 * implied_in_hole(joined["U-Acc"] / 100, joined.share / 100)
    return joined.assign(implied=implied)


def _summary(runs: pd.DataFrame, split: str, hole: int) -> dict[str, object]:
    """Medians and ranges over the runs of one row; only `seeds` = 0 where there is none."""
    own = runs[(runs.split == split) & (runs.hole == hole)] if len(runs) else runs
    if not len(own):
        return {"seeds": 0}
    percent = 100 * own[["upper", "lower", "outside", "in hole"]].astype(float)
    median = {name: values.dropna().median() if values.notna().any() else np.nan for name, values in percent.items()}
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


def sensitivity(runs: Runs) -> pd.DataFrame:
    """How far the numbers of a row move with the reading: medians over seeds under the default and all of `RULES`.

    Columns: row; U, L and onset under the default; `U raw`, `U window 500`, `L raw`, `L window 500` in percent;
    `earliest` and `latest` onset over all rules, `latest` missing where one of them finds none by the end.
    """
    return pd.DataFrame([_moves(row, data) for row, data in runs.items()])


def _moves(row: Row, data: xr.Dataset) -> dict[str, object]:
    first, others = limits_table(data), {name: limits_table(data, rule) for name, rule in RULES.items()}
    found: dict[str, object] = {"row": row_name(*row), "U": 100 * first.upper.median(), "L": 100 * first.lower.median()}
    for name in ("raw", "window 500"):
        for letter, column in (("U", "upper"), ("L", "lower")):
            found[f"{letter} {name}"] = 100 * others[name][column].median()
    onsets = pd.Series([censored_median(table.onset) for table in (first, *others.values())])
    found |= {"onset": onsets[0], "earliest": onsets.min(), "latest": onsets.max(skipna=False)}
    return found


def accounting(runs: pd.DataFrame) -> pd.DataFrame:
    """Where the points between the published U-Acc and ours are: mean over the recorded runs of each row.

    With s the share of test cells outside the hole, a and b the accuracies outside it and in it, and c the accuracy in
    the hole that the published number implies if everything outside is right,

    published - ours = s (1 - a) + (1 - s) (c - b),

    the columns `difference`, `outside` and `hole`, in points of the test accuracy; also row and seeds.
    """
    table, rows = table_1().set_index(["split", "hole"])["U-Acc"], []
    for (split, hole), own in runs.groupby(["split", "hole"], sort=False) if len(runs) else ():
        s = shares_of_test_cells(row_task(split, hole))["outside"] / 100
        b, c = own["in hole"].mean(), implied_in_hole(table[split, hole] / 100, s)
        lost = {"outside": 100 * s * (1 - own.outside.mean()) if s else 0.0, "hole": 100 * (1 - s) * (c - b)}
        rows.append({"row": row_name(split, hole), "seeds": len(own), "difference": sum(lost.values())} | lost)
    return pd.DataFrame(rows)


def measured_ceilings(runs: pd.DataFrame) -> pd.DataFrame:
    """Rows of Table 1 whose ceiling is measured: at least one run has generalised outside the hole; medians over those.

    Columns: row, split, hole, seeds (that generalised), U (percent), `outside` and `either order` (the two predictors).
    """
    done = runs[runs.generalised.fillna(False)] if len(runs) else runs
    rows = []
    for (split, hole), own in done.groupby(["split", "hole"], sort=False) if len(done) else ():
        named = {"row": row_name(split, hole), "split": split, "hole": hole, "seeds": len(own)}
        accuracy = {"U": 100 * own.upper.median(), "in hole": 100 * own["in hole"].median()}
        rows.append(named | accuracy | shares_of_test_cells(row_task(split, hole)))
    return pd.DataFrame(rows)


def variants_table(variants: Mapping[str, Experiment], runs: pd.DataFrame) -> pd.DataFrame:
    """What each variant of a row gave, beside the row itself and the paper; "not run" and its cost where not recorded.

    Columns: row, change, published (U-Acc), `as it was` (median U of the row's own runs), U, `outside`, `in hole`,
    onsets, seeds (`as it was` is of the same seeds), and `came of it`: "not run, about 35 min a seed", or how U now
    lies to the published U-Acc. Accuracies in percent.
    """
    return pd.DataFrame([_variant(experiment, runs) for experiment in variants.values()])


def _variant(experiment: Experiment, runs: pd.DataFrame) -> dict[str, object]:
    task = experiment.config.task
    data = available(experiment)
    alike = runs[runs.seed.isin(data.seed.values)] if data is not None and len(runs) else runs
    base = _summary(alike, task.split, task.hole)
    published = table_1().set_index(["split", "hole"])["U-Acc"][task.split, task.hole]
    start = {"row": row_name(task.split, task.hole), "change": change(experiment), "published": published}
    found = _summary(runs_table({(task.split, task.hole): data}), task.split, task.hole) if data is not None else {}
    columns = {name: found.get(name) for name in ("U", "outside", "in hole", "onsets")}
    became = _became(published, base.get("U"), found["U"]) if found else _cost(experiment)
    return start | {"as it was": base.get("U"), "seeds": found.get("seeds", 0)} | columns | {"came of it": became}


def _cost(experiment: Experiment) -> str:
    return f"not run, about {experiment.predicted(1).seconds / 60:.0f} min a seed"


def _became(published: float, before: float | None, after: float) -> str:
    """How an upper limit lies to the published one: within `NEAR` points, nearer than it was, or not."""
    if abs(after - published) <= NEAR:
        return "near the published number"
    nearer = before is not None and abs(after - published) < abs(before - published) - NEAR
    return "nearer to it, not near" if nearer else "no nearer"


def change(experiment: Experiment) -> str:
    """What sets a variant of a row of Table 1 apart, in words.

    Example:
        >>> change(table_1_run("strip", 50, shift=60))
        'second operand shifted by 60'
    """
    task, plain = experiment.config.task, table_1_run(experiment.config.task.split, experiment.config.task.hole)
    words = [f"second operand shifted by {task.shift}"] * bool(task.shift) + ["the text's rule"] * (task.rule == "text")
    longer = experiment.config.steps != plain.config.steps
    return ", ".join(words + [f"{experiment.config.steps:,} steps"] * longer) or "nothing"
