"""Plan of chapter 09: settings differ in what their label says and in nothing else; starts have the moments stated."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.experiments import width
from grokbook.experiments.gu2025 import fig5, modular_run
from grokbook.training.optim import AdamW

GOOD = {"p": 11, "train_fraction": 0.6, "d_model": 16, "steps": 100, "n_seeds": 2, "start": "toeplitz"}


@pytest.mark.parametrize("start", ["normal", "made up"])
def test_a_start_that_cannot_be_compared_is_refused(start):
    with pytest.raises(ParameterError, match=f"start = '{start}' must be one of toeplitz"):
        width.width_and_initialisation(**(GOOD | {"start": start}))


def test_the_live_runs_differ_in_the_start_alone():
    a, b = width.width_and_initialisation(**GOOD).values()
    assert dataclasses.replace(b.config, start="normal") == a.config
    assert a.seeds == (0, 1)


def test_settings_of_one_question_differ_in_it_alone():
    runs = width.by_optimiser()
    assert len({dataclasses.replace(e.config, optimizer=AdamW()) for e in runs.values()}) == 1
    for settings in (width.by_start(), width.small_by_start()):
        assert len({dataclasses.replace(e.config, start="normal") for e in settings.values()}) == 1
    shifts = [e.config for e in width.small_by_shift().values()]
    assert [c.task.shift for c in shifts] == [0, 20, 40, 59]
    assert len({(c.steps, c.n_train, c.model.d_model) for c in shifts}) == 1


def test_the_random_start_of_fig_20_is_the_run_of_fig_5():
    assert width.by_start()["normal"].key == fig5(97).key


def test_widths_and_positions_are_labelled_by_what_they_are():
    for label, run in width.by_width().items():
        task, model = run.config.task, run.config.model
        assert label == f"p = {task.p}, k = {task.shift}, d = {model.d_model}"
    for label, run in (width.by_position() | width.small_by_position()).items():
        assert label.endswith("on") == run.config.model.positional


def test_steps_of_the_starts_have_their_expected_length():
    """E|step|^2 = 2 Var(entry) d: 2 for variance 1/d, 1/6 for uniform entries over the root of d (variance 1/12d)."""
    table = width.start_table(53, 53, draws=40).set_index("start")
    assert np.allclose(table["MED"], table["expected step"], rtol=0.05)
    assert np.isclose(table["expected step"]["normal"] / table["expected step"]["positive"], np.sqrt(12))
    spread = table["step spread"]
    assert spread["circulant"] < 1e-6 < spread["toeplitz"] < spread["positive"]


def test_no_draws_and_no_turns_are_refused():
    with pytest.raises(ParameterError, match="draws = 0"):
        width.start_table(5, 4, 0)
    with pytest.raises(ParameterError, match="repeats = 0"):
        width.step_costs(modular_run(5, 0.5, d_model=8, steps=4), repeats=0)


def test_costs_are_relative_to_the_first_optimiser():
    table = width.step_costs(modular_run(7, 0.5, d_model=8, steps=4), {"a": AdamW(), "b": AdamW()}, repeats=3)
    assert table.ratio[0] == 1.0 and (table["ms a step"] > 0).all()
    assert np.isclose(table.ratio[1], table["ms a step"][1] / table["ms a step"][0])
