"""Lead and lag of many measures over many tasks: one row a run, one a measure, one a task; and false alarms."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.errors import ParameterError
from grokbook.measures.delay import PERSISTENCE, first_stay
from grokbook.measures.lead import (
    END_POINTS,
    SIGNS,
    MatchingTest,
    accuracy_half_way,
    cross_leads,
    lead_rows,
    matching_test,
)

Runs = Mapping[str, xr.Dataset]
LEVEL = 0.05  # at or below which a p-value counts as small


def lead_table(runs: Runs, directions: Mapping[str, str]) -> pd.DataFrame:
    """`lead_rows` of every dataset in one table, the task's name in the first column.

    Raises ParameterError for no dataset, and as `lead_rows`.

    >>> t = np.arange(0, 1200, 10)
    >>> test = np.where(t < 500, 0.1, 1.0)[None]
    >>> run = xr.Dataset({"test_accuracy": (("seed", "step"), test)}, {"seed": [0], "step": t})
    >>> run = run.assign(train_accuracy=run.test_accuracy * 0 + 1, loss=-run.test_accuracy)
    >>> lead_table({"a": run}, {"loss": "falls"})[["task", "lead", "state"]].values.tolist()
    [['a', 0, 'ok']]
    """
    if not runs:
        raise ParameterError("there is no dataset, but a table of leads needs at least one.")
    parts = {task: lead_rows(dataset, dict(directions)).to_dict("records") for task, dataset in runs.items()}
    table = pd.DataFrame([{"task": task, **row} for task, found in parts.items() for row in found])
    whole = dict.fromkeys(("lead", "measure_step", "accuracy_step", "fit_step"), "Int64")
    return table.astype(whole | {"share": float})


def _each(runs: Runs) -> Iterator[tuple[str, int, xr.Dataset, tuple[int | None, int | None, str]]]:
    """Every run with its task, its seed, and the indices of fitting and of the accuracy half way."""
    for task, dataset in runs.items():
        for seed in dataset.seed.values:
            run = dataset.sel(seed=seed)
            half_way = accuracy_half_way(run.step.values, run.train_accuracy.values, run.test_accuracy.values)
            yield task, int(seed), run, half_way


def matched(runs: Runs, measure: str, direction: str, *, draws: int = 999) -> MatchingTest | None:
    """`matching_test` of one measure over every run that generalises, matched within its task.

    None where no task has two such runs, or no lead is defined. The runs must be logged at one spacing; raises
    ParameterError otherwise.

    >>> matched({}, "med", "falls") is None
    True
    """
    gaps = {int(dataset.step[1] - dataset.step[0]) for dataset in runs.values()}
    if len(gaps) > 1:
        raise ParameterError(f"the runs are logged every {sorted(gaps)} steps; matching needs one spacing.")
    there = [(task, run, fit, half) for task, _, run, (fit, half, _) in _each(runs) if half is not None]
    tasks = [task for task, *_ in there]
    if len(set(tasks)) == len(tasks):
        return None
    curves = [run[measure].values[fit:] for _, run, fit, _ in there]
    leads = cross_leads(curves, [half - fit for *_, fit, half in there], direction)
    return None if np.isnan(np.diag(leads)).all() else matching_test(leads, tasks, draws=draws)


def holm(p_values: pd.Series) -> pd.Series:
    """p-values made larger so that the chance of any false alarm among them all is what one of them says (Holm).

    NaN stays NaN and does not count. Raises ParameterError for a value outside [0, 1].

    >>> holm(pd.Series([0.01, 0.04, 0.03])).round(12).tolist()
    [0.03, 0.06, 0.06]
    """
    known = p_values.dropna().sort_values()
    if ((known < 0) | (known > 1)).any():
        raise ParameterError("p-values must lie in [0, 1].")
    scaled = (known * np.arange(len(known), 0, -1)).cummax().clip(upper=1)
    return scaled.reindex(p_values.index)


def summary_table(runs: Runs, directions: Mapping[str, str], rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a measure: how many runs have a lead, in how many it is first, the median with its range and its null.

    Columns: `runs` (that generalise with a delay), `defined` (of these, with a lead), `first` (lead > 0), `tasks`
    (text: tasks whose median lead is positive, of those that have one), `median`, `least`, `most` (leads as shares of
    the accuracy's own time), `null_low`, `null_high`, `p_value`, `holm`, `spread_p` (see `MatchingTest`),
    `associated` (runs with a lag test at or below 0.05), `tested`, `lag` (their median lag in steps).

    Raises ParameterError as `lead_table`.
    """
    rows = lead_table(runs, directions) if rows is None else rows
    found = [_summary(rows[rows.measure == name], runs, name, way) for name, way in directions.items()]
    table = pd.DataFrame(found)
    table.insert(table.columns.get_loc("spread_p"), "holm", holm(table.p_value))
    return table.set_index("measure")


