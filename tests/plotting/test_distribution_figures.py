"""Figures of Table 1 and Fig. 4 show the numbers of their tables, whatever is recorded."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.plotting import distribution
from grokbook.plotting.style import COLOURS

STEPS = np.arange(0, 2001, 100)
ROW = ("square", 45)


def line(ax, label):
    return next(found for found in ax.lines if found.get_label() == label)


@pytest.fixture
def runs():
    return pd.DataFrame(
        {"split": ["square", "strip"], "hole": [45, 50], "upper": [0.7, 0.4]}
        | {"generalised": pd.array([True, False], dtype="boolean")}
    )


@pytest.fixture
def dataset():
    names = ["train_accuracy", "test_accuracy", "test_accuracy_in_hole", "test_accuracy_outside_hole"]
    names += ["test_accuracy_mirrored", "test_accuracy_unmirrored"]
    values = [np.linspace(0, 1 / (n + 1), STEPS.size)[None] for n in range(len(names))]
    curves = {name: (("seed", "step"), value) for name, value in zip(names, values, strict=True)}
    return xr.Dataset(curves, {"seed": [0], "step": STEPS, "token": np.arange(5)})


def test_runs_that_have_not_generalised_are_open(runs):
    ax = distribution.table_1_measured(runs).axes[0]
    done, not_yet = line(ax, "ours, right outside the hole"), line(ax, "ours, not yet right outside the hole")
    assert (done.get_ydata().tolist(), not_yet.get_ydata().tolist()) == ([70.0], [40.0])
    assert not_yet.get_markerfacecolor() == "white" != done.get_markerfacecolor()
    assert np.round(done.get_xdata()).tolist() == [3] and np.round(not_yet.get_xdata()).tolist() == [9]


def test_the_published_table_is_drawn_without_any_run():
    ax = distribution.table_1_measured(pd.DataFrame()).axes[0]
    assert [tick.get_text() for tick in ax.get_xticklabels()][0] == "SQUARE 30" and len(ax.get_xticks()) == 11


def test_a_panel_a_row_with_the_published_ceiling(dataset):
    rows = {ROW: dataset, ("strip", 67): dataset * np.nan, ("strip", 40): dataset, ("strip", 50): dataset}
    fig = distribution.accuracy_by_part(rows)
    assert [ax.get_title(loc="left") for ax in fig.axes[:4]] == ["SQUARE 45", "STRIP 67", "STRIP 40", "STRIP 50"]
    assert line(fig.axes[0], "published U-Acc").get_ydata()[0] == pytest.approx(0.7903)
    assert not any(ax.get_visible() for ax in fig.axes[4:])
    assert line(fig.axes[0], "in the hole").get_ydata()[-1] == pytest.approx(1 / 3)


@pytest.mark.parametrize("rows", [0, 2])
def test_measured_and_published_points_of_the_same_rows(rows):
    table = pd.DataFrame({"split": ["square", "strip"], "hole": [45, 40], "U": [75.0, 85.0], "outside": [67.9, 39.6]})
    fig = distribution.measured_against_shares(table.assign(**{"either order": [67.9, 74.5]})[:rows])
    filled = [found for found in fig.axes[1].lines if found.get_label().startswith(("SQUARE", "STRIP"))]
    assert [len(found.get_xdata()) for found in filled] == ([1, 1] if rows else [0, 0])
    if rows:
        assert [found.get_xdata()[0] for found in filled] == [67.9, 74.5]


def test_the_bars_of_right_cells_add_up_to_the_product():
    columns = {"mirrored": [0.2, 0.1], "unmirrored": [0.05, 0.1], "product": [0.25, 0.2], "memoriser": [0.25, 0.21]}
    columns |= {"low": [0.2, 0.2], "high": [0.3, 0.2]}
    accuracies = {"accuracy mirrored": [0.9, 1.0], "accuracy unmirrored": [0.1, 0.2]}
    fig = distribution.correct_cells(pd.DataFrame(columns | accuracies, index=[0.5, 0.7]))
    bars = fig.axes[0].patches
    tops = [patch.get_y() + patch.get_height() for patch in bars]
    assert tops[2:] == pytest.approx(columns["product"]) and len(bars) == 4


def test_without_a_record_the_memoriser_is_drawn_alone():
    ax = distribution.correct_cells(pd.DataFrame()).axes[0]
    marks = ax.collections[0].get_segments()
    assert not ax.patches and len(marks) == 5 and marks[2][0][1] == pytest.approx(0.5 * 0.4948, abs=1e-3)


def test_a_panel_a_network_with_the_level_of_guessing(dataset):
    fig = distribution.network_curves({"a, x^2": dataset, "b": dataset}, columns=2)
    assert [ax.get_title(loc="left") for ax in fig.axes] == ["a, x²", "b"]
    assert line(fig.axes[0], "guessing").get_ydata()[0] == 0.2
    assert line(fig.axes[1], "training set").get_color() == COLOURS["train"]
