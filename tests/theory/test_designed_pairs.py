"""Sets of pairs with many and with few parallelograms: equal in size and in uses of each symbol."""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.tasks.chosen import ChosenAddition
from grokbook.theory.designed_pairs import PULL, designed_pairs
from grokbook.theory.parallelograms import permissible_set


@pytest.mark.parametrize("wish", PULL)
@pytest.mark.parametrize(("p", "n"), [(10, 40), (12, 50), (20, 120)])
def test_every_sum_is_trained_and_symbols_are_used_equally(p, n, wish):
    for seed in range(3):
        pairs = designed_pairs(p, n, parallelograms=wish, seed=seed)
        assert len(set(pairs)) == len(pairs) == n and all(0 <= i <= j < p for i, j in pairs)
        assert {i + j for i, j in pairs} == set(range(2 * p - 1))
        assert np.ptp(np.bincount(np.ravel(pairs), minlength=p)) <= 2
        assert len(ChosenAddition(p, trained=pairs).train_index) == n


def test_wishes_are_met():
    r"""$|P_0(D)|$ of Liu et al. 2022, Eq. 1, at p = 20: about 140, 190 and 360."""
    counts = {
        wish: [len(permissible_set(designed_pairs(20, 120, parallelograms=wish, seed=seed))) for seed in range(3)]
        for wish in PULL
    }
    assert max(counts["few"]) < 150 < min(counts["any"]) and max(counts["any"]) < 220 < 340 < min(counts["many"])


def test_a_set_depends_on_the_seed_alone():
    first, again, other = (designed_pairs(10, 40, seed=seed) for seed in (0, 0, 1))
    assert first == again != other


@pytest.mark.parametrize("wrong", [{"n": 18}, {"n": 55}, {"n": 40, "parallelograms": "most"}])
def test_what_cannot_be_met_is_refused(wrong):
    with pytest.raises(ParameterError):
        designed_pairs(10, **wrong)
