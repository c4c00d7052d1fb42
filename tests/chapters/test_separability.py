"""Sets of points: separability (Gu et al. 2025, Definition 5.1)."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grokbook_chapters.separability_and_depth import separability as m
from refusals import refusals


def sets(seed, distance, d=3, m=5, n=6):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(m, d)), rng.normal(size=(n, d)) + distance * np.eye(d)[0]


cases = st.tuples(
    st.integers(0, 10_000), st.floats(0, 6), st.integers(1, 5), st.integers(1, 7), st.integers(1, 7)
)


@given(cases)
def test_every_answer_carries_its_certificate(case):
    """Separable: the slab holds both sets. Not: convex weights on both sides make one point.
    Always: gap = 2t."""
    a, b = sets(*case)
    found = m.separate(a, b)
    for points, nearest, weights in zip((a, b), found.nearest, found.weights, strict=True):
        assert weights.min() >= 0
        assert weights.sum() == pytest.approx(1, abs=1e-9)
        assert np.allclose(weights @ points, nearest)
    assert np.abs(found.normal).max() <= 1 + 1e-9
    half, slack = found.gap / 2, 1e-6 * max(found.scale, 1)
    assert (a @ found.normal).min() >= found.offset + half - slack
    assert (b @ found.normal).max() <= found.offset - half + slack
    assert np.abs(found.nearest[0] - found.nearest[1]).sum() == pytest.approx(found.gap, abs=slack)
    assert found.separable is bool(found.gap > m.TOLERANCE * found.scale)


@given(cases, st.integers(0, 3), st.sampled_from([1e-3, 1.0, 1e5]))
def test_the_short_proof_and_the_linear_programme_agree(case, shared, size):
    """Either proves its answer; points that both sets have make hulls that touch, where only one
    answer is right."""
    a, b = (size * points for points in sets(*case))
    b[:shared] = a[:1]
    assert m.convexly_separable(a, b) is m.separate(a, b).separable
    assert not (shared and m.convexly_separable(a, b))


@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=5),
    st.lists(st.integers(-5, 5), min_size=1, max_size=5),
)
def test_on_a_line_hulls_are_intervals(first, second):
    gap = max(min(first) - max(second), min(second) - max(first), 0)
    found = m.separate(np.array(first)[:, None], np.array(second)[:, None])
    assert found.separable is (gap > 0)
    assert found.gap == pytest.approx(gap, abs=1e-9)


@given(cases, st.integers(1, 4))
def test_subspace_implies_convex_implies_topological(case, rank):
    """The true order of Definition 5.1; section 5 of the paper states the reverse."""
    a, b = sets(*case)
    directions = np.random.default_rng(case[0]).normal(size=(rank, a.shape[1]))
    if m.convexly_separable_on(a, b, directions):
        assert m.convexly_separable(a, b)
    if m.convexly_separable(a, b):
        assert m.topologically_separable(a, b)


@given(cases, st.floats(0.001, 1000), st.integers(0, 100))
def test_affine_maps_and_order_of_the_sets_change_nothing(case, factor, seed):
    """An invertible affine map keeps hulls disjoint or not; the margin of our programme depends on
    the axes only."""
    a, b = sets(*case)
    rng = np.random.default_rng(seed)
    shift = rng.normal(size=a.shape[1])
    found = m.separate(a, b)
    moved = m.separate(factor * a + shift, factor * b + shift)
    assert moved.gap == pytest.approx(factor * found.gap, rel=1e-5, abs=1e-6 * factor)
    assert m.separate(b, a).gap == pytest.approx(found.gap, abs=1e-7)


def test_points_in_general_position_are_separable_in_high_dimension():
    """m + n points in m + n - 1 dimensions: every labelling, so the null is 1 too (dimension
    counting)."""
    points = np.random.default_rng(0).normal(size=(12, 11))
    labels = np.repeat(np.arange(3), 4)
    assert m.class_separability(points, labels).share == 1
    assert m.shuffled_share(points, labels).share == 1


def test_sums_of_embeddings_are_never_separable_on_the_full_grid():
    """All classes of i + j have one mean in phi1(i) + phi2(j) (common-point theorem), so their
    hulls meet in it."""
    p = 7
    rng = np.random.default_rng(1)
    one, two = rng.normal(size=(2, p, 20))
    points = (one[:, None] + two[None]).reshape(p * p, -1)
    i, j = np.divmod(np.arange(p * p), p)
    found = m.class_separability(points, (i + j) % p)
    assert found.share == 0
    assert len(found.pairs) == 21
    assert m.separate(points[(i + j) % p == 0], points[(i + j) % p == 1]).gap < 1e-9


def test_a_product_feature_separates_the_classes():
    """cos and sin of 2 pi (i + j)/p are products of features of i and j: a point a class."""
    p = 7
    i, j = np.divmod(np.arange(p * p), p)
    angle = 2 * np.pi * (i + j) / p
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert m.class_separability(points, (i + j) % p).share == 1
    assert m.shuffled_share(points, (i + j) % p).share < 0.2


def test_a_sample_of_pairs():
    points, labels = np.random.default_rng(0).normal(size=(60, 4)), np.repeat(np.arange(12), 5)
    every = m.class_separability(points, labels)
    some = m.class_separability(points, labels, pairs=40, seed=1)
    assert (len(every.pairs), len(some.pairs), every.standard_error) == (66, 40, 0)
    assert len(np.unique(some.pairs, axis=0)) == 40
    assert abs(some.share - every.share) <= 4 * some.standard_error + 1e-12


def test_torch_lists_and_equal_points():
    a = torch.tensor([[0.0, 0.0]], requires_grad=True)
    assert m.separate(a, [[1, 1]]).gap == pytest.approx(2)
    same = m.separate([[1.0, 2.0]], [[1.0, 2.0]])
    assert (same.separable, same.gap) == (False, 0)
    assert not m.topologically_separable([[0.0]], [[0.05]], tolerance=0.1)


def test_a_direction_along_which_nothing_differs_is_rounding_not_a_gap():
    a = np.array([[1.0, 1e6], [1.0, 3e6]])
    b = np.array([[1.0 + 1e-13, 2e6]])
    assert not m.convexly_separable_on(a, b, [[1.0, 0.0]])


def test_subspace_is_orthonormal_and_drops_what_is_dependent():
    basis = m.subspace([[1.0, 1, 0], [2.0, 2, 0], [0.0, 0, 5]], 3)
    assert basis.shape == (2, 3)
    assert np.allclose(basis @ basis.T, np.eye(2))


@pytest.mark.parametrize("shift", [0.0, 1e7])
def test_a_translation_changes_no_verdict(shift):
    assert m.convexly_separable_on([[shift]], [[shift + 1]], [[1.0]])
    assert m.convexly_separable([[shift]], [[shift + 1]])


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: m.separate(np.zeros((0, 2)), [[1.0, 1]]), "first has p = 0 rows"),
    (lambda: m.separate([[1.0]], [[1.0, 1]]), "first has dimension 1 and second 2"),
    (lambda: m.separate([[np.nan]], [[1.0]]), "not finite in row 0"),
    (lambda: m.topologically_separable([[0.0]], [[1.0]], tolerance=-1), "tolerance = -1"),
    (lambda: m.convexly_separable_on([[0.0]], [[1.0]], [[0.0]]), "directions are all zero"),
    (lambda: m.convexly_separable_on([[0.0]], [[1.0]], [[0.0, 1.0]]), "directions has dimension 2"),
    (lambda: m.class_separability([[0.0], [1.0]], [0, 0]), "one class only"),
    (lambda: m.class_separability([[0.0], [1.0]], [0, 1, 2]), "labels has 3 entries"),
    (lambda: m.class_separability([[0.0], [1.0]], [0, 1], pairs=0), "pairs is 0"),
)
