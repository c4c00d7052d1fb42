"""Figures of chapter 09 show every run, and say where there is none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from grokbook.errors import ParameterError
from grokbook.plotting.training import curves_by_setting
from grokbook.plotting.width import grok_steps, starting_tables

TABLE = pd.DataFrame({"grok_step": pd.array([100, None], dtype="Int64"), "last_step": [900, 900]}, index=[0, 1])


def test_dots_and_triangles():
    fig = grok_steps({"a": TABLE, "b": None})
    ax = fig.axes[0]
    marks = {line.get_marker(): line.get_xdata() for line in ax.lines}
    assert marks["o"].tolist() == [100.0] and marks[">"].tolist() == [900.0]
    assert [t.get_text() for t in ax.texts] == ["not run"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]


def test_tables_share_one_scale():
    fig = starting_tables({"a": np.eye(3), "b": -2 * np.eye(3)})
    assert {ax.images[0].get_clim() for ax in fig.axes} == {(-2.0, 2.0)}


@pytest.mark.parametrize("draw", [curves_by_setting, grok_steps, starting_tables])
def test_nothing_to_draw_is_refused(draw):
    with pytest.raises(ParameterError, match="to draw"):
        draw({})
