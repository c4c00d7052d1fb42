"""Watched runs: what is recorded is the measure of the weights at that step, and training is not
touched."""

import dataclasses
import os
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import xarray as xr

from grokbook.errors import ParameterError
from grokbook.measures import med, weight_norm
from grokbook.own_code import code_behind
from grokbook.runs.experiment import Experiment
from grokbook.runs.instruments import INSTRUMENTS
from grokbook.training.watching import View, look
from grokbook_chapters.lead_tasks import watched_run


def tiny(**kwargs) -> Experiment:
    return watched_run(5, d_model=8, steps=40, points=4, n_seeds=2, **kwargs)


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """The tiny run, and the folder of its checkpoints."""
    folder = tmp_path_factory.mktemp("watched")
    return tiny().run(checkpoints=folder, progress=False), folder


def test_training_is_not_touched(watched):
    """The logged variables are bit for bit those of the plain experiment."""
    plain = Experiment("x", tiny().config, seeds=(0, 1)).run(progress=False)
    run, _ = watched
    for name in plain.data_vars:
        assert np.array_equal(run[name].values, plain[name].values, equal_nan=True), name
    assert run.sizes["seed"] == 2 and list(run.seed.values) == [0, 1]


def test_a_view_shows_the_weights_of_its_step():
    """Measures that training logs too come out equal when a watch takes them."""
    mine = {
        "my_med": lambda view: med(view.embedding),
        "my_norm": lambda view: weight_norm(view.weights),
        "my_accuracy": lambda view: (view.logits.argmax(1) == view.task.labels)[
            view.task.test_index
        ].mean(),
        "my_step": lambda view: view.step,
        "ahead": lambda view: view.final is not None,
        "shape": lambda view: view.hidden.shape[1] + 1000 * view.embedding.shape[0],
    }
    run = tiny(watch=mine).run(progress=False)
    assert np.allclose(run.my_med, run.med) and np.allclose(run.my_norm, run.weight_norm)
    assert np.allclose(run.my_accuracy, run.test_accuracy)
    assert np.array_equal(run.my_step[0], run.step)
    assert run.ahead[0].values.tolist() == [1, 1, 1, 1, 0]
    assert (run["shape"] == 32 + 5000).all()


def test_at_the_last_step_both_forms_of_a_fourier_loss_agree(watched):
    run = watched[0].isel(step=-1)
    assert run.restricted_loss.notnull().all()
    assert np.allclose(run.restricted_loss, run.restricted_loss_now)
    assert np.allclose(run.excluded_loss, run.excluded_loss_now)


def test_undefined_measures_are_nan_and_others_are_not():
    run = watched_run(5, "x2_plus_xy_plus_y2", d_model=8, steps=20, points=2, n_seeds=1).run(
        progress=False
    )
    assert run.restricted_loss.isnull().all() and run.excluded_loss_now.isnull().all()
    assert run.local_complexity.notnull().all() and run.representation_quality.notnull().all()


def test_the_key_names_the_measures_and_the_code_tells_a_readers_functions_apart():
    plain, one = tiny(), tiny(watch={"mine": lambda view: 1.0})
    two = tiny(watch={"mine": lambda view: 2.0})
    assert len({plain.key, one.key, Experiment("x", plain.config).key}) == 3 and one.key == two.key
    assert one.configuration()["watch"] == ["mine"] and one.code.own and not plain.code.own
    assert one.code.digest != two.code.digest
    assert set(plain.configuration()["observed"]) == set(INSTRUMENTS)


def test_a_readers_own_reading_of_the_end_is_known_by_what_it_reads(monkeypatch):
    run = Experiment("x", tiny().config, (0,), read_at_end=largest)
    first = run.code
    assert first.own and first.digest and first.probe
    assert run.run(progress=False).largest.dims == ("seed",)
    monkeypatch.setitem(globals(), "BOUND", 70.0)
    assert run.code.digest != first.digest and run.code.probe != first.probe


BOUND, STEPS = 0.5, {"a", "b", "c"}


def largest(config, weights):
    """The largest weight of the read-out, at least a global number."""
    return xr.Dataset({"largest": max(BOUND, float(weights["W_U"].max()))})


def above(bound):
    """A function that takes a number from outside."""
    return lambda view: (view.hidden > bound).mean()


def above_all(view, least=0.0):
    """One that takes a global number, and another function that does."""
    return max(BOUND, least, *(step(view) for step in (also,)))


def also(view):
    """Its helper, which uses it again, and a set."""
    return above_all(view) if view in STEPS else np.mean(view)


class Above:
    """A function that is an object, and its method."""

    def __init__(self, bound):
        self.bound = bound

    def __call__(self, view):
        return view > self.bound

    def at(self, view):
        return view >= self.bound


PAIRS = {
    "closures": (above(1), above(2)),
    "parts of one function": (partial(above_all, least=1), partial(above_all, least=2)),
    "a part of another": (partial(above_all), partial(also)),
    "objects": (Above(1), Above(2)),
    "methods": (Above(1).at, Above(2).at),
    "functions inside": (lambda v: [x > 1 for x in v], lambda v: [x > 2 for x in v]),
}


@pytest.mark.parametrize(("one", "other"), PAIRS.values(), ids=PAIRS)
def test_watches_that_compute_different_things_are_different_code(one, other):
    found = [code_behind(watches={"m": watch}) for watch in (one, one, other)]
    assert found[0].digest == found[1].digest != found[2].digest and None not in (
        found[0].digest,
        found[2].digest,
    )


def test_a_digest_is_the_same_in_every_process_and_what_has_none_is_not_kept(tmp_path):
    """Each process draws anew in which order it keeps the words of a set."""
    said = "import test_instruments as t; print(t.code_behind(watches={'m': t.above({'a', 'b', 'c'})}).digest)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "1"}
    done = subprocess.run(
        [sys.executable, "-c", said], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == code_behind(watches={"m": above({"c", "b", "a"})}).digest
    with (tmp_path / "file").open("w") as file:
        code = code_behind(watches={"m": lambda view: file.name})
    assert code.digest is None and "cannot be written down" in code.why


def test_a_finished_seed_is_not_trained_again(watched, monkeypatch):
    run, folder = watched
    times = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    monkeypatch.setattr("grokbook.training.loop.advance", lambda *a: pytest.fail("trained again"))
    again = dataclasses.replace(tiny(), seeds=(1,)).run(checkpoints=folder, progress=False)
    assert np.array_equal(again.restricted_loss[0], run.restricted_loss[1]) and len(times) == 2


@pytest.mark.parametrize(("name", "said"), [("med", "every run logs"), ("med ", "under a name")])
def test_a_name_that_is_taken_or_none_is_refused_and_an_error_of_a_watch_is_not_hidden(name, said):
    with pytest.raises(ParameterError, match=said):
        tiny(watch={name: lambda view: 0.0}).run(progress=False)
    with pytest.raises(ZeroDivisionError):
        look(lambda view: 1 / 0, View(tiny().config, {}))
