"""The tasks of chapter 06."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from grokbook.errors import ParameterError
from grokbook.experiments.progress_measures import (
    CONTROLS,
    lead_tasks,
    progress_measures,
    recorded_study,
    short_name,
    watched_run,
)


def test_ten_tasks_with_three_seeds_each_and_different_keys():
    tasks = lead_tasks()
    assert len(tasks) == len({task.key for task in tasks.values()}) == 10
    assert all(task.seeds == (0, 1, 2) and task.name == name for name, task in tasks.items())
    assert {"measures/lead[add, p=59]", "measures/lead[x2_plus_xy_plus_y2, p=47]"} <= set(tasks)


def test_logged_steps_are_evenly_spaced_from_zero():
    for task in lead_tasks().values():
        steps = task.config.log.steps(task.config.steps)
        assert steps[0] == 0 and steps[-1] == task.config.steps and len(set(np.diff(steps))) == 1


def test_separate_tokens_share_none():
    config = lead_tasks()["measures/lead[add, separate tokens, p=47]"].config
    assert config.task.shift == config.task.p == config.model.shift


def test_the_live_run_has_the_sizes_asked_for_and_even_logs():
    live = progress_measures(11, 0.6, 16, 505, 2)["live"]
    assert (live.config.model.d_model, live.config.task.train_fraction, live.seeds) == (16, 0.6, (0, 1))
    assert live.config.log.steps(505)[-1] == 505
    with pytest.raises(ParameterError, match="prime"):
        progress_measures(12, 0.6, 16, 500, 1)


def test_the_study_holds_what_is_recorded_and_names_what_is_not(monkeypatch):
    module = "grokbook.experiments.progress_measures.available"
    data = xr.Dataset(coords={"seed": [0, 1], "step": [0]})
    monkeypatch.setattr(module, lambda e: data if "subtract" in e.name else None)
    study = recorded_study()
    assert list(study.runs) == ["subtract, p=47"] and study.count == 2 and len(study.absent) == 9


def test_the_controls_are_among_the_tasks():
    assert set(CONTROLS) < {short_name(task) for task in lead_tasks().values()}


def test_seeds_can_be_fewer():
    assert watched_run(5, n_seeds=1).seeds == (0,)
