"""The flow of x, w, u (Gu et al. 2025, Eqs 11-16): trajectory, invariants, exact limits."""

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grokbook.theory.triple_product import (
    conserved,
    flow,
    jacobian,
    limit_point,
    velocity,
)
from refusals import refusals

coordinate = st.floats(-3, 3).filter(lambda v: v == 0 or abs(v) > 1e-3)
triple = st.tuples(coordinate, coordinate, coordinate)


def reference_limit(start, target):
    """Magnitudes of the limit with 80 digits, by bisection of the cubic in log tau (independent of
    the library)."""
    with mpmath.workdps(80):
        squares = [mpmath.mpf(v) ** 2 for v in start]
        gaps = [a - min(squares) for a in squares]
        low, high = mpmath.mpf(-500), mpmath.log(abs(mpmath.mpf(target))) * 2 / 3 + 1
        for _ in range(280):
            y = (low + high) / 2
            product = mpmath.fprod(mpmath.e**y + gap for gap in gaps)
            low, high = (low, y) if product > mpmath.mpf(target) ** 2 else (y, high)
        return [float(mpmath.sqrt(mpmath.e**high + gap)) for gap in gaps]


@pytest.mark.parametrize("target", [1, 1e-6, 40.0])
@pytest.mark.parametrize(
    "start",
    [
        (1e-9, 2e-9, 3e-9),
        (1e6, 2e6, 3e6),
        (1, 1 + 1e-15, 1 + 3e-13),
        (1e-8, 1e8, 1e8),
        (0.2, 0.2, 1e9),
        (0, 1e-40, 7),
    ],
)
def test_tiny_huge_and_nearly_tied_starts(start, target):
    assert np.allclose(
        limit_point(start, target=target), reference_limit(start, target), rtol=1e-12, atol=0
    )


@pytest.mark.parametrize(
    ("start", "target"),
    [
        ((0.1, np.nextafter(0.1, 1), 0.7), 1e-30),
        ((0.8642000120792834, 0.8642000120793698, 2.92809017256838), -1e-8),
    ],
)
def test_nearly_tied_starts_keep_their_accuracy_for_small_targets(start, target):
    """Differences of squares decide where the target is far below the start: they are taken before
    anything rounds."""
    assert np.allclose(
        np.abs(limit_point(start, target=target)),
        reference_limit(start, target),
        rtol=1e-13,
        atol=0,
    )


@pytest.mark.parametrize("target", [1.0, -0.7, 0.0])
@pytest.mark.parametrize(
    "start",
    [
        (0.9, 1.1, 1.3),
        (2, 1, 1.5),
        (-0.8, 0.9, 1.2),
        (-2, -0.5, -1),
        (0, 1, -2),
        (-1, 0, 0.5),
        (0, 0, -2),
        (0, 0, 0),
        (1, -2, 1.7),
        (-3, 2, -2.5),
    ],
)
def test_long_integration_ends_at_the_limit(start, target):
    """Every case of the derivation against the integrated Equations 11-13, exponential
    convergence."""
    exact = limit_point(start, target=target)
    assert np.allclose(flow(start, [0.0, 150.0], target=target)[-1], exact, atol=1e-7)


@pytest.mark.parametrize(
    ("start", "target", "end"),
    [
        ((-0.6, 0.6, 1.0), 1, (0, 0, 0.8)),
        ((0.6, -1.0, 0.6), 1, (0, -0.8, 0)),
        ((-0.5, 0.5, 0.5), 1, (0, 0, 0)),
        ((-0.5, -0.5, -0.5), 2, (0, 0, 0)),
        ((0.5, 0.5, 0.5), -1, (0, 0, 0)),
        ((0.6, 0.6, 0.8), 0, (0, 0, np.sqrt(0.28))),
        ((-1, 0.3, 0.3), 0, (-np.sqrt(0.91), 0, 0)),
    ],
)
def test_ties_with_the_wrong_sign_run_to_an_axis(start, target, end):
    """The stable sets of the saddles, and ties at target 0: slower than the rest, so distances must
    fall with time."""
    assert np.allclose(limit_point(start, target=target), end, atol=1e-15)
    path = flow(start, [0.0, 1.0, 4.0, 16.0], target=target)
    distance = np.linalg.norm(path - limit_point(start, target=target), axis=1)
    assert (np.diff(distance) < 0).all()
    assert distance[-1] < 0.55 * distance[0]


def test_a_tie_at_target_0_is_left_algebraically():
    """x = w = u: x' = -x^5, so x = (x0^-4 + 4 t)^(-1/4)."""
    times = np.array([0.0, 1.0, 100.0, 10000.0])
    assert np.allclose(flow([1, 1, 1], times, target=0)[:, 0], (1 + 4 * times) ** -0.25, rtol=1e-8)


