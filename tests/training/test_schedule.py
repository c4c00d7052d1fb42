"""Which steps are logged: dense at first, then about 400 points, the last step always."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.training.schedule import Schedule, snapshot_steps

schedules = st.builds(
    Schedule,
    dense_until=st.integers(0, 200),
    dense_every=st.integers(1, 40),
    points=st.integers(1, 300),
    spacing=st.sampled_from(["linear", "log"]),
)


@given(schedules, st.integers(1, 50_000))
def test_the_steps_are_sorted_different_and_run_from_0_to_the_last(schedule, last):
    steps = schedule.steps(last)
    assert steps.dtype == np.int64 and steps[0] == 0 and steps[-1] == last
    assert (np.diff(steps) > 0).all()


@given(schedules, st.integers(1, 50_000))
def test_the_dense_part_is_complete_and_the_rest_at_most_the_points(schedule, last):
    steps = schedule.steps(last)
    until = min(schedule.dense_until, last)
    dense = set(range(0, until + 1, schedule.dense_every))
    assert dense <= set(steps.tolist())
    assert len(steps) - len(dense) <= schedule.points


@given(st.integers(1, 200), st.integers(1, 20_000))
def test_linear_points_are_evenly_spread(points, last):
    steps = Schedule(dense_until=0, points=points).steps(last)
    gaps = np.diff(steps)
    wanted = last / points
    assert len(gaps) == (points if last >= points else last)
    assert np.abs(gaps - max(wanted, 1)).max() <= 1


@given(st.integers(2, 60), st.integers(1000, 100_000))
def test_logarithmic_points_have_a_constant_ratio(points, last):
    schedule = Schedule(dense_until=100, dense_every=100, points=points, spacing="log")
    later = schedule.steps(last)[1:]
    exact = 100 * (last / 100) ** (np.arange(points + 1) / points)
    assert all(np.abs(exact - step).min() <= 0.5 + 1e-6 for step in later)
    assert all(np.abs(later - value).min() <= 0.5 + 1e-6 for value in exact)


@given(schedules, st.integers(1, 5_000), st.integers(0, 20))
def test_snapshots_are_logged_steps_with_both_ends(schedule, last, count):
    logged = schedule.steps(last)
    chosen = snapshot_steps(logged, count)
    assert set(chosen.tolist()) <= set(logged.tolist()) and len(chosen) <= count
    if count:
        assert chosen[-1] == last
    if count > 1:
        assert chosen[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dense_until": -1}, "dense_until = -1 must be an integer of 0 or more."),
        ({"dense_every": 0}, "dense_every = 0 must be an integer of 1 or more."),
        ({"points": 0}, "points = 0 must be an integer of 1 or more."),
        ({"points": 2.5}, "points = 2.5 must be an integer of 1 or more."),
        ({"points": True}, "points = True must be an integer of 1 or more."),
        ({"spacing": "cubic"}, "spacing = 'cubic' is unknown; choose linear or log."),
    ],
)
def test_a_schedule_out_of_range_is_refused(arguments, message):
    with pytest.raises(ParameterError) as caught:
        Schedule(**arguments)
    assert str(caught.value) == message
