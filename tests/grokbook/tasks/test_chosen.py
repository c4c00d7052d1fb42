"""A training set that is chosen: the pairs that were asked for, whatever the seed, and nothing
else."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.tasks.addition import AdditionTask
from grokbook.tasks.chosen import ChosenAddition


@given(
    st.integers(2, 9).flatmap(
        lambda p: st.tuples(st.just(p), st.sets(st.integers(0, p * (p + 1) // 2 - 1)))
    )
)
def test_the_training_set_is_the_chosen_pairs(drawn):
    p, numbers = drawn
    every = AdditionTask(p, 0.5).inputs
    pairs = [tuple(pair[::-1]) for pair in every[sorted(numbers)].tolist()]
    if not 0 < len(pairs) < len(every):
        with pytest.raises(ParameterError, match="at least one"):
            ChosenAddition(p, trained=pairs)
        return
    task = ChosenAddition(p, trained=pairs)
    assert task.train_index.tolist() == sorted(numbers) and task.sizes() == (len(every), len(pairs))


def test_a_seed_draws_the_answers_alone():
    task = ChosenAddition(4, trained=[(0, 2), (1, 1)])
    other = dataclasses.replace(task, seed=1)
    assert (task.train_index == other.train_index).all() and not np.allclose(
        task.targets, other.targets
    )
    assert np.array_equal(task.targets, AdditionTask(4, 0.5).targets)


@pytest.mark.parametrize(
    "pairs", [[(0, 4), (1, 1)], [(0, 1, 2)], [(-1, 2)], [(0, 1), (1, 0)], [(0.9, 2)], [3]]
)
def test_what_is_no_training_set_is_refused(pairs):
    with pytest.raises(ParameterError):
        ChosenAddition(4, trained=pairs)
