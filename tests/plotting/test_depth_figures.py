"""Figures of depth show every seed as it is, and say what was not run."""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from grokbook.plotting.depth import accuracy_panels, shares_by_depth


def _runs():
    curves = np.random.default_rng(0).random((2, 5))
    series = {name: (("seed", "step"), curves) for name in ("train_accuracy", "test_accuracy")}
    return xr.Dataset(series, {"seed": [0, 1], "step": [0, 10, 20, 30, 40]})


def test_raw_curves_of_every_seed_and_a_panel_that_was_not_run():
    fig = accuracy_panels({1: _runs()}, (1, 2), ("1 layer", "2 layers"))
    first, second = fig.axes[:2]
    drawn = [line.get_ydata() for line in first.lines if len(line.get_ydata())]
    assert len(drawn) == 4
    assert np.allclose(drawn[2], _runs().test_accuracy.values[0, 1:])
    assert [text.get_text() for text in second.texts] == ["not run"] and not first.texts


def test_no_runs_at_all_are_drawn_too():
    assert len(accuracy_panels({}, (1, 2, 3), ("a", "b", "c")).axes) == 4


def test_stages_stand_in_the_order_of_the_computation():
    stages = ["logits", "MLP 2", "attention 2", "MLP 1", "attention 1", "sum of embeddings"]
    rows = [(2, stage, cells, 0.5, 0.1) for stage in stages for cells in ("all", "train")]
    table = pd.DataFrame(rows, columns=["layers", "stage", "cells", "share", "null"])
    axes = shares_by_depth(table).axes
    assert [label.get_text() for label in axes[0].get_xticklabels()] == stages[::-1]
    assert axes[0].lines[0].get_ydata().tolist() == [0.5] * 6
