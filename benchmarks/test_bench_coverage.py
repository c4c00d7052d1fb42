"""Counting uncovered cells with a distance transform against every pair of cells; no time is
asserted.

The ratio is the last column of pytest-benchmark's table (relative times within a group).
"""

from __future__ import annotations

import numpy as np
import pytest

from grokbook.tasks import ModularTask
from grokbook.theory.coverage import uncovered


def every_pair(mask: np.ndarray, k: int, *, torus: bool = False) -> int:
    """Uncovered cells by the distance of each cell from each training cell, row by row of the
    grid."""
    p = mask.shape[0]
    a, b = np.nonzero(mask)
    count = 0
    for i in range(p):
        rows, columns = np.abs(i - a), np.abs(np.arange(p)[:, None] - b)
        if torus:
            rows, columns = np.minimum(rows, p - rows), np.minimum(columns, p - columns)
        count += int(((rows + columns).min(axis=1) >= k).sum())
    return count


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_both_count_the_same_cells(k, torus):
    mask = ModularTask(47, train_fraction=0.1).train_mask
    assert uncovered(mask, k, torus=torus) == every_pair(mask, k, torus=torus)


@pytest.mark.parametrize("torus", [False, True], ids=["grid", "torus"])
@pytest.mark.parametrize("count", [uncovered, every_pair], ids=["distance transform", "every pair"])
def test_time_of_uncovered(benchmark, count, torus):
    mask = ModularTask(97, train_fraction=0.2).train_mask
    benchmark.group = f"uncovered cells, p = 97, k = 5, {'torus' if torus else 'grid'}"
    benchmark.pedantic(count, (mask, 5), {"torus": torus}, rounds=5, warmup_rounds=1)
