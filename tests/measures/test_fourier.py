"""The spectrum of an embedding: normalisation, concentration, planes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures import (
    circle_projection,
    dominant_frequencies,
    energy_share,
    fourier_power,
    inverse_participation_ratio,
    relabelled,
)

from .tables import circles, gaussian, rotation, tables


def test_the_power_of_a_circle_is_its_squared_radius():
    power = fourier_power(circles(11, [2, 5], [3.0, 0.5]) + 7)
    assert power.shape == (6,)
    np.testing.assert_allclose(power, [4 * 49, 0, 9, 0, 0, 0.25], atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(tables())
def test_parseval_without_a_constant(table):
    """sum_k P_k = (1/p) sum_i |phi_i|^2, for odd and even p."""
    power = fourier_power(table)
    assert power.shape == (len(table) // 2 + 1,)
    assert power.sum() == pytest.approx((table**2).sum(axis=1).mean(), rel=1e-10)


@pytest.mark.parametrize("p", [7, 8])
def test_power_against_the_sum_written_out(p):
    table = gaussian(p, 3)
    for k, value in enumerate(fourier_power(table)):
        wave = np.exp(-2j * np.pi * k * np.arange(p) / p)
        both_sides = 1 if k in (0, p / 2) else 2
        assert value == pytest.approx(both_sides * np.sum(np.abs(wave @ table / p) ** 2), rel=1e-12)


@settings(max_examples=30, deadline=None)
@given(tables(), st.integers(0, 100), st.integers(0, 22))
def test_power_does_not_see_rotation_or_shift(table, seed, shift):
    moved = np.roll(table @ rotation(table.shape[1], seed), shift, axis=0)
    np.testing.assert_allclose(fourier_power(moved), fourier_power(table), rtol=1e-7, atol=1e-10 * np.sum(table**2))


@pytest.mark.parametrize("n", [1, 2, 5, 48])
def test_ipr_of_n_equal_circles_is_one_over_n(n):
    assert inverse_participation_ratio(circles(97, list(range(1, n + 1)))) == pytest.approx(1 / n, rel=1e-10)


@settings(max_examples=40, deadline=None)
@given(tables(), st.floats(-50, 50), st.floats(0.1, 10))
def test_ipr_lies_in_its_range_and_ignores_scale_and_offset(table, offset, scale):
    value = inverse_participation_ratio(table)
    assert 1 / (len(table) // 2) - 1e-12 <= value <= 1 + 1e-12
    assert inverse_participation_ratio(scale * table) == pytest.approx(value, rel=1e-9)
    assert inverse_participation_ratio(table + offset * np.std(table)) == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("factor", [2, 3, 10])
def test_relabelling_permutes_the_powers(factor):
    """i -> ci takes frequency k to ck: the IPR and the energy share stay."""
    table = gaussian(11, 4)
    moved = relabelled(table, factor)
    k = np.arange(6)
    folded = np.minimum(factor * k % 11, -factor * k % 11)
    np.testing.assert_allclose(fourier_power(moved)[folded], fourier_power(table), rtol=1e-10)
    assert inverse_participation_ratio(moved) == pytest.approx(inverse_participation_ratio(table), rel=1e-10)
    assert energy_share(moved, 2) == pytest.approx(energy_share(table, 2), rel=1e-10)


def test_dominant_frequencies_and_their_share():
    table = circles(23, [7, 2, 9], [1.0, 3.0, 2.0])
    assert dominant_frequencies(table, 3) == [2, 9, 7]
    assert energy_share(table, 1) == pytest.approx(9 / 14)
    assert energy_share(table, 2) == pytest.approx(13 / 14)
    assert energy_share(table, 11) == pytest.approx(1.0)


def test_of_equals_the_lower_frequency_comes_first():
    assert dominant_frequencies(np.array([[1.0], [0], [0], [0], [0]]), 2) == [1, 2]


# Planes


@pytest.mark.parametrize("k", [1, 3, 5])
def test_a_circle_is_recovered_from_a_rotated_sum(k):
    """Circles in orthogonal planes, turned at random and moved: each plane gives back its own circle."""
    table = circles(11, [1, 3, 5], [1.0, 2.0, 0.1]) @ rotation(6, 4) + gaussian(1, 6, 5)
    radius = {1: 1.0, 3: 2.0, 5: 0.1}[k]
    np.testing.assert_allclose(circle_projection(table, k), circles(11, [k], radius), atol=1e-12)


def test_the_axes_are_at_right_angles():
    """Distances in the plane never exceed those in the full space, and the rows are centred."""
    table = gaussian(13, 4)
    points = circle_projection(table, 2)
    assert points.shape == (13, 2)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-12)
    lengths = np.linalg.norm(points, axis=1)
    assert (lengths <= np.linalg.norm(table - table.mean(axis=0), axis=1) + 1e-12).all()


def test_a_flat_ellipse_has_a_zero_axis():
    angle = 2 * np.pi * np.arange(7)[:, None] / 7
    cosine = circle_projection(np.cos(angle), 1)
    np.testing.assert_allclose(cosine, np.hstack([np.cos(angle), 0 * angle]), atol=1e-12)
    sine = circle_projection(np.hstack([np.sin(angle), 0 * angle]), 1)
    np.testing.assert_allclose(sine, np.hstack([0 * angle, np.sin(angle)]), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fourier_power(np.eye(2)), "p = 2 rows"),
        (lambda: inverse_participation_ratio(np.full((5, 3), 0.1)), "equal rows"),
        (lambda: inverse_participation_ratio(np.zeros((5, 3))), "equal rows"),
        (lambda: dominant_frequencies(np.eye(7), 4), "n is 4.*between 1 and 3"),
        (lambda: energy_share(np.eye(7), 0), "n is 0"),
        (lambda: circle_projection(np.eye(7), 0), "k is 0"),
        (lambda: circle_projection(np.eye(7), 4), "k is 4"),
        (lambda: circle_projection(circles(7, [1]), 2), "no power at k = 2"),
    ],
)
def test_refusals_name_the_value_and_the_rule(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
