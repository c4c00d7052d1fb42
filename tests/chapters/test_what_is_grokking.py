"""Chapter 01: its plan, the onset of the random split, and the circle of an embedding."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from companion.claims import Runs
from grokbook_chapters.gu2025 import fig5, fresh_fig5
from grokbook_chapters.what_is_grokking import claims as chapter

LIVE = {"p": 59, "train_fraction": 0.75, "d_model": 64, "steps": 3000, "n_seeds": 2}


def test_the_plan_has_two_live_runs_and_the_recorded_one():
    plan = chapter.plan(**LIVE)
    assert set(plan) == {"live", "random", "paper"} and plan["paper"].key == fig5(97).key
    # all that are recorded
    assert plan["paper"].seeds == fig5(97, n_seeds=10).seeds + fresh_fig5().seeds
    live, random = plan["live"].config, plan["random"].config
    assert (live.task.split, random.task.split) == ("symmetric", "random") and plan[
        "live"
    ].seeds == (0, 1)
    assert not live.task.transposed_mask.any() and random.task.transposed_mask.any()
    share = random.task.train_fraction
    both, once = share * share, 2 * share * (1 - share)  # orders in which a pair is shown
    assert live.task.train_fraction == both + once == 0.75


@pytest.mark.parametrize(
    ("fresh", "everything", "verdict"),
    [
        ([4800, 5100, 9000], [4500, 4600, None], "holds"),
        ([1000, 2900, 4900], [900, 1000, 4000], "fails"),  # both end before it
        (
            [1000, 2900, 4900],
            [900, 1000, 5000],
            "undecided",
        ),  # one seed is as late as the paper's run
        ([None, None, None], [None, None, None], "fails"),  # all are later
        ([5000, None, None], [None, None, None], "undecided"),
        ([4800, 5100, 9000], [900, 1000, 4000], "holds with correction"),
        ([4800, 5100, 9000], [900, 1000, 5000], "undecided"),
        ([4800, 5100, 9000], [900, 1000, None], "undecided"),  # a run that is not there is later
        (
            [6600, 6600, 6600],
            [3400, 3400, 3400],
            "undecided",
        ),  # within 2,000, not within 1,000: a bar that decides
    ],
)
def test_onset_around_5000_by_both_definitions_and_three_readings(fresh, everything, verdict):
    """Section 6.1, "around epoch 5000", as the median over seeds; a run that is not there counts as
    later."""
    columns = {
        name: pd.array([*steps] * 3, "Int64")
        for name, steps in zip(chapter.ONSETS, (fresh, everything), strict=True)
    }
    table = pd.DataFrame(columns | {"last_step": 10_000})
    found = chapter.onset_of_random_split(Runs({"30 %": table}))
    assert found.verdict == verdict and len(table) == len(fresh_fig5().seeds)
    late = 3 * fresh.count(None)
    assert [*found.at] == ["500", "2000"] and (found.at["2000"] == "holds") == (
        verdict == "holds" or 6600 in fresh
    )
    assert (f"({late} of 9 runs: not by step 10,000); from which" in found.evidence) == (late > 0)
    few = chapter.onset_of_random_split(Runs({"30 %": table.iloc[:8]}))
    assert few.verdict == "undecided" and "their medians over 8 runs" in few.evidence


def test_copied_answers_begin_the_one_onset_and_not_the_other():
    steps = np.arange(0, 3001, 20)
    copied, fresh = np.interp(steps, [600, 800], [0, 1]), np.interp(steps, [2000, 2200], [0, 1])
    curves = {
        "test_accuracy": 0.3 * copied + 0.7 * fresh,
        "test_accuracy_unmirrored": fresh,
        "train_accuracy": copied,
    }
    data = xr.Dataset(
        {n: (("seed", "step"), c[None]) for n, c in curves.items()}, {"seed": [0], "step": steps}
    )
    assert chapter.onsets(data).iloc[0].to_dict() == {
        "fresh cells": 2020,
        "all cells": 640,
        "last_step": 3000,
    }
