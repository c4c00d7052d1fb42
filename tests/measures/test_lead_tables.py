"""Tables of leads: counts and medians by hand, the matched null, alarms without hindsight."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures.lead_tables import (
    alarm_summary,
    alarm_table,
    cell_table,
    groups,
    holm,
    in_words,
    lead_table,
    matched,
    moves,
    summary_table,
)

STEPS = np.arange(0, 2010, 10)
WAYS = {"early": "falls", "late": "rises", "clock": "falls", "none": "falls"}


def run(middle: int, generalises: bool = True) -> xr.Dataset:
    """Fits at 100; accuracy half way at `middle`; `early` drops half of that time before, `late` as much after."""
    before, after = 100 + (middle - 100) // 2, middle + (middle - 100) // 2
    test = np.where(middle > STEPS, 0.1, 1.0 if generalises else 0.2)
    curves = {
        "train_accuracy": np.where(STEPS < 100, 0.1, 1.0),
        "test_accuracy": test,
        "early": np.where(before > STEPS, 4.0, 1.0) if generalises else np.full(STEPS.size, 4.0),
        "late": np.where(after > STEPS, 0.0, 2.0),
        "clock": 5.0 - STEPS / 1000,
        "none": np.full(STEPS.size, np.nan),
    }
    return xr.Dataset({name: ("step", values) for name, values in curves.items()}, {"step": STEPS})


def task(*middles: int, generalises: bool = True) -> xr.Dataset:
    parts = [run(m, generalises).assign_coords(seed=s) for s, m in enumerate(middles)]
    return xr.concat(parts, "seed")


RUNS = {"a": task(500, 700), "b": task(300, 900), "c": task(500, generalises=False)}


def test_summary_counts_and_medians_by_hand():
    table = summary_table(RUNS, WAYS)
    assert table.loc["early", ["runs", "defined", "first"]].tolist() == [4, 4, 4]
    assert table.loc["late", ["runs", "defined", "first"]].tolist() == [4, 4, 0]
    assert table.loc["early", "median"] == pytest.approx(0.5) and table.loc["late", "median"] == pytest.approx(-0.5)
    assert table.loc["clock", "median"] == pytest.approx(0) and table.loc["none", "defined"] == 0
    assert table.loc["early", "tasks"] == "2 of 2" and table.loc["late", "tasks"] == "0 of 2"
    assert table.loc["early", "least"] <= table.loc["early", "median"] <= table.loc["early", "most"]
    assert np.isnan(table.loc["none", ["median", "p_value", "holm", "lag"]].astype(float)).all()
    assert table.loc["none", "tested"] == 0


def test_a_clock_leads_by_as_much_when_it_is_matched_with_other_runs():
    test = matched(RUNS, "clock", "falls", draws=99)
    assert test.runs == 4 and test.median == pytest.approx(0) and test.p_value > 0.5


def test_too_few_runs_or_no_lead_cannot_be_matched():
    assert matched({"c": RUNS["c"]}, "early", "falls") is None
    assert matched(RUNS, "none", "falls") is None
    single = {name: RUNS[name].isel(seed=[0]) for name in "ab"}
    assert matched(single, "early", "falls") is None
    with pytest.raises(ParameterError, match="one spacing"):
        matched({"a": RUNS["a"], "b": RUNS["b"].isel(step=slice(None, None, 2))}, "early", "falls")


def test_cells_say_the_lead_or_why_there_is_none():
    cells = cell_table(lead_table(RUNS, WAYS))
    assert cells.loc["early", "a"] == "250 (200 to 300)"
    assert cells.loc["early", "c"] == "not generalised" and cells.loc["none", "b"] == "undefined"
    mixed = pd.DataFrame(
        {"task": ["a"] * 3, "measure": ["m"] * 3, "lead": [10, None, None], "state": ["ok", "other way", "other way"]}
    )
    assert cell_table(mixed).loc["m", "a"] == "10; 2 other way"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_is_monotone_at_least_the_p_value_and_at_most_bonferroni(values):
    p = pd.Series(values)
    adjusted = holm(p)
    assert (adjusted >= p - 1e-12).all() and (adjusted <= np.minimum(p * len(p), 1) + 1e-12).all()
    order = np.argsort(values, kind="stable")
    assert (np.diff(adjusted.to_numpy()[order]) >= -1e-12).all()


def test_holm_leaves_undefined_values_out():
    assert holm(pd.Series([0.02, np.nan, 0.03])).tolist()[0] == pytest.approx(0.04)
    assert holm(pd.Series([np.nan])).isna().all()
    with pytest.raises(ParameterError, match=r"\[0, 1\]"):
        holm(pd.Series([1.5]))


def test_moves_are_measured_in_the_claimed_direction():
    found = moves(RUNS, "early", "falls")
    assert found.move.tolist() == [3, 3, 3, 3] and found.task.tolist() == ["a", "a", "b", "b"]
    assert (moves(RUNS, "early", "rises").move == -3).all()


def test_alarms_go_off_where_the_measure_has_moved_as_far_as_elsewhere():
    alarms = alarm_table(RUNS, WAYS)
    early = alarms[alarms.measure == "early"].set_index(["task", "seed"])
    assert early.loc[("a", 0), "alarm_step"] == 300 and early.loc[("a", 0), "lead"] == 200
    assert early.loc[("c", 0), "state"] == "silent"
    clock = alarms[(alarms.measure == "clock") & (alarms.task == "c")].iloc[0]
    assert clock.state == "alarm" and clock.outcome == "open"
    assert (alarms[alarms.measure == "none"].state == "undefined").all()
    table = alarm_summary(alarm_table(RUNS, WAYS, controls=["c"]))
    assert table.loc["early", ["early", "late_or_silent", "false", "others"]].tolist() == [4, 0, 0, 1]
    assert table.loc["late", ["early", "false"]].tolist() == [0, 1]
    assert table.loc["none", ["generalise", "others"]].tolist() == [0, 0]


def test_an_alarm_in_a_run_that_may_generalise_later_is_neither_right_nor_false():
    table = alarm_summary(alarm_table(RUNS, WAYS))
    assert table.loc["late", ["false", "others", "undecided"]].tolist() == [0, 0, 1]
    assert table.loc["early", "undecided"] == 0
    generalising = alarm_table(RUNS, WAYS, controls=["a", "b", "c"])
    assert set(generalising[generalising.task != "c"].outcome) == {"generalises"}


def test_groups_follow_the_counts():
    found = groups(summary_table(RUNS, WAYS))
    assert found["first"] == ["early"] and set(found["last"]) == {"late", "clock"} and found["no lead"] == ["none"]
    assert in_words(found["first"]) == "early" and in_words([]) == "none"
    with pytest.raises(ParameterError, match="share"):
        groups(summary_table(RUNS, WAYS), 0.4)


def test_nothing_is_refused_by_name():
    with pytest.raises(ParameterError, match="no dataset"):
        lead_table({}, WAYS)
    with pytest.raises(ParameterError, match="no dataset"):
        alarm_table({}, WAYS)
    with pytest.raises(ParameterError, match="no rows"):
        cell_table(pd.DataFrame())
    with pytest.raises(ParameterError, match="no alarms"):
        alarm_summary(pd.DataFrame())
