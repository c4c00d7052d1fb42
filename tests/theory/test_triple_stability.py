"""Equilibria and Lyapunov functions of the x w u flow (Gu et al. 2025, Theorem C.9, Equations 17 and 18)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.theory import triple_stability as ts
from grokbook.theory.triple_product import flow, jacobian, limit_point

value = st.floats(-2, 2)
side = st.floats(0.0, 1.0)


def test_eigenvalues_of_the_surface_from_an_independent_computation():
    assert np.allclose(ts.eigenvalues([1, 1, 1]), (-3, 0, 0), rtol=1e-12)
    assert np.allclose(ts.eigenvalues([2, 1, 0.5]), (-21 / 4, 0, 0), rtol=1e-12)


@pytest.mark.parametrize(
    ("point", "target"),
    [((1, 1, 1), 1), ((2, -1, -0.5), 1), ((0.2, 0.5, -20), -2), ((0, 0, 3), 1), ((0, -2, 0), 4), ((0, 1, 2), 0),
     ((0, 0, 5), 0), ((0, 0, 0), 1)],
)  # fmt: skip
def test_closed_eigenvalues_are_those_of_the_jacobian(point, target):
    found = np.linalg.eigvalsh(jacobian(point, target=target))
    assert np.allclose(ts.eigenvalues(point, target=target), found, atol=1e-12)


@pytest.mark.parametrize("point", [(1, 1, 1), (2, 1, 0.5), (-0.4, -5, 0.5)])
def test_surface_points_are_stable_but_do_not_attract(point):
    """Theorem C.9 with its correction: neighbours stay near, and neighbours on the surface do not return."""
    rng = np.random.default_rng(0)
    rates = []
    for radius in (1e-2, 1e-3, 1e-4):
        starts = np.array(point) + radius * rng.normal(size=(300, 3))
        rates.append(np.linalg.norm(limit_point(starts) - point, axis=1).max() / radius)
    assert max(rates) < 4 * min(rates)
    assert min(rates) > 0.5
    assert ts.stability(point) == "stable"


@pytest.mark.parametrize(("point", "kind"), [((0, 0, 1.0), "saddle"), ((0, 0, 0.0), "unstable origin")])
def test_axes_are_left_by_arbitrarily_near_starts(point, kind):
    for radius in (1e-2, 1e-5):
        start = np.array(point) + radius
        assert np.linalg.norm(limit_point(start) - point) > 0.5
    assert ts.stability(point) == kind


@settings(max_examples=50, deadline=None)
@given(st.tuples(value, value), st.floats(1e-6, 1e-2))
def test_at_target_0_neighbours_stay_near(pair, radius):
    """Every equilibrium x w u = 0 is stable at target 0: all squares lose the same, at most radius^2."""
    point = np.array([0.0, *pair])
    assert ts.stability(point, target=0) == "stable"
    start = point + radius
    moved = np.abs(np.abs(limit_point(start, target=0)) - np.abs(start)).max()
    assert moved <= np.abs(start).min() + 1e-12


@settings(max_examples=100, deadline=None)
@given(st.tuples(value, value, value), st.sampled_from([1.0, 0.0, -1.5]))
def test_loss_never_grows(point, target):
    assert ts.lyapunov_rate(point, target=target) <= 0
    assert ts.lyapunov(point, target=target) >= 0


@pytest.mark.parametrize("point", [(1.0, 1.0, 1.0), (2.0, -1.0, -0.5)])
def test_lyapunov_function_of_one_point_of_the_surface(point):
    """Theorem C.12 with a function that is positive away from the point and falls along the flow."""
    rng = np.random.default_rng(0)
    near = np.array(point) + 0.2 * rng.normal(size=(2000, 3))
    assert ts.surface_lyapunov(point, point) == 0
    assert ts.surface_lyapunov(near, point).min() > 0
    path = flow(near[0], [0, 0.1, 0.5, 3.0])
    assert (np.diff(ts.surface_lyapunov(path, point)) < 1e-12).all()


def test_rates_are_derivatives_along_the_flow():
    """Central differences of L and V on a fine trajectory against the closed forms (the right one of two)."""
    h = 1e-4
    path = flow([0.5, 1.4, 0.9], [0, h, 2 * h], rtol=1e-13)
    for f, rate in ((ts.lyapunov, ts.lyapunov_rate), (ts.printed_v, ts.v_rate)):
        slope = (f(path[2]) - f(path[0])) / (2 * h)
        assert slope == pytest.approx(rate(path[1]), rel=1e-6)


def test_printed_rate_lacks_a_factor_of_two():
    """Equation 18; values from an independent computation."""
    assert ts.v_rate([0.5, 0.5, 0.5]) == pytest.approx(-0.65625, rel=1e-12)
    assert ts.printed_v_rate([0.5, 0.5, 0.5]) == pytest.approx(-0.328125, rel=1e-12)
    assert ts.v_rate([1.1, 0.9, 1.015]) == pytest.approx(10573 / 200000000, rel=1e-10)


@settings(max_examples=200, deadline=None)
@given(st.tuples(side, side, side), st.floats(0, 3))
def test_v_falls_where_the_product_is_at_most_one(point, stretch):
    """Arithmetic and geometric mean: S >= 3 P^(2/3), so V' <= 0 for 0 <= P <= 1 even outside the cube."""
    point = np.array(point) * [stretch, 1, 1]
    if ts.product(point) <= 1:
        assert ts.v_rate(point) <= 1e-12


