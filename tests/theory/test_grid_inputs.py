"""What is no mask, no side and no radius is refused in one sentence."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.theory.grid_inputs import LARGEST_SIDE, count, grid, positive, side_and_radius, whole


@pytest.mark.parametrize(
    "mask", [[[0, 2], [1, 1]], [[0.5, 0], [0, 0]], [[np.nan, 0], [0, 0]], np.array([["a", "b"], ["c", "d"]])]
)
def test_a_mask_holds_true_and_false_alone(mask):
    with pytest.raises(ParameterError, match=r"^train_mask must hold True and False \(or 1 and 0\) and nothing else.$"):
        grid(mask)


@pytest.mark.parametrize("mask", [np.ones(4), np.ones((2, 3)), np.ones((0, 0)), np.ones((2, 2, 2))])
def test_a_mask_is_square(mask):
    with pytest.raises(ParameterError, match="must be a square"):
        grid(mask)


def test_masks_of_every_kind():
    for mask in ([[1, 0], [0, 1]], np.eye(2), torch.eye(2), torch.eye(2, dtype=torch.bool)):
        assert np.array_equal(grid(mask), np.eye(2, dtype=bool))


@pytest.mark.parametrize("value", [0, -1, 1.0, "3", None, True])
def test_whole_numbers(value):
    with pytest.raises(ParameterError, match="is not a whole number of 1 or more"):
        whole(value, "k")


def test_numpy_integers_are_whole():
    assert whole(np.int64(3), "k") == 3 and count(np.int32(4), 2) == 4 and positive(np.float32(2), "eps") == 2


@pytest.mark.parametrize("value", [0, -1.0, float("inf"), float("nan"), "1", True])
def test_positive_numbers(value):
    with pytest.raises(ParameterError, match="is not a positive finite number"):
        positive(value, "eps")


def test_a_disc_fits_its_torus_exactly_at_half_the_side():
    assert side_and_radius(7, 4, torus=True) == (7, 4)
    assert side_and_radius(7, 5, torus=False) == (7, 5)
    with pytest.raises(ParameterError, match="the largest k is 4"):
        side_and_radius(7, 5, torus=True)
    with pytest.raises(ParameterError, match="p may be at most"):
        side_and_radius(LARGEST_SIDE + 1, 2, torus=False)


def test_rows_of_unequal_length_are_refused_in_a_sentence():
    with pytest.raises(ParameterError, match="rows differ in length"):
        grid([[1, 0], [0]])
