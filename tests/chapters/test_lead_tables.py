"""Measures before and with the accuracy: an oracle passes, clocks and noise do not; tables by
hand."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.curves import lead
from grokbook_chapters.progress_measures import tables
from refusals import refusals

STEPS = np.arange(0, 2510, 10)


WAYS = {"early": "falls", "late": "rises", "started": "falls", "noise": "falls", "none": "falls"}


def run(middle: int, fit: int = 100, generalises: bool = True) -> xr.Dataset:
    """Fits at `fit`, then its accuracy rises about `middle`; measures before it, after it, and
    without knowledge."""
    rng = np.random.default_rng(middle + fit)
    rise = 1 / (1 + np.exp(-(STEPS - middle) / 40)) * (1.0 if generalises else 0.2)
    curves = {
        "train_accuracy": np.where(fit > STEPS, 0.1, 1.0),
        "test_accuracy": rise,
        "early": 3 - np.interp(STEPS + (middle - fit) / 4, STEPS, rise),
        "late": np.interp(STEPS - (middle - fit) / 4, STEPS, rise)
        - 0.001 * np.maximum(STEPS - 2000, 0),
        "started": np.exp(-np.maximum(STEPS - fit, 0) / 300),
        "noise": rng.normal(size=STEPS.size).cumsum(),
        "none": np.full(STEPS.size, np.nan),
    }
    return xr.Dataset({name: ("step", values) for name, values in curves.items()}, {"step": STEPS})


def task(*middles: int, generalises: bool = True) -> xr.Dataset:
    """Runs that fit the later, the later they generalise: what misled a test that counts from step
    0."""
    parts = [
        run(m, 100 + 20 * (m // 200), generalises).assign_coords(seed=s)
        for s, m in enumerate(middles)
    ]
    return xr.concat(parts, "seed")


RUNS = {
    "a": task(500, 700, 900, 1100, 1300),
    "b": task(600, 800, 1000, 1200),
    "c": task(500, 700, generalises=False),
}


ROWS = tables.controlled(RUNS, WAYS)


TABLE = tables.summary_table(ROWS, ["c"])


@pytest.mark.parametrize("name", ["oracle", "oracle_early", "early", "late"])
def test_what_moves_at_its_own_time_in_each_run_passes(name):
    assert (
        TABLE.tau[name] > 0.95
        and TABLE.p_value[name] < 0.01
        and TABLE.anyway[name].startswith("0 of 2")
    )


@pytest.mark.parametrize("name", ["clock", "started", "noise"])
def test_clocks_and_noise_do_not_pass(name):
    """prop-clock: the same time after fitting in all runs has tau 0 and p 1."""
    assert TABLE.p_value[name] > 0.05
    if name != "noise":
        assert TABLE.tau[name] == 0 and TABLE.p_value[name] == 1


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_the_controls_come_out_alike_at_other_shares_of_the_move(share):
    table = tables.summary_table(tables.controlled(RUNS, {}, share=share), ["c"])
    assert table.p_value["oracle"] < 0.01 and table.p_value["clock"] == 1


def test_only_the_early_oracle_sees_it_coming_and_a_clock_is_early_all_the_same():
    assert TABLE.says.to_dict() == {
        "oracle": "goes with it",
        "oracle_early": "sees it coming",
        "clock": "early, as a clock",
        "early": "sees it coming",
        "late": "goes with it",
        "started": "early, as a clock",
        "noise": "neither",
        "none": "neither",
    }
    assert TABLE.anyway["clock"] == "2 of 2" and TABLE.anyway["none"] == "not asked"


def test_counted_from_step_zero_a_clock_that_fitting_starts_would_pass():
    """Why both times are counted from fitting."""
    rows = ROWS[ROWS.measure == "started"]
    from_zero = rows.assign(
        measure_delay=rows.measure_delay + rows.fit_step,
        accuracy_delay=rows.accuracy_delay + rows.fit_step,
    )
    assert lead.ranked(from_zero).p_value < 0.05 and lead.ranked(rows).p_value == 1


def test_controls_are_the_accuracy_and_one_clock():
    data = tables.with_controls(RUNS["a"])
    assert np.array_equal(data.oracle, RUNS["a"].test_accuracy)
    assert np.array_equal(data.oracle_early.values[:, :-10], RUNS["a"].test_accuracy.values[:, 10:])
    assert (
        np.allclose(data.clock, np.exp(-STEPS / 100)) and data.clock.dims == data.test_accuracy.dims
    )


def test_summary_counts_by_hand():
    assert TABLE.loc["early", ["runs", "moved", "first"]].tolist() == [9, 9, 9]
    assert TABLE.loc["late", ["runs", "first"]].tolist() == [9, 0]
    assert TABLE.loc["early", "lead"] == pytest.approx(0.25, abs=0.03)
    assert TABLE.loc["none", "runs"] == 0 and np.isnan(TABLE.loc["none", "p_value"])


def test_p_values_of_measures_pay_for_their_number_and_those_of_controls_do_not():
    alone = tables.summary_table(lead.event_table(RUNS, {"noise": "falls"}))
    both = tables.summary_table(lead.event_table(RUNS, {"noise": "falls", "early": "falls"}))
    assert both.p_value["early"] == pytest.approx(
        2 * lead.ranked(ROWS[ROWS.measure == "early"]).p_value
    )
    assert both.p_value["noise"] == alone.p_value["noise"]


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: tables.with_controls(RUNS["a"].isel(step=[0, 1, 3])), "evenly spaced"),
    (lambda: tables.with_controls(RUNS["a"].isel(step=slice(None, None, 20))), "at most 100"),
    (lambda: tables.summary_table(pd.DataFrame()), "no events"),
)
