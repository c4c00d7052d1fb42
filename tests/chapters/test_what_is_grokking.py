"""Chapter 01: its plan, the onset of the random split, and the circle of an embedding."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from companion.claims import Runs
from grokbook.theory.memorisers import transpose_accuracy
from grokbook_chapters.gu2025 import fig5, fresh_fig5
from grokbook_chapters.what_is_grokking import claims as chapter
from grokbook_chapters.what_is_grokking import numbers
from written_pages import functions, names_used

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


def made_up(fit, grok, peak=12.0, p=59):
    """A dataset of two runs that fit and generalise at given steps, on both kinds of pairs."""
    steps = np.arange(0, 2001, 20)
    rise = lambda at: np.clip((steps - at) / 20, 0, 1)  # noqa: E731  a step as a ramp of one look
    late = 0 * steps if grok is None else rise(grok)
    turn = np.linspace(0, 2 * np.pi, p, endpoint=False)
    table = np.zeros((2, 2, p, 64), dtype=np.float32)
    table[:, 0] = np.random.default_rng(0).standard_normal((p, 64))
    table[:, 1, :, 0] = np.cos(3 * turn)
    table[:, 1, :, 1] = np.sin(3 * turn)
    curves = {
        "train_accuracy": rise(fit),
        "test_accuracy": late,
        "test_accuracy_mirrored": rise(fit),
        "test_accuracy_unmirrored": late,
        "test_loss": np.interp(steps, [0, fit, 2000], [3.1, peak, 1.0]),
        "train_loss": 0.1 + 0 * steps,
        "weight_norm": 10 + 0 * steps,
        "fourier_ipr": np.linspace(0.1, 0.9, len(steps)),
        "effective_dimension": np.linspace(15, 2, len(steps)),
    }
    both = {name: (("seed", "step"), np.stack([curve] * 2)) for name, curve in curves.items()}
    both["embedding"] = (("seed", "snapshot", "token", "feature"), table)
    return xr.Dataset(both, {"seed": [0, 1], "step": steps, "snapshot": [0, 2000]})


@pytest.mark.parametrize(
    ("fit", "grok", "late", "times_later"),
    [
        (100, 1500, True, "about 13 times as many steps"),
        (100, 300, False, "about 3 times as many steps"),
        (100, None, True, "longer than the runs last"),
    ],
)
def test_the_numbers_of_the_prose_follow_the_runs(fit, grok, late, times_later):
    """Ramps of one look of 20 steps: 95 % is reached at the step itself plus 20."""
    plan = chapter.plan(59, 0.75, 64, 2000, 2)
    found = numbers(plan, made_up(fit, grok), made_up(fit, grok), None)
    assert found["fit_median"].value == fit + 20
    assert (found["late"].holds, found["times_later"]) == (late, times_later)
    assert found["when"] == f"{2 * (fit + 20):,}"
    assert found["copies"].holds == (grok is None or grok > 2 * fit + 20)
    assert found["circles"].holds and found["share_five_end"] == "100%"
    assert found["gathers"].holds and found["confident"].holds
    assert found["recorded"].holds is None and found["paper_fit"].missing == "(not run)"
    assert found.keys() == names_used("01")


def test_a_copyist_of_the_page_is_the_library_s():
    """Equation (1.3) as the page writes it in sight."""
    (copyist,) = functions("01", "copyist")
    for p, n in ((3, 4), (59, 1700), (97, 2822)):
        assert copyist(p, n) == pytest.approx(transpose_accuracy(p, n), rel=1e-15)
