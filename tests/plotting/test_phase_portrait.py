"""What the figures of the x w u flow draw is what the library computes."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.quiver import Quiver

from grokbook import plotting
from grokbook.plotting.phase_portrait import LEVELS
from grokbook.theory.cube_limits import cube_limits, largest_distance
from grokbook.theory.triple_product import limit_point, velocity


def drawn_points(ax, colour):
    """The positions of the dots of this colour."""
    line = next(line for line in ax.lines if line.get_marker() == "o" and line.get_color() == colour)
    return np.transpose(line.get_data())


def test_trajectories_start_and_end_where_the_library_says():
    fig = plotting.cube_trajectories(n=4, seed=2)
    limits = cube_limits(4, seed=2)
    flat = next(ax for ax in fig.axes if ax.name == "rectilinear")
    assert np.allclose(drawn_points(flat, plotting.COLOURS["train"]), limits.starts[:, :2])
    assert np.allclose(drawn_points(flat, plotting.COLOURS["test"]), limits.limits[:, :2])
    paths = [line for line in flat.lines if line.get_color() == plotting.COLOURS["train"] and len(line.get_xdata()) > 9]
    ends = np.array([[line.get_xdata()[-1], line.get_ydata()[-1]] for line in paths])
    assert np.allclose(ends, limits.limits[:, :2], atol=1e-5)


def test_distribution_marks_the_mean_and_the_bound():
    limits = cube_limits(300)
    left = plotting.limit_distribution(limits).axes[0]
    marks = [line.get_xdata()[0] for line in left.lines]
    assert marks == pytest.approx([limits.mean_distance[0], largest_distance()])
    assert sum(patch.get_height() * patch.get_width() for patch in left.patches) == pytest.approx(1)


def test_only_the_printed_v_grows_somewhere():
    """The left panel has a region of positive rate, the right one none (Equation 17 against the loss)."""
    axes = plotting.v_and_loss_rates().axes
    left, right = (np.asarray(ax.collections[0].get_array()) for ax in axes[:2])
    assert left.max() > 0
    assert right.max() <= 0


@pytest.mark.parametrize("target", [1.0, 0.0])
def test_streams_on_both_planes(target):
    """Arrows lie on drawn curves, point along the velocity, and are tangent to the curve."""
    fig = plotting.plane_streams(target)
    for ax, on_plane in zip(fig.axes[:2], (lambda a, b: (a, a, b), lambda a, b: (a, b, np.ones_like(a))), strict=True):
        arrows = next(drawn for drawn in ax.collections if isinstance(drawn, Quiver))
        first, second = np.asarray(arrows.X), np.asarray(arrows.Y)
        level = first**2 - second**2
        assert np.abs(level[:, None] - LEVELS).min(axis=1).max() < 1e-9
        assert np.allclose(first * arrows.U - second * arrows.V, 0, atol=1e-9)
        speed = velocity(np.stack(on_plane(first, second), axis=-1), target=target)
        parts = speed[:, [0, 2]] if ax is fig.axes[0] else speed[:, :2]
        assert (parts[:, 0] * arrows.U + parts[:, 1] * arrows.V > 0).all()


def test_coordinates_reach_the_dashed_limits_and_drift_falls_with_the_tolerance():
    start = [-0.3, 0.8, 1.1]
    left, right = plotting.invariants_along_flow(start).axes
    dashes = [line.get_ydata()[0] for line in left.lines if line.get_linestyle() == "--"]
    assert np.allclose(dashes, limit_point(start))
    assert np.allclose([line.get_ydata()[-1] for line in left.lines if line.get_linestyle() == "-"], dashes, atol=1e-4)
    drifts = [line.get_ydata().max() for line in right.lines]
    assert drifts[0] > drifts[1] > drifts[2]
