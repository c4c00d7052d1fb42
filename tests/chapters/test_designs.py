"""Designed training sets: equal in size and balance, unequal in nearness alone."""

import numpy as np
import pytest

from grokbook.errors import ParameterError
from grokbook.models.quadratic import Quadratic
from grokbook.theory.coverage import uncovered
from grokbook.training import AdamW, RunConfig
from grokbook.training.config import size_key
from grokbook_chapters.causes.designs import DESIGNS, DesignedTask, neighbours

SEEDS = range(4)


def tasks(p: int, f: float, design: str) -> list[DesignedTask]:
    return [DesignedTask(p, train_fraction=f, design=design, seed=seed) for seed in SEEDS]


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(("p", "f"), [(23, 0.6), (29, 0.5)])
def test_sets_are_whole_pairs_of_one_size_for_every_design_and_seed(p, f, design):
    size = round(f * p) + 2 * round(f * p * (p - 1) / 2)
    made = tasks(p, f, design)
    for task in made:
        assert (
            task.train_index.size == task.sizes()[1] == size
            and (np.diff(task.train_index) > 0).all()
        )
        assert (task.train_mask == task.train_mask.T).all() and np.diag(
            task.train_mask
        ).sum() == round(f * p)
    assert len({task.train_index.tobytes() for task in made}) == len(made)


@pytest.mark.parametrize("design", DESIGNS[1:])
@pytest.mark.parametrize(("p", "f"), [(11, 0.7), (23, 0.6), (23, 0.8), (29, 0.5)])
def test_counts_by_symbol_differ_by_at_most_2_cells_and_by_sum_by_at_most_3(p, f, design):
    for task in tasks(p, f, design):
        rows, sums = task.counts()
        assert rows.sum() == sums.sum() == task.sizes()[1]
        assert np.ptp(rows) <= 2 and np.ptp(sums) <= 3


def test_clumps_are_near_and_covering_sets_far_while_relabelled_clumps_are_as_near_as_drawn_sets():
    near = {design: [task.nearness() for task in tasks(29, 0.5, design)] for design in DESIGNS}
    assert max(near["covering"]) < 0.3 and min(near["clumps"]) > 0.7
    for design in ("random", "balanced", "relabelled"):
        assert min(near[design]) > 0.35 and max(near[design]) < 0.6


def test_clumps_leave_more_cells_uncovered():
    """`uncovered` of Gu et al. 2025, section 3.3: cells with no training cell at distance below
    2."""
    bare = {
        d: [uncovered(t.train_mask, 2, torus=True) for t in tasks(29, 0.5, d)]
        for d in ("covering", "clumps")
    }
    assert max(bare["covering"]) <= 4 and min(bare["clumps"]) > 100


def test_relabelled_clumps_are_the_clumps_under_an_automorphism():
    """(i, j) is trained in one where (c i, c j) is in the other; the sum s becomes c s."""
    clumps, other = (
        DesignedTask(23, design=design, unit=7, seed=3) for design in ("clumps", "relabelled")
    )
    assert {tuple(7 * pair % 23) for pair in clumps.train_pairs} == set(
        map(tuple, other.train_pairs)
    )
    new = np.arange(23) * 7 % 23
    for before, after in zip(clumps.counts(), other.counts(), strict=True):
        assert np.array_equal(after[new], before)


def test_neighbours_are_four_on_the_torus():
    mask = np.zeros((5, 5), bool)
    mask[0, 0] = True
    assert np.argwhere(neighbours(mask)).tolist() == [[0, 1], [0, 4], [1, 0], [4, 0]]


def test_designs_of_one_size_share_a_program():
    configs = [
        RunConfig(
            DesignedTask(11, design=design, seed=seed), Quadratic(11, width=4), AdamW(), steps=1
        )
        for design in ("random", "clumps")
        for seed in SEEDS
    ]
    assert len({size_key(config) for config in configs}) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"design": "spiral"},
        {"unit": 10},
        {"unit": 12},
        {"unit": 1},
        {"operation": "mul"},
        {"split": "random"},
    ],
)
def test_what_is_no_design_is_refused(wrong):
    with pytest.raises(ParameterError):
        DesignedTask(11, **wrong)