def _summary(rows: pd.DataFrame, runs: Runs, name: str, direction: str) -> dict[str, object]:
    """The row of one measure."""
    given = rows.dropna(subset=["share"])
    by_task = given.groupby("task").share.median()
    test = matched(runs, name, direction)
    low = rows[rows.p_value <= LEVEL]
    return {
        "measure": name,
        "claimed to": direction,
        "runs": int(rows.accuracy_step.notna().sum()),
        "defined": len(given),
        "first": int((given.share > 0).sum()),
        "tasks": f"{int((by_task > 0).sum())} of {len(by_task)}",
        "median": given.share.median(),
        "least": given.share.min(),
        "most": given.share.max(),
        "null_low": getattr(test, "low", np.nan),
        "null_high": getattr(test, "high", np.nan),
        "p_value": getattr(test, "p_value", np.nan),
        "spread_p": getattr(test, "spread_p", np.nan),
        "associated": len(low),
        "tested": int(rows.p_value.notna().sum()),
        "lag": low.lag.median(),
    }


def cell_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Measure x task: the median lead in steps with its range over seeds, or the words why there is none.

    Raises ParameterError for a table without rows.

    >>> made = {"task": ["a", "a"], "measure": ["m", "m"], "lead": [30, -10], "state": ["ok", "ok"]}
    >>> cell_table(pd.DataFrame(made)).loc["m", "a"]
    '10 (-10 to 30)'
    """
    if rows.empty:
        raise ParameterError("there are no rows to make a table of.")
    cells = rows.groupby(["measure", "task"], sort=False).apply(_cell, include_groups=False)
    return cells.unstack("task").reindex(index=rows.measure.unique(), columns=rows.task.unique())


def _cell(group: pd.DataFrame) -> str:
    leads = group.lead.dropna().astype(float)
    others = group.state[group.lead.isna()].value_counts()
    words = [f"{count} {state}" if count < len(group) else state for state, count in others.items()]
    if not len(leads):
        return ", ".join(words)
    spread = f" ({leads.min():.0f} to {leads.max():.0f})" if len(leads) > 1 else ""
    return "; ".join([f"{leads.median():.0f}{spread}", *words])


def moves(runs: Runs, measure: str, direction: str) -> pd.DataFrame:
    """How far a measure has moved in its direction from fitting to the window's end, one row a run that generalises.

    Columns task, seed, `move` (in the measure's unit). The window is that of `lead_time`. Raises ParameterError for
    an unknown direction.

    >>> moves({}, "med", "falls").empty
    True
    """
    found = []
    for task, seed, run, (fit, half, _) in _each(runs):
        if half is not None and 2 * half - fit < run.sizes["step"]:
            values = SIGNS[direction] * run[measure].values
            stop = 2 * half - fit
            end = np.median(values[stop - END_POINTS // 2 : stop + 1 + END_POINTS // 2])
            found.append({"task": task, "seed": seed, "move": float(end - values[fit])})
    return pd.DataFrame(found, columns=["task", "seed", "move"])


def alarm_table(runs: Runs, directions: Mapping[str, str], controls: Collection[str] = ()) -> pd.DataFrame:
    """An alarm without hindsight in every run: when a measure has moved as far as it did in the *other* tasks.

    The level is half of the median move (`moves`) over the runs of all other tasks; the alarm goes off at the first
    logged step after fitting from which the measure has moved that far for four logged values in a row. Columns:
    task, seed, measure, `outcome`, `alarm_step`, `accuracy_step` (half way), `lead` (their difference), `state`:
    "alarm", "silent", "no level" (the other runs give no positive move) or "undefined". The outcome is "generalises",
    "control" for another run of the tasks `controls`, of which it was said before that they would not, else "open":
    such a run may generalise after the record ends, so that an alarm in it is neither right nor false.

    Raises ParameterError for no dataset.
    """
    if not runs:
        raise ParameterError("there is no dataset, but a table of alarms needs at least one.")
    found = []
    for name, direction in directions.items():
        known = moves(runs, name, direction).dropna()
        levels = {task: known[known.task != task].move.median() / 2 for task in runs}
        for task, seed, run, half_way in _each(runs):
            alarm = _alarm(run.step.values, SIGNS[direction] * run[name].values, *half_way, levels[task])
            if alarm["outcome"] == "open" and task in controls:
                alarm["outcome"] = "control"
            found.append({"task": task, "seed": seed, "measure": name} | alarm)
    return pd.DataFrame(found).astype(dict.fromkeys(("alarm_step", "accuracy_step", "lead"), "Int64"))


def _alarm(
    steps: np.ndarray, values: np.ndarray, fit: int | None, half: int | None, state: str, level: float
) -> dict[str, object]:
    """When the alarm goes off in one run, and when the accuracy is half way."""
    reached = state not in ("not generalised", "not fitted")
    row = {"outcome": "generalises" if reached else "open", "alarm_step": None, "lead": None}
    row["accuracy_step"] = None if half is None else int(steps[half])
    if fit is None or not np.isfinite(values[fit:]).any():
        return row | {"state": "undefined"}
    if not level > 0:
        return row | {"state": "no level"}
    found = first_stay(values[fit:] - values[fit] >= level, PERSISTENCE)
    if found is None:
        return row | {"state": "silent"}
    at = int(steps[fit + found])
    return row | {"state": "alarm", "alarm_step": at, "lead": None if half is None else int(steps[half]) - at}


def alarm_summary(alarms: pd.DataFrame) -> pd.DataFrame:
    """One row a measure: in how many runs its alarm came before the accuracy was half way, and how many were false.

    Columns: `early` (of `generalise` runs that generalise with a delay), `late_or_silent`, `false` (of `others`, runs
    of the controls in which the measure is defined), `undecided` (alarms in open runs), `median_lead` (in steps).

    Raises ParameterError for a table without rows.

    >>> row = {"measure": "m", "outcome": "generalises", "accuracy_step": 50, "lead": 20, "state": "alarm"}
    >>> alarm_summary(pd.DataFrame([row])).loc["m", "early"].item()
    1
    """
    if alarms.empty:
        raise ParameterError("there are no alarms to make a table of.")
    found = []
    for name, rows in alarms.groupby("measure", sort=False):
        rows = rows[~rows.state.isin(["undefined", "no level"])]
        good, bad = rows[rows.accuracy_step.notna()], rows[rows.outcome == "control"]
        early = int((good.lead > 0).sum())
        found.append(
            {
                "measure": name,
                "early": early,
                "late_or_silent": len(good) - early,
                "generalise": len(good),
                "false": int((bad.state == "alarm").sum()),
                "others": len(bad),
                "undecided": int(((rows.outcome == "open") & (rows.state == "alarm")).sum()),
                "median_lead": good.lead.astype(float).median(),
            }
        )
    return pd.DataFrame(found).set_index("measure")


def in_words(names: list[str]) -> str:
    """Names of measures as a list in a sentence; "none" for an empty one.

    >>> in_words(["test_loss", "med", "fourier_ipr"])
    'test loss, MED and fourier IPR'
    """
    words = [name.replace("_", " ").replace("med", "MED").replace(" ipr", " IPR") for name in names]
    if len(words) < 2:
        return words[0] if words else "none"
    return f"{', '.join(words[:-1])} and {words[-1]}"


def groups(summary: pd.DataFrame, share: float = 0.75) -> dict[str, list[str]]:
    """The measures of `summary_table` by what they did, names in its order.

    "first": a positive lead in at least `share` of the runs with a lead; "last": in at most 1 - `share`; "mixed": the
    others; "no lead": defined in no run; "beyond the clock": Holm's p-value at or below 0.05; "own run": a spread
    smaller than that of runs matched within tasks at that level; "step by step": more than half of the tested runs
    associated.

    Raises ParameterError for a share outside (1/2, 1].

    >>> row = {"defined": 4, "first": 4, "holm": 0.2, "spread_p": 0.01, "associated": 1, "tested": 4}
    >>> groups(pd.DataFrame([row], index=["med"]))["first"]
    ['med']
    """
    if not 0.5 < share <= 1:
        raise ParameterError(f"share = {share} must be above one half and at most 1.")
    ahead = summary["first"] / summary.defined.where(summary.defined > 0)
    flags = {
        "first": ahead >= share,
        "last": ahead <= 1 - share,
        "mixed": (ahead < share) & (ahead > 1 - share),
        "no lead": summary.defined == 0,
        "beyond the clock": summary.holm <= LEVEL,
        "own run": summary.spread_p <= LEVEL,
        "step by step": summary.associated > summary.tested / 2,
    }
    return {name: list(summary.index[flag.to_numpy(dtype=bool)]) for name, flag in flags.items()}
