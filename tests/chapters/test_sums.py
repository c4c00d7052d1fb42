"""Sums as labels: which pairs are samples, and which tested pairs are mirror images of trained
ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.tasks.addition import AdditionTask
from grokbook_chapters.trained_toys.sums import SumTask


@given(st.integers(2, 9), st.booleans(), st.booleans(), st.integers(0, 99))
def test_every_pair_is_a_sample_with_its_sum(p, ordered, modular, seed):
    task = SumTask(p, 0.6, seed=seed, ordered=ordered, modular=modular)
    pairs = [(i, j) for i in range(p) for j in range(p) if ordered or i <= j]
    assert [tuple(pair) for pair in task.inputs] == pairs and task.samples == len(pairs)
    assert task.targets.tolist() == [(i + j) % p if modular else i + j for i, j in pairs]
    assert task.outputs == len(
        {(i + j) % p if modular else i + j for i in range(p) for j in range(p)}
    )


@given(st.integers(3, 9), st.integers(0, 99))
def test_a_mirror_image_is_a_tested_pair_whose_other_order_was_trained(p, seed):
    task = SumTask(p, 0.5, seed=seed, ordered=True)
    trained = {tuple(pair) for pair in task.inputs[task.train_index].tolist()}
    known = [(i, j) not in trained and (j, i) in trained for i, j in task.inputs.tolist()]
    assert task.mirrored.tolist() == known
    assert not SumTask(p, 0.5, seed=seed).mirrored.any()


def test_unordered_sums_are_those_of_the_toy():
    ours, toys = SumTask(7, 0.6, seed=3), AdditionTask(7, 0.6, "labels", seed=3)
    for name in ("inputs", "targets", "train_index"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(toys, name))


def test_answers_are_labels():
    with pytest.raises(ParameterError, match="'vectors' must be 'labels'"):
        SumTask(5, 0.5, answers="vectors")
