"""Checks of the claims about coverage: the verdicts, and that each can come out another way."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.claims import coverage
from grokbook.claims.coverage import CLAIMS, class_pairs, counted_discs, lattice_sum, manhattan_distance
from grokbook.theory.coverage import disc_sizes, guaranteed_size

VERDICTS = {"G15": "vacuous", "G16": "fails", "G17": "needs an assumption", "G19": "holds with correction",
            "G20": "holds with correction", "G21": "fails", "G22": "fails", "G23": "fails", "G24": "fails",
            "G39": "holds", "P05": "fails"}  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_verdicts(claim):
    assert claim.finding().verdict == VERDICTS[claim.id]


def test_a_given_distance_makes_the_nearness_theorem_fail_and_a_model_that_obeys_it_makes_it_hold(monkeypatch):
    """Theorem 3.10 (i): with D1 = 5 a sum computed exactly is right far from the training set."""
    assert coverage.a_cell_of_the_class_is_near(23, radius=5).verdict == "fails"
    monkeypatch.setattr(coverage, "exact_answers", lambda p: np.zeros((p, p), dtype=int))
    assert coverage.a_cell_of_the_class_is_near(23, radius=5).verdict == "holds"


def test_the_network_of_one_frequency_is_right_everywhere():
    for p in (5, 23, 97):
        assert (coverage.exact_answers(p) == np.add.outer(np.arange(p), np.arange(p)) % p).all()


def test_pairs_of_one_class_by_counting():
    """Unordered pairs of cells with equal sums: on each antidiagonal of n cells, n (n - 1) / 2."""
    p = 7
    i, j, a, b = class_pairs(p)
    assert ((i + j) == (a + b)).all() and i.size == sum(n * (n - 1) // 2 for n in [*range(1, p), *range(1, p + 1)])


def test_the_corrected_inequality_holds():
    """Appendix B.5 with |i - i'| + |j - j'| and the largest step."""
    assert coverage.neighbour_inequality(11, manhattan_distance).verdict == "holds"


def test_chains_with_ordered_limits_include_neighbours_and_a_broken_chain_does_not(monkeypatch):
    ordered = [(a, b) for a in range(1, 9) for b in range(a, 9)]
    assert coverage.chains_include_neighbours(5, ordered).verdict == "holds"
    monkeypatch.setattr(coverage, "chain_lengths", lambda mask: np.full(mask.size, np.inf))
    assert coverage.chains_include_neighbours(5, ordered).verdict == "fails"


def test_chains_by_hand():
    """Two training cells of class 0 at (0, 0) and (1, 2), p = 3: from (2, 1) the nearer is at distance 2."""
    mask = np.zeros((3, 3), dtype=bool)
    mask[0, 0] = mask[1, 2] = True
    lengths = coverage.chain_lengths(mask).reshape(3, 3)
    assert lengths[2, 1] == 2 and lengths[0, 0] == 0 and np.isinf(lengths[0, 1])


def test_discs_counted_offset_by_offset_are_those_of_the_formula():
    for torus in (False, True):
        assert np.array_equal(counted_discs(11, 4, torus), disc_sizes(11, 4, torus=torus))


def test_every_disc_would_be_equal_for_radius_one_and_a_wrong_formula_is_seen(monkeypatch):
    assert coverage.every_disc_has_c_cells(11, 1).verdict == "holds"
    monkeypatch.setattr(coverage, "disc_sizes", lambda p, k, torus=False: np.full((p, p), 7))
    assert coverage.every_disc_has_c_cells(11, 3).verdict == "fails"


@pytest.mark.parametrize(("exact", "verdict"), [(lambda n, c, m: (1 - c / n) ** m, "holds"), (lambda *_: 1.0, "fails")])
def test_another_exact_value_of_a_missed_cell_gives_another_verdict(exact, verdict, monkeypatch):
    monkeypatch.setattr(coverage, "miss_probability", exact)
    assert coverage.one_cell_is_covered(23, 3).verdict == verdict


def test_the_union_bound_holds_on_the_torus():
    assert coverage.printed_union_bound(23, 3, 200, torus=True).verdict == "holds"


def test_a_small_expectation_does_make_coverage_nearly_certain():
    """Markov: E[U] < 0.01 leaves at least 99 %."""
    assert coverage.below_one_means_covered(23, 3, eps=0.01).verdict == "holds"


def test_the_printed_fraction_is_a_necessary_one_where_discs_are_larger():
    assert coverage.fraction_is_necessary(47, least_k=3).verdict == "holds"


def test_the_fraction_would_be_enough_for_one_class_at_a_large_radius():
    assert coverage.fraction_for_grokking(23, k=12, train_fraction=0.6).verdict == "holds"


def test_a_class_without_training_cells_needs_an_infinite_radius():
    assert coverage.needed_radius(23, 0.01, draws=5) == np.inf
    assert coverage.needed_radius(23, 0.9, draws=20) < coverage.needed_radius(23, 0.5, draws=20) < np.inf


def test_ceilings_that_are_covered_shares_would_be_seen(monkeypatch):
    shares = coverage.radius_fits("code").assign(rmse=2.0)
    monkeypatch.setattr(coverage, "radius_fits", lambda rule: shares)
    assert coverage.ceiling_by_distance().verdict == "holds"


def test_certainty_above_the_threshold_needs_a_threshold_of_nearly_everything(monkeypatch):
    monkeypatch.setattr(coverage, "training_size", lambda p, k: guaranteed_size(p, k))
    assert coverage.certain_above_the_threshold(23, 3).verdict == "holds"


def test_a_product_that_a_memoriser_does_not_keep_constant_is_evidence():
    assert coverage.constant_product(fractions=(0.5, 0.9)).verdict == "holds"


def test_the_memorisers_products_are_independent_numbers():
    """Independent computation (project oracle transpose_memoriser): Acc (1 - frac) at 0.5, 0.6, 0.7 and p = 97."""
    evidence = coverage.constant_product().evidence
    expected = (0.24744897959183673, 0.23755102040816328, 0.20785714285714288)
    assert all(f"{value:.3f}" in evidence for value in expected)


def test_the_lattice_sum_by_plain_counting_and_a_quadratic_one():
    around = [(s, t) for s in range(-3, 4) for t in range(-3, 4) if s and t]
    assert lattice_sum(7) == pytest.approx(sum(1 / (s * s + t * t) for s, t in around), rel=1e-12)
    assert coverage.quadratic_growth(total=lambda p: 0.3 * p * p).verdict == "holds"
