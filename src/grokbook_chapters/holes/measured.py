"""The recorded runs of Table 1 as one table, a row a run, and what they come to by row of the
paper's table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr

from companion.claims import load
from grokbook.curves.limits import WINDOW, limits_table, moving_mean
from grokbook_chapters.holes.counts import predictors, table_1
from grokbook_chapters.holes.runs import longer, rows
from grokbook_chapters.labelled import Tables

# A run has generalised outside its hole when its moving mean there has reached this accuracy
# (percent).
GENERALISED = 95.0

NEAR = 5.0  # points within which an upper limit agrees with the printed one

# Parts of the test set of a row and the variables that hold the accuracy on them.
PARTS = {
    "outside": "test_accuracy_outside_hole",
    "in hole": "test_accuracy_in_hole",
    "transpose trained": "test_accuracy_mirrored",
    "transpose not trained": "test_accuracy_unmirrored",
}

WORDS = ("above", "agrees", "rising", "below")
# How a run lies to the printed limit, see `against_printed`, and what came of a row, see `came_of`.
CAME = ("reproduced", "exceeded", "seeds differ", "not reached", "still rising", "not run")


def limits_of_parts(data: xr.Dataset) -> pd.DataFrame:
    """One row a run of a row: seed, what `limits_table` finds, and the accuracy on the `PARTS` of
    the test set, in %.

    The parts are moving means at the step of the upper limit, so that `upper` is their mean
    weighted with the shares of test cells. `generalised`: whether the largest moving mean outside
    the hole is at least `GENERALISED` (NA for STRIP 67 by the programs' rule, where no test cell
    lies outside the hole).
    """
    table = limits_table(data).reset_index()
    for part, name in PARTS.items():
        curves = data[name]
        for row, run in table.iterrows():
            steps, mean = _moving(curves.sel(seed=run.seed))
            table.loc[row, part] = 100 * np.interp(run.upper_step, steps, mean)
            table.loc[row, f"highest {part}"] = 100 * mean.max()
    highest = table["highest outside"]
    table["generalised"] = (highest >= GENERALISED).astype("boolean").mask(highest.isna())
    table = table.drop(columns=[f"highest {part}" for part in PARTS])
    return table.assign(**100 * table[["upper", "lower", "plateau"]])


def _moving(curve: xr.DataArray) -> tuple[np.ndarray, np.ndarray]:
    """Steps and moving mean of one accuracy; one step with NaN where it has no cells."""
    logged = curve.dropna("step")
    if logged.size < 2:
        return np.zeros(1), np.full(1, np.nan)
    return moving_mean(logged.step.values, logged.values, WINDOW)


def recorded_runs() -> pd.DataFrame:
    """What `limits_of_parts` finds in the recorded runs of Table 1: of every row and seed the
    longest."""
    return longest(table_of_runs(load(rows() | longer(), through=limits_of_parts)))


def table_of_runs(tables: Tables) -> pd.DataFrame:
    """What `limits_of_parts` finds in the runs of several rows in one table, with the columns row
    and change."""
    return (
        pd.concat(tables, names=["row", "change"])
        .reset_index(["row", "change"])
        .reset_index(drop=True)
    )


def longest(runs: pd.DataFrame) -> pd.DataFrame:
    """Of every row and seed the run that was followed for the most steps."""
    in_time = runs.sort_values("last_step", kind="stable")
    return in_time.drop_duplicates(["row", "seed"], keep="last").sort_index()


def against_printed(runs: pd.DataFrame, near: float = NEAR) -> pd.Series:
    """How each run's upper limit lies to the printed one: "above" it, "agrees", "rising" or
    "below".

    A run that still rises agrees only where no accuracy could exceed the printed one by more than
    `near` points; "below" is level, by its last step.
    """
    upper = runs.upper
    printed = table_1()["U-Acc"].reindex(runs.row).to_numpy()
    rising = runs.truncated.astype(bool)
    above = upper > printed + near
    agrees = (abs(upper - printed) <= near) & (~rising | (printed + near >= 100))
    return pd.Series(np.select([above, agrees, rising], WORDS[:3], WORDS[3]), runs.index)


def came_of(runs: pd.Series) -> str:
    """What came of a row, by `against_printed` of its runs: one above a ceiling exceeds it, rising
    ones decide nothing.

    Example:
        >>> came_of(pd.Series(["agrees", "rising"])), came_of(pd.Series(["below", "above"]))
        ('reproduced', 'exceeded')
    """
    above, agrees, _, below = ((runs == word).any() for word in WORDS)
    if above:
        return "exceeded"
    if agrees:
        return "seeds differ" if below else "reproduced"
    return "not reached" if below else "still rising"


def by_row(runs: pd.DataFrame, by: str | Sequence[str] = "row", near: float = NEAR) -> pd.DataFrame:
    """Medians and ranges over the runs of each row (or of what else `by` names), in percent, and
    what `came` of it.

    Columns: seeds, U, `U low`, `U high`, `outside` and `in hole` (at the upper limit), `rising`
    (number of runs), came.
    """
    of = runs.assign(against=against_printed(runs, near)).groupby(by, sort=False)
    table = of[["upper", "outside", "in hole"]].median().rename(columns={"upper": "U"})
    table["seeds"] = of.size()
    table["U low"] = of.upper.min()
    table["U high"] = of.upper.max()
    table["rising"] = of.truncated.sum()
    table["came"] = of.against.agg(came_of)
    return table


def compared(runs: pd.DataFrame, near: float = NEAR) -> pd.DataFrame:
    """The eleven rows of Table 1, published (`predictors`, its `outside` as `share`) and ours
    (`by_row`)."""
    table = predictors().rename(columns={"outside": "share"}).join(by_row(runs, near=near))
    known = table.fillna({"seeds": 0, "rising": 0, "came": "not run"})
    return known.astype({"seeds": int, "rising": int})


def accounts(runs: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    """Why our mean of a row lies below the printed limit, in points: what is missing outside the
    hole and what is missing in it, beside how much is right in both parts.

    `runs` are runs of `recorded_runs`, `table` their rows by `compared`.
    """
    mean = runs.groupby("row")[["outside", "in hole"]].mean().reindex(table.index)
    share = table.share / 100
    outer = (share * (100 - mean.outside)).where(share > 0, 0)
    inner = (1 - share) * (table.implied - mean["in hole"])
    return pd.DataFrame(
        {
            "published": table["U-Acc"],
            "ours": table["U-Acc"] - outer - inner,
            "missing outside": outer,
            "missing in the hole": inner,
            "right outside": mean.outside,
            "right in the hole": mean["in hole"],
        }
    )
