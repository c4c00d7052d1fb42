"""Chapter 02: its plan, its checks come out either way, and its picture marks one class."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.plotting import splits
from grokbook.tasks import ModularTask
from grokbook.topics import task_and_model as chapter

GOOD = {"p": 13, "train_fraction": 0.3, "square": 4, "strip": 4, "shift": 3}


def test_nothing_is_trained():
    assert chapter.plan(**GOOD) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"square": 12}, "hole = 12 is larger than the grid of p = 13 allows: the largest hole is 11."),
        ({"shift": -1}, "shift = -1 is negative; the smallest valid shift is 0."),
    ],
)
def test_the_plan_refuses_values_that_do_not_fit(change, message):
    with pytest.raises(ParameterError) as caught:
        chapter.plan(**GOOD | change)
    assert str(caught.value) == message


def test_random_sets_are_not_products():
    """Section 3.1: |T| = |rows| |columns| exactly for a product I' x J'."""
    found = chapter.products(11, splits=5)
    assert found.verdict == "holds with correction"
    assert found.low > 1


def test_shuffled_columns_are_no_translates_and_shuffled_rows_are():
    """Section 6.1, Y_mn = X_m + n: renaming i keeps the classes translates along j, renaming j does not."""
    table = np.add.outer(np.arange(11), np.arange(11)) % 11
    order = np.random.default_rng(0).permutation(11)
    assert chapter.not_translates(table[order]) == 0
    assert chapter.not_translates(table[:, order]) > 0
    assert chapter.classes_are_translates((5, 11)).verdict == "holds"


def test_a_wrong_closed_form_is_seen(monkeypatch):
    monkeypatch.setattr(chapter, "quadratic_class_sizes", lambda p: np.full(p, p))
    assert chapter.quadratic_form_classes(11).verdict == "fails"


def test_the_printed_range_is_one_too_long():
    found = chapter.printed_range(7)
    assert (found.verdict, found.value) == ("holds with correction", 8)


def test_pictures_of_the_grid_mark_one_class_and_paint_training_test_and_hole():
    image = chapter.operation_tables({"add": ModularTask(11)}, residue=3).axes[0].images[1]
    assert (image.get_array() == 1).sum() == 11
    task = ModularTask(11, split="square", hole=4)
    painted = splits({"square": task}).axes[0].images[0].get_array()
    assert ((painted == 2).sum(), (painted == 1).sum()) == (task.train_index.size, 25)
