"""A run as data: the stopping rule, refusals, one spelling of equal configurations."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import small

from grokbook.errors import ParameterError
from grokbook.models.transformer import Shape
from grokbook.tasks import ModularTask
from grokbook.training import RunConfig, StopRule

numbers = st.floats(0, 1) | st.just(float("nan"))


@given(st.lists(numbers, max_size=12), st.floats(0, 1), st.booleans(), st.integers(1, 6))
def test_the_stopping_rule_wants_the_last_values_in_a_row(values, threshold, above, hold):
    rule = StopRule(threshold=threshold, above=above, hold=hold)
    inside = [v >= threshold if above else v <= threshold for v in values]
    assert rule.met(values) == (len(values) >= hold and all(inside[-hold:]))


def test_a_stopping_rule_that_never_waits_is_refused():
    with pytest.raises(ParameterError, match=r"hold = 0 must be 1 or more logged steps\."):
        StopRule(hold=0)


@pytest.mark.parametrize(
    ("model", "task"),
    [
        (Shape(11, d_model=8), ModularTask(7)),
        (Shape(7, d_model=8, shift=2), ModularTask(7)),
        (Shape(7, d_model=8), ModularTask(7, shift=1)),
    ],
)
def test_a_model_made_for_another_task_is_refused(model, task):
    with pytest.raises(ParameterError) as caught:
        RunConfig(task, model)
    assert str(caught.value) == (
        f"the model is made for p = {model.p}, shift = {model.shift}, but the task has "
        f"p = {task.p}, shift = {task.shift}; they must be equal."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": 0}, "steps = 0 must be an integer of 1 or more."),
        ({"steps": 1e4}, "steps = 10000.0 must be an integer of 1 or more."),
        ({"snapshots": -1}, "snapshots = -1 must be an integer of 0 or more."),
        ({"seed": -1}, "seed = -1 must be an integer of 0 or more."),
        ({"seed": True}, "seed = True must be an integer of 0 or more."),
        ({"dtype": "float16"}, "dtype = 'float16' is unknown; choose one of float32, bfloat16."),
    ],
)
def test_a_value_out_of_range_is_refused(arguments, message):
    with pytest.raises(ParameterError) as caught:
        RunConfig(ModularTask(7), Shape(7, d_model=8), **arguments)
    assert str(caught.value) == message


def test_a_seed_draws_both_the_split_and_the_weights():
    config = small(0).with_seed(5)
    assert (config.seed, config.task.seed) == (5, 5)
    assert dataclasses.replace(config, seed=0, task=small(0).task) == small(0)
