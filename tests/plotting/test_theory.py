"""Closed forms and measured values in one picture."""

from __future__ import annotations

import numpy as np

from grokbook import plotting
from grokbook.measures import circle_med


def test_med_by_frequency_is_the_closed_form():
    ax = plotting.med_by_frequency(13).axes[0]
    points = next(line for line in ax.lines if line.get_marker() == "o")
    assert np.allclose(points.get_ydata(), [circle_med(13, [k]) for k in points.get_xdata()])


def test_pure_circles_lie_on_their_spectral_value(runs):
    fig = plotting.med_and_spectral_bound({"a": runs})
    fig.canvas.draw()
    shown = [line for line in fig.axes[0].lines if len(line.get_ydata())]
    dashes = [line.get_ydata()[0] for line in shown if line.get_linestyle() == "--"]
    points = [line.get_ydata()[0] for line in shown if line.get_marker() == "o"]
    assert np.allclose(dashes, [circle_med(11, [k]) for k in (1, 2, 3)])
    assert np.allclose(points, dashes)
