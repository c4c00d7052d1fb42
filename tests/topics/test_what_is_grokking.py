"""Chapter 01: its plan, the onset of the random split, and the circle of an embedding."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from grokbook.claims import Runs
from grokbook.experiments.gu2025 import fig5
from grokbook.topics import what_is_grokking as chapter

LIVE = {"p": 59, "train_fraction": 0.5, "d_model": 64, "steps": 3000, "n_seeds": 2}


def test_the_plan_has_two_live_runs_and_the_recorded_one():
    plan = chapter.plan(**LIVE)
    assert set(plan) == {"live", "symmetric", "paper"} and plan["paper"].key == fig5(97).key
    live, symmetric = plan["live"].config, plan["symmetric"].config
    assert (live.task.split, symmetric.task.split) == ("random", "symmetric")
    assert live.task.train_fraction == 0.5 and plan["live"].seeds == (0, 1)
    both, once = 0.5 * 0.5, 2 * 0.5 * (1 - 0.5)  # orders in which a pair is shown, each with probability 1/2
    assert symmetric.task.train_fraction == both + once


@pytest.mark.parametrize(
    ("onset", "verdict"),
    [([4800, 5100], "holds"), ([3000, 4900], "fails"), ([3000, None], "holds"), ([None, None], "fails")],
)
def test_onset_near_5000(onset, verdict):
    """Section 6.1: "around epoch 5000" lies in the range over seeds; a run that is not there counts as later."""
    table = pd.DataFrame({"onset_step": pd.array(onset, "Int64"), "last_step": 6000})
    found = chapter.onset_of_random_split(Runs({"30 %": table}))
    assert found.verdict == verdict
    assert f"({onset.count(None)} of 2 runs: not by step 6000)" in found.evidence


def test_the_circle_of_the_strongest_frequency_is_a_regular_polygon():
    """Joined in the order of the angle, the p points of a pure circle have p equal sides 2 sin(pi / p)."""
    angle = 2 * np.pi * 3 * np.arange(11) / 11
    table = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    axes = "seed", "snapshot", "token", "feature"
    runs = xr.Dataset({"embedding": (axes, table[None, None])}, {"seed": [2], "snapshot": [1000]})
    x, y = chapter.circle_over_training(runs, 2, [1000]).axes[-1].lines[0].get_data()
    assert np.allclose(np.hypot(np.diff(x), np.diff(y)), 2 * np.sin(np.pi / 11))
