"""One dot a run, settings as rows."""

from __future__ import annotations

import pandas as pd
import pytest

from grokbook.errors import ParameterError
from grokbook.plotting.operations import agreement_by_setting

TABLE = pd.DataFrame({"experiment": ["a/x", "a/x", "a/y"], "detrended": [0.6, 0.7, 0.5], "null": [0.5, 0.5, 0.4]})


def test_every_run_is_a_dot_in_its_row():
    fig = agreement_by_setting({"MED": TABLE, "other": TABLE})
    ax = fig.axes[0]
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert [len(line.get_xdata()) for line in dots] == [2, 1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y"]
    ticks = [line for line in ax.lines if line.get_marker() == "|"]
    assert [line.get_xdata()[0] for line in ticks] == [0.5, 0.4]


def test_small_companions_are_called_by_their_task():
    fig = agreement_by_setting({"MED": TABLE.assign(experiment="measures/lead[add, p=47]")})
    assert [label.get_text() for label in fig.axes[0].get_yticklabels()] == ["add, p=47"]


@pytest.mark.parametrize("tables", [{}, {"MED": TABLE.iloc[:0]}])
def test_nothing_to_draw_is_refused(tables):
    with pytest.raises(ParameterError, match="there are no runs to draw"):
        agreement_by_setting(tables)
