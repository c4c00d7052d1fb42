"""Figures of chapter 03 draw what the theorems say."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from grokbook.measures import circle_med
from grokbook.plotting import uniformity as figures
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import circle_delta


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_balls_have_the_closed_form_and_hold_the_common_point():
    ax = figures.class_sums_and_balls({"circle": circle(7, 1)}).axes[0]
    assert [patch.radius for patch in ax.patches] == pytest.approx([circle_delta(7)] * 3)
    cross = next(line for line in ax.lines if line.get_marker() == "X").get_xydata()[0]
    assert all(np.linalg.norm(cross - patch.center) <= patch.radius for patch in ax.patches)


def test_no_embedding_lies_beyond_the_bound():
    ax = figures.diameter_and_bound(5, 6).axes[0]
    points = np.concatenate([line.get_xdata() for line in ax.lines if line.get_linestyle() == "None"])
    assert len(points) == 6 + 2 + 6
    assert points.max() <= 1 + 1e-9


def test_the_printed_norm_lies_below_the_true_one():
    values = figures.lemma_values(6, (3, 5, 7, 11, 13), 3)
    assert set(values.p) == {3, 5, 7, 11}
    assert (values.printed < values.true).all()
    assert len(figures.lemma_norms(values, 6).axes) == 1


def test_med_varies_where_the_loss_does_not():
    left, right = figures.equal_loss(11, 4.0).axes
    points = next(line for line in left.lines if line.get_marker() == "o")
    assert points.get_ydata() == pytest.approx([circle_med(11, [k]) for k in range(1, 6)])
    assert all(np.ptp(line.get_ydata()) < 1e-9 for line in right.lines)


def test_a_circulant_start_has_level_steps():
    left = figures.starts(9, 5).axes[0]
    steps = {line.get_label(): line.get_ydata() for line in left.lines}
    assert np.ptp(steps["circulant"]) < 1e-9 < np.ptp(steps["toeplitz"])


def test_products_gather_a_class_and_sums_do_not():
    left, right = figures.sums_and_products(7, 0.0).axes
    spread = lambda ax: np.ptp(ax.lines[1].get_xydata(), axis=0).max()  # noqa: E731
    assert spread(right) < 1e-9 < spread(left)


def test_shares_have_a_line_for_each_seed():
    table = pd.DataFrame({"seed": [0, 0, 1, 1], "step": [0, 9] * 2, "sums": 0.0, "products": 0.5, "test_accuracy": 1.0})
    above, below = figures.shares_over_training({"a": table}).axes
    assert (len(above.lines), len(below.lines)) == (4, 2)
