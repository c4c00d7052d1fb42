"""The plan of chapter 07 refuses networks in which separability says nothing (Cover's count)."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.experiments.theory_plans_separability import separability_and_depth
from grokbook.measures import convexly_separable


def test_two_stages_of_the_same_networks():
    plan = separability_and_depth(31, 0.5, 16, 10, 20, 2)
    assert {name: e.config.steps for name, e in plan.items()} == {"early": 10, "late": 20}
    assert plan["early"].config.task == plan["late"].config.task


@pytest.mark.parametrize(("d_model", "early", "word"), [(32, 10, "below p - 1"), (16, 20, "between 1 and")])
def test_refusals(d_model, early, word):
    with pytest.raises(ParameterError, match=word):
        separability_and_depth(31, 0.5, d_model, early, 20, 1)


@pytest.mark.parametrize(("d", "low", "high"), [(8, 0, 0.1), (15, 0.25, 0.75), (28, 0.9, 1)])
def test_the_limit_is_where_half_of_all_labellings_are_separable(d, low, high):
    """Cover 1965: 32 points in general position, half of the labellings at d + 1 = 16."""
    rng = np.random.default_rng(0)
    trials = [rng.normal(size=(2, 16, d)) for _ in range(40)]
    share = np.mean([convexly_separable(a, b) for a, b in trials])
    assert low <= share <= high
