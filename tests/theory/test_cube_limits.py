"""Where the unit cube ends (Gu et al. 2025, Figure 8), against closed forms and an independent Monte Carlo."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.theory.cube_limits import cube_limits, largest_coordinate, largest_distance, limit_of_gaps
from grokbook.theory.triple_product import flow, limit_point


@pytest.fixture(scope="module")
def limits():
    return cube_limits(20000, seed=3)


def test_monte_carlo_agrees_with_an_independent_one(limits):
    """Independent computation: mean 0.1851 +- 0.0007, within 0.1: 0.222 +- 0.003, a coordinate above 1.1: 0.646."""
    mean, error = limits.mean_distance
    share, share_error = limits.share_within(0.1)
    assert abs(mean - 0.1851) < 4 * np.hypot(error, 0.0007)
    assert abs(share - 0.222) < 4 * np.hypot(share_error, 0.003)
    assert abs((limits.limits.max(axis=1) > 1.1).mean() - 0.646) < 4 * np.hypot(0.0034, 0.0034)


def test_every_interior_start_off_the_diagonal_leaves_the_cube(limits):
    assert limits.share_outside == 1
    assert np.allclose(limits.limits.prod(axis=1), 1, rtol=1e-12)
    diagonal = np.linspace(0.05, 0.95, 7)[:, None] * np.ones(3)
    assert np.allclose(limit_point(diagonal), 1, rtol=1e-13)


def test_integrated_trajectories_leave_the_cube_too(limits):
    for start in limits.starts[:5]:
        assert flow(start, [0, 60]).max() > 1


def test_extremes_bound_the_sample_and_are_approached(limits):
    """Independent computation: plastic number 1.3247179..., largest distance 0.43546."""
    assert largest_coordinate() == pytest.approx(1.324717957244746026, rel=1e-14)
    assert largest_distance() == pytest.approx(0.43546, abs=5e-6)
    assert limits.limits.max() < largest_coordinate()
    assert limits.distance.max() < largest_distance()
    assert limit_point([1e-9, 1e-9, 1.0]).max() == pytest.approx(largest_coordinate(), rel=1e-12)
    assert np.linalg.norm(limit_point([0.0, 1, 1]) - 1) == pytest.approx(largest_distance(), rel=1e-13)


def test_no_gaps_give_more():
    """The closed cube has the gaps 0 <= d_1 <= d_2 <= 1: distance grows with d_2, coordinate falls with d_1."""
    grid = np.linspace(0, 1, 41)
    first, second = np.meshgrid(grid, grid, indexing="ij")
    inside = first <= second
    ends = np.full((*first.shape, 3), np.nan)
    ends[inside] = limit_of_gaps(first[inside], second[inside])
    distance, top = np.linalg.norm(ends - 1, axis=-1), ends[..., 2]
    assert np.nanmax(distance) == pytest.approx(largest_distance(), rel=1e-12)
    assert np.nanmax(top) == pytest.approx(largest_coordinate(), rel=1e-12)
    assert np.nanmin(np.diff(distance, axis=1)) > 0
    assert np.nanmax(np.diff(top, axis=0)) < 0


def test_gaps_and_starts_give_the_same_limit():
    rng = np.random.default_rng(0)
    first, second = np.sort(rng.random((2, 50)), axis=0)
    starts = np.stack([np.zeros(50), np.sqrt(first), np.sqrt(second)], axis=1)
    assert np.allclose(limit_of_gaps(first, second), limit_point(starts), rtol=1e-12)


def test_same_seed_same_starts():
    assert np.array_equal(cube_limits(10, seed=1).starts, cube_limits(10, seed=1).starts)
    assert not np.array_equal(cube_limits(10, seed=1).starts, cube_limits(10, seed=2).starts)


@pytest.mark.parametrize(("first", "second"), [(0.5, 0.2), (-1, 1), (0, np.inf)])
def test_bad_gaps_are_refused(first, second):
    with pytest.raises(ParameterError, match="0 <= first <= second"):
        limit_of_gaps(first, second)


def test_one_start_is_too_few():
    with pytest.raises(ParameterError, match="at least 2"):
        cube_limits(1)
