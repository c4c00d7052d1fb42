"""Figures of coverage show the numbers that the library computes."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook import plotting
from grokbook.claims.table1 import predictors
from grokbook.tasks import ModularTask
from grokbook.theory.coverage import disc_size, expected_uncovered, same_class_size, uncovered


def image(ax):
    return np.asarray(ax.images[0].get_array())


def points(ax, marker):
    lines = [line for line in ax.lines if line.get_marker() == marker and len(line.get_xdata())]
    return lines[0].get_xdata(), lines[0].get_ydata()


def test_a_disc_away_from_the_border_has_its_cells_and_its_class():
    fig = plotting.discs(15, 4)
    grid, ring, own = (image(ax) for ax in fig.axes[:3])
    assert (ring > 0).sum() == 2 * disc_size(4) > (grid > 0).sum()
    block = own[5:12, 5:12]
    assert (block == 3).sum() == same_class_size(4) - 1


def test_uncovered_cells_are_counted_in_the_titles():
    mask = ModularTask(23, train_fraction=0.15).train_mask
    fig = plotting.uncovered_cells(mask, 3)
    for ax, torus in zip(fig.axes[:2], (False, True), strict=True):
        assert ax.get_title(loc="left").endswith(str(uncovered(mask, 3, torus=torus)))
        assert (image(ax) == 2).sum() == uncovered(mask, 3, torus=torus)


def test_simulated_expectations_lie_on_the_exact_curve():
    fig = plotting.expectation_and_probability(13, [2, 3], 300)
    x, y = points(fig.axes[0], "o")
    exact = np.array([expected_uncovered(13, 2, int(a * 169), torus=True) for a in x])
    assert np.abs(y - exact).max() < 4 * np.sqrt(exact.max() / 300) + 0.2
    assert len(fig.axes) == 4


def test_probabilities_rise_and_stay_above_markovs_bound():
    ax = plotting.expectation_and_probability(13, [3], 400).axes[1]
    _, y = points(ax, "o")
    bound = next(line for line in ax.lines if line.get_linestyle() == "--").get_ydata()
    assert (np.diff(y) >= 0).all() and (y >= np.asarray(bound) - 0.1).all()


def test_own_class_needs_a_larger_radius_than_any_class():
    ax = plotting.same_class_coverage(23, 0.3, 30).axes[1]
    (_, any_class), (_, own) = points(ax, "s"), points(ax, "o")
    assert (any_class >= own).all() and any_class.argmax() < own.argmax()


@pytest.mark.parametrize("rule", ["code", "text"])
def test_published_accuracies_are_drawn_at_their_shares(rule):
    axes = plotting.accuracy_against_shares(rule).axes
    frame = predictors(rule)
    for ax, share in zip(axes, ("outside", "either order"), strict=False):
        x, y = points(ax, "^")
        strip = frame[frame.split == "strip"]
        assert x.tolist() == strip[share].tolist() and y.tolist() == strip["U-Acc"].tolist()


def test_the_product_of_the_swapping_memoriser_is_highest_at_one_half():
    ax = plotting.swapping_memoriser(23, draws=2).axes[1]
    line = next(line for line in ax.lines if line.get_linestyle() == "--" and len(line.get_xdata()))
    assert abs(line.get_xdata()[np.argmax(line.get_ydata())] - 0.5) < 0.02