@given(triple, st.sampled_from([1.0, -2.0, 0.0, 0.3]))
def test_limit_keeps_the_invariants_and_rests(start, target):
    end = limit_point(start, target=target)
    assert np.allclose(conserved(end), conserved(start), atol=1e-11)
    assert np.abs(velocity(end, target=target)).max() < 1e-10
    assert np.allclose(limit_point(end, target=target), end, atol=1e-6)


@given(triple, st.sampled_from([1.0, -2.0, 0.0]), st.permutations(range(3)), st.floats(0.01, 100))
def test_symmetries_of_the_limit(start, target, order, k):
    """Order of the coordinates, two signs at once, one sign with the target's, and x -> k x with
    target -> k^3."""
    start, end = np.array(start), limit_point(start, target=target)
    order = list(order)
    assert np.allclose(limit_point(start[order], target=target), end[order], rtol=1e-12)
    two, one = np.array([-1, -1, 1]), np.array([1, -1, 1])
    assert np.allclose(limit_point(start * two, target=target), end * two, rtol=1e-12)
    assert np.allclose(limit_point(start * one, target=-target), end * one, rtol=1e-12)
    if np.unique(np.abs(start)).size == 3:
        assert np.allclose(limit_point(k * start, target=k**3 * target), k * end, rtol=1e-9)


def diagonal_time(x):
    """Time at which the start x = w = u passes x, from dt = dx / (x^2 (1 - x^3)), up to a
    constant."""
    root = np.sqrt(3)
    return (
        -1 / x
        - np.log(1 - x) / 3
        + np.log(1 + x + x * x) / 6
        - np.arctan((2 * x + 1) / root) / root
    )


def test_flow_on_the_diagonal_has_the_closed_form():
    times = np.linspace(0, 4, 25)
    path = flow([0.3, 0.3, 0.3], times)
    assert path[-1, 0] > 0.99
    assert np.array_equal(path[:, 0], path[:, 1])
    assert np.allclose(diagonal_time(path[:, 0]) - diagonal_time(0.3), times, atol=1e-7)


@pytest.mark.parametrize(
    "start", [(0.2, 0.5, 0.9), (-8, 9, 10), (30, 20, 10), (0.001, 0.002, 0.003)]
)
def test_invariants_along_the_flow(start):
    """x^2 - w^2 and w^2 - u^2 stay, explicit and implicit integration alike."""
    path = flow(start, np.linspace(0, 30, 7))
    drift = np.abs(np.stack(conserved(path)) - np.array(conserved(start))[:, None]).max()
    assert drift < 1e-8 * np.abs(start).max() ** 2


@pytest.mark.parametrize(
    ("start", "target"), [((1, 2, 1e4), 1), ((1, 2, 1e7), 1), ((1e5, -1, 3e4), -2)]
)
def test_small_coordinates_beside_huge_ones_are_right_too(start, target):
    assert np.allclose(
        flow(start, [0, 1], target=target)[-1],
        limit_point(start, target=target),
        rtol=1e-7,
        atol=1e-10,
    )


def test_jacobian_is_the_derivative_of_the_velocity():
    rng = np.random.default_rng(0)
    point, h = rng.normal(size=3), 1e-6
    slopes = [
        (velocity(point + h * e, target=0.4) - velocity(point - h * e, target=0.4)) / (2 * h)
        for e in np.eye(3)
    ]
    assert np.allclose(jacobian(point, target=0.4), np.transpose(slopes), atol=1e-8)


def test_arrays_in_and_out_alike():
    starts = torch.tensor([[0.2, 0.5, 0.9], [0.0, 0.0, 1.0]], dtype=torch.float64)
    assert torch.is_tensor(limit_point(starts))
    assert torch.is_tensor(flow(starts[0], [0, 1]))
    assert torch.is_tensor(conserved(starts)[0])
    assert isinstance(limit_point([1, 2, 3]), np.ndarray)
    assert limit_point(np.ones((2, 5, 3))).shape == (2, 5, 3)
    assert isinstance(conserved([1, 2, 3])[0], float)


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: limit_point([0.5, 0.5, 0.5], target=10**400), "^target = "),
    (lambda: flow([1, 2, np.nan], [0, 1]), "must be finite"),
    (lambda: conserved([1, 2]), r"\(..., 3\)"),
    (lambda: flow([[1, 2, 3]], [0, 1]), "one start"),
    (lambda: flow([1, 2, 3], [0, 2, 1]), "must increase, but 1 follows 2"),
    (lambda: flow([1, 2, 3], [0, np.inf]), "finite"),
    (lambda: flow([1, 2, 3], [0, 1], rtol=0), "rtol"),
    (
        lambda: flow([1e6, 1e6, 1e6], [0, 1]),
        r"too fast .* 3e\+24",
    ),  # fast at its start alone: 3 x^4
    (
        lambda: flow([1, 1, 1], [0, 1], target=1e18),
        r"too fast .* 3e\+24",
    ),  # at its end alone: x = 1e6
    (lambda: limit_point([1, 2, 3], target="one"), "no number"),
)
