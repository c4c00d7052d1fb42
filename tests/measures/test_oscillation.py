"""Largest and total fall of a curve: against all pairs of steps, and how they behave under change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grokbook.errors import ParameterError
from grokbook.measures.oscillation import falls

curves = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(curves)
def test_the_largest_fall_is_over_all_pairs_of_steps(values):
    pairs = [values[s] - values[t] for t in range(len(values)) for s in range(t + 1)]
    assert falls(values).largest == pytest.approx(max(pairs))


@given(curves)
def test_rises_less_falls_are_the_way_from_first_to_last(values):
    rises = falls(-np.array(values)).total
    assert rises - falls(values).total == pytest.approx(values[-1] - values[0], abs=1e-9)


@given(curves)
def test_the_total_is_at_least_the_largest_and_repeats_do_not_count(values):
    found = falls(values)
    assert found.total >= found.largest - 1e-12 >= -1e-12
    again = falls(np.repeat(values, 3))
    assert (again.largest, again.total) == pytest.approx((found.largest, found.total))


def test_known_curves():
    assert falls(np.linspace(0, 1, 9)).total == 0
    assert falls([1, 0] * 5).total == 5 and falls([1, 0] * 5).largest == 1


@pytest.mark.parametrize("values", [[], [[0.1, 0.2]], [0.1, float("nan")]])
def test_refusals(values):
    with pytest.raises(ParameterError, match="finite numbers in a row"):
        falls(values)
