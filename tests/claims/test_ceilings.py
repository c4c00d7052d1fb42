"""The measured Table 1: identities between the parts of the test set, censoring, and what is said of missing runs."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.claims import ceilings
from grokbook.claims.ceilings import (
    RULES,
    accounting,
    censored_median,
    change,
    combined,
    implied_in_hole,
    measured,
    measured_ceilings,
    row_name,
    runs_table,
    sensitivity,
    spread,
    variants_table,
)
from grokbook.claims.table1 import row_task, shares_of_test_cells
from grokbook.experiments.data_distribution import table_1_run, table_1_variants
from grokbook.experiments.published import TABLE_1

STEPS = np.arange(0, 6001, 20)


def run_of(row, outside, in_hole, seeds=(0,)) -> xr.Dataset:
    """A made run of a row: accuracies outside the hole and in it by step, the total weighted with the counts."""
    share = shares_of_test_cells(row_task(*row))["outside"] / 100
    total = share * outside + (1 - share) * in_hole
    curves = {"test_accuracy": total, "test_accuracy_outside_hole": outside, "test_accuracy_in_hole": in_hole}
    curves |= {"test_accuracy_mirrored": outside, "test_accuracy_unmirrored": in_hole}
    data = {name: (("seed", "step"), np.stack([values] * len(seeds))) for name, values in curves.items()}
    return xr.Dataset(data, {"seed": list(seeds), "step": STEPS})


def rise(start, stop, high):
    return np.interp(STEPS, [start, stop], [0.02, high])


@pytest.mark.parametrize("row", [("square", 45), ("strip", 40), ("strip", 60)])
def test_the_upper_limit_is_the_mean_of_its_parts_by_their_counts(row):
    """U = s * outside + (1 - s) * in hole at the step of U, s the share of the test cells outside the hole."""
    table = runs_table({row: run_of(row, rise(1000, 2000, 1.0), rise(1500, 3000, 0.3))})
    share = shares_of_test_cells(row_task(*row))["outside"] / 100
    one = table.iloc[0]
    assert one.upper == pytest.approx(share * one.outside + (1 - share) * one["in hole"], abs=1e-12)
    assert one.generalised is True or one.generalised == True  # noqa: E712  (pandas' boolean)


def test_the_implied_accuracy_in_the_hole_inverts_the_mean():
    for share in (0.1, 0.6):
        assert implied_in_hole(share + (1 - share) * 0.37, share) == pytest.approx(0.37)
    assert implied_in_hole(0.4, 0.6) < 0


def test_a_run_that_never_answers_outside_its_hole_has_not_generalised():
    slow = runs_table({("square", 40): run_of(("square", 40), rise(1000, 9000, 1.0), 0 * STEPS)})
    assert slow.generalised.tolist() == [False] and slow.truncated.tolist() == [True]
    assert slow["highest outside"][0] < 0.95


def test_a_row_without_cells_outside_its_hole_is_neither():
    data = run_of(("strip", 67), np.full(STEPS.size, np.nan), rise(1000, 2000, 0.1))
    data["test_accuracy"] = data.test_accuracy_in_hole
    table = runs_table({("strip", 67): data})
    assert table.generalised.isna().all() and np.isnan(table.outside[0])
    assert measured(table).set_index("row").generalised["STRIP 67"] == 0


def test_every_row_is_there_whatever_is_recorded():
    nothing = measured(runs_table({}))
    assert len(nothing) == len(TABLE_1) and nothing.seeds.tolist() == [0] * len(TABLE_1)
    row = ("square", 30)
    one = measured(runs_table({row: run_of(row, rise(1000, 2000, 1.0), 0.5 * rise(1000, 2000, 1.0), seeds=(0, 2))}))
    assert one.seeds.tolist() == [2] + [0] * 10
    assert one.U[0] == pytest.approx(100 * (0.8541 + 0.1459 * 0.5), abs=0.01) and one["U low"][0] == one["U high"][0]


def test_the_implied_column_is_that_of_the_published_ceiling():
    table = measured(runs_table({})).set_index("row")
    assert table.implied["STRIP 67"] == pytest.approx(table["U-Acc"]["STRIP 67"])
    share = table.share["SQUARE 45"] / 100
    rebuilt = share + (1 - share) * table.implied["SQUARE 45"] / 100
    assert 100 * rebuilt == pytest.approx(table["U-Acc"]["SQUARE 45"])


def test_medians_and_ranges_with_runs_that_did_not_get_there():
    values = pd.Series([900, None, 700], dtype="Int64")
    assert censored_median(values) == 900
    assert np.isnan(censored_median(pd.Series([None, None, 700], dtype="Int64")))
    assert spread(values, ".0f", "later") == "700 to later"
    assert spread(pd.Series([None], dtype="Int64"), ".0f", "later") == "later"
    assert spread(pd.Series([1.24]), ".1f") == "1.2"


def test_sensitivity_brackets_the_default():
    row = ("square", 45)
    runs = {row: run_of(row, rise(1000, 4000, 1.0), rise(1500, 5000, 0.3))}
    moved = sensitivity(runs).iloc[0]
    assert moved["U raw"] + 1e-9 >= moved.U >= moved["U window 500"] - 1e-9
    assert moved.earliest <= moved.onset <= moved.latest
    assert moved.earliest < moved.latest, "readings that cannot move an onset say nothing"


def test_every_other_reading_changes_one_choice():
    default = ceilings.LimitRule()
    for rule in RULES.values():
        fields = [f.name for f in dataclasses.fields(rule) if getattr(rule, f.name) != getattr(default, f.name)]
        assert len(fields) == 1


def test_ceilings_leave_out_runs_that_have_not_generalised():
    fast, slow = ("square", 45), ("square", 40)
    runs = {fast: run_of(fast, rise(1000, 2000, 1.0), 0 * STEPS), slow: run_of(slow, rise(1000, 9000, 1.0), 0 * STEPS)}
    found = measured_ceilings(runs_table(runs))
    assert found.row.tolist() == ["SQUARE 45"] and found.U[0] == pytest.approx(found.outside[0])
    assert measured_ceilings(runs_table({})).empty


def test_variants_that_were_not_made_say_so_with_their_cost(monkeypatch):
    monkeypatch.setattr(ceilings, "available", lambda experiment: None)
    table = variants_table(table_1_variants(), runs_table({}))
    assert table["came of it"].str.startswith("not run, about ").all()
    assert table.U.isna().all() and (table.seeds == 0).all()


def test_a_variant_that_was_made_is_shown_beside_its_row(monkeypatch):
    row = ("square", 40)
    made = run_of(row, rise(1000, 2000, 1.0), rise(1000, 2000, 0.5))
    monkeypatch.setattr(ceilings, "available", lambda experiment: made)
    base = runs_table({row: run_of(row, rise(1000, 9000, 1.0), 0 * STEPS)})
    table = variants_table({"a": table_1_run(*row, steps=12_000)}, base).iloc[0]
    assert table["as it was"] < table.U == pytest.approx(100 * (0.7448 + 0.2552 * 0.5), abs=0.01)
    assert (table.change, table["came of it"], table.published) == ("12,000 steps", "near the published number", 84.5)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (40, 78, "near the published number"),
        (40, 60, "nearer to it, not near"),
        (40, 42, "no nearer"),
        (None, 60, "no nearer"),
    ],
)
def test_what_came_of_a_variant(before, after, words):
    assert ceilings._became(80, before, after) == words


def test_the_points_between_published_and_measured_are_all_accounted_for():
    """published - ours = s (1 - a) + (1 - s) (c - b), exactly, for the mean over runs."""
    rows = {("square", 45): (1.0, 0.3), ("strip", 50): (0.9, 0.2)}
    made = {row: run_of(row, rise(500, 2000, a), rise(500, 2000, b), (0, 1)) for row, (a, b) in rows.items()}
    runs = runs_table(made)
    table = accounting(runs).set_index("row")
    for split, hole, upper, *_ in TABLE_1:
        own = runs[(runs.split == split) & (runs.hole == hole)]
        if len(own):
            difference = table.loc[row_name(split, hole)]
            assert difference.outside + difference.hole == pytest.approx(upper - 100 * own.upper.mean())
            assert difference.difference == pytest.approx(upper - 100 * own.upper.mean())
    assert table.outside["SQUARE 45"] == pytest.approx(0, abs=1e-9) and accounting(runs_table({})).empty


def test_one_box_for_all_records():
    one, two = (xr.Dataset(attrs={"origin": "recorded", "provenance": json.dumps([{"a": n}])}) for n in (1, 2))
    assert json.loads(combined({0: one, 1: two}).attrs["provenance"]) == [{"a": 1}, {"a": 2}]


def test_words_for_what_a_variant_changes():
    assert change(table_1_run("square", 40)) == "nothing"
    assert change(table_1_run("square", 40, rule="text", steps=7000)) == "the text's rule, 7,000 steps"
    assert row_name("square", 40) == "SQUARE 40"
