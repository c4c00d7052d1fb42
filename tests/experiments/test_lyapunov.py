"""The plan of chapter 08 refuses first starts that show nothing, and trains nothing."""

from __future__ import annotations

import pytest

from grokbook.errors import ParameterError
from grokbook.experiments.lyapunov import REACH, lyapunov_phase_portrait


@pytest.mark.parametrize("start", [(0.2, 0.5, 0.9), (0.0, 0.5, 0.5), (-0.8, -0.5, 0.3), (REACH, -REACH, 0.1)])
def test_a_start_that_reaches_the_surface_needs_no_training(start):
    assert lyapunov_phase_portrait(*start) == {}


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ((0.0, 0.0, 0.7), "the start lies on the u-axis"),
        ((1.0, 1.0, 1.0), "the start lies on the surface"),
        ((0.5, -0.5, 1.2), "is drawn to the u-axis, a saddle"),
        ((0.2, 0.5, 2.5), "the largest magnitude is 2"),
        ((0.2, float("nan"), 0.9), "must be finite"),
    ],
)
def test_what_shows_nothing_is_refused_with_its_reason(start, words):
    with pytest.raises(ParameterError, match=words):
        lyapunov_phase_portrait(*start)
