"""Papyan, Han & Donoho 2020: variability within classes (NC1) and angles of their means (NC2)."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook_chapters.images.neural_collapse import simplex_distance, within_class_share
from refusals import refusals


def drawn(seed, classes, d=4, n=6):
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(classes), n)
    return rng.normal(size=(classes, d))[y] + 0.3 * rng.normal(size=(len(y), d)), y


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 99), st.integers(2, 5), st.floats(0.1, 10))
def test_both_are_blind_to_position_scale_and_rotation(seed, classes, scale):
    f, y = drawn(seed, classes)
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(4, 4)))
    moved = scale * f @ turn + np.arange(4)
    for measure in (within_class_share, simplex_distance):
        assert measure(moved, y) == pytest.approx(measure(f, y))


def test_within_and_between_make_up_the_variance():
    """Huygens: total = within + between."""
    f, y = drawn(0, 3)
    means = np.array([f[y == c].mean(0) for c in y])
    between = ((means - f.mean(0)) ** 2).sum() / ((f - f.mean(0)) ** 2).sum()
    assert within_class_share(f, y) == pytest.approx(1 - between)


@pytest.mark.parametrize("classes", [2, 3, 5, 10])
def test_a_simplex_has_distance_zero_and_a_line_has_not(classes):
    assert simplex_distance(np.eye(classes), np.arange(classes)) == pytest.approx(0, abs=1e-12)
    if classes > 2:
        line = 2.0 ** np.arange(classes)[:, None]
        assert simplex_distance(line, np.arange(classes)) > 0.5


def test_tensors_with_a_gradient_are_measured_as_arrays():
    features, labels = np.random.default_rng(0).normal(size=(9, 4)), np.arange(9) % 3
    tensor = torch.tensor(features, requires_grad=True)
    assert within_class_share(tensor, labels) == within_class_share(features, labels)
    assert simplex_distance(tensor, labels) == simplex_distance(features, labels)


test_what_has_no_variance_or_no_angles_is_refused = refusals(
    *(
        (partial(within_class_share, np.full((3, 2), value), [0, 0, 1]), "all equal")
        for value in (0.0, 1.0)
    ),
    (lambda: within_class_share(np.full((7, 2), 0.1), [0, 0, 1, 1, 1, 0, 0]), "all equal"),
    *(
        (partial(m, [[0.0], [np.nan]], [0, 1]), "not finite in row 1")
        for m in (within_class_share, simplex_distance)
    ),
    (lambda: simplex_distance(np.eye(3), [0, 0, 0]), "1 class"),
    (lambda: simplex_distance([[0.0], [1.0], [-1.0]], [0, 1, 2]), "no direction"),
    (lambda: simplex_distance([[0.1], [0.2], [0.3]], [0, 1, 2]), "no direction"),
)
