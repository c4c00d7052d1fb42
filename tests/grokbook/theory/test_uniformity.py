"""Classes of i + j, smallest balls, one frequency (Gu et al. 2025, Theorems 3.5, 3.8, Remark
3.6)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from grokbook.errors import ParameterError
from grokbook.measures import med
from grokbook.theory import uniformity as un
from grokbook.theory.enclosing_ball import smallest_ball
from grokbook.theory.one_frequency import full_loss, logits
from grokbook.theory.vectors import odd_prime, pair, vectors
from refusals import refusals

TABLES = arrays(
    float, st.tuples(st.integers(2, 9), st.integers(1, 3)), elements=st.integers(-9, 9).map(float)
)
REAL = TABLES.filter(lambda t: np.ptp(t, axis=0).max() > 0)


def residues(p):
    return np.add.outer(np.arange(p), np.arange(p)) % p


@given(TABLES, st.integers(0, 99))
def test_every_class_has_the_same_mean_whatever_the_modulus(first, seed):
    """The sums are collected here by their labels, not by the index trick of `class_sums`."""
    second = np.random.default_rng(seed).normal(size=first.shape)
    p = len(first)
    sums, label = first[:, None] + second[None], residues(p)
    means = np.array([sums[label == r].mean(axis=0) for r in range(p)])
    assert np.allclose(means, un.common_point(first, second))
    assert np.allclose(un.class_sums(first, second).mean(axis=1), means)


@given(REAL)
def test_closeness_bounds_the_embedding(phi):
    """diam <= 2 delta (1 - 1/p), radius <= mean of the deltas <= 2 radius; MED is at most the
    diameter."""
    found = un.closeness(phi)
    assert found.diameter <= found.bound * (1 + 1e-9)
    assert found.radius * (1 - 1e-9) <= found.deltas.mean() <= 2 * found.radius * (1 + 1e-9)
    assert 1 - 1e-9 <= found.relative <= 2 + 1e-9
    assert med(phi) <= found.bound * (1 + 1e-9)


ODD = TABLES.filter(lambda t: len(t) % 2 and np.ptp(t, axis=0).max() > 0)


@given(ODD)
def test_the_variances_of_the_classes_average_to_twice_that_of_the_table(phi):
    spread = ((phi - phi.mean(axis=0)) ** 2).sum(axis=1).mean()
    sums = un.class_sums(phi) - un.common_point(phi)
    assert np.isclose((sums**2).sum(axis=2).mean(), 2 * spread)
    assert 9 / 4 * spread <= (un.closeness(phi).deltas ** 2).mean() * (1 + 1e-9)


@pytest.mark.parametrize("p", [2, 3, 4, 9, 13])
def test_the_line_attains_the_diameter_bound(p):
    """phi(i) = i: all classes but one have the sums r, r + p; delta = p/2, and diam = p - 1 = 2
    delta (1 - 1/p)."""
    found = un.closeness(np.arange(p)[:, None].astype(float))
    assert found.delta == pytest.approx(p / 2)
    assert found.diameter == pytest.approx(found.bound) == p - 1
    assert p == 2 or med(np.arange(p)[:, None]) < found.bound


def certified(points, ball):
    """Whether the ball holds all points and its centre is a mean of points on its sphere: then it
    is smallest."""
    distances = np.linalg.norm(points - ball.centre, axis=1)
    scale = max(np.ptp(points), 1e-300)
    on_sphere = np.abs(distances - ball.radius) <= 1e-5 * scale
    return (
        distances.max() <= ball.radius + 1e-9 * scale
        and ball.weights.min() >= 0
        and np.isclose(ball.weights.sum(), 1)
        and np.allclose(ball.weights @ points, ball.centre, atol=1e-9 * scale)
        and ball.weights[~on_sphere].sum() <= 1e-9
    )


@given(
    arrays(
        float,
        st.tuples(st.integers(1, 9), st.integers(1, 4)),
        elements=st.integers(-20, 20).map(float),
    )
)
@settings(max_examples=150)
def test_the_certificate_on_lattice_points(points):
    """Lattice points are full of ties and dependent subsets, which is what breaks such searches."""
    assert certified(points, smallest_ball(points))


@pytest.mark.parametrize(("n", "d"), [(49, 128), (200, 3), (97, 2), (30, 30), (12, 60)])
def test_the_certificate_on_random_points(n, d):
    points = np.random.default_rng(n).normal(size=(n, d))
    assert certified(points, smallest_ball(points))


@pytest.mark.parametrize("p", [3, 5, 11])
def test_it_adds_modulo_p_at_every_frequency(p):
    label = np.add.outer(np.arange(p), np.arange(p)) % p
    for k in range(1, p):
        assert np.array_equal(logits(p, k).argmax(axis=2), label)


@pytest.mark.parametrize("scale", [0.5, 4.0])
def test_loss_against_its_closed_form_at_every_frequency(scale):
    p = 11
    closed = np.log(np.exp(scale * np.cos(2 * np.pi * np.arange(p) / p)).sum()) - scale
    assert [full_loss(p, k, scale) for k in range(1, p)] == pytest.approx(
        [closed] * (p - 1), rel=1e-12
    )


@pytest.mark.parametrize(
    ("p", "nearest"), [(4, 3), (9, 7), (2, 3), (1, 3), (96, 97), (-5, 3), (7.0, 3), (True, 3)]
)
def test_a_modulus_that_is_not_an_odd_prime_is_refused_with_the_nearest(p, nearest):
    with pytest.raises(
        ParameterError, match=f"must be an odd prime, because of it; the nearest is {nearest}"
    ):
        odd_prime(p, "of it")


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: vectors([1.0, 2.0]), "has shape"),
    (lambda: vectors([["a"]]), "array of real numbers"),
    (lambda: un.closeness([[1.0]]), "modulus of 2 or more"),
    (lambda: smallest_ball([[np.nan, 0.0]]), "points has a value that is not finite"),
    (lambda: pair([[0.0]], [[0.0], [1.0]]), "but must have the same"),
)
