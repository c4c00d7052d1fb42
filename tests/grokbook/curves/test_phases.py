"""Phases of learning: Table 1 of Liu et al. 2022 cell by cell, with censoring, and the comparison
of two diagrams."""

import json

import numpy as np
import pytest
import xarray as xr
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grokbook.curves import phases as ph
from grokbook.errors import ParameterError

NEVER = float("nan")
RULES = {
    "this book": ph.PhaseRule(),
    "Table 1": ph.PhaseRule(strict=True),
    "the authors' programs": ph.PhaseRule(inclusive=True),
}
DIAGRAMS = arrays("U1", (4, 6), elements=st.sampled_from("CGMX"))


@pytest.mark.parametrize(
    ("fit", "test", "rule", "phase"),
    [
        (100, 1_099, "this book", "C"),
        (100, 1_100, "this book", "G"),
        (100, 1_100, "the authors' programs", "C"),
        (100, NEVER, "this book", "M"),
        (100, 100_001, "this book", "M"),
        (NEVER, NEVER, "this book", "X"),
        (NEVER, 100, "this book", "T"),
        (5_000, 100, "this book", "C"),
    ],
)
def test_table_1(fit, test, rule, phase):
    assert ph.phase_of(fit, test, RULES[rule]) == phase


def runs(train, test, last=100_000):
    steps = np.linspace(0, last, len(train)).astype(int)
    curves = {
        "train_accuracy": ("step", np.float32(train)),
        "test_accuracy": ("step", np.float32(test)),
    }
    return xr.Dataset(curves, {"step": steps})


@pytest.mark.parametrize(
    ("train", "test", "last", "rule", "phase"),
    [
        ([0, 1, 1], [0, 0.9, 0.9], 100_000, "this book", "C"),  # 9 of 10 in single precision is 0.9
        ([0, 1, 1], [0, 0.9, 0.9], 100_000, "Table 1", "M"),  # and not above it
        ([0, 1, 1], [0, 0, 1], 100_000, "this book", "G"),
        ([0, 1, 1], [0, 0, 0], 50_000, "this book", "."),  # not by step 50,000 is not never
        ([0, 0, 0], [0, 0, 0], 100_000, "this book", "X"),
        ([0, 0.5, 0.5], [0, 1, 1], 50_000, "this book", "."),
    ],
)
def test_a_record_that_ends_early_decides_only_what_was_reached(train, test, last, rule, phase):
    assert ph.phases(runs(train, test, last), RULES[rule]).phase == phase


def test_a_run_that_diverged_is_decided_and_one_that_was_ended_at_its_goal_is_open_under_a_harder_rule():
    whole = runs([0, 0.5, 1], [0, 0, 0])
    gone = runs([0, 1, np.nan], [0, 0.1, np.nan])
    ended = runs([0, 1, np.nan], [0, 0.9, np.nan])
    data = xr.concat([whole, gone, ended], "seed").assign_coords(seed=[0, 1, 2])
    assert "".join(ph.phases(data).phase.values) == "MMC"
    assert "".join(ph.phases(data, RULES["Table 1"]).phase.values) == "MM."
    assert ph.phases(data).end.values.tolist() == [100_000, 50_000, 50_000]


STOP = {"variable": "train_accuracy", "threshold": 0.9, "above": True, "hold": 4}


@pytest.mark.parametrize(
    ("attrs", "phase"),
    [
        ({}, "M"),
        ({"configuration": json.dumps({"stop": STOP})}, "."),
        ({"configs": json.dumps([{"stop": STOP}, {"stop": None}])}, "."),
        (
            {
                "configuration": json.dumps(
                    {"stop": STOP | {"variable": "train_loss", "above": False}}
                )
            },
            ".",
        ),
    ],
)
def test_a_run_that_its_own_rule_stopped_did_not_diverge(attrs, phase):
    """Fits at step 50,000 and is logged no more: never on the test set only if nothing but
    divergence ended it."""
    data = (
        runs([0, 0.95, np.nan], [0, 0.1, np.nan])
        .assign(train_loss=("step", [2, 0.5, np.nan]))
        .assign_attrs(attrs)
    )
    assert ph.phases(data).phase == phase


def test_runs_of_several_lengths_end_at_their_own_last_step():
    """Along an axis `steps` the shorter run is open, and one that diverged before its own last step
    is decided."""
    data = xr.concat([runs([0, 1, np.nan], [0, 0, np.nan])] * 2, "steps").assign_coords(
        steps=[50_000, 60_000]
    )
    assert "".join(ph.phases(data).phase.values) == ".M"
    assert "".join(ph.phases(data.isel(step=slice(0, 2))).phase.values) == ".."


def test_fractions_count_the_decided_seeds_and_sum_to_one():
    phase = xr.DataArray([list("CG."), list("CM."), list("GM.")], dims=("seed", "lr"))
    found = ph.fractions(phase)
    assert found.sel(phase="C").values[:2] == pytest.approx([2 / 3, 0])
    assert found.sum("phase").values[:2] == pytest.approx(1) and found.isel(lr=2).isnull().all()


def test_bands_in_the_order_of_the_claim_are_seen_and_others_are_not():
    """The controls of "sandwiched": C, G, M in bands passes in every line, G, C, M in none."""
    assert ph.orders(["CCGGMM", "MGGC", "CGGMX"]).to_dict() == {"CGM": 3}
    assert ph.orders(["GGCCM", "GCM"]).to_dict() == {"GCM": 2}
    bands = np.array([list("CCGGMM")] * 3)
    assert "CM" not in ph.borders(bands) and ph.borders(bands).to_dict() == {"CG": 3, "GM": 3}


@pytest.mark.parametrize(
    "make",
    [
        lambda: ph.PhaseRule(threshold=1.2),
        lambda: ph.PhaseRule(cap=NEVER),
        lambda: ph.phases(
            runs([0, 1], [0, 1]).assign_attrs(
                configs=json.dumps([{"stop": STOP | {"variable": "f"}}])
            )
        ),
        lambda: ph.phases(xr.Dataset({"train_accuracy": ("step", [0.0])}, {"step": [0]})),
    ],
)
def test_what_makes_no_sense_is_refused(make):
    with pytest.raises(ParameterError):
        make()


ATTRIBUTES = ["{", "3", "[1]", '{"stop": {"variable": "x"}}', "[" * 5000, 7]


@pytest.mark.parametrize("name", ["configuration", "configs"])
@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_a_configuration_that_is_none_of_a_run_is_one_sentence(name, attribute):
    data = runs([100], [200], 300).assign_attrs({name: attribute})
    with pytest.raises(ParameterError, match="that the dataset holds is none of a run") as caught:
        ph.phases(data)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("goal", [NEVER, 0, -1, 1.5, float("inf"), "0.9", 1j, None])
def test_a_goal_that_is_no_accuracy_is_refused(goal):
    with pytest.raises(ParameterError, match="^goal = "):
        ph.phases(runs([100], [200], 300), goal=goal)
