r"""The probability that a random training set covers the whole grid: by simulation, and by enumeration on small grids.

Simulation draws the cells of the grid one after another. A cell is first covered when the earliest cell of its disc
is drawn, and the grid when the last of its cells is; this *covering time* gives the probability for every number of
training cells from the same draws.
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
from grokbook.theory.coverage import disc_size
from grokbook.theory.grid_inputs import count, side_and_radius

BATCH = 64  # draws that are worked on at a time
MOST_SUBSETS = 300_000  # training sets that `enumerate_coverage` looks at, at most


@dataclass(frozen=True)
class Estimate:
    """A probability estimated from independent draws: its value, its standard error and the number of draws.

    Example:
        >>> Estimate.of(320, 400)
        Estimate(value=0.8, error=0.02, draws=400)
    """

    value: float
    error: float
    draws: int

    @classmethod
    def of(cls, hits: int, draws: int) -> Estimate:
        """From `hits` successes among `draws`: value h/n, standard error sqrt(v (1 - v) / n)."""
        value = hits / draws
        return cls(value, round((value * (1 - value) / draws) ** 0.5, 15), draws)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Wilson's interval for the probability, which is not empty at 0 and 1 either."""
        found = binomtest(round(self.value * self.draws), self.draws).proportion_ci(confidence, method="wilson")
        return float(found.low), float(found.high)


@dataclass(frozen=True)
class Enumeration:
    """What all training sets of m cells do: how many cover the grid, of how many, and the exact expectations."""

    covering: int
    subsets: int
    expected_uncovered: Fraction
    expected_share: Fraction | None

    @property
    def probability(self) -> Fraction:
        """The exact probability of full coverage."""
        return Fraction(self.covering, self.subsets)


@lru_cache(maxsize=8)
def cover_times(p: int, k: int, draws: int = 400, *, seed: int = 0, torus: bool = False) -> np.ndarray:
    """Number of cells, drawn one after another without replacement, after which all cells are covered, (draws,).

    A training set of m cells is the first m of such a sequence, so P(all covered at m) is the share of covering
    times that are at most m; values at different m share their draws.

    Raises ParameterError for p, k or draws below 1, and on the torus for 2k - 1 > p.

    Example:
        >>> cover_times(97, 5, draws=3, seed=0, torus=True).shape
        (3,)
        >>> bool((cover_times(5, 5, draws=10) >= 1).all()), cover_times(3, 1, draws=2).tolist()
        (True, [9, 9])
    """
    return first_covered(p, k, draws, seed=seed, torus=torus).max(axis=(1, 2))


def first_covered(p: int, k: int, draws: int = 400, *, seed: int = 0, torus: bool = False) -> np.ndarray:
    """The number of the draw at which each cell is first covered, 1 .. p^2, int32 of shape (draws, p, p).

    The cells that m training cells leave uncovered are those with a number above m, so one array has the uncovered
    cells of every m; its maximum over the cells is the covering time.

    Raises ParameterError as `cover_times` does.

    Example:
        >>> numbers = first_covered(5, 2, draws=3)
        >>> numbers.shape, bool((numbers.max(axis=(1, 2)) == cover_times(5, 2, draws=3)).all())
        ((3, 5, 5), True)
    """
    p, k = side_and_radius(p, k, torus)
    rng = np.random.default_rng(seed)
    sizes = np.diff([*range(0, whole(draws, "draws"), BATCH), draws])
    return np.concatenate([_least_in_disc(_random_orders(rng, p, n), k, torus) for n in sizes])


def _random_orders(rng: np.random.Generator, p: int, draws: int) -> np.ndarray:
    """Random orders of all cells: 1 .. p^2 in each (p, p) layer, shape (draws, p, p)."""
    order = np.tile(np.arange(1, p * p + 1, dtype=np.int32), (draws, 1))
    return rng.permuted(order, axis=1).reshape(draws, p, p)


