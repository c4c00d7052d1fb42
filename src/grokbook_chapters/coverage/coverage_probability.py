r"""The probability that a random training set covers the whole grid: by simulation, and by
enumeration on small grids.

Simulation draws the cells of the grid one after another. A cell is first covered when the earliest
cell of its disc is drawn, and the grid when the last of its cells is; this *covering time* gives
the probability for every number of training cells from the same draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import combinations
from math import comb
from operator import or_

import numpy as np
from scipy.stats import binomtest

from grokbook.errors import ParameterError
from grokbook.measures.inputs import whole
from grokbook.theory.grid_inputs import count, side_and_radius

BATCH = 64  # draws that are worked on at a time
MOST_SUBSETS = 300_000  # training sets that `enumerate_coverage` looks at, at most


@dataclass(frozen=True)
class Estimate:
    """A probability estimated from independent draws: its value, its standard error and the number
    of draws."""

    value: float
    error: float
    draws: int

    @classmethod
    def of(cls, hits: int, draws: int) -> Estimate:
        """From `hits` successes among `draws`: value h/n, standard error sqrt(v (1 - v) / n)."""
        value = hits / draws
        return cls(value, round((value * (1 - value) / draws) ** 0.5, 15), draws)

    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval for the probability, which is not empty at 0 and 1 either."""
        test = binomtest(round(self.value * self.draws), self.draws)
        band = test.proportion_ci(method="wilson")
        return float(band.low), float(band.high)


@dataclass(frozen=True)
class Enumeration:
    """What all training sets of m cells do: how many cover the grid, of how many, and the exact
    expectations."""

    covering: int
    subsets: int
    expected_uncovered: Fraction
    expected_share: Fraction | None

    @property
    def probability(self) -> Fraction:
        """The exact probability of full coverage."""
        return Fraction(self.covering, self.subsets)


@lru_cache(maxsize=8)
def cover_times(
    p: int, k: int, draws: int = 400, *, seed: int = 0, torus: bool = False
) -> np.ndarray:
    """Number of cells, drawn one after another without replacement, after which all cells are
    covered, (draws,).

    A training set of m cells is the first m of such a sequence, so P(all covered at m) is the share
    of covering times that are at most m; values at different m share their draws.

    Raises ParameterError for p, k or draws below 1, and on the torus for 2k - 1 > p.
    """
    return first_covered(p, k, draws, seed=seed, torus=torus).max(axis=(1, 2))


def first_covered(
    p: int, k: int, draws: int = 400, *, seed: int = 0, torus: bool = False
) -> np.ndarray:
    """The number of the draw at which each cell is first covered, 1 .. p^2, int32 of shape (draws,
    p, p).

    The cells that m training cells leave uncovered are those with a number above m, so one array
    has the uncovered cells of every m; its maximum over the cells is the covering time.

    Raises ParameterError as `cover_times` does.

    Example:
        >>> numbers = first_covered(5, 2, draws=3)
        >>> numbers.shape, bool((numbers.max(axis=(1, 2)) == cover_times(5, 2, draws=3)).all())
        ((3, 5, 5), True)
    """
    p, k = side_and_radius(p, k, torus)
    rng = np.random.default_rng(seed)
    cells = np.arange(1, p * p + 1, dtype=np.int32)
    batches = []
    for n in np.diff([*range(0, whole(draws, "draws"), BATCH), draws]):
        # random orders of all cells
        least = rng.permuted(np.tile(cells, (n, 1)), axis=1).reshape(n, p, p)
        # of a cell and its neighbours; no two cells are farther apart
        for _ in range(min(k, 2 * p - 1) - 1):
            wide = np.pad(least, ((0, 0), (1, 1), (1, 1)), mode="wrap" if torus else "edge")
            beside = wide[:, :-2, 1:-1], wide[:, 2:, 1:-1], wide[:, 1:-1, :-2], wide[:, 1:-1, 2:]
            least = np.minimum.reduce([least, *beside])
        batches.append(least)
    return np.concatenate(batches)


def full_coverage(
    p: int, k: int, m: int, *, torus: bool = False, draws: int = 400, seed: int = 0
) -> Estimate:
    """Probability that m random training cells cover every cell of the grid, by simulation.

    Raises ParameterError for m outside 0 .. p^2, draws below 1, and as `cover_times` does.

    Source: the probability of Gu et al. 2025, appendix B.6.
    """
    times = cover_times(p, k, draws, seed=seed, torus=torus)
    return Estimate.of(int((times <= count(m, p)).sum()), draws)


def enumerate_coverage(p: int, k: int, m: int, *, torus: bool = False) -> Enumeration:
    """Every training set of m cells of a small grid, counted: exact probability and expectations.

    Raises ParameterError when there are more than 300,000 such sets, and as `expected_uncovered`
    does.
    """
    p, k = side_and_radius(p, k, torus)
    n = p * p
    m = count(m, p)
    if min(m, n - m) > 9 or comb(n, m) > MOST_SUBSETS:
        raise ParameterError(
            f"p = {p}, m = {m} has more than {MOST_SUBSETS} training sets, too many to enumerate."
        )
    gap = np.abs(np.arange(p)[:, None] - np.arange(p))
    gap = np.minimum(gap, p - gap) if torus else gap
    inside = (gap[:, None, :, None] + gap[None, :, None, :] < k).reshape(n, n)
    discs = [_bits(row) for row in inside]
    missing = [n - reduce(or_, chosen, 0).bit_count() for chosen in combinations(discs, m)]
    mean = Fraction(sum(missing), len(missing))
    return Enumeration(missing.count(0), len(missing), mean, 1 - mean / (n - m) if m < n else None)


def _bits(row: np.ndarray) -> int:
    """A bit for each cell of a disc."""
    return sum(1 << int(cell) for cell in np.flatnonzero(row))
