"""Right answers of Fig. 4 by whether the transpose was trained: the counts of a made memoriser and a made learner."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.claims import symmetric_form
from grokbook.claims.symmetric_form import by_fraction, counted_cells, recorded_fractions
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.memorisers import transpose_accuracy

STEPS = np.arange(0, 4001, 20)


def made(p: int, fraction: float, mirrored: float, unmirrored: float, seeds=(0, 1)) -> xr.Dataset:
    """Runs that answer these shares of the test cells with and without a trained transpose, at once and for good."""
    curves = {"test_accuracy": [], "test_accuracy_mirrored": [], "test_accuracy_unmirrored": []}
    for seed in seeds:
        groups = ModularTask(p, "x2_plus_xy_plus_y2", fraction, seed=seed).test_groups()
        counts = np.array([groups["mirrored"].sum(), groups["unmirrored"].sum()])
        total = counts @ [mirrored, unmirrored] / counts.sum()
        for name, value in zip(curves, (total, mirrored, unmirrored), strict=True):
            curves[name].append(np.full(STEPS.size, value))
    data = {name: (("seed", "step"), np.array(values)) for name, values in curves.items()}
    return xr.Dataset(data, {"seed": [*seeds], "step": STEPS})


def test_the_product_is_the_sum_of_both_kinds_of_cells():
    """Acc (1 - frac) = right test cells / N, each of them with a trained transpose or without."""
    table = counted_cells({f: made(23, f, 0.8, 0.3) for f in (0.3, 0.6)}, p=23)
    assert table["product"].values == pytest.approx((table.mirrored + table.unmirrored).values, abs=1e-12)
    assert not table.truncated.any() and table.seed.tolist() == [0, 1, 0, 1]


def test_a_memoriser_that_swaps_has_exactly_the_memoriser_s_product():
    table = counted_cells({0.5: made(23, 0.5, 1.0, 0.0)}, p=23)
    assert table["product"].values == pytest.approx(table.memoriser.values, abs=1e-12)
    expected = transpose_accuracy(23, int(0.5 * 23**2)) * (1 - int(0.5 * 23**2) / 23**2)
    assert table.memoriser.mean() == pytest.approx(expected, abs=0.02)


def test_the_accuracies_come_back():
    table = counted_cells({0.5: made(23, 0.5, 0.7, 0.2, seeds=(4,))}, p=23).iloc[0]
    assert (table["accuracy mirrored"], table["accuracy unmirrored"]) == pytest.approx((0.7, 0.2))
    assert table.unmirrored == pytest.approx(0.2 / 0.7 * table.mirrored * _ratio(0.5, 4), rel=1e-9)


def _ratio(fraction: float, seed: int) -> float:
    groups = ModularTask(23, "x2_plus_xy_plus_y2", fraction, seed=seed).test_groups()
    return groups["unmirrored"].sum() / groups["mirrored"].sum()


def test_a_row_a_fraction_with_the_range_over_seeds():
    runs = {0.5: made(23, 0.5, 1.0, 0.0, seeds=(0, 1, 2)), 0.7: made(23, 0.7, 1.0, 0.0, seeds=(0,))}
    table = by_fraction(counted_cells(runs, p=23))
    assert table.seeds.tolist() == [3, 1] and table.index.tolist() == [0.5, 0.7]
    assert table.low[0.5] < table["product"][0.5] < table.high[0.5] and table.low[0.7] == table.high[0.7]
    assert by_fraction(counted_cells({})).empty


def test_fractions_without_a_record_are_left_out(monkeypatch):
    monkeypatch.setattr(symmetric_form, "available", lambda run: None if "0.5" in run.name else pd.Series([1]))
    assert list(recorded_fractions()) == [0.3, 0.4, 0.6, 0.7]
