"""Equilibria and Lyapunov functions (Gu et al. 2025, Theorem C.9, Eqs 17, 18), and the matrix flow
(Eqs 8-10)."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.theory.triple_product import (
    conserved,
    flow,
    gradient_of_product,
    jacobian,
    limit_point,
)
from grokbook_chapters.lyapunov_phase_portrait import matrix_flow as mf
from grokbook_chapters.lyapunov_phase_portrait import triple_stability as ts
from refusals import refusals

value = st.floats(-2, 2)
side = st.floats(0.0, 1.0)


@pytest.mark.parametrize(
    ("point", "target"),
    [
        ((1, 1, 1), 1),
        ((2, -1, -0.5), 1),
        ((0.2, 0.5, -20), -2),
        ((0, 0, 3), 1),
        ((0, -2, 0), 4),
        ((0, 1, 2), 0),
        ((0, 0, 5), 0),
        ((0, 0, 0), 1),
        ((0, 3, 0), -2),
    ],
)
def test_closed_eigenvalues_are_those_of_the_jacobian(point, target):
    found = np.linalg.eigvalsh(jacobian(point, target=target))
    gradient = gradient_of_product(point)
    on_an_axis = np.abs([target * max(point, key=abs), 0, 0]) * [-1, 0, 0]
    closed = [-gradient @ gradient, 0, 0] if gradient.any() else on_an_axis - on_an_axis[::-1]
    assert np.allclose(closed, found, atol=1e-12)


@pytest.mark.parametrize("point", [(1, 1, 1), (2, 1, 0.5), (-0.4, -5, 0.5)])
def test_surface_points_are_stable_but_do_not_attract(point):
    """Theorem C.9 with its correction: neighbours stay near, and neighbours on the surface do not
    return."""
    rng = np.random.default_rng(0)
    rates = []
    for radius in (1e-2, 1e-3, 1e-4):
        starts = np.array(point) + radius * rng.normal(size=(300, 3))
        rates.append(np.linalg.norm(limit_point(starts) - point, axis=1).max() / radius)
    assert max(rates) < 4 * min(rates)
    assert min(rates) > 0.5


@pytest.mark.parametrize("point", [(0, 0, 1.0), (0, 0, 0.0)])
def test_axes_are_left_by_arbitrarily_near_starts(point):
    for radius in (1e-2, 1e-5):
        start = np.array(point) + radius
        assert np.linalg.norm(limit_point(start) - point) > 0.5


@given(st.tuples(value, value), st.floats(1e-6, 1e-2))
def test_at_target_0_neighbours_stay_near(pair, radius):
    """Every equilibrium x w u = 0 is stable at target 0: all squares lose the same, at most
    radius^2."""
    point = np.array([0.0, *pair])
    start = point + radius
    moved = np.abs(np.abs(limit_point(start, target=0)) - np.abs(start)).max()
    assert moved <= np.abs(start).min() + 1e-12


def test_rates_are_derivatives_along_the_flow():
    """Central differences of L and V on a fine trajectory against the closed forms (the right one
    of two)."""
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


@settings(max_examples=200)
@given(st.tuples(side, side, side), st.floats(0, 3))
def test_v_falls_where_the_product_is_at_most_one(point, stretch):
    """Arithmetic and geometric mean: S >= 3 P^(2/3), so V' <= 0 for 0 <= P <= 1 even outside the
    cube."""
    point = np.array(point) * [stretch, 1, 1]
    if point.prod() <= 1:
        assert ts.v_rate(point) <= 1e-12


@pytest.mark.parametrize("r", [0.5, 0.1, 1e-2, 1e-3])
def test_v_grows_at_points_as_near_to_the_equilibrium_as_one_likes(r):
    point = ts.rising_point(r)
    assert np.linalg.norm(point - 1) < 1.8 * r
    assert ts.v_rate(point) >= r**4 / 2 * (1 - 1e-3)
    if r <= 0.1:
        assert ts.v_rate(point) == pytest.approx(r**4 / 2, rel=8 * r * r)


@pytest.mark.parametrize("start", [(0.8, 1.8, 1.9), (3.0, 0.5, 0.9), (1.0, 1.0, 1.2)])
def test_above_the_surface_v_grows_in_the_end(start):
    """The path ends where S > 3 P, with P > 1 all the way."""
    path = flow(start, np.linspace(0, 3, 200))
    assert ts.v_rate(path[-1]) > 0
    assert ts.printed_v(path[-1]) > ts.printed_v(path).min()


def test_second_derivatives_of_the_rate_at_one_are_all_minus_four():
    h, unit = 1e-4, np.eye(3)
    for a in unit:
        for b in unit:
            corners = [1 + h * (s * a + t * b) for s in (1, -1) for t in (1, -1)]
            plus, minus, other, both = ts.v_rate(corners)
            assert (plus - minus - other + both) / (4 * h * h) == pytest.approx(-4, rel=1e-4)


def test_leading_minors_do_not_decide_definiteness():
    matrix = np.diag([-1.0, 1.0, 1.0])
    assert max(ts.leading_principal_minors(matrix)) <= 0
    assert np.linalg.eigvalsh(matrix).max() > 0
    assert np.allclose(ts.leading_principal_minors([[2, 1], [1, 3]]), [2, 5])


TIMES = np.linspace(0, 4, 5)


def random_state(seed=0, p=5, d=4, n=6, scale=0.6):
    rng = np.random.default_rng(seed)
    return mf.matrix_state(*(scale * rng.normal(size=s) for s in ((p, d), (d, n), (n,))))


def one_hot(i, p=5):
    return np.eye(p)[i]


@pytest.mark.parametrize("loss", ["squared", "cross_entropy"])
def test_equations_are_minus_the_gradient(loss):
    """Equations 8-10 against automatic differentiation of the loss."""
    state, c = random_state(), one_hot(2)
    parts = [torch.tensor(v, requires_grad=True) for v in (state.W_U, state.W, state.x)]
    logits = parts[0] @ (parts[1] @ parts[2])
    target = torch.tensor(c)
    value = (
        ((target - logits) ** 2).sum() / 2
        if loss == "squared"
        else -(target * logits.log_softmax(0)).sum()
    )
    value.backward()
    found = mf.matrix_velocity(state, c, loss=loss)
    for part, speed in zip(parts, (found.W_U, found.W, found.x), strict=True):
        assert np.allclose(speed, -part.grad.numpy(), atol=1e-13)


@pytest.mark.parametrize("loss", ["squared", "cross_entropy"])
def test_invariants_do_not_drift_for_either_loss(loss):
    path = mf.matrix_flow(random_state(1), one_hot(0), TIMES, loss=loss)
    for matrix in mf.invariants(path):
        assert np.abs(matrix - matrix[0]).max() < 1e-9
    assert np.abs(path.W[-1] - path.W[0]).max() > 0.01


@pytest.mark.parametrize(
    ("target", "start"),
    [(1, (0.3, -0.8, -1.1)), (1, (-0.2, 0.5, 0.9)), (0, (0.7, 0.9, 1.2)), (-0.5, (0.4, 0.4, 0.6))],
)
def test_aligned_states_follow_the_three_variable_system_exactly(target, start):
    """Theorem C.8 with a map that is not constant: Equations 11-13 from Equations 8-10."""
    rng = np.random.default_rng(4)
    a, b, e = (
        v / np.linalg.norm(v) for v in (rng.normal(size=5), rng.normal(size=4), rng.normal(size=6))
    )
    path = mf.matrix_flow(mf.rank_one(start, a, b, e), target * a, TIMES)
    points, rest = mf.coordinates(path, a, b, e)
    assert np.abs(points - flow(start, TIMES, target=target)).max() < 1e-8
    assert rest.max() < 1e-9


def test_along_a_wrong_class_the_label_pulls_the_state_out_of_the_family():
    """delta_{s,c} = 0 is not the flow along class s of a one-hot label c: only a target vector 0
    gives it."""
    a, b, e = one_hot(1), [1, 0], [1, 0]
    path = mf.matrix_flow(mf.rank_one([0.7, 0.9, 1.2], a, b, e), one_hot(0), TIMES)
    points, rest = mf.coordinates(path, a, b, e)
    assert rest[-1] > 0.1
    assert np.abs(points[-1] - flow([0.7, 0.9, 1.2], TIMES, target=0)[-1]).max() > 0.05


def test_matrix_invariants_are_the_scalar_ones():
    state = mf.rank_one([0.3, 0.8, -1.1], one_hot(1), [0, 1], [1, 1, 0])
    first, second = mf.invariants(state)
    x_w, w_u = conserved([0.3, 0.8, -1.1])
    assert np.trace(first) == pytest.approx(-w_u)
    assert np.trace(second) == pytest.approx(-x_w)


def test_cross_entropy_has_no_equilibrium_with_gamma_0():
    path = mf.matrix_flow(
        mf.rank_one([1, 1, 1], one_hot(0), [1, 0], [1, 0]),
        one_hot(0),
        [0, 10, 1000],
        loss="cross_entropy",
    )
    size = np.linalg.norm(
        [mf.residual(path[i], one_hot(0), loss="cross_entropy") for i in range(3)], axis=1
    )
    assert size[0] > size[1] > size[2] > 0
    assert path.logits[2, 0] > path.logits[1, 0]


def test_another_sample_is_learned_only_where_it_overlaps():
    a, b, e = [1, 0, 0], [1, 0], [1, 0]
    path = mf.matrix_flow(mf.rank_one([0.5, 0.5, 0.5], a, b, e), a, [0, 40])
    assert np.allclose(mf.other_sample_loss(path, [0, 1], [0, 1, 0]), 0.5, atol=1e-15)
    shared = mf.other_sample_loss(path, [1, 0], a)
    assert shared[-1] < 1e-12 < shared[0]


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: ts.rising_point(0), "r = 0"),
    (lambda: ts.leading_principal_minors([[1, 2]]), "square"),
    (lambda: ts.v_rate([1, np.nan, 1]), "finite"),
    (lambda: mf.matrix_state(np.ones((5, 2)), np.ones((3, 4)), np.ones(4)), "do not fit"),
    (lambda: mf.matrix_state(np.ones((5, 2)), np.full((2, 4), np.nan), np.ones(4)), "not finite"),
    (lambda: mf.matrix_flow(random_state(), [1, 0], TIMES), "a finite value a class"),
    (lambda: mf.matrix_flow(random_state(), one_hot(0), [1, 0]), "must increase"),
    (lambda: mf.matrix_flow(random_state(), one_hot(0), [0], loss="hinge"), "cross_entropy"),
    (lambda: mf.rank_one([1, 2, 3], [0, 0], [1], [1]), "a must be"),
    (lambda: mf.other_sample_loss(random_state(), [1, 2], one_hot(0)), "lengths"),
)
