"""The smallest enclosing ball: closed forms, the certificate of optimality, and a general-purpose optimiser."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from grokbook.errors import ParameterError
from grokbook.theory.enclosing_ball import smallest_ball


def certified(points, ball):
    """Whether the ball holds all points and its centre is a mean of points on its sphere: then it is smallest."""
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


@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_simplex_and_cross_polytope(d):
    """d + 1 unit vectors lie on a sphere of radius sqrt(d / (d+1)) about their mean; the cross about 0 has radius 1."""
    assert smallest_ball(np.eye(d + 1)).radius == pytest.approx(np.sqrt(d / (d + 1)), rel=1e-12)
    assert smallest_ball(np.vstack([np.eye(d), -np.eye(d)])).radius == pytest.approx(1, rel=1e-12)


def test_a_line_has_half_its_length():
    ball = smallest_ball([[0.0], [1.0], [5.0], [5.0], [3.0]])
    assert (ball.centre.tolist(), ball.radius) == ([2.5], 2.5)


def test_an_obtuse_triangle_needs_only_its_longest_side():
    assert smallest_ball([[0, 0], [4, 0], [1, 1]]).radius == pytest.approx(2)


def test_an_acute_triangle_has_its_circumscribed_circle():
    assert smallest_ball([[0, 0], [2, 0], [1, np.sqrt(3)]]).radius == pytest.approx(2 / np.sqrt(3))


@pytest.mark.parametrize("points", [[[3.0, 4.0]], [[1.0, 1.0]] * 5])
def test_one_place_has_radius_zero(points):
    assert smallest_ball(points).radius == 0


@given(arrays(float, st.tuples(st.integers(1, 9), st.integers(1, 4)), elements=st.integers(-20, 20).map(float)))
@settings(max_examples=150, deadline=None)
def test_the_certificate_on_lattice_points(points):
    """Lattice points are full of ties and dependent subsets, which is what breaks such searches."""
    assert certified(points, smallest_ball(points))


@pytest.mark.parametrize(("n", "d"), [(49, 128), (200, 3), (97, 2), (30, 30), (12, 60)])
def test_the_certificate_on_random_points(n, d):
    points = np.random.default_rng(n).normal(size=(n, d))
    assert certified(points, smallest_ball(points))


def test_it_is_no_worse_than_a_general_optimiser():
    points = np.random.default_rng(3).normal(size=(15, 3))
    worst = lambda c: np.linalg.norm(points - c, axis=1).max()  # noqa: E731
    found = minimize(worst, points.mean(axis=0), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11})
    assert smallest_ball(points).radius <= found.fun + 1e-12
    assert smallest_ball(points).radius == pytest.approx(found.fun, rel=1e-4)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_it_moves_and_stretches_with_the_points(scale):
    points = np.random.default_rng(1).normal(size=(20, 4))
    one, two = smallest_ball(points), smallest_ball(scale * points + 7)
    assert two.radius == pytest.approx(scale * one.radius, rel=1e-6)


def test_refusals():
    with pytest.raises(ParameterError, match="points has a value that is not finite"):
        smallest_ball([[np.nan, 0.0]])
