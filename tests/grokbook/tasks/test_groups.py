"""Finite groups from their tables, and the task on ordered pairs (Liu et al. 2022, appendix H)."""

import math
import tracemalloc
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.tasks.addition import AdditionTask
from grokbook.tasks.groups import GroupTask, cayley_table, check_group, inverses
from grokbook_chapters.resnet_grokking.shapes import ShapeTask

NAMES = (
    "Z1",
    "Z5",
    "Z12",
    "D1",
    "D3",
    "D4",
    "S3",
    "S4",
    "A4",
    "A5",
    "Q8",
    "Z2xZ4",
    "Z2xZ2xZ2",
    "S3xZ2",
)
ABELIAN = {"Z1", "Z5", "Z12", "D1", "Z2xZ4", "Z2xZ2xZ2"}


def orders(table):
    """How many elements have each order, by multiplying."""
    found = []
    for a in range(len(table)):
        power, order = a, 1
        while power != 0:
            power, order = table[power, a], order + 1
        found.append(order)
    return sorted(found)


@pytest.mark.parametrize("name", NAMES)
def test_every_named_table_is_that_of_a_group_whose_identity_is_0(name):
    table = check_group(cayley_table(name))
    assert (table[0] == np.arange(len(table))).all() and bool((table == table.T).all()) == (
        name in ABELIAN
    )
    assert (table[np.arange(len(table)), inverses(table)] == 0).all()
    assert not table.flags.writeable or table is not cayley_table(name)


def test_orders_of_elements_tell_groups_of_eight_elements_apart():
    assert orders(cayley_table("Q8")) == [1, 2, 4, 4, 4, 4, 4, 4]
    assert orders(cayley_table("D4")) == [1, 2, 2, 2, 2, 2, 4, 4]
    assert orders(cayley_table("Z2xZ4")) == [1, 2, 2, 2, 4, 4, 4, 4]
    assert orders(cayley_table("A4")) == [1, 2, 2, 2, *[3] * 8]


WRONG = [
    ([[0, 1], [1, 2]], "not closed"),
    ([[1, 1], [1, 1]], "no identity"),
    ([[0, 1], [1, 1]], "element 1 has no inverse"),
    (
        [[0, 1, 2, 3, 4], [1, 0, 3, 4, 2], [2, 4, 0, 1, 3], [3, 2, 4, 0, 1], [4, 3, 1, 2, 0]],
        "not associative",
    ),
    ([[0, 1]], "whole numbers"),
]


@pytest.mark.parametrize(("table", "words"), WRONG)
def test_the_first_violated_law_is_named(table, words):
    with pytest.raises(ParameterError, match=words):
        check_group(table)


@pytest.mark.parametrize("name", ["", "Z", "Z999", "B3", "D61", "Z20xZ20", "Z2x", "Z²"])
def test_a_name_that_is_no_group_is_refused(name):
    with pytest.raises(ParameterError, match="group"):
        cayley_table(name)


@settings(max_examples=30)
@given(
    st.sampled_from(NAMES[1:]),
    st.floats(0.1, 0.9),
    st.integers(0, 5),
    st.sampled_from(["vectors", "labels"]),
)
def test_the_task_is_the_table(name, fraction, seed, answers):
    try:
        task = GroupTask(name, fraction, answers, seed=seed)
    except ParameterError as refused:
        assert "both sets need at least one" in str(refused)
        return
    a, b = task.inputs.T
    samples, n = task.sizes()
    assert task.train_index.size == n == task.train_mask.sum() and len(a) == samples == len(
        task.targets
    )
    assert (
        task.train_mask[a, b].nonzero()[0] == task.train_index
    ).all() and task.train_mask.dtype == bool
    # numpy 2.0 gives them an axis more
    places = np.unique(task.targets, axis=0, return_inverse=True)[1].ravel()
    labels = task.targets if answers == "labels" else places
    products = cayley_table(name)[a, b]
    assert len(set(zip(labels.tolist(), products.tolist(), strict=True))) == len(cayley_table(name))


def test_the_authors_split_has_its_sizes_and_the_seed_draws_it():
    task, other = GroupTask(), GroupTask(seed=1)
    assert task.sizes() == (36, 24) and task.targets.shape == (36, 30)
    assert (task.train_index != other.train_index).any() and task == GroupTask("S3", 24 / 36)


@pytest.mark.parametrize("fraction", [0.0, 1.5, math.nan, math.inf, None, "0.5", True])
@pytest.mark.parametrize("task", [GroupTask, partial(AdditionTask, 10), ShapeTask])
def test_a_fraction_that_is_none_is_refused(task, fraction):
    with pytest.raises(ParameterError, match="train_fraction"):
        task(train_fraction=fraction)


@pytest.mark.parametrize(
    "changed", [{"group": "S9"}, {"answers": "sums"}, {"width": 0}, {"group": "Z120xZ500"}]
)
def test_what_is_no_task_is_refused_before_it_is_made(changed):
    tracemalloc.start()
    with pytest.raises(ParameterError):
        GroupTask(**changed)
    assert tracemalloc.get_traced_memory()[1] < 1e8  # the table of Z120xZ500 has 29 GB
    tracemalloc.stop()
