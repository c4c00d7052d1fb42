"""Confirming records: equal code repeats them exactly, other numbers are seen, the page says which."""

import dataclasses
import json
import re

import numpy as np
import pytest
import torch
import xarray as xr
from filelock import FileLock, Timeout

from grokbook.build import footer
from grokbook.build.footer import _changed, _dataset
from grokbook.chapters.causes.runs import Arm
from grokbook.errors import ParameterError, RecordError
from grokbook.fingerprint import fingerprint
from grokbook.models.transformer import Shape
from grokbook.runs import confirming, provenance
from grokbook.runs.confirming import CONFIRMED, confirm, differences, first_steps
from grokbook.runs.experiment import Experiment, load_or_run, recorded
from grokbook.runs.gu2025 import modular_run
from grokbook.runs.store import MANIFEST, Store
from grokbook.runs.sweep import Axis, Sweep
from grokbook.runs.tian2025 import pairs_of
from grokbook.training import Schedule, train

TINY = Experiment("made/up", modular_run(5, 0.5, d_model=8, steps=60), seeds=(1,))


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path)
    load_or_run(TINY, store, progress=False)
    return store


def other_code(store, *fingerprints):
    """Make the manifest say that other code made the records: each part that of its own, or all of one."""
    path = store.path / MANIFEST
    content = json.loads(path.read_text())
    for entry in content["records"].values():
        parts = entry["provenance"]
        for made, code in zip(parts, fingerprints or ["0" * 16] * len(parts), strict=True):
            made["fingerprint"] = code
    path.write_text(json.dumps(content))


def test_the_first_steps_are_those_of_the_whole_run(store):
    whole = store.load(TINY.key).sel(seed=1)
    part = first_steps(TINY, 1, 30)
    assert part.step.values.tolist() == [0, 10, 20, 30]
    assert np.array_equal(part.train_loss, whole.train_loss.sel(step=part.step))


def test_equal_code_repeats_a_record_without_any_difference(store):
    entry = confirm(TINY, store, steps=40)
    assert (entry["difference"], entry["steps"], entry["seed"]) == (0.0, 40, 1)
    assert confirming.confirmed(TINY.key, fingerprint(), store.path) == entry
    assert confirming.confirmed(TINY.key, "another", store.path) is None
    assert confirm(TINY, store, steps=40) == entry and confirming.confirmations(store.path) == {TINY.key: [entry]}


def test_other_numbers_are_seen(store, monkeypatch):
    real = confirming.first_steps

    def slower(experiment, seed, *given, **how):
        config = modular_run(5, 0.5, d_model=8, steps=60, weight_decay=0.9)
        return real(Experiment("x", config, (seed,)), seed, *given, **how)

    monkeypatch.setattr(confirming, "first_steps", slower)
    entry = confirm(TINY, store, steps=40)
    assert entry["difference"] > confirming.LIKE and entry["ratio"] > confirming.TIMES


def test_only_records_of_other_code_wait_for_confirmation(store, monkeypatch):
    monkeypatch.setattr("grokbook.runs.recording.catalogue", lambda: {TINY.name: TINY})
    assert confirming.confirm_outdated(store, steps=10) == []
    other_code(store)
    assert [e["experiment"] for e in confirming.confirm_outdated(store, steps=10)] == ["made/up"]
    assert confirming.confirm_outdated(store, steps=10) == []


