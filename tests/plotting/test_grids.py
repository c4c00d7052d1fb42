"""Pictures on the grid count what they show."""

from __future__ import annotations

from grokbook import plotting
from grokbook.tasks import ModularTask


def test_splits_paint_training_test_and_hole():
    task = ModularTask(11, split="square", hole=4)
    image = plotting.splits({"square": task}).axes[0].images[0].get_array()
    assert (image == 2).sum() == task.train_index.size
    assert (image == 1).sum() == 25


def test_operation_tables_mark_one_class():
    task = ModularTask(11)
    mask = plotting.operation_tables({"add": task}, residue=3).axes[0].images[1].get_array()
    assert (mask == 1).sum() == 11
