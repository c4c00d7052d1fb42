"""Figures of chapter 07 show the sets and shares that they are given."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from grokbook.plotting.separability import shares_by_stage, three_notions

FIRST = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


def test_the_middle_line_separates_and_the_slab_touches_the_sets():
    fig = three_notions(FIRST, FIRST + [1.0, 3.0], FIRST + 0.2)
    left, middle, right = fig.axes
    slab = sorted(np.array(found.get_ydata()).max() for found in left.lines[-3:])
    assert slab[0] < slab[1] < slab[2]
    assert slab[1] - slab[0] == pytest.approx(slab[2] - slab[1])
    assert (len(left.patches), len(right.patches)) == (2, 2)
    titles = [ax.get_title(loc="left") for ax in (left, middle, right)]
    assert titles == ["convexly separable", "not on the first axis", "topologically only"]


def test_collinear_sets_are_drawn_as_segments():
    line = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    assert three_notions(line, line + [0.0, 3.0], line + 0.1).axes[0].patches[:] == []


def test_every_network_and_its_null_is_a_mark():
    shares = (("a", 0.2), ("b", 0.9))
    rows = [(w, c, *pair) for w in ("start", "end") for c in ("all", "train") for pair in shares]
    table = pd.DataFrame(rows, columns=["when", "cells", "stage", "share"]).assign(null=0.1)
    fig = shares_by_stage(table)
    for ax in fig.axes:
        marks = [value for line in ax.lines for value in line.get_ydata()]
        assert sorted(marks) == pytest.approx([0.1] * 4 + [0.2] * 2 + [0.9] * 2)
    assert fig.axes[0].get_legend_handles_labels()[1] == ["start", "end", "labels shuffled"]
