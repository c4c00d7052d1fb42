"""A run as data: the stopping rule, the steps that are logged, refusals, one spelling of equal
configurations."""

import dataclasses
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.models.mlp import MLP
from grokbook.models.transformer import Shape
from grokbook.runs.experiment import Experiment
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, RunConfig, Schedule, StopRule, train
from grokbook.training.accelerators import Grokfast, Muon
from grokbook.training.config import size_key
from grokbook.training.schedule import snapshot_steps

numbers = st.floats(0, 1) | st.just(float("nan"))


@given(st.lists(numbers, max_size=12), st.floats(0, 1), st.booleans(), st.integers(1, 6))
def test_the_stopping_rule_wants_the_last_values_in_a_row(values, threshold, above, hold):
    rule = StopRule(threshold=threshold, above=above, hold=hold)
    inside = [v >= threshold if above else v <= threshold for v in values]
    assert rule.met(values) == (len(values) >= hold and all(inside[-hold:]))


@pytest.mark.parametrize(("p", "model_shift", "task_shift"), [(11, 0, 0), (7, 2, 0), (7, 0, 1)])
def test_a_model_made_for_another_task_is_refused(p, model_shift, task_shift):
    model, task = Shape(p, d_model=8, shift=model_shift), ModularTask(7, shift=task_shift)
    with pytest.raises(ParameterError) as caught:
        RunConfig(task, model)
    assert str(caught.value) == (
        f"the model is made for p = {model.p}, shift = {model.shift}, but the task has "
        f"p = {task.p}, shift = {task.shift}; they must be equal."
    )


RUN = partial(RunConfig, ModularTask(7), Shape(7, d_model=8))
NAN = float("nan")
REFUSALS = {
    "must be an integer of 1 or more.": [(RUN, "steps", 1e4), (Schedule, "points", 2.5)],
    "must be an integer of 0 or more.": [(RUN, "seed", True), (Schedule, "dense_until", -1)],
    "must be 1 or more logged steps.": [(StopRule, "hold", 0)],
    "must be a positive number.": [(AdamW, "learning_rate", NAN), (AdamW, "eps", 0)],
    "must be in [0, 1).": [(AdamW, "beta1", 1.0), (Muon, "momentum", 1.0)],
    "must be zero or more.": [(AdamW, "warmup", -1), (Grokfast, "gain", NAN)],
    "is unknown; choose one of linear, log.": [(Schedule, "spacing", "cubic")],
}


def splits(runs):
    return {tuple(run.task.train_index.tolist()) for run in runs}


def test_a_fixed_split_is_the_same_for_all_seeds_and_no_key_changes_without_one():
    free = RunConfig(ModularTask(5), Shape(5, d_model=8), steps=10)
    fixed = dataclasses.replace(free, split_seed=3)
    assert "split_seed" not in free.as_dict() and fixed.as_dict()["split_seed"] == 3
    assert len(splits(map(free.with_seed, range(4)))) == 4
    assert splits(map(fixed.with_seed, range(4))) == splits([free.with_seed(3)]) == splits([fixed])
    assert size_key(fixed) == size_key(free)
    keys = {Experiment("own/split", each, (0,)).key for each in (free, fixed)}
    assert len(keys) == 2
    assert fixed.with_seed(3).task == free.with_seed(3).task
    (one, other) = (train([each.with_seed(3)], progress=False) for each in (free, fixed))
    assert one.test_loss.values.tobytes() == other.test_loss.values.tobytes()


@dataclasses.dataclass(frozen=True)
class Given:
    """Four words, of which the first two are trained."""

    inputs = np.eye(4)
    targets = np.arange(4)
    train_index = np.arange(2)

    def groups(self):
        return {}


def test_a_split_that_no_seed_draws_cannot_be_fixed():
    with pytest.raises(
        ParameterError, match="^split_seed = 1, but the split of this task is drawn by no seed"
    ):
        RunConfig(Given(), MLP((4, 4)), steps=2, split_seed=1)


@pytest.mark.parametrize(
    ("rule", "setting"), [(rule, one) for rule, each in REFUSALS.items() for one in each]
)
def test_a_value_out_of_range_is_refused_with_the_rule(rule, setting):
    make, name, value = setting
    with pytest.raises(ParameterError) as caught:
        make(**{name: value})
    assert str(caught.value) == f"{name} = {value!r} {rule}"


schedules = st.builds(
    Schedule,
    dense_until=st.integers(0, 200),
    dense_every=st.integers(1, 40),
    points=st.integers(1, 300),
    spacing=st.sampled_from(["linear", "log"]),
)


@given(schedules, st.integers(1, 50_000))
def test_steps_rise_from_0_to_the_last_with_all_of_the_dense_part_and_at_most_the_points_besides(
    schedule, last
):
    steps = schedule.steps(last)
    assert (
        steps.dtype == np.int64
        and steps[0] == 0
        and steps[-1] == last
        and (np.diff(steps) > 0).all()
    )
    dense = set(range(0, min(schedule.dense_until, last) + 1, schedule.dense_every))
    assert dense <= set(steps.tolist()) and len(steps) - len(dense) <= schedule.points


@given(st.integers(1, 200), st.integers(1, 20_000))
def test_linear_points_are_evenly_spread(points, last):
    steps = Schedule(dense_until=0, points=points).steps(last)
    gaps = np.diff(steps)
    wanted = last / points
    assert len(gaps) == (points if last >= points else last)
    assert np.abs(gaps - max(wanted, 1)).max() <= 1


@given(st.integers(2, 60), st.integers(1000, 100_000))
def test_logarithmic_points_have_a_constant_ratio(points, last):
    schedule = Schedule(dense_until=100, dense_every=100, points=points, spacing="log")
    later = schedule.steps(last)[1:]
    exact = 100 * (last / 100) ** (np.arange(points + 1) / points)
    assert all(np.abs(exact - step).min() <= 0.5 + 1e-6 for step in later)
    assert all(np.abs(later - value).min() <= 0.5 + 1e-6 for value in exact)


@given(schedules, st.integers(1, 5_000), st.integers(0, 20))
def test_snapshots_are_logged_steps_with_both_ends(schedule, last, count):
    logged = schedule.steps(last)
    chosen = snapshot_steps(logged, count)
    assert set(chosen.tolist()) <= set(logged.tolist()) and len(chosen) <= count
    assert count == 0 or chosen[-1] == last and (count == 1 or chosen[0] == 0)
