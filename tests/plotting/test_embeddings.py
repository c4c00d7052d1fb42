"""Spectra and circles are those of the embedding."""

from __future__ import annotations

import numpy as np

from grokbook import plotting


def test_the_circle_of_the_strongest_frequency_is_a_regular_polygon(runs):
    """Joined in the order of the angle, the p points of a pure circle have p equal sides 2 sin(pi / p)."""
    fig = plotting.circle_over_training(runs, 2, [0, 1000])
    x, y = fig.axes[-1].lines[0].get_data()
    assert np.allclose(np.hypot(np.diff(x), np.diff(y)), 2 * np.sin(np.pi / 11))
