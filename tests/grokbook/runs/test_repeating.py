"""Records are repeated: equal code gives them exactly, other numbers are seen, rounding is told
from them."""

import dataclasses

import numpy as np
import pytest
import torch
import xarray as xr

from grokbook.errors import ParameterError
from grokbook.models.transformer import Shape
from grokbook.runs import repeating
from grokbook.runs.experiment import Experiment, load_or_run
from grokbook.runs.repeating import (
    Repetition,
    differences,
    repeat,
    repeat_sample,
    sample,
)
from grokbook.runs.store import Store
from grokbook.runs.sweep import Axis, Sweep
from grokbook.training import Schedule, train
from grokbook_chapters.causes.runs import KEPT
from grokbook_chapters.gu2025 import modular_run
from grokbook_chapters.tian2025 import pairs_of

TINY = Experiment("made/up", modular_run(5, 0.5, d_model=8, steps=60), seeds=(1,))


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path)
    load_or_run(TINY, store, progress=False)
    return store


def test_equal_code_repeats_a_record_without_any_difference(store):
    assert repeat(TINY, store, steps=40) == Repetition("made/up", 1, 40, 0.0)


def test_a_share_of_the_records_is_drawn_and_repeated(store, monkeypatch):
    absent = dataclasses.replace(TINY, version=2)
    monkeypatch.setattr(
        "grokbook.runs.recording.catalogue", lambda: {TINY.name: TINY, "absent": absent}
    )
    assert [one.experiment for one in repeat_sample(1.0, 0, store, steps=10)] == ["made/up"]
    drawn = [sample(range(40), 0.1, draw) for draw in range(200)]
    assert {len(one) for one in drawn} == {4} and set().union(*drawn) == set(range(40))
    assert sample(range(40), 0.1, 7) == sample(range(40), 0.1, 7) and sample(range(3), 0.01, 0)
    with pytest.raises(ParameterError, match="share = 0 must be above 0 and at most 1"):
        sample(range(3), 0, 0)


def test_the_first_cell_of_an_axis_that_does_not_rise_is_found(tmp_path):
    """A record has its coordinates in order, the sweep its values as they were given."""
    config = pairs_of("Z5", 4, 0.5, rate=0.01, decay=0.0, steps=20, log=Schedule(0, 10, 4))
    sweep, store = (
        Sweep("made/sweep", config, (0,), axes=(Axis("weight_decay", (5.0, 0.0, 1.0)),)),
        Store(tmp_path),
    )
    load_or_run(sweep, store, progress=False)
    assert repeat(sweep, store, steps=20).difference < 1e-6


def test_differences_are_relative_and_missing_values_count():
    a = xr.Dataset(
        {"x": ("step", [2.0, np.nan]), "table": (("step", "token"), np.ones((2, 2)))},
        {"step": [0, 10]},
    )
    b = xr.Dataset({"x": ("step", [2.0, 1.0])}, {"step": [0, 10]})
    for one, other in ((1, 1.01), (-1, -1.01), (-1.01, -1)):
        assert differences(a.assign(x=one * a.x), a.assign(x=other * a.x)) == pytest.approx(
            0.02 / 2.02
        )
    assert differences(a, b).tolist() == [0.0, np.inf]
    assert (
        differences(a, b.drop_vars("x")).tolist()
        == differences(a.drop_vars("x"), b).tolist()
        == [np.inf, np.inf]
    )


def test_a_record_that_keeps_a_part_of_what_is_logged_is_repeated_by_that_part(
    tmp_path, monkeypatch
):
    """An arm of chapter 19 keeps five curves in single precision; another decay is seen in them."""
    arm, store = Experiment("made/arm", TINY.config, (0,), kept=KEPT), Store(tmp_path)
    load_or_run(arm, store, progress=False)
    assert repeat(arm, store, steps=20).difference < 1e-6
    other = dataclasses.replace(TINY.config.optimizer, weight_decay=3.0)
    monkeypatch.setattr(
        repeating,
        "train",
        lambda configs, **options: train(
            [dataclasses.replace(config, optimizer=other) for config in configs], **options
        ),
    )
    assert repeat(arm, store, steps=20).difference > 1e-4


FAST = dataclasses.replace(modular_run(5, 0.5).optimizer, learning_rate=0.1)
WILD = Experiment(
    "made/wild",
    dataclasses.replace(modular_run(5, 0.5, d_model=8, steps=400), optimizer=FAST),
    (1,),
)


class Turned(Shape):
    """The same network with its hidden units in another order: the same function, summed in another
    order."""

    def draw(self, seed, *start):
        order = torch.arange(self.d_mlp).flip(0)
        weights = super().draw(seed, *start)
        return weights | {
            "W_in.0": weights["W_in.0"][order],
            "W_out.0": weights["W_out.0"][:, order],
        }


TURNED = dataclasses.replace(WILD.config, model=Turned(5, 8))
DECAYED = dataclasses.replace(WILD.config, optimizer=dataclasses.replace(FAST, weight_decay=1.01))


@pytest.mark.parametrize(
    ("config", "by_rounding"), [(TURNED, True), (DECAYED, False)], ids=["order", "decay"]
)
def test_another_order_of_summation_is_told_from_other_code(
    tmp_path, monkeypatch, config, by_rounding
):
    """At a rate where rounding grows to the size of the numbers: an oracle passes, one per cent of
    decay does not."""
    store, real = Store(tmp_path), repeating.first_steps
    load_or_run(WILD, store, progress=False)

    def other(experiment, *given, **how):
        return real(dataclasses.replace(experiment, config=config), *given, **how)

    monkeypatch.setattr(repeating, "first_steps", other)
    entry = repeat(WILD, store, steps=400)
    assert entry.difference > repeating.LIKE
    assert (entry.ratio <= repeating.TIMES) == by_rounding


def test_what_is_not_recorded_is_refused(tmp_path, store):
    with pytest.raises(
        ParameterError, match="made/up is not recorded, so there is nothing to repeat"
    ):
        repeat(TINY, Store(tmp_path / "empty"))
    with pytest.raises(ParameterError, match="steps = 0 must be 1 or more"):
        repeat(TINY, store, steps=0)
