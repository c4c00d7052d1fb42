"""Sets of pairs with many and with few parallelograms: equal in size and in uses of each symbol."""

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.tasks.chosen import ChosenAddition
from grokbook.theory.parallelograms import nullity, permissible_set
from grokbook_chapters.causes.designed_addition import PULL, DesignedAddition, designed_pairs


@pytest.mark.parametrize("wish", PULL)
@pytest.mark.parametrize(("p", "n"), [(10, 40), (12, 50), (16, 100), (20, 120)])
def test_every_sum_is_trained_and_symbols_are_used_equally(p, n, wish):
    for seed in range(3):
        pairs = designed_pairs(p, n, wish, seed)
        assert len(set(pairs)) == len(pairs) == n and all(0 <= i <= j < p for i, j in pairs)
        assert {i + j for i, j in pairs} == set(range(2 * p - 1))
        assert np.ptp(np.bincount(np.ravel(pairs), minlength=p)) <= 2


@pytest.mark.parametrize("wish", PULL)
def test_a_task_trains_on_the_set_of_its_seed(wish):
    task = DesignedAddition(12, 50 / 78, "number", seed=4, design=wish)
    chosen = ChosenAddition(12, answers="number", trained=designed_pairs(12, 50, wish, 4))
    assert np.array_equal(task.train_index, chosen.train_index) and task.sizes() == (78, 50)


def test_wishes_are_met():
    r"""$|P_0(D)|$ of Liu et al. 2022, Eq. 1, at p = 20: about 140, 190 and 360; all of them leave
    two freedoms."""
    sets = {wish: [designed_pairs(20, 120, wish, seed) for seed in range(3)] for wish in PULL}
    counts = {
        wish: [len(permissible_set(pairs)) for pairs in found] for wish, found in sets.items()
    }
    assert max(counts["few"]) < 150 < min(counts["any"]) and max(counts["any"]) < 220
    assert min(counts["many"]) > 340
    assert {nullity(pairs, 20) for found in sets.values() for pairs in found} == {2}


def test_clumps_have_more_trained_neighbours_than_spread_pairs():
    """Of the four neighbours in the symmetric table, at p = 16: about 60, 70 and 90 % are
    trained."""

    def nearness(wish, seed):
        table = np.zeros((18, 18))
        pairs = np.array(designed_pairs(16, 100, wish, seed)).T + 1
        table[tuple(pairs)] = table[tuple(pairs[::-1])] = 1
        i, j = pairs
        return np.mean([table[i + a, j + b] for a, b in ((0, 1), (0, -1), (1, 0), (-1, 0))])

    near = {
        wish: [nearness(wish, seed) for seed in range(3)] for wish in ("covering", "any", "clumps")
    }
    assert max(near["covering"]) < min(near["any"]) and max(near["any"]) + 0.1 < min(near["clumps"])


@pytest.mark.parametrize("wrong", [{"train_fraction": 18 / 55}, {"design": "most"}])
def test_what_cannot_be_met_is_refused(wrong):
    with pytest.raises(ParameterError):
        DesignedAddition(10, **wrong)
