"""Where the starts of a cube end, and a start's sentence (Gu et al. 2025, Fig. 8)."""

import numpy as np
import pytest

from grokbook.theory.triple_product import limit_point
from grokbook_chapters.lyapunov_phase_portrait.cube_limits import cube_limits, largest_distance
from grokbook_chapters.lyapunov_phase_portrait.explained import explain
from refusals import refusals


@pytest.mark.parametrize(
    ("start", "target", "words"),
    [
        ((0, 0, 2), 1, "lies on the u-axis"),
        ((0, 0, 0), 1, "is the origin"),
        ((0.2, 0.5, 0.9), 1, "no coordinate changes its sign"),
        ((0, 0.5, 0.9), 1, "x = 0: it leaves 0 at once"),
        ((-0.2, 0.5, 0.9), 1, "x, the smallest, goes through 0"),
        ((-0.5, 0.5, 0.9), 1, "drawn to the u-axis, a saddle"),
        ((2, 1, 0.5), 1, "lies on the surface"),
        ((0.2, 0.5, 0.9), 0, "x has the smallest magnitude"),
        ((0.5, 0.5, 0.9), 0, "x and w share"),
        ((0, 0.5, 0.9), 0, "the product is 0"),
    ],
)
def test_explain_in_one_sentence(start, target, words):
    said = explain(start, target=target)
    assert words in said
    assert said.endswith(".") and said.count(". ") == 0


@pytest.fixture(scope="module")
def limits():
    return cube_limits(20000, seed=3)


def test_monte_carlo_agrees_with_an_independent_one(limits):
    """Independent computation: mean 0.1851 +- 0.0007, within 0.1: 0.222 +- 0.003, a coordinate
    above 1.1: 0.646."""
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


PLASTIC = 1.324717957244746026  # the real root of x^3 = x + 1


def test_extremes_bound_the_sample_and_are_approached(limits):
    """The largest coordinate tends to the plastic number; independent computation: largest distance
    0.43546."""
    assert largest_distance() == pytest.approx(0.43546, abs=5e-6)
    assert limits.limits.max() < PLASTIC
    assert limits.distance.max() < largest_distance()
    assert limit_point([1e-9, 1e-9, 1.0]).max() == pytest.approx(PLASTIC, rel=1e-12)
    assert np.linalg.norm(limit_point([0.0, 1, 1]) - 1) == pytest.approx(
        largest_distance(), rel=1e-13
    )


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: explain(np.ones((2, 3))), "one start"),
    (lambda: cube_limits(1), "at least 2"),
)
