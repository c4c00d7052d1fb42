"""Representation quality of matrices: Liu et al. 2022, appendix H, in the words of the text and of
the program."""

from functools import partial

import numpy as np
import pytest
import torch

from grokbook.tasks.groups import GroupTask, cayley_table
from grokbook_chapters.groups.group_deduction import coset_representation
from grokbook_chapters.groups.group_quality import (
    answered_cells,
    closed_products,
    equal_products,
    group_quality,
    predicted_accuracy,
)
from refusals import refusals

S3 = cayley_table("S3")
SWAPS = coset_representation(S3, (0, 1))


@pytest.mark.parametrize("name", ["Z3", "S3", "Q8", "A4"])
def test_parallelograms_are_all_pairs_of_cells_of_one_product(name):
    table = cayley_table(name)
    found = equal_products(table)
    (a, b), (c, d) = found.transpose(1, 2, 0)
    assert (table[a, b] == table[c, d]).all() and len(found) == len(table) ** 2 * (
        len(table) - 1
    ) // 2
    assert len({frozenset(map(tuple, two)) for two in found.tolist()}) == len(found)


@pytest.mark.parametrize("convention", ["code", "paper"])
def test_a_representation_closes_all_and_so_does_it_in_another_basis(convention):
    basis = np.random.default_rng(0).normal(size=(3, 3))
    turned = basis @ SWAPS @ np.linalg.inv(basis)
    assert group_quality(SWAPS, S3, convention=convention) == 1
    assert group_quality(torch.from_numpy(turned), S3, convention=convention) == 1


def test_the_program_s_rule_has_no_scale_and_the_text_s_has():
    noise = np.random.default_rng(0).uniform(-0.05, 0.05, size=(6, 3, 3))
    assert group_quality(noise, S3) == group_quality(1e3 * noise, S3) < 0.05
    assert group_quality(noise, S3, convention="paper") == 1
    assert group_quality(1e3 * noise, S3, convention="paper") == 0


def test_the_rules_are_those_that_are_written():
    matrices, z2 = np.array([[[1.0, 0], [0, 1]], [[1, 0.5], [0, 1]]]), cayley_table("Z2")
    difference = np.array([[0, 1.0], [0, 0]])  # 1 1 - s s, the only one that is not closed
    scale = (matrices**2).mean()
    for delta in (0.999, 1.001):
        assert closed_products(matrices, z2, convention="paper", delta=delta).tolist() == [
            delta > 1,
            True,
        ]
        mean = (difference**2).mean() / scale**2
        assert closed_products(matrices, z2, delta=delta * mean).tolist() == [delta > 1, True]


def test_answered_cells_are_linked_to_a_trained_one():
    trained = GroupTask("S3", 12 / 36, seed=3).train_mask
    seen = {int(S3[a, b]) for a, b in np.argwhere(trained)}
    every = answered_cells(np.ones(90, dtype=bool), S3, trained)
    assert (every == np.isin(S3, list(seen))).all()
    assert (answered_cells(np.zeros(90, dtype=bool), S3, trained) == trained).all()
    assert predicted_accuracy(SWAPS, S3, trained) == every.mean()


@pytest.mark.parametrize("dtype", [bool, int, float])
def test_truth_values_and_0_and_1_mark_the_same_cells(dtype):
    """Eq. 12 and 13: cells are marked, not counted off."""
    z2, closed, trained = cayley_table("Z2"), np.ones(2, dtype), np.array([[1, 0], [0, 0]], dtype)
    found = answered_cells(closed, z2, trained)
    assert found.dtype == bool and found.tolist() == [[True, False], [False, True]]
    assert answered_cells(0 * closed, z2, trained).tolist() == [[True, False], [False, False]]
    assert predicted_accuracy(np.array([[[1.0]], [[-1.0]]]), z2, trained) == 0.5


Z2, MARKED = cayley_table("Z2"), np.ones((2, 2), bool)
test_what_are_no_matrices_and_marks_of_another_shape_are_refused = refusals(
    *(
        (partial(group_quality, np.ones(shape), S3), "a matrix an element")
        for shape in ((6, 9), (5, 3, 3))
    ),
    *(
        (partial(group_quality, np.full((6, 3, 3), value), S3), "must be finite")
        for value in (0.0, np.nan)
    ),
    *(
        (partial(answered_cells, MARKED[0], Z2, np.ones(shape, bool)), "trained has shape")
        for shape in ((2, 3), 4)
    ),
    (lambda: answered_cells(np.ones(3, bool), Z2, MARKED), "closed has shape"),
)
