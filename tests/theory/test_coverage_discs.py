"""Coverage against brute force, exact fractions and an independent computation (Gu et al. 2025, appendix B.6)."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grokbook.errors import ParameterError
from grokbook.theory.coverage import (
    disc_size,
    disc_sizes,
    distance_to_training,
    expected_share,
    expected_uncovered,
    guaranteed_size,
    least_training_size,
    miss_probability,
    printed_fraction,
    required_fraction,
    same_class_distance,
    same_class_size,
    sufficient_size,
    uncovered,
)

# independent computation (project oracle): cover.C, cover.C_sameclass, cover.C_corner for k = 1 .. 10
SIZES = [1, 5, 13, 25, 41, 61, 85, 113, 145, 181]
SAME_CLASS = [1, 1, 3, 3, 5, 5, 7, 7, 9, 9]
CORNER = [1, 3, 6, 10, 15, 21, 28, 36, 45, 55]

# independent computation: cover.Eunc.*, (p, k, m, torus) -> expected number of uncovered cells
EXPECTED = {
    (97, 5, 2100, True): 0.29209707333758654534,
    (97, 5, 2100, False): 1.2638856734435804224,
    (97, 4, 3444, True): 0.10404113756180240327,
    (97, 4, 3444, False): 0.4433404107604820866,
    (47, 4, 681, True): 0.20694740208889499957,
    (47, 4, 681, False): 0.89669226298082837941,
}

# independent computation: cover.alpha, (p, k) -> (printed 2 ln p / C, sufficient 1 - p^(-2/C))
FRACTIONS = {
    (47, 3): (0.5923304002630859, 0.4469630156735256),
    (47, 4): (0.3080118081368047, 0.265093359920311),
    (47, 6): (0.1262343475970511, 0.11859173333073014),
    (97, 3): (0.7038016890005204, 0.5052989751052257),
    (97, 4): (0.36597687828027065, 0.3064811636274636),
    (97, 5): (0.223156633097726, 0.2000104653583601),
}

masks = st.integers(1, 9).flatmap(lambda p: arrays(bool, (p, p)))


def apart(a, b, p, torus):
    """Distance of two coordinates: on the line, or on the ring of p."""
    return min(abs(a - b), p - abs(a - b)) if torus else abs(a - b)


def all_distances(p, torus):
    """Every pair of cells: distances (p*p, p*p), in plain Python."""
    cells = [(i, j) for i in range(p) for j in range(p)]
    return np.array([[apart(i, a, p, torus) + apart(j, b, p, torus) for a, b in cells] for i, j in cells])


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
    assert (disc_size(k), same_class_size(k)) == (SIZES[k - 1], SAME_CLASS[k - 1])
    assert disc_sizes(21, k)[0, 0] == CORNER[k - 1] == k * (k + 1) // 2


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("p", [1, 2, 5, 8])
def test_disc_of_every_cell_by_counting(p, torus):
    distances = all_distances(p, torus)
    for k in range(1, (p + 1) // 2 + 1 if torus else 2 * p + 2):
        assert np.array_equal(disc_sizes(p, k, torus=torus).ravel(), (distances < k).sum(axis=1)), k


@pytest.mark.parametrize("k", [1, 2, 5, 7])
def test_own_class_in_the_disc_by_counting(k):
    """Theorem 3.10 (i): cells with the same i + j mod p at distance below k of a cell, without wrap."""
    p = 2 * k + 1
    same = [(i, j) for i in range(p) for j in range(p) if (i + j) % p == 2 * k % p and abs(i - k) + abs(j - k) < k]
    assert same_class_size(k) == len(same)


@settings(deadline=None)
@given(masks, st.integers(1, 12), st.booleans())
def test_uncovered_cells_by_brute_force(mask, k, torus):
    p = mask.shape[0]
    k = min(k, (p + 1) // 2) if torus else k
    assert uncovered(mask, k, torus=torus) == (nearest(mask, torus) >= k).sum()


@settings(deadline=None)
@given(masks, st.booleans())
def test_distances_by_brute_force(mask, torus):
    assert np.array_equal(distance_to_training(mask, torus=torus), nearest(mask, torus))
    assert np.array_equal(same_class_distance(mask, torus=torus), nearest(mask, torus, same_class=True))


@given(masks, st.integers(0, 8), st.integers(0, 8))
def test_the_torus_does_not_know_where_it_was_cut(mask, rows, columns):
    k = (mask.shape[0] + 1) // 2
    assert uncovered(np.roll(mask, (rows, columns), (0, 1)), k, torus=True) == uncovered(mask, k, torus=True)


@given(masks, st.integers(1, 6))
def test_more_training_cells_or_a_larger_disc_cover_more(mask, k):
    more = mask | np.eye(mask.shape[0], dtype=bool)
    assert uncovered(more, k) <= uncovered(mask, k)
    assert uncovered(mask, k + 1) <= uncovered(mask, k)


@pytest.mark.parametrize("torus", [False, True])
def test_edge_cases(torus):
    empty, full = np.zeros((7, 7), bool), np.ones((7, 7), bool)
    some = np.arange(49).reshape(7, 7) % 3 == 0
    assert uncovered(empty, 4, torus=torus) == 49
    assert uncovered(full, 1, torus=torus) == 0
    assert uncovered(some, 1, torus=torus) == (~some).sum()


def test_every_kind_of_mask_counts_alike():
    mask = np.arange(25).reshape(5, 5) % 7 == 0
    kinds = [mask, mask.tolist(), mask.astype(float), torch.tensor(mask), torch.tensor(mask.astype(int))]
    assert {uncovered(kind, 2) for kind in kinds} == {(nearest(mask, False) >= 2).sum()}


@pytest.mark.parametrize(("case", "value"), EXPECTED.items())
def test_expected_uncovered_against_independent_numbers(case, value):
    p, k, m, torus = case
    assert expected_uncovered(p, k, m, torus=torus) == pytest.approx(value, rel=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 12), st.integers(1, 6), st.floats(0, 1), st.booleans())
def test_expected_uncovered_is_the_exact_fraction(p, k, share, torus):
    """Sum over cells of C(N - C_ij, m) / C(N, m) with Python's integers; to 1e-12."""
    k = min(k, (p + 1) // 2)
    n, m = p * p, int(share * p * p)
    discs = (all_distances(p, torus) < k).sum(axis=1).tolist()
    exact = sum(Fraction(comb(n - c, m), comb(n, m)) for c in discs)
    assert expected_uncovered(p, k, m, torus=torus) == pytest.approx(float(exact), rel=1e-12, abs=0)


def test_nothing_is_missed_once_the_rest_is_smaller_than_the_disc():
    assert miss_probability(25, 13, 13) == 0
    assert miss_probability(25, 13, 12) == pytest.approx(1 / comb(25, 12), rel=1e-12)
    assert miss_probability(25, np.array([1, 5]), 0).tolist() == [1, 1]


@given(st.integers(2, 30), st.integers(1, 8), st.floats(0, 1))
def test_drawing_with_replacement_misses_more(p, k, share):
    """The exact value is below both (1 - C/N)^m and (1 - m/N)^C, for every set of C cells."""
    n, m = p * p, int(share * p * p)
    c = min(disc_size(k), n)
    exact = miss_probability(n, c, m)
    assert exact <= min((1 - c / n) ** m, (1 - m / n) ** c) * (1 + 1e-12)


@pytest.mark.parametrize(("case", "values"), FRACTIONS.items())
def test_fractions_against_independent_numbers(case, values):
    assert (printed_fraction(*case), required_fraction(*case)) == pytest.approx(values, rel=1e-12)


@given(st.integers(3, 400), st.integers(1, 12))
def test_the_required_fraction_suffices_and_is_below_the_printed_one(p, k):
    k = min(k, (p + 1) // 2)
    alpha = required_fraction(p, k)
    assert alpha < printed_fraction(p, k) and alpha < 1
    m = min(int(np.ceil(alpha * p * p)), p * p)
    assert expected_uncovered(p, k, m, torus=True) <= 1 + 1e-9


@given(st.integers(2, 25), st.integers(1, 7), st.floats(0.01, 3), st.booleans())
def test_the_least_training_size_is_least(p, k, eps, torus):
    k = min(k, (p + 1) // 2)
    m = least_training_size(p, k, eps, torus=torus)
    assert expected_uncovered(p, k, m, torus=torus) < eps
    assert m == 0 or expected_uncovered(p, k, m - 1, torus=torus) >= eps


@given(st.integers(2, 40), st.integers(1, 7), st.floats(0.01, 1))
def test_the_bound_of_the_union_bound_is_on_the_safe_side(p, k, eps):
    k = min(k, (p + 1) // 2)
    bound = sufficient_size(p, k, eps)
    assert bound == pytest.approx(p * p / disc_size(k) * log(p * p / eps))
    assert least_training_size(p, k, eps, torus=True) <= max(bound + 1, 1)


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize(("p", "k"), [(3, 2), (5, 3), (7, 2), (97, 5)])
def test_expected_share_is_one_exactly_from_the_guaranteed_size_on(p, k, torus):
    """E[prop] = 1 if and only if m > N - C_min."""
    m = guaranteed_size(p, k, torus=torus)
    assert expected_share(p, k, m, torus=torus) == 1
    assert expected_uncovered(p, k, m, torus=torus) == 0 < expected_uncovered(p, k, m - 1, torus=torus)


def test_the_printed_necessary_condition_has_counterexamples():
    """k = 2: 2 ln p / 5 exceeds 1 from p = 13 on, and yet E[prop] = 1 can be had; p = 97 has 1.83."""
    m = guaranteed_size(97, 2, torus=True)
    assert expected_share(97, 2, m, torus=True) == 1 and m / 97**2 < 1 < printed_fraction(97, 2)


def test_one_cell_covers_a_torus_whose_discs_overlap_themselves():
    """Independent computation (cover.necessary): p = 3, k = 3 needs alpha = 1/9, below 2 ln 3 / 13 and 2 ln 3 / 9."""
    one = np.zeros((3, 3), dtype=bool)
    one[0, 0] = True
    assert distance_to_training(one, torus=True).max() < 3
    assert 2 * log(3) / 13 == pytest.approx(0.1690172751797092, rel=1e-12)
    assert 1 / 9 < 2 * log(3) / 13 < 2 * log(3) / 9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: disc_size(0), "k = 0 is not a whole number of 1 or more; the smallest k is 1."),
        (lambda: disc_size(2.0), "k = 2.0 is not a whole number of 1 or more; the smallest k is 1."),
        (lambda: disc_size(True), "k = True is not a whole number of 1 or more; the smallest k is 1."),
        (
            lambda: uncovered(np.eye(5), 4, torus=True),
            "k = 4 makes a disc of width 7 overlap itself on a torus of side 5; the largest k is 3.",
        ),
        (
            lambda: required_fraction(5, 4),
            "k = 4 makes a disc of width 7 overlap itself on a torus of side 5; the largest k is 3.",
        ),
        (lambda: expected_uncovered(5, 2, 26), "m = 26 is not a whole number of training cells from 0 to p*p = 25."),
        (lambda: expected_share(5, 2, 25), "m = 25 leaves no test cell at p = 5; the largest m with one is 24."),
        (lambda: least_training_size(5, 2, 0.0), "eps = 0.0 is not a positive finite number."),
        (lambda: least_training_size(5, 2, float("nan")), "eps = nan is not a positive finite number."),
        (
            lambda: sufficient_size(5, 2, 30.0),
            "eps = 30.0 is larger than the number of cells; the largest is p*p = 25.",
        ),
        (
            lambda: uncovered(np.ones((3, 4)), 1),
            "train_mask has shape (3, 4), but must be a square (p, p) with p of 1 or more.",
        ),
    ],
)
def test_refusals_are_one_clear_sentence(call, message):
    with pytest.raises(ParameterError) as caught:
        call()
    assert str(caught.value) == message
