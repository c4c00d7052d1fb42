"""Watched runs: what is recorded is the measure of the weights at that step, and training is not touched."""

import dataclasses

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.lead_tasks import watched_run
from grokbook.experiments.observing import OBSERVERS, Observed, observer_digest
from grokbook.measures import med, weight_norm
from grokbook.training.watching import View, look


def tiny(**kwargs) -> Observed:
    return watched_run(5, d_model=8, steps=40, points=4, n_seeds=2, **kwargs)


def test_training_is_not_touched():
    """The logged variables are bit for bit those of the plain experiment."""
    watched = tiny()
    plain = Experiment("x", watched.config, seeds=(0, 1)).run(progress=False)
    run = watched.run(progress=False)
    for name in plain.data_vars:
        assert np.array_equal(run[name].values, plain[name].values, equal_nan=True), name
    assert run.sizes["seed"] == 2 and list(run.seed.values) == [0, 1]


def test_a_view_shows_the_weights_of_its_step():
    """Measures that training logs too come out equal when an observer takes them."""
    mine = {
        "my_med": lambda view: med(view.embedding),
        "my_norm": lambda view: weight_norm(view.weights),
        "my_accuracy": lambda view: (view.logits.argmax(1) == view.task.labels)[view.task.test_index].mean(),
        "my_step": lambda view: view.step,
        "ahead": lambda view: view.final is not None,
        "shape": lambda view: view.hidden.shape[1] + 1000 * view.second_embedding.shape[0],
    }
    run = tiny(observers=mine).run(progress=False)
    assert np.allclose(run.my_med, run.med) and np.allclose(run.my_norm, run.weight_norm)
    assert np.allclose(run.my_accuracy, run.test_accuracy)
    assert np.array_equal(run.my_step[0], run.step)
    assert run.ahead[0].values.tolist() == [1, 1, 1, 1, 0]
    assert (run["shape"] == 32 + 5000).all()


def test_at_the_last_step_both_forms_of_a_fourier_loss_agree():
    run = tiny().run(progress=False).isel(step=-1)
    assert run.restricted_loss.notnull().all()
    assert np.allclose(run.restricted_loss, run.restricted_loss_now)
    assert np.allclose(run.excluded_loss, run.excluded_loss_now)


def test_undefined_measures_are_nan_and_others_are_not():
    run = watched_run(5, "x2_plus_xy_plus_y2", d_model=8, steps=20, points=2, n_seeds=1).run(progress=False)
    assert run.restricted_loss.isnull().all() and run.excluded_loss_now.isnull().all()
    assert run.local_complexity.notnull().all() and run.representation_quality.notnull().all()


def test_the_key_names_the_measures_and_the_readers_function():
    plain, one = tiny(), tiny(observers={"mine": lambda view: 1.0})
    two = tiny(observers={"mine": lambda view: 2.0})
    assert len({plain.key, one.key, two.key, Experiment("x", plain.config).key}) == 4
    assert set(plain.configuration()["observed"]) == set(OBSERVERS)
    assert observer_digest(OBSERVERS["local_complexity"]) == observer_digest(OBSERVERS["local_complexity"])


def test_a_finished_seed_is_not_trained_again(tmp_path, monkeypatch):
    run = tiny().run(checkpoints=tmp_path, progress=False)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    monkeypatch.setattr("grokbook.training.loop.advance", lambda *a: pytest.fail("trained again"))
    again = dataclasses.replace(tiny(), seeds=(1,)).run(checkpoints=tmp_path, progress=False)
    assert np.array_equal(again.restricted_loss[0], run.restricted_loss[1]) and len(times) == 2


@pytest.mark.parametrize(("name", "said"), [("med", "every run logs"), ("med ", "new name"), ("excluded_loss", "new")])
def test_a_name_that_is_taken_or_none_is_refused_and_an_error_of_an_observer_is_not_hidden(name, said):
    with pytest.raises(ParameterError, match=said):
        tiny(observers={name: lambda view: 0.0}).run(progress=False)
    with pytest.raises(ZeroDivisionError):
        look(lambda view: 1 / 0, View(tiny().config, {}))
