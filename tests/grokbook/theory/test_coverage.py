"""Coverage against brute force, exact fractions, independent numbers (Gu et al. 2025, B.6);
memorisers."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grokbook.errors import ParameterError
from grokbook.tasks import ModularTask
from grokbook.theory import coverage as cov
from grokbook.theory.grid_inputs import LARGEST_SIDE, grid, side_and_radius
from grokbook.theory.memorisers import transpose_accuracy
from refusals import refusals

# independent computation (project oracle): cover.C, cover.C_sameclass, cover.C_corner for k = 1 ..
# 10
SIZES = [1, 5, 13, 25, 41, 61, 85, 113, 145, 181]
SAME_CLASS = [1, 1, 3, 3, 5, 5, 7, 7, 9, 9]
CORNER = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55]
# independent computation: cover.Eunc.*, (p, k, m, torus) -> expected number of uncovered cells
EXPECTED = {
    (97, 5, 2100, True): 0.29209707333758654534,
    (47, 4, 681, True): 0.20694740208889499957,
    (47, 4, 681, False): 0.89669226298082837941,
}
# independent computation: cover.alpha, (p, k) -> (printed 2 ln p / C, sufficient 1 - p^(-2/C))
FRACTIONS = {
    (47, 4): (0.3080118081368047, 0.265093359920311),
    (97, 4): (0.36597687828027065, 0.3064811636274636),
}


masks = st.integers(1, 9).flatmap(lambda p: arrays(bool, (p, p)))


def apart(a, b, p, torus):
    """Distance of two coordinates: on the line, or on the ring of p."""
    return min(abs(a - b), p - abs(a - b)) if torus else abs(a - b)


def all_distances(p, torus):
    """Every pair of cells: distances (p*p, p*p), in plain Python."""
    cells = [(i, j) for i in range(p) for j in range(p)]
    return np.array(
        [[apart(i, a, p, torus) + apart(j, b, p, torus) for a, b in cells] for i, j in cells]
    )


def nearest(mask, torus, same_class=False):
    """Distance of every cell from the nearest (same-class) training cell, by brute force."""
    p = mask.shape[0]
    d = all_distances(p, torus).astype(float)
    d[:, ~mask.ravel()] = np.inf
    if same_class:
        r = np.add.outer(np.arange(p), np.arange(p)).ravel() % p
        d[r[:, None] != r] = np.inf
    return d.min(axis=1).reshape(p, p)


@pytest.mark.parametrize("k", range(1, 11))
def test_sizes_of_discs_and_of_their_own_class(k):
    assert (cov.disc_size(k), cov.same_class_size(k)) == (SIZES[k - 1], SAME_CLASS[k - 1])
    assert cov.disc_sizes(21, k)[0, 0] == CORNER[k - 1] == k * (k + 1) // 2


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("p", [1, 2, 5, 8])
def test_disc_of_every_cell_by_counting(p, torus):
    distances = all_distances(p, torus)
    for k in range(1, (p + 1) // 2 + 1 if torus else 2 * p + 2):
        assert np.array_equal(
            cov.disc_sizes(p, k, torus=torus).ravel(), (distances < k).sum(axis=1)
        ), k


@given(masks, st.integers(1, 12), st.booleans())
def test_distances_and_uncovered_cells_by_brute_force(mask, k, torus):
    k = min(k, (mask.shape[0] + 1) // 2) if torus else k
    assert cov.uncovered(mask, k, torus=torus) == (nearest(mask, torus) >= k).sum()
    assert np.array_equal(cov.distance_to_training(mask, torus=torus), nearest(mask, torus))
    assert np.array_equal(
        cov.same_class_distance(mask, torus=torus), nearest(mask, torus, same_class=True)
    )


@pytest.mark.parametrize(("case", "value"), EXPECTED.items())
def test_expected_uncovered_against_independent_numbers(case, value):
    p, k, m, torus = case
    assert cov.expected_uncovered(p, k, m, torus=torus) == pytest.approx(value, rel=1e-12)


@given(st.integers(2, 12), st.integers(1, 6), st.floats(0, 1), st.booleans())
def test_expected_uncovered_is_the_exact_fraction(p, k, share, torus):
    """Sum over cells of C(N - C_ij, m) / C(N, m) with Python's integers; to 1e-12."""
    k = min(k, (p + 1) // 2)
    n, m = p * p, int(share * p * p)
    discs = (all_distances(p, torus) < k).sum(axis=1).tolist()
    exact = sum(Fraction(comb(n - c, m), comb(n, m)) for c in discs)
    assert cov.expected_uncovered(p, k, m, torus=torus) == pytest.approx(
        float(exact), rel=1e-12, abs=0
    )


@given(st.integers(2, 30), st.integers(1, 8), st.floats(0, 1))
def test_drawing_with_replacement_misses_more(p, k, share):
    """The exact value is below both (1 - C/N)^m and (1 - m/N)^C, for every set of C cells."""
    n, m = p * p, int(share * p * p)
    c = min(cov.disc_size(k), n)
    exact = cov.miss_probability(n, c, m)
    assert exact <= min((1 - c / n) ** m, (1 - m / n) ** c) * (1 + 1e-12)


@pytest.mark.parametrize(("case", "values"), FRACTIONS.items())
def test_fractions_against_independent_numbers(case, values):
    assert (cov.printed_fraction(*case), cov.required_fraction(*case)) == pytest.approx(
        values, rel=1e-12
    )


@given(st.integers(3, 400), st.integers(1, 12))
def test_the_required_fraction_suffices_and_is_below_the_printed_one(p, k):
    k = min(k, (p + 1) // 2)
    alpha = cov.required_fraction(p, k)
    assert alpha < cov.printed_fraction(p, k) and alpha < 1
    m = min(int(np.ceil(alpha * p * p)), p * p)
    assert cov.expected_uncovered(p, k, m, torus=True) <= 1 + 1e-9


@given(st.integers(2, 25), st.integers(1, 7), st.floats(0.01, 3), st.booleans())
def test_the_least_training_size_is_least(p, k, eps, torus):
    k = min(k, (p + 1) // 2)
    m = cov.least_training_size(p, k, eps, torus=torus)
    assert cov.expected_uncovered(p, k, m, torus=torus) < eps
    assert m == 0 or cov.expected_uncovered(p, k, m - 1, torus=torus) >= eps


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize(("p", "k"), [(3, 2), (5, 3), (7, 2), (97, 5)])
def test_expected_share_is_one_exactly_from_the_guaranteed_size_on(p, k, torus):
    """E[prop] = 1, that is E[U] = 0, if and only if m > N - C_min."""
    m = cov.guaranteed_size(p, k, torus=torus)
    assert (
        cov.expected_uncovered(p, k, m, torus=torus)
        == 0
        < cov.expected_uncovered(p, k, m - 1, torus=torus)
    )


@pytest.mark.parametrize(
    "mask",
    [
        [[0, 2], [1, 1]],
        [[0.5, 0], [0, 0]],
        [[np.nan, 0], [0, 0]],
        np.array([["a", "b"], ["c", "d"]]),
    ],
)
def test_a_mask_of_any_kind_holds_true_and_false_alone(mask):
    for good in ([[1, 0], [0, 1]], np.eye(2), torch.eye(2), torch.eye(2, dtype=torch.bool)):
        assert np.array_equal(grid(good), np.eye(2, dtype=bool))
    with pytest.raises(
        ParameterError,
        match=r"^train_mask must hold True and False \(or 1 and 0\) and nothing else.$",
    ):
        grid(mask)


@pytest.mark.parametrize(("p", "fraction"), [(5, 0.4), (11, 0.3), (23, 0.7)])
def test_expectation_over_random_splits(p, fraction):
    """The share of test cells whose transpose is trained, over 400 splits, within four standard
    errors."""
    tasks = [ModularTask(p, train_fraction=fraction, seed=s) for s in range(400)]
    shares = [t.transposed_mask.sum() / t.test_index.size for t in tasks]
    error = np.std(shares) / 20
    assert (
        abs(np.mean(shares) - transpose_accuracy(p, tasks[0].train_index.size)) < 4 * error + 1e-12
    )


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: cov.disc_size(0), "k is 0, but must be a whole number at least 1."),
    (
        lambda: cov.uncovered(np.eye(5), 4, torus=True),
        "7 overlap itself on a torus of side 5; the largest k is 3.",
    ),
    (
        lambda: cov.expected_uncovered(5, 2, 26),
        "m is 26, but must be a whole number between 0 and 25.",
    ),
    (lambda: cov.least_training_size(5, 2, 0.0), "eps = 0.0 is not a positive finite number."),
    (lambda: transpose_accuracy(1, 1), "must lie strictly between 0 and"),
    (lambda: side_and_radius(LARGEST_SIDE + 1, 2, torus=False), "p may be at most"),
    (lambda: side_and_radius(7, 5, torus=True), "the largest k is 4"),
)