def test_a_seed_of_every_code_is_confirmed_and_the_page_says_which(store, monkeypatch):
    """Seed 1 by one code, seeds 2 and 4 by another: to repeat seed 1 says nothing of these."""
    monkeypatch.setattr("grokbook.runs.recording.catalogue", lambda: {TINY.name: TINY})
    monkeypatch.setattr(confirming, "records_path", lambda: store.path)
    load_or_run(Experiment("made/up", TINY.config, seeds=(2, 4)), store, progress=False)
    other_code(store, "0" * 16, "1" * 16)
    one, two = store.find(TINY.key)[1]["provenance"]
    used = {"experiment": "made/up", "key": TINY.key, "origin": "recorded", "dtype": "float32", "seeds": [1, 4]}
    used["provenance"] = [one, two]
    confirm(TINY, store, steps=10)
    said = _dataset(used, fingerprint())
    assert re.search(r"; seed 1; made by earlier code .* \(seed 1, .*; seed 4; \*\*the library's code has ch", said)
    assert [e["seed"] for e in confirming.confirm_outdated(store, steps=10)] == [2]
    assert [e["seed"] for e in confirming.confirmations(store.path)[TINY.key]] == [1, 2]
    assert re.search(r"; seed 4; made by earlier code .* \(seed 2, ", _dataset(used, fingerprint()))
    made_now = two | {"fingerprint": fingerprint()}
    assert "earlier code" in _dataset(used | {"provenance": [one, made_now]}, fingerprint()), "the last code is not all"
    with pytest.raises(ParameterError, match=r"^seed = 7 is not recorded; choose of 1, 2, 4\.$"):
        confirm(TINY, store, seed=7)


def test_a_page_is_told_who_made_which_seeds(store, monkeypatch):
    load_or_run(Experiment("made/up", TINY.config, seeds=(2,)), store, progress=False)
    monkeypatch.setattr(provenance, "USED", [])
    recorded(Experiment("made/up", TINY.config, seeds=(1, 2)), store)
    (row,) = provenance.USED
    made = [(part["seeds"], part["fingerprint"], part["update"]) for part in row["provenance"]]
    assert made == [([seed], fingerprint(), "eager") for seed in (1, 2)]


def test_nobody_else_writes_while_a_confirmation_is_written(store, monkeypatch):
    real = confirming.atomic_write

    def alone(path, content):
        with pytest.raises(Timeout):
            FileLock(store._lock_path("manifest")).acquire(timeout=0)
        real(path, content)

    monkeypatch.setattr(confirming, "atomic_write", alone)
    assert confirm(TINY, store, steps=10) in confirming.confirmations(store.path)[TINY.key]


def test_the_first_cell_of_an_axis_that_does_not_rise_is_found(tmp_path):
    """A record has its coordinates in order, the sweep its values as they were given."""
    config = pairs_of("Z5", 4, 0.5, rate=0.01, decay=0.0, steps=20, log=Schedule(0, 10, 4))
    sweep, store = Sweep("made/sweep", config, (0,), axes=(Axis("weight_decay", (5.0, 0.0, 1.0)),)), Store(tmp_path)
    load_or_run(sweep, store, progress=False)
    assert confirm(sweep, store, steps=20)["difference"] < 1e-6


def test_a_sweep_is_confirmed_by_its_first_cell_and_knows_its_own_modules(tmp_path):
    """Task and network of other modules than those of pairs modulo p: the fingerprint is that of both."""
    axes = (Axis("train_fraction", (0.5, 0.7)), Axis("width", (4.0, 6.0)))
    config = pairs_of("Z5", 4, 0.5, rate=0.01, decay=0.0, steps=40, log=Schedule(0, 10, 4))
    sweep, store = Sweep("made/sweep", config, (0, 1), axes=axes), Store(tmp_path)
    load_or_run(sweep, store, progress=False)
    entry = confirm(sweep, store, steps=40)
    assert entry["difference"] < 1e-6 and entry["fingerprint"] != fingerprint()
    made = store.find(sweep.key)[1]["provenance"][0]
    assert entry["fingerprint"] == made["fingerprint"] == fingerprint(*made["modules"])
    used = {"experiment": sweep.name, "key": sweep.key, "origin": "recorded", "dtype": "float32", "seeds": [0]}
    assert "has changed" not in _dataset(used | {"provenance": [made]}, "base")
    assert "has changed" in _dataset(used | {"provenance": [made | {"modules": []}]}, "base")


