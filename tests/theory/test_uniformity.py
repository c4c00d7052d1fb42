"""The common point of the classes of i + j and its consequences (Gu et al. 2025, Theorems 3.5, 3.8, Remark 3.6)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from grokbook.errors import ParameterError
from grokbook.measures import circle_med, med, med_bound
from grokbook.theory.one_frequency import circle, products
from grokbook.theory.uniformity import (
    additive_share,
    circle_delta,
    class_gap,
    class_share,
    class_sums,
    closeness,
    common_point,
    diameter,
)  # fmt: skip

TABLES = arrays(float, st.tuples(st.integers(2, 9), st.integers(1, 3)), elements=st.integers(-9, 9).map(float))
REAL = TABLES.filter(lambda t: np.ptp(t, axis=0).max() > 0)


def residues(p):
    return np.add.outer(np.arange(p), np.arange(p)) % p


@given(TABLES, st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_every_class_has_the_same_mean_whatever_the_modulus(first, seed):
    """The sums are collected here by their labels, not by the index trick of `class_sums`."""
    second = np.random.default_rng(seed).normal(size=first.shape)
    p = len(first)
    sums, label = first[:, None] + second[None], residues(p)
    means = np.array([sums[label == r].mean(axis=0) for r in range(p)])
    assert np.allclose(means, common_point(first, second))
    assert np.allclose(class_sums(first, second).mean(axis=1), means)


@pytest.mark.parametrize("p", [2, 3, 4, 6, 7])
def test_no_two_classes_can_be_separated_by_a_hyperplane(p):
    """A linear programme looks for w, b with w.x >= b + 1 on one class and w.x <= b - 1 on the other."""
    sums = class_sums(np.random.default_rng(p).normal(size=(p, 12)))
    for r in range(1, p):
        a = np.vstack([np.hstack([-sums[0], np.ones((p, 1))]), np.hstack([sums[r], -np.ones((p, 1))])])
        found = linprog(np.zeros(13), A_ub=a, b_ub=-np.ones(2 * p), bounds=(None, None))
        assert found.status == 2, "infeasible"


@given(REAL)
@settings(max_examples=60, deadline=None)
def test_closeness_bounds_the_embedding(phi):
    """diam <= 2 delta (1 - 1/p), radius <= mean of the deltas <= 2 radius; MED is at most the diameter."""
    found = closeness(phi)
    assert found.diameter <= found.bound * (1 + 1e-9)
    assert found.radius * (1 - 1e-9) <= found.deltas.mean() <= 2 * found.radius * (1 + 1e-9)
    assert 1 - 1e-9 <= found.relative <= 2 + 1e-9
    assert med(phi) <= found.bound * (1 + 1e-9)


@given(REAL, st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_closeness_with_two_tables(phi, seed):
    second = np.random.default_rng(seed).normal(size=phi.shape)
    found = closeness(phi, second)
    assert found.diameter <= found.bound * (1 + 1e-9)
    assert found.radius <= found.deltas.mean() * (1 + 1e-9)


def test_a_constant_second_table_attains_the_radius_bound():
    phi = np.random.default_rng(0).normal(size=(7, 3))
    found = closeness(phi, np.zeros((7, 3)))
    assert found.deltas == pytest.approx(np.full(7, found.radius))


@pytest.mark.parametrize("p", [2, 3, 4, 9, 13])
def test_the_line_attains_the_diameter_bound(p):
    """phi(i) = i: all classes but one have the sums r, r + p; delta = p/2, and diam = p - 1 = 2 delta (1 - 1/p)."""
    found = closeness(np.arange(p)[:, None].astype(float))
    assert found.delta == pytest.approx(p / 2)
    assert found.diameter == pytest.approx(found.bound) == p - 1


@pytest.mark.parametrize("p", [3, 5, 11, 13])
def test_every_class_of_every_circle_needs_the_closed_form(p):
    for k in range(1, p):
        assert closeness(circle(p, k)).deltas == pytest.approx(np.full(p, circle_delta(p)), rel=1e-9)


def test_closed_form_against_the_independent_number():
    """1 + cos(pi/97), independent computation: 1.99948."""
    assert circle_delta(97) == pytest.approx(1.99948, abs=5e-6)
    with pytest.raises(ParameterError, match="p = 4 must be an odd prime"):
        circle_delta(4)


def test_an_even_modulus_needs_other_radii():
    angle = 2 * np.pi * np.arange(4) / 4
    deltas = closeness(np.stack([np.cos(angle), np.sin(angle)], axis=1)).deltas
    assert deltas == pytest.approx([2, np.sqrt(2), 2, np.sqrt(2)])


@given(REAL)
@settings(max_examples=60, deadline=None)
def test_close_exactly_if_equivalent_is_impossible(phi):
    """Remark 3.6: some pair of different classes is closer than some pair of one class, strictly."""
    same, other = class_gap(phi, residues(len(phi)))
    assert other <= same * (1 - 1 / len(phi)) + 1e-9


def test_without_the_modulus_a_line_does_it():
    i = np.arange(6)
    assert class_gap(i[:, None], np.add.outer(i, i)) == (0.0, 1.0)


@given(REAL)
@settings(max_examples=60, deadline=None)
def test_classes_explain_nothing_of_sums_and_sums_nothing_of_classes(phi):
    p = len(phi)
    assert class_share(phi[:, None] + phi[None]) < 1e-12
    assert additive_share(np.eye(p)[residues(p)]) < 1e-12


@pytest.mark.parametrize("p", [5, 7])
def test_products_of_a_circle_are_functions_of_the_class(p):
    assert class_share(products(circle(p, 2))) == pytest.approx(1)


def test_share_against_a_decomposition_by_hand():
    """Features x = class part + additive part + rest: shares of orthogonal parts add up."""
    p, rng = 7, np.random.default_rng(0)
    x = rng.normal(size=(p, p, 1))
    label = residues(p)
    fitted = np.array([x[label == r].mean() for r in range(p)])[label]
    assert class_share(x) == pytest.approx(fitted.var() / x.var())
    rows, columns = x.mean(axis=1, keepdims=True), x.mean(axis=0, keepdims=True)
    assert additive_share(x) == pytest.approx((rows + columns).var() / x.var())
    assert class_share(x) + additive_share(x) <= 1


def test_diameter_by_all_pairs():
    x = np.random.default_rng(0).normal(size=(12, 3))
    assert diameter(x) == pytest.approx(max(np.linalg.norm(a - b) for a in x for b in x))


@pytest.mark.parametrize(("p", "k", "value"), [(97, 1, 0.064763782506711804191), (11, 2, 1.0812816349111951642)])
def test_med_of_the_circle_used_here(p, k, value):
    """Independent computation, MED.circle."""
    assert med(circle(p, k)) == pytest.approx(value, rel=1e-12)


def test_the_sharp_bound_of_med_is_attained_by_the_highest_frequency():
    """Theorem 3.8 made sharp; independent computation, MED.max: 1.9997377673312643145 for p = 97."""
    top = circle(97, 48)
    assert med(top) == pytest.approx(med_bound(top), rel=1e-12) == circle_med(97, [48])
    assert med_bound(top) == pytest.approx(1.9997377673312643145, rel=1e-12)


@pytest.mark.parametrize(
    ("call", "words"),
    [(lambda: closeness([[1.0]]), "modulus of 2 or more"),
     (lambda: class_gap(np.eye(3), np.zeros((2, 2))), "must be \\(3, 3\\)"),
     (lambda: class_share(np.ones((3, 3))), "must be \\(p, p, d\\)"),
     (lambda: class_share(np.ones((3, 3, 1))), "needs some variance"),
     (lambda: class_share(np.full((2, 2, 1), np.nan)), "not finite"),
     (lambda: additive_share(np.ones((3, 2, 1))), "must be \\(p, p, d\\)"),
     (lambda: additive_share(np.ones((3, 3, 1))), "needs some variance")],
)  # fmt: skip
def test_refusals(call, words):
    with pytest.raises(ParameterError, match=words):
        call()
