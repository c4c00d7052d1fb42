"""The claims settled by runs with holes and on the quadratic form: each verdict on made runs, and without any."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.claims import distribution
from grokbook.claims.distribution import (
    CLAIMS,
    ceiling_set_by_distance,
    ceilings_of_table_1,
    listed,
    measured_table,
    missing,
    more_data_do_not_generalise,
    product_is_constant,
    reaches_one_for_certain,
)
from grokbook.claims.table1 import covered_shares, row_task, shares_of_test_cells
from grokbook.experiments.data_distribution import fig_4_run
from grokbook.experiments.published import TABLE_1, table_1

from .test_ceilings import STEPS, rise, run_of
from .test_symmetric_form import made


def runs_with(accuracy) -> dict:
    """Runs of all rows that have `accuracy[row]` in percent, all of it outside the hole as far as cells there allow."""
    found = {}
    for split, hole, *_ in TABLE_1:
        share = shares_of_test_cells(row_task(split, hole))["outside"] / 100
        inside = max(0.0, (accuracy[split, hole] / 100 - share) / (1 - share))
        outside = rise(500, 2000, 1.0) if share else np.full(STEPS.size, np.nan)
        run = run_of((split, hole), outside, rise(500, 2000, inside))
        run["test_accuracy"] = run.test_accuracy.fillna(run.test_accuracy_in_hole)
        found[split, hole] = run
    return found


@pytest.fixture
def published():
    return {(split, hole): upper for split, hole, upper, *_ in TABLE_1}


def test_the_ledger_s_entries():
    assert [claim.id for claim in CLAIMS] == ["G33", "G34", "G38", "GF04", "GT1"]
    assert {claim.paper for claim in CLAIMS} == {"gu2025"}


# Table 1


def test_runs_that_reach_the_printed_ceilings_make_the_table_hold(monkeypatch, published):
    monkeypatch.setattr(distribution, "recorded_rows", lambda n: runs_with(published))
    found = ceilings_of_table_1()
    assert found.verdict == "holds" and found.high < 1
    assert "in 11 of 11 rows" in found.evidence


def test_slow_rows_alone_are_a_correction_and_a_wrong_ceiling_fails(monkeypatch, published):
    runs = runs_with(published)
    runs["square", 40] = run_of(("square", 40), rise(500, 9000, 1.0), 0 * STEPS)
    monkeypatch.setattr(distribution, "recorded_rows", lambda n: runs)
    slow = ceilings_of_table_1()
    assert slow.verdict == "holds with correction" and slow.evidence.endswith("SQUARE 40")
    runs["strip", 50] = run_of(("strip", 50), rise(500, 2000, 1.0), rise(500, 2000, 0.1))
    assert ceilings_of_table_1().verdict == "fails"


def test_a_row_without_a_record_is_not_run_with_its_cost(monkeypatch, published):
    runs = runs_with(published)
    del runs["strip", 60]
    monkeypatch.setattr(distribution, "recorded_rows", lambda n: runs)
    found = ceilings_of_table_1()
    assert found.verdict == "not run" and "table1[strip, t=60]; about " in found.evidence


def test_the_gap_is_zero_within_the_range_over_seeds(monkeypatch, published):
    runs = runs_with(published)
    low, high = (runs_with({row: u + by for row, u in published.items()})["square", 45] for by in (-4, 4))
    runs["square", 45] = xr.concat([low, high.assign_coords(seed=[1])], "seed")
    monkeypatch.setattr(distribution, "recorded_rows", lambda n: runs)
    table = measured_table().set_index("row")
    assert table.gap["SQUARE 45"] == 0 and table.seeds["SQUARE 45"] == 2


def test_one_distance_that_explains_everything_makes_g33_hold(monkeypatch):
    """Ceilings that are the shares covered within radius 9, printed and measured, are explained by radius 9."""
    covered = covered_shares("code")[:, 8]
    ceilings = {(split, hole): u for (split, hole, *_), u in zip(TABLE_1, covered, strict=True)}
    monkeypatch.setattr(distribution, "recorded_rows", lambda n: runs_with(ceilings))
    holds = distribution.Finding("holds", "printed", 0.0)
    monkeypatch.setattr(distribution, "ceiling_by_distance", lambda: holds)
    explained = ceiling_set_by_distance()
    assert explained.verdict == "holds" and "best radius 9, off by 0." in explained.evidence
    rows = table_1().set_index(["split", "hole"])["U-Acc"].to_dict()
    monkeypatch.setattr(distribution, "recorded_rows", lambda n: runs_with(rows))
    assert ceiling_set_by_distance().verdict == "fails"


def test_without_runs_g33_is_judged_by_what_is_printed(monkeypatch):
    monkeypatch.setattr(distribution, "recorded_rows", lambda n: {})
    assert ceiling_set_by_distance() == distribution.ceiling_by_distance()


# Section 6.1


def test_a_random_split_that_stops_short_refutes_certainty(monkeypatch):
    curves = np.stack([rise(500, 2000, 1.0), rise(500, 2000, 0.9)])
    runs = xr.Dataset({"test_accuracy": (("seed", "step"), curves)}, {"seed": [0, 1], "step": STEPS})
    sure = distribution.Finding("holds", "covered", 1.0)
    monkeypatch.setattr(distribution, "certain_above_the_threshold", lambda: sure)
    monkeypatch.setattr(distribution, "available", lambda run: runs)
    assert reaches_one_for_certain().verdict == "fails" and reaches_one_for_certain().value == 0.5
    monkeypatch.setattr(distribution, "available", lambda run: runs.isel(seed=[0]))
    assert reaches_one_for_certain().verdict == "holds"
    monkeypatch.setattr(distribution, "available", lambda run: None)
    assert reaches_one_for_certain() == sure


# Fig. 4


def forms(values: dict[float, tuple[float, float]]) -> dict[float, xr.Dataset]:
    return {fraction: made(97, fraction, *accuracies, seeds=(0,)) for fraction, accuracies in values.items()}


def test_a_swapping_memoriser_keeps_the_product_and_generalises_nothing(monkeypatch):
    runs = forms(dict.fromkeys((0.5, 0.6, 0.7), (1.0, 0.01)))
    monkeypatch.setattr(distribution, "recorded_fractions", lambda n: runs)
    assert product_is_constant().verdict == "holds"
    assert more_data_do_not_generalise().verdict == "holds with correction"


def test_a_network_that_gains_on_fresh_cells_refutes_the_conclusion_even_at_a_constant_product(monkeypatch):
    """Mirrored cells forgotten as fresh ones are learned: the product stays, generalisation does not."""
    runs = forms({0.5: (1.0, 0.0), 0.6: (0.95, 0.1), 0.7: (0.9, 0.3)})
    monkeypatch.setattr(distribution, "recorded_fractions", lambda n: runs)
    assert product_is_constant().verdict == "holds"
    assert more_data_do_not_generalise().verdict == "fails"


def test_a_product_that_moves_is_not_constant(monkeypatch):
    runs = forms({0.5: (1.0, 1.0), 0.6: (1.0, 1.0), 0.7: (1.0, 1.0)})
    monkeypatch.setattr(distribution, "recorded_fractions", lambda n: runs)
    assert product_is_constant().verdict == "fails"


def test_a_fraction_that_is_not_recorded_is_not_run(monkeypatch):
    monkeypatch.setattr(distribution, "recorded_fractions", lambda n: forms({0.5: (1.0, 0.0)}))
    found = product_is_constant()
    assert found.verdict == "not run" and "frac=0.6" in found.evidence and "frac=0.5" not in found.evidence
    assert more_data_do_not_generalise() == distribution.constant_product()


def test_words():
    assert missing([fig_4_run(0.5)]).evidence.startswith("not recorded: gu2025/fig4[frac=0.5]; about ")
    assert listed(pd.DataFrame({"row": []})) == "none"
