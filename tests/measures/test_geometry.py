"""Principal components and the effective dimension."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures import effective_dimension, explained_variance, principal_components

from .tables import circles, gaussian, rotation, tables


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (6, 6)])
def test_variance_ratios_are_squared_singular_values(shape):
    table = gaussian(*shape)
    squares = np.linalg.svd(table - table.mean(axis=0), compute_uv=False) ** 2
    ratios = explained_variance(table)
    assert ratios.shape == (min(shape),)
    np.testing.assert_allclose(ratios, squares / squares.sum(), atol=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_n_equal_circles_fill_2n_directions(n):
    table = circles(23, list(range(1, n + 1))) @ rotation(2 * n) + 5
    assert effective_dimension(table) == pytest.approx(2 * n, rel=1e-9)


def test_a_line_has_one_direction():
    assert effective_dimension(np.outer(np.arange(7.0), gaussian(1, 5)[0])) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("p", [3, 5, 59])
def test_one_hot_rows_fill_p_minus_one(p):
    assert effective_dimension(np.eye(p)) == pytest.approx(p - 1, rel=1e-9)


def test_initial_value_of_liu2022_figure_7():
    """A 59 x 256 normal matrix: 51.64 +- 0.15 (53 x 256: 46.87 +- 0.18), over draws."""
    assert np.mean([effective_dimension(gaussian(59, 256, s)) for s in range(40)]) == pytest.approx(51.64, abs=0.1)
    assert effective_dimension(gaussian(59, 256, 1)) == pytest.approx(51.64, abs=0.6)
    assert np.mean([effective_dimension(gaussian(53, 256, s)) for s in range(40)]) == pytest.approx(46.87, abs=0.1)


@settings(max_examples=40, deadline=None)
@given(tables(), st.integers(0, 1000), st.floats(0.01, 100))
def test_effective_dimension_sees_only_shape(table, seed, scale):
    value = effective_dimension(table)
    assert 1 - 1e-9 <= value <= min(len(table) - 1, table.shape[1]) + 1e-9
    turned = scale * table @ rotation(table.shape[1], seed) + gaussian(1, table.shape[1], seed)
    order = np.random.default_rng(seed).permutation(len(table))
    assert effective_dimension(turned[order]) == pytest.approx(value, rel=1e-6)


def test_principal_components_are_uncorrelated_and_ordered():
    table = gaussian(12, 5)
    scores = principal_components(table, 5)
    covariance = scores.T @ scores
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-12)
    np.testing.assert_allclose(np.diag(covariance) / np.trace(covariance), explained_variance(table), atol=1e-13)


def test_all_principal_components_keep_all_distances():
    table = gaussian(8, 3)
    scores = principal_components(table, 3)
    for i in range(8):
        np.testing.assert_allclose(
            np.linalg.norm(scores - scores[i], axis=1), np.linalg.norm(table - table[i], axis=1), atol=1e-12
        )


def test_the_sign_of_a_component_is_fixed():
    table = gaussian(8, 3)
    mirrored = principal_components(table @ rotation(3, 7), 2)
    np.testing.assert_allclose(mirrored, principal_components(table, 2), atol=1e-10)
    assert (mirrored[np.abs(mirrored).argmax(axis=0), [0, 1]] > 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: effective_dimension(np.full((5, 3), 0.1)), "equal rows"),
        (lambda: explained_variance(np.zeros((5, 3))), "equal rows"),
        (lambda: principal_components(np.eye(5)[:, :3], 4), "n is 4.*between 1 and 3"),
    ],
)
def test_refusals_name_the_value_and_the_rule(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