@pytest.mark.parametrize("r", [0.5, 0.1, 1e-2, 1e-3])
def test_v_grows_at_points_as_near_to_the_equilibrium_as_one_likes(r):
    point = ts.rising_point(r)
    assert np.linalg.norm(point - 1) < 1.8 * r
    assert ts.v_rate(point) >= r**4 / 2 * (1 - 1e-3)
    if r <= 0.1:
        assert ts.v_rate(point) == pytest.approx(r**4 / 2, rel=8 * r * r)


def test_growth_of_v_is_seen_on_the_trajectory_itself():
    start = ts.rising_point(0.3)
    end = flow(start, [0.0, 0.01])[-1]
    assert ts.printed_v(end) > ts.printed_v(start)
    assert ts.lyapunov(end) < ts.lyapunov(start)


def test_random_search_finds_growth_in_every_ball():
    shares = [ts.rising_share(radius) for radius in (0.2, 0.1, 0.05)]
    assert shares[0] > shares[1] > shares[2] > 0


def test_identities_and_the_one_that_does_not_hold():
    rest = ts.identities()
    assert {name for name, value in rest.items() if value != 0} == {"dV printed"}


def test_leading_minors_do_not_decide_definiteness():
    matrix = np.diag([-1.0, 1.0, 1.0])
    assert max(ts.leading_principal_minors(matrix)) <= 0
    assert np.linalg.eigvalsh(matrix).max() > 0
    assert np.allclose(ts.leading_principal_minors([[2, 1], [1, 3]]), [2, 5])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ts.stability([1, 2, 3]), "no equilibrium"),
        (lambda: ts.eigenvalues([0, 1, 1]), "three axes"),
        (lambda: ts.rising_point(0), "r = 0"),
        (lambda: ts.surface_lyapunov([1, 1, 1], [0, 1, 1]), "not 0"),
        (lambda: ts.rising_share(2), "radius"),
        (lambda: ts.leading_principal_minors([[1, 2]]), "square"),
        (lambda: ts.v_rate([1, np.nan, 1]), "finite"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


@pytest.mark.parametrize("point", [[1e-5] * 3, [1e-4, 1e-4, 0.5], [1.0, 1.0, 1.001]])
def test_a_slow_point_is_no_equilibrium(point):
    """Near the origin everything is slow; what counts is whether the product is the target."""
    with pytest.raises(ParameterError, match="is no equilibrium"):
        ts.stability(point)


def test_points_of_the_surface_and_of_the_planes_rest_at_every_scale():
    assert ts.stability([1e-3, 1e-3, 1e6]) == "stable"
    assert ts.stability([0.0, 1e-4, 2.0], target=0) == "stable"