def _least_in_disc(ranks: np.ndarray, k: int, torus: bool) -> np.ndarray:
    """The least value within distance below k: k - 1 times the least of a cell and its neighbours."""
    for _ in range(min(k, 2 * ranks.shape[-1] - 1) - 1):  # no two cells of the grid are farther apart
        ranks = _cross_minimum(ranks, torus)
    return ranks


def _cross_minimum(ranks: np.ndarray, torus: bool) -> np.ndarray:
    """The least value of each cell and its four neighbours."""
    wide = np.pad(ranks, ((0, 0), (1, 1), (1, 1)), mode="wrap" if torus else "edge")
    rows = np.minimum(wide[:, :-2, 1:-1], wide[:, 2:, 1:-1])
    columns = np.minimum(wide[:, 1:-1, :-2], wide[:, 1:-1, 2:])
    return np.minimum(ranks, np.minimum(rows, columns))


def full_coverage(
    p: int, k: int, m: int, *, torus: bool = False, draws: int = 400, seed: int = 0, replacement: bool = False
) -> Estimate:
    """Probability that m random training cells cover every cell of the grid, by simulation.

    With `replacement` the m cells are drawn independently, so that only D <= m of them differ: given D they are a
    uniform set of D cells, and the covering time is compared with D.

    Raises ParameterError for m outside 0 .. p^2, draws below 1, and as `cover_times` does.

    Example:
        >>> full_coverage(3, 2, 5, torus=True, draws=50).value
        1.0

    Source: the probability of Gu et al. 2025, appendix B.6.
    """
    times = cover_times(p, k, draws, seed=seed, torus=torus)
    m = count(m, p)
    if not replacement:
        return Estimate.of(int((times <= m).sum()), draws)
    rng = np.random.default_rng([seed, 1])
    distinct = [np.unique(rng.integers(p * p, size=m)).size for _ in range(draws)]
    return Estimate.of(int((times <= distinct).sum()), draws)


def printed_bound(p: int, k: int, m: int) -> float:
    r"""The lower bound 1 - N (1 - C/N)^m of the probability of full coverage, as printed.

    Raises ParameterError for m outside 0 .. p^2 and for 2k - 1 > p.

    Example:
        >>> round(printed_bound(97, 5, 3000), 4)
        0.9808

    Source: Gu et al. 2025, appendix B.6. It holds on the torus; on the bounded grid, for which it is stated, it
    does not, because the discs of border cells are smaller than C.
    """
    p, k = side_and_radius(p, k, torus=True)
    return 1 - p * p * (1 - disc_size(k) / p**2) ** count(m, p)


def enumerate_coverage(p: int, k: int, m: int, *, torus: bool = False) -> Enumeration:
    """Every training set of m cells of a small grid, counted: exact probability and expectations.

    Raises ParameterError when there are more than 300,000 such sets, and as `expected_uncovered` does.

    Example:
        >>> found = enumerate_coverage(3, 2, 4)
        >>> found.covering, found.subsets, found.expected_uncovered
        (57, 126, Fraction(9, 14))
    """
    p, k = side_and_radius(p, k, torus)
    n, m = p * p, count(m, p)
    if min(m, n - m) > 9 or comb(n, m) > MOST_SUBSETS:
        raise ParameterError(f"p = {p}, m = {m} has more than {MOST_SUBSETS} training sets, too many to enumerate.")
    discs = _disc_bits(p, k, torus)
    missing = [n - reduce(or_, chosen, 0).bit_count() for chosen in combinations(discs, m)]
    mean = Fraction(sum(missing), len(missing))
    return Enumeration(missing.count(0), len(missing), mean, 1 - mean / (n - m) if m < n else None)


def _disc_bits(p: int, k: int, torus: bool) -> list[int]:
    """The disc of each cell as an integer: bit i*p + j is set when (i, j) is at distance below k."""

    def apart(a: int, b: int) -> int:
        gap = abs(a - b)
        return min(gap, p - gap) if torus else gap

    cells = [divmod(cell, p) for cell in range(p * p)]
    return [
        sum(1 << n for n, (i, j) in enumerate(cells) if apart(i, row) + apart(j, column) < k) for row, column in cells
    ]