def test_differences_are_relative_and_missing_values_count():
    a = xr.Dataset({"x": ("step", [2.0, np.nan]), "table": (("step", "token"), np.ones((2, 2)))}, {"step": [0, 10]})
    b = xr.Dataset({"x": ("step", [2.0, 1.0])}, {"step": [0, 10]})
    for one, other in ((1, 1.01), (-1, -1.01), (-1.01, -1)):
        assert differences(a.assign(x=one * a.x), a.assign(x=other * a.x)) == pytest.approx(0.02 / 2.02)
    assert differences(a, b).tolist() == [0.0, np.inf]
    assert differences(a, b.drop_vars("x")).tolist() == differences(a.drop_vars("x"), b).tolist() == [np.inf, np.inf]


def test_a_record_that_keeps_a_part_of_what_is_logged_is_confirmed_by_that_part(tmp_path, monkeypatch):
    """An arm of chapter 19 keeps five curves in single precision; another decay is seen in them."""
    arm, store = Arm("made/arm", TINY.config, (0,)), Store(tmp_path)
    load_or_run(arm, store, progress=False)
    assert confirm(arm, store, steps=20)["difference"] < 1e-6
    other = dataclasses.replace(TINY.config.optimizer, weight_decay=3.0)
    monkeypatch.setattr(confirming, "train", lambda configs, **options: train(
        [dataclasses.replace(config, optimizer=other) for config in configs], **options))  # fmt: skip
    assert confirm(arm, store, steps=20)["difference"] > 1e-4


FAST = dataclasses.replace(modular_run(5, 0.5).optimizer, learning_rate=0.1)
WILD = Experiment("made/wild", dataclasses.replace(modular_run(5, 0.5, d_model=8, steps=400), optimizer=FAST), (1,))


class Turned(Shape):
    """The same network with its hidden units in another order: the same function, summed in another order."""

    def draw(self, seed, *start):
        order = torch.arange(self.d_mlp).flip(0)
        weights = super().draw(seed, *start)
        return weights | {"W_in.0": weights["W_in.0"][order], "W_out.0": weights["W_out.0"][:, order]}


TURNED = dataclasses.replace(WILD.config, model=Turned(5, 8))
DECAYED = dataclasses.replace(WILD.config, optimizer=dataclasses.replace(FAST, weight_decay=1.01))


@pytest.mark.parametrize(("config", "by_rounding"), [(TURNED, True), (DECAYED, False)], ids=["order", "decay"])
def test_another_order_of_summation_is_told_from_other_code(tmp_path, monkeypatch, config, by_rounding):
    """At a rate where rounding grows to the size of the numbers: an oracle passes, one per cent of decay does not."""
    store, real = Store(tmp_path), confirming.first_steps
    load_or_run(WILD, store, progress=False)

    def other(experiment, *given, **how):
        return real(dataclasses.replace(experiment, config=config), *given, **how)

    monkeypatch.setattr(confirming, "first_steps", other)
    entry = confirm(WILD, store, steps=400)
    assert entry["difference"] > confirming.LIKE
    assert (entry["ratio"] <= confirming.TIMES) == by_rounding


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"difference": 0.0}, "repeats .* no difference"),
        ({"difference": 2e-6}, "2e-06"),
        ({"difference": 0.3}, "other numbers"),
        ({"difference": 0.3, "rounding": 0.5, "ratio": 0.6}, "as far as rounding lets it: .* makes 5e-01"),
        ({"difference": 0.3, "rounding": 1e-6, "ratio": 3000.0}, "other numbers"),
    ],
)
def test_the_page_says_what_was_found(monkeypatch, found, words):
    entry = {"seed": 0, "steps": 150, "confirmed_on": "2026-11-21"} | found
    monkeypatch.setattr(footer, "confirmed", lambda key, code, **_: entry)
    assert re.search(words, _changed("k", "d" * 40, [0], "now"))


def test_nothing_to_confirm_and_damaged_files_are_refused(tmp_path, store):
    with pytest.raises(ParameterError, match="made/up is not recorded"):
        confirm(TINY, Store(tmp_path / "empty"))
    with pytest.raises(ParameterError, match="steps = 0 must be 1 or more"):
        confirm(TINY, store, steps=0)
    (store.path / CONFIRMED).write_text("{")
    with pytest.raises(RecordError, match=r"CONFIRMED\.json cannot be read"):
        confirming.confirmations(store.path)
