"""Table 1 of Gu et al. 2025 as measured: the recorded runs of its rows, beside the published numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.chapters.holes.table_1 import (
    Row,
    change,
    longer,
    predictors,
    row_name,
    rows,
    table_1,
)
from grokbook.claims import Finding, Runs, claim, judge
from grokbook.claims.words import spread
from grokbook.runs.experiment import Experiment
from grokbook.runs.limits import LimitRule, limits_table, moving_mean

GENERALISED = 0.95
"""A run has generalised outside its hole when its moving mean there has reached this accuracy."""

NEAR = 5.0
"""Points within which an upper limit agrees with the printed one."""

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


def joined(tables: Mapping[tuple, pd.DataFrame]) -> pd.DataFrame:
    """Tables of the runs of several rows in one, with the columns split and hole; empty for none.

    Keys are (split, hole) or begin so.
    """
    parts = [table.assign(split=split, hole=hole) for (split, hole, *_), table in tables.items()]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["split", "hole"])


def longest(runs: pd.DataFrame) -> pd.DataFrame:
    """Of every row and seed the run that was followed for the most steps."""
    if not len(runs):
        return runs
    in_time = runs.sort_values("last_step", kind="stable")
    return in_time.drop_duplicates(["split", "hole", "seed"], keep="last").sort_index()


def against_printed(runs: pd.DataFrame, near: float = NEAR) -> pd.Series:
    """How each run's upper limit lies to the printed one: "above" it, "agrees", "rising" or "below".

    A run that still rises agrees only where no accuracy could exceed the printed one by more than `near` points;
    "below" is level, by its last step.
    """
    printed = table_1().set_index(["split", "hole"])["U-Acc"]
    u_acc = printed.reindex(pd.MultiIndex.from_frame(runs[["split", "hole"]])).to_numpy()
    upper, rising = 100 * runs.upper.to_numpy(float), runs.truncated.to_numpy(bool)
    agrees = (abs(upper - u_acc) <= near) & (~rising | (u_acc + near >= 100))
    return pd.Series(np.select([upper > u_acc + near, agrees, rising], WORDS[:3], WORDS[3]), runs.index)


def censored_median(values: pd.Series) -> float:
    """Median with missing values taken as later than all others; NaN where the middle one is missing.

    Example:
        >>> censored_median(pd.Series([100, None, 300], dtype="Int64")), censored_median(pd.Series([1.0, None]))
        (300.0, nan)
    """
    middle = float(np.median(values.astype("Float64").fillna(np.inf).astype(float)))
    return middle if np.isfinite(middle) else float("nan")


WORDS = ("above", "agrees", "rising", "below")
CAME = {
    "reproduced": "reproduced in {}",
    "exceeded": "exceeded in {}",
    "seeds differ": "reached by one seed and not by another in {}",
    "not reached": "not reached by the last step, with a level curve, in {}",
    "still rising": "not reached by the last step, with every curve still rising, in {}",
    "not run": "not run: {}",
}
"""What can come of a row: see `came_of`; and how it is told of several."""


def came_of(runs: pd.Series) -> str:
    """What came of a row, by `against_printed` of its runs: one above a ceiling exceeds it, rising ones decide nothing.

    Example:
        >>> came_of(pd.Series(["agrees", "rising"])), came_of(pd.Series(["below", "above"]))
        ('reproduced', 'exceeded')
    """
    above, agrees, _, below = ((runs == word).any() for word in WORDS)
    return ("not run" if not len(runs) else "exceeded" if above else "seeds differ" if agrees and below else
            "reproduced" if agrees else "not reached" if below else "still rising")  # fmt: skip


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


def beyond_the_swap(in_hole: float, t: int, p: int = 97) -> float:
    """Least share that is right of a strip's cells with both orders in it, if a share `in_hole` of all its cells is.

    A network that swaps can answer the other p - t - 1 of p columns, and no more.

    Example:
        >>> beyond_the_swap(0.5, 40), round(beyond_the_swap(1.0, 40), 12)
        (0.0, 1.0)
    """
    both = (t + 1) / p
    return max(0.0, (in_hole - (1 - both)) / both)


NUMBERS = ("U", "U low", "U high", "outside", "in hole")
COLUMNS = ("seeds", *NUMBERS, "range", "onsets", "generalised", "rising", "came", "deciding")


def measured(runs: pd.DataFrame, near: float = NEAR) -> pd.DataFrame:
    """The eleven rows of Table 1, published and measured: `runs` is what `runs_table` gives; accuracies in percent.

    Medians over the recorded seeds. Columns: row, split, hole, share (outside the hole), seeds, U-Acc, L-Acc, GO-Epoch
    (published), U, U low, U high, range (as text), onsets (their range), `outside` and `in hole` (at the upper limit),
    `generalised` and `rising` (numbers of runs), `came` and `deciding` (see `came_of`, and the upper limits that say
    so), `implied` (in the hole, by the published U-Acc).
    """
    if len(runs):
        runs = runs.assign(against=against_printed(runs, near))
    table = predictors().rename(columns={"outside": "share"}).drop(columns=["either order"])
    own = pd.DataFrame([_summary(runs, *row) for row in zip(table.split, table.hole, strict=True)])
    own = own.reindex(columns=COLUMNS).astype(dict.fromkeys(NUMBERS, float))
    table = table.assign(row=[row_name(*row) for row in zip(table.split, table.hole, strict=True)], **own)
    return table.assign(implied=100 * implied_in_hole(table["U-Acc"] / 100, table.share / 100))


def _summary(runs: pd.DataFrame, split: str, hole: int) -> dict[str, object]:
    """Medians and ranges over the runs of one row; only counts of 0 where there is none."""
    own = runs[(runs.split == split) & (runs.hole == hole)]
    if not len(own):
        return {"seeds": 0, "generalised": 0, "rising": 0, "came": "not run", "deciding": ""}
    percent = 100 * own[["upper", "outside", "in hole"]].astype(float)
    median, came = percent.median(), came_of(own.against)
    deciding = own.against == {"exceeded": "above", "reproduced": "agrees"}.get(came, own.against)
    return {
        "seeds": len(own),
        "U": median["upper"],
        "U low": percent.upper.min(),
        "U high": percent.upper.max(),
        "range": spread(percent.upper),
        "onsets": spread(own.onset, ".0f", f"later than {own.last_step.max()}"),
        "outside": median["outside"],
        "in hole": median["in hole"],
        "generalised": int(own.generalised.fillna(False).sum()),
        "rising": int(own.truncated.sum()),
        "came": came,
        "deciding": f"{spread(percent.upper[deciding])} by step {own.last_step[deciding].max():,}",
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


def telling(account: pd.DataFrame) -> list[str]:
    """Up to three rows of `accounting`: most points missing outside the hole, most in it, nearest to the printed limit.

    Example:
        >>> names = {"row": ["a", "b", "c"], "outside": [9, 1, 0], "hole": [0, 8, 1], "difference": [9, 9, 1]}
        >>> telling(pd.DataFrame(names))
        ['a', 'b', 'c']
    """
    if not len(account):
        return []
    places = (account.outside.idxmax(), account.hole.idxmax(), account.difference.abs().idxmin())
    return list(dict.fromkeys(account.row[place] for place in places))


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


def variants_table(made: Runs, runs: pd.DataFrame) -> pd.DataFrame:
    """What each variant of a row gave, beside the row itself and the paper; "not run" and its cost where not recorded.

    `made` is what is recorded of `changed`. Columns: row, change, published (U-Acc), `as it was` (median U of the
    row's own runs of the same seeds), seeds, U, `outside`, `in hole`, onsets, and `came of it`: "not run, about 35 min
    a seed", or what came of it as of a row. Accuracies in percent.
    """
    return pd.DataFrame([_variant(run, made[label], runs) for label, run in made.experiments.items()])


def _variant(experiment: Experiment, data: xr.Dataset | None, runs: pd.DataFrame) -> dict[str, object]:
    row = experiment.config.task.split, experiment.config.task.hole
    alike = runs if data is None or not len(runs) else runs[runs.seed.isin(data.seed.values)]
    before, own = (measured(table).set_index(["split", "hole"]).loc[row]
                   for table in (alike, runs_table({} if data is None else {row: data})))  # fmt: skip
    named = {"row": row_name(*row), "change": change(experiment), "published": own["U-Acc"], "as it was": before.U}
    columns = {name: own[name] for name in ("seeds", "U", "outside", "in hole", "onsets")}
    cost = f"not run, about {experiment.predicted(1).seconds / 60:.0f} min a seed"
    return named | columns | {"came of it": cost if data is None else own.came}


def between_rules(runs: pd.DataFrame, by_text: xr.Dataset | None) -> str:
    """Whether the printed U-Acc of STRIP 67 lies between what the programs' rule and the text's give, in a sentence."""
    if by_text is None or not len(runs):
        return "By the text's rule the row is not run."
    printed = table_1().set_index(["split", "hole"])["U-Acc"]["strip", 67]
    other = 100 * limits_table(by_text).upper.max()
    seen = f"By the programs' rule our upper limits are {spread(100 * runs.upper)} %, by the text's {other:.1f} %"
    if other < printed < 100 * runs.upper.min():
        return f"{seen}: the printed one lies between them, and the row decides nothing between the rules."
    return f"{seen}; the printed one does not lie between them."


# --------------------------------------------------------------------------------------------------------- claims

MEASURED = "Table 1 measured"
RULE = "2026-11-24T19:46:43+00:00 fbc341d"
"""When the rule of GT1 was last changed: after a first look at its runs."""


@claim("GT1", "gu2025", "Table 1", section=MEASURED, seconds=10, runs=rows, beside=longer, through=limits_of_parts,
       bars={"near": (2.0, 10.0)}, rule_changed=RULE,
       says=("{runs} runs by the programs' rule, of each seed the longest, upper limits within {near:.0f} points of ",
             "the printed ones: {came}; with other tolerances: {bars}; over the rows our medians and the printed ",
             "limits have rank correlation {order:.2f}; STRIP 67, where grokking disappears in print, is not judged"))
def ceilings_of_table_1(runs: Runs, *, near: float = NEAR) -> Finding:
    """U-Acc is "the upper limit of accuracy achievable through grokking", from 99 % (SQUARE 30) to 8 % (STRIP 67).

    It fails where a run exceeds the ceiling of its row by more than `near` points, and holds where every row is
    reproduced. A run that is lower says "not by its last step" and decides nothing. A row without a GO-Epoch has no
    accuracy "achievable through grokking": told, not judged.
    """
    table = measured(longest(joined(runs)), near)
    came = table.came[table["GO-Epoch"].notna()]
    words = {"runs": int(table.seeds.sum()), "near": near, "came": rows_told(table)}
    words |= {"order": table.U.corr(table["U-Acc"], method="spearman")}
    parts = [{"exceeded": False, "reproduced": True}.get(word) for word in came]
    return judge(*parts, value=float((came == "exceeded").sum()), low=0, high=0, **words)


def rows_told(table: pd.DataFrame) -> str:
    """What came of the rows of `measured`, in one phrase: ours / printed, in percent."""
    parts = []
    for came, phrase in CAME.items():
        form = "{row}" if came == "not run" else "{row} ({deciding} / {U-Acc:.1f})"
        rows = ", ".join(form.format(**row) for row in table[table.came == came].to_dict("records"))
        parts += [phrase.format(rows)] if rows else []
    return "; ".join(parts)
