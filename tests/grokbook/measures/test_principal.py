"""Principal axes against closed forms: rings, rotations, reduced tables; refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures.geometry import explained_variance
from grokbook.measures.principal import on_axes, principal_axes, rebuilt, ring_share


def noise(p=11, d=6, seed=0):
    return np.random.default_rng(seed).normal(size=(p, d))


def ring(p, k, d=6, flat=1.0):
    angle = 2 * np.pi * k * np.arange(p) / p
    plane = np.linalg.qr(noise(d, 2, 3))[0].T
    return np.stack([np.cos(angle), flat * np.sin(angle)], axis=1) @ plane


def test_the_axes_hold_the_variance_that_pca_explains():
    table = noise()
    variance = on_axes(table, 6).var(axis=0)
    assert np.allclose(variance / variance.sum(), explained_variance(table))


def test_all_axes_rebuild_the_table_and_one_the_best_of_rank_one():
    table = noise()
    assert np.allclose(rebuilt(table, 6), table)
    centred = table - table.mean(axis=0)
    lost = ((rebuilt(table, 2) - table) ** 2).sum()
    assert np.isclose(lost, (np.linalg.svd(centred)[1][2:] ** 2).sum())


@given(st.integers(1, 5), st.floats(0.1, 1.0), st.floats(0.01, 100))
def test_a_ring_of_any_frequency_and_width_is_a_ring(k, flat, size):
    assert ring_share(size * ring(11, k, flat=flat)) == pytest.approx(1)


def test_a_ring_is_found_in_noise_and_on_axes_of_its_own_only():
    table = 3 * ring(31, 4) + 0.3 * noise(31)
    assert ring_share(table) > 0.95
    assert ring_share(noise(31, 64)) < 0.5
    assert ring_share(noise(31, 64), of=np.pad(table, ((0, 0), (0, 58)))) < 0.5


def test_two_rings_of_equal_size_share_the_plane_and_other_names_hide_it():
    # the longer half of each fills the plane
    crossed = np.hstack([ring(31, 2, flat=0.5), ring(31, 5, flat=0.5)])
    assert ring_share(crossed) == pytest.approx(0.5)
    named = np.random.default_rng(1).permutation(31)
    assert ring_share(ring(31, 2)[named]) < 0.5


def test_what_has_no_axes_is_refused():
    with pytest.raises(ParameterError, match="n is 7"):
        principal_axes(noise(), 7)
    with pytest.raises(ParameterError):
        on_axes(np.full((4, 3), np.nan), 1)
