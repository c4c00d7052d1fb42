"""Shares of the test sets of Table 1 by counting, against the published accuracies."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.claims.table1 import (
    best_radius,
    correlations,
    covered_shares,
    predictors,
    radius_fits,
    row_task,
    shares_of_test_cells,
)
from grokbook.theory.coverage import uncovered

# independent computation: percent of the test cells outside the hole, (split, hole) -> (programs, text)
OUTSIDE = {("square", 30): (85.41, 86.02), ("square", 45): (67.88, 70.7), ("square", 60): (43.51, 51.69),
           ("strip", 67): (0.0, 23.0), ("strip", 60): (10.17, 29.24), ("strip", 40): (39.62, 48.88)}  # fmt: skip


@pytest.mark.parametrize(("row", "shares"), OUTSIDE.items())
def test_shares_outside_the_hole_against_independent_numbers(row, shares):
    found = [shares_of_test_cells(row_task(*row, rule))["outside"] for rule in ("code", "text")]
    assert found == pytest.approx(shares, abs=0.005)


@pytest.mark.parametrize("rule", ["code", "text"])
def test_shares_are_the_same_for_every_seed(rule):
    seen = [shares_of_test_cells(row_task("strip", 50, rule, seed)) for seed in range(3)]
    assert seen[0] == seen[1] == seen[2]


def test_a_strip_is_a_square_up_to_the_order_of_the_operands():
    """Both leave out the unordered pairs with both operands at most t, (t+1)^2 cells, and train 2822 cells."""
    for hole in (40, 50, 60):
        square, strip = (shares_of_test_cells(row_task(split, hole)) for split in ("square", "strip"))
        assert square["either order"] == strip["either order"] == square["outside"]


def test_covered_shares_are_those_of_uncovered():
    covered = covered_shares("code", seeds=1, largest=8)
    task = row_task("square", 45)
    expected = [100 * (1 - uncovered(task.train_mask, n) / task.test_index.size) for n in range(1, 9)]
    assert covered[3] == pytest.approx(expected)


def test_the_best_radius_is_found_where_there_is_one():
    covered = covered_shares("code", seeds=1, largest=20)
    assert best_radius(covered, covered[:, 6]) == (7, 0.0)


def test_published_numbers_follow_the_share_in_squares_and_no_distance_in_strips():
    fits = radius_fits("code").set_index("rows")
    seen = correlations(predictors("code"))
    assert seen["square", "outside"] == pytest.approx(0.985, abs=5e-4)
    assert seen["all", "either order"] > seen["all", "outside"] + 0.1
    assert fits.rmse["SQUARE"] < 4 < 14 < fits.rmse["all"] < fits.rmse["STRIP"]
    assert np.isfinite(fits.rmse).all()
