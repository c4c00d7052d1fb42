"""Experiments: what their key depends on, what they predict, which seeds are missing."""

import dataclasses
import json
from functools import lru_cache

import pytest

from grokbook.errors import ParameterError
from grokbook.models.transformer import Shape
from grokbook.paths import project_root
from grokbook.runs import Experiment, load_or_run
from grokbook.runs.store import MANIFEST, Store
from grokbook.tasks import ModularTask
from grokbook.training import RunConfig, StopRule
from grokbook.training.config import digest

CONFIG = RunConfig(ModularTask(7, train_fraction=0.5), Shape(7, d_model=8), steps=10)


def made(**changes):
    """A tiny experiment."""
    return Experiment(**{"name": "made/up", "config": CONFIG, "seeds": (0, 1), **changes})


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """An empty checkout with a store of its own; the records lie in it."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "_config.yml").write_text("")
    monkeypatch.setenv("GROKBOOK_HOME", str(tmp_path))
    monkeypatch.setenv("GROKBOOK_STORE", str(tmp_path / "local"))
    return tmp_path


def test_the_key_does_not_depend_on_seeds_or_name():
    others = [made(seeds=(5,)), made(name="other/name[p=7]")]
    others += [made(config=CONFIG.with_seed(9)), made(config=dataclasses.replace(CONFIG, seed=4))]
    assert {e.key for e in others} == {made().key}


def test_the_key_depends_on_everything_in_the_configuration_and_on_the_version():
    def change(part, **changes):
        return dataclasses.replace(
            CONFIG, **{part: dataclasses.replace(getattr(CONFIG, part), **changes)}
        )

    square, strip = {"split": "square", "hole": 2}, {"split": "strip", "hole": 2}
    tasks = [
        {"operation": "subtract"},
        {"operation": "x*y + 1"},
        {"train_fraction": 0.4},
        {"split": "symmetric"},
    ]
    tasks += [square, square | {"hole": 3}, strip, strip | {"rule": "text"}]
    models = [
        {"d_model": 16},
        {"n_heads": 2},
        {"n_layers": 2},
        {"positional": False},
        {"d_mlp": 20},
    ]
    optimizers = [{"learning_rate": 2e-3}, {"weight_decay": 0.5}, {"warmup": 0}, {"beta2": 0.99}]
    whole = [{"steps": 11}, {"snapshots": 2}, {"stop": StopRule()}, {"dtype": "bfloat16"}]
    configs = [
        *(change("task", **changes) for changes in tasks),
        *(change("model", **changes) for changes in models),
        *(change("optimizer", **changes) for changes in optimizers),
        *(change("log", **changes) for changes in ({"points": 9}, {"spacing": "log"})),
        *(dataclasses.replace(CONFIG, **changes) for changes in whole),
        RunConfig(
            ModularTask(7, train_fraction=0.5, shift=1), Shape(7, d_model=8, shift=1), steps=10
        ),
    ]
    keys = [made(config=config).key for config in configs] + [made().key, made(version=2).key]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 16 and set(key) <= set("0123456789abcdef") for key in keys)


@pytest.mark.parametrize("seeds", [(), (0, 0), (-1, 2), [1, 1]])
def test_seeds_that_are_none_repeated_or_negative_are_refused(seeds):
    with pytest.raises(ParameterError, match="^seeds = .* must be how many, 1 or more, or which"):
        made(seeds=seeds)


@pytest.mark.parametrize("known", [(), (0,)], ids=["all seeds at once", "the rest of the seeds"])
def test_what_a_killed_process_left_beside_its_record_goes_at_the_next_load(
    known, tmp_path, monkeypatch
):
    store, experiment = Store(tmp_path), made(seeds=(0, 1, 2), together=True)
    if known:
        load_or_run(made(seeds=known), store, progress=False)
    with monkeypatch.context() as killed:
        killed.setattr(Experiment, "forget", lambda *_: None)
        load_or_run(experiment, store, progress=False)
    assert [*store.checkpoints(experiment).iterdir()]
    assert load_or_run(experiment, store, progress=False).attrs["origin"] == "cached"
    assert not store.checkpoints(experiment).exists()


def test_runs_that_shared_a_program_by_hand_leave_no_checkpoints(tmp_path, monkeypatch):
    """Two at a time of five, when they are recorded and, after a kill between record and removal,
    at the next load."""
    store, experiment = Store(tmp_path), made(seeds=(0, 1, 2, 3, 4))
    load_or_run(made(seeds=(0, 1, 2)), store, progress=False, rows=2, workers=1)
    assert not store.checkpoints(experiment).exists()
    with monkeypatch.context() as killed:
        killed.setattr(Experiment, "forget", lambda *_: None)
        load_or_run(experiment, store, progress=False, rows=2, workers=1)
    assert len([*store.checkpoints(experiment).iterdir()]) == 1
    load_or_run(experiment, store, progress=False)
    assert not store.checkpoints(experiment).exists()


@lru_cache(maxsize=1)
def committed():
    """The manifest entries of the project's own records."""
    path = project_root() / "data" / "records" / MANIFEST
    return json.loads(path.read_text())["records"] if path.exists() else {}


def test_the_committed_records_are_whole():
    assert Store(project_root() / "data" / "records").verify() == []


@pytest.mark.parametrize("name", committed())
def test_the_key_of_a_committed_record_is_still_that_of_its_configuration(name):
    entry = committed()[name]
    key = digest({"version": entry["version"], "configuration": entry["configuration"]})
    assert entry["key"] == key and name.endswith(f"/{key}.nc")
