"""Fig. 2 is judged on recorded runs, either way, and is not run without them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.claims import depth

STEPS = np.arange(0, 1000, 10)


def made(swing: float, med: float, seeds: int = 2) -> xr.Dataset:
    """Runs that fit at step 100 and whose test accuracy then goes up and down by `swing`; MED ends at `med`."""
    train = np.where(STEPS >= 100, 1.0, 0.1)
    test = np.where(STEPS >= 100, 0.9 - swing * (np.arange(STEPS.size) % 2), 0.0)
    series = {"train_accuracy": train, "test_accuracy": test, "med": np.linspace(1, med, STEPS.size)}
    series |= {"embedding_norm": np.full(STEPS.size, 2.0)}
    data = {name: (("seed", "step"), np.tile(values, (seeds, 1))) for name, values in series.items()}
    return xr.Dataset(data, {"seed": range(seeds), "step": STEPS})


def test_a_row_holds_what_the_curve_was_made_with():
    row = depth.one_run(made(0.3, 0.5).isel(seed=0))
    assert (row["fit_step"], row["grok_step"]) == (100, None)
    assert row["largest fall"] == pytest.approx(0.3)
    assert row["total fall"] == pytest.approx(0.3 * 45)
    assert (row["med"], row["med over norm"], row["largest fall, training"]) == pytest.approx((0.5, 0.25, 0))


def test_a_run_that_stopped_early_is_read_at_its_last_logged_step():
    data = made(0.3, 0.5).isel(seed=0)
    data = data.where(data.step <= 500)
    assert depth.one_run(data)["last_step"] == 500


def test_both_verdicts():
    paper = {n: made(0.2 * n, 1 / n, 3) for n in depth.LAYERS}
    assert depth.figure_2(paper).verdict == "holds"
    against = {n: made(0.2, 1 / n, 3) for n in depth.LAYERS}
    found = depth.figure_2(against)
    assert found.verdict == "fails" and "does not grow" in found.evidence and "MED falls" in found.evidence
    faint = depth.figure_2({n: made(0.001 * n, 1 / n, 3) for n in depth.LAYERS})
    assert faint.verdict == "fails" and "is not violent" in faint.evidence


def test_depths_are_compared_on_the_seeds_that_all_of_them_have():
    """The third seed, which one depth lacks, is left out; two common seeds decide nothing."""
    runs = {n: made(0.2 * n, 1 / n, 3) for n in depth.LAYERS}
    runs[3] = runs[3].isel(seed=[0, 1])
    found = depth.figure_2(runs)
    assert found.verdict == "not run" and "2 seeds each" in found.evidence


def test_without_records_it_is_not_run_and_says_what_it_costs():
    nothing = depth.figure_2({}, {})
    assert nothing.verdict == "not run" and "core hours" in nothing.evidence and nothing.value is None
    small = depth.figure_2({1: made(0.1, 1)}, {n: made(0.2 * n, 1 / n) for n in (1, 2)})
    assert small.verdict == "not run" and "p = 37" in small.evidence


def test_tables_of_some_and_of_no_runs():
    table = depth.depth_table({1: made(0.1, 1.0), 3: made(0.3, 0.5, seeds=1)})
    assert table[["layers", "seed"]].values.tolist() == [[1, 0], [1, 1], [3, 0]]
    rows = depth.summary(table)
    assert rows["seeds"].tolist() == [2, 1]
    assert rows["fit"].tolist() == ["2 of 2 (step 100 (100 to 100))", "1 of 1 (step 100)"]
    assert rows["generalise"].tolist() == ["0 of 2", "0 of 1"]
    assert depth.summary(depth.depth_table({})).empty


@pytest.mark.parametrize(("falling", "expected"), [(False, False), (True, True)])
def test_growth_is_judged_on_medians_at_every_layer(falling, expected):
    table = pd.DataFrame({"layers": [1, 1, 2, 2, 3], "x": [3.0, 5.0, 2.0, 4.0, 1.0]})
    assert depth.grows(table, "x", falling=falling) is expected


def test_records_that_are_there_are_found(monkeypatch):
    monkeypatch.setattr(depth, "available", lambda e: made(0.1, 1) if e.config.model.n_layers == 4 else None)
    assert list(depth.recorded_depths()) == [4]
    assert list(depth.recorded_causes()) == ["as they are", "narrow MLPs", "learning rate 3e-4", "weight decay 0.3"]


def test_sentences_for_the_page():
    assert depth.told(depth.depth_table({1: made(0.1, 1)})) == "too few depths are recorded to compare them"
    assert "falls at every one" in depth.told(depth.depth_table({n: made(0.1, 1 / n) for n in (1, 2)}))
    both = depth.depth_table({"a": made(0.5, 1), "b": made(0.1, 1)}, "what differs")
    assert depth.told_causes(both).startswith("a, largest fall 0.50, final test accuracy 0.40, 0 of 2 generalise; b,")


def test_disjoint_tokens_are_told_as_recorded(monkeypatch):
    monkeypatch.setattr(depth, "available", lambda e: None)
    assert depth.told_disjoint() == "one layer with disjoint tokens is not run"
    monkeypatch.setattr(depth, "available", lambda e: made(0.1, 1, seeds=3) if e.config.task.shift == 37 else None)
    assert depth.told_disjoint().endswith("0 of 3 generalise")
