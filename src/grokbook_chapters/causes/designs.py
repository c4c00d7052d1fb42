r"""Training sets that are designed instead of drawn: equally large and equally balanced, near or
far on the grid.

A training set consists of whole unordered pairs: with the cell (i, j) of the p x p grid it holds
(j, i). A design chooses which; how many stand on the diagonal and how many beside it depends on p
and the fraction alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from grokbook.errors import ParameterError, check_choice, check_integers, checked_call
from grokbook.tasks.arithmetic import ModularTask

PULL = {"balanced": 0.0, "covering": -0.5, "clumps": 0.5}
"""What a trained neighbour of a cell counts for it, where one more cell of its row counts -1."""
DESIGNS = ("random", *PULL, "relabelled")


@checked_call
@dataclass(frozen=True)
class DesignedTask(ModularTask):
    r"""Addition modulo p whose training set, round(f p) pairs (i, i) and round(f p (p-1) / 2) pairs
    i < j, is a design.

    f is `train_fraction`. `design` is one of `DESIGNS`:

    - "random": the pairs are drawn uniformly.
    - "balanced": every symbol and every sum is trained as often as any other (see below), else
      random.
    - "covering": balanced, and trained cells have as few trained neighbours on the torus as that
      allows.
    - "clumps": balanced, and trained cells have as many trained neighbours as that allows.
    - "relabelled": the cells (c i, c j) for the cells (i, j) of "clumps" with the same seed. i -> c
      i, c = `unit` (by default the number nearest to the root of p), is an automorphism: it takes
      the sum s to c s, so that the balance is that of the clumps and only nearness differs.

    Balanced sets have rows that differ by at most 2 cells (1 as a rule), and sums by at most 3 (an
    unordered pair is two cells): `counts`. They are found by an annealed exchange of pairs
    (`exchanged`).

    A network that starts with independent weights for each symbol learns from clumps and from the
    relabelled clumps with the same distribution: renaming its symbols at the start gives the same
    run. So what clumps do to it cannot be an effect of the distance of their cells on the grid.

    Raises ParameterError for another design, operation, split or shift, p below 5, or a unit that
    is 0, 1 or -1 mod p.

    Example:
        >>> task = DesignedTask(23, train_fraction=0.6, design="clumps")
        >>> rows, sums = task.counts()
        >>> len(task.train_index), int(np.ptp(rows)), int(np.ptp(sums))
        (318, 1, 2)

    Source: this book, on the coverage of Gu et al. 2025, section 3.3.
    """

    train_fraction: float = 0.6
    split: str = "symmetric"
    design: str = field(default="random", kw_only=True)
    unit: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_integers(self, p=5)
        unit = round(self.p**0.5) if self.unit is None else self.unit
        object.__setattr__(self, "unit", unit)
        check_integers(self, unit=2)
        check_choice("design", self.design, DESIGNS)
        if (self.operation, self.split, self.shift) != ("add", "symmetric", 0):
            raise ParameterError('a design needs operation="add", split="symmetric" and shift=0.')
        if unit % self.p in (0, 1, self.p - 1):
            raise ParameterError(f"unit = {unit} must not be 0, 1 or -1 modulo p = {self.p}.")
        super().__post_init__()

    @property
    def parts(self) -> tuple[int, int]:
        """Number of training pairs on the diagonal, and of those i < j."""
        diagonal = round(self.train_fraction * self.p)
        beside = round(self.train_fraction * self.p * (self.p - 1) / 2)
        return diagonal, beside

    def sizes(self) -> tuple[int, int]:
        """Cells of the grid and of the training set: the same for every design and seed."""
        diagonal, beside = self.parts
        return self.p**2, diagonal + 2 * beside

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training cells, sorted, int64."""
        rng = np.random.default_rng(self.seed)
        if self.design == "random":
            return np.flatnonzero(drawn(self.p, *self.parts, rng))
        pull = PULL["clumps" if self.design == "relabelled" else self.design]
        mask = _exchanged(self.p, *self.parts, pull, self.seed)
        if self.design == "relabelled":
            assert self.unit is not None  # set when the task was made
            old = np.arange(self.p) * pow(self.unit, -1, self.p) % self.p
            mask = mask[np.ix_(old, old)]
        return np.flatnonzero(mask)

    def counts(self) -> tuple[np.ndarray, np.ndarray]:
        """Training cells in the row of each symbol, and of each sum, (p,) both."""
        return self.train_mask.sum(axis=1), np.bincount(
            self.labels[self.train_index], minlength=self.p
        )

    def nearness(self) -> float:
        """Share of the four neighbours of a training cell on the torus that are training cells, on
        average."""
        return float(neighbours(self.train_mask)[self.train_mask].mean() / 4)


def neighbours(mask: np.ndarray) -> np.ndarray:
    """Number of the four neighbours of each cell on the torus that are in the mask, (p, p)."""
    cells = mask.astype(float)
    above_and_below = np.roll(cells, 1, axis=0) + np.roll(cells, -1, axis=0)
    return above_and_below + np.roll(cells, 1, axis=1) + np.roll(cells, -1, axis=1)


def drawn(p: int, diagonal: int, beside: int, rng: np.random.Generator) -> np.ndarray:
    """A symmetric mask (p, p) of so many random cells on the diagonal and so many pairs of cells
    beside it."""
    mask = np.zeros((p, p), dtype=bool)
    on = rng.permutation(p)[:diagonal]
    rows, columns = np.triu_indices(p, 1)
    off = rng.permutation(rows.size)[:beside]
    mask[on, on] = True
    mask[rows[off], columns[off]] = True
    return mask | mask.T


def exchanged(
    p: int, diagonal: int, beside: int, pull: float, seed: int, rounds: int = 5
) -> np.ndarray:
    r"""A mask (p, p) as `drawn`, whose pairs were exchanged under a falling temperature, each
    `rounds` times.

    An exchange takes a pair out with probability proportional to $e^{u/T}$ and puts one in
    proportional to $e^{-u/T}$,

    .. math:: u_{ij} = r_i + r_j + 2 s_{i+j} - \mathrm{pull} \cdot n_{ij},

    with $r$, $s$ the numbers of cells of a row and of a sum, $n$ that of the neighbours: half of
    what the pair adds to $\sum r^2 + \sum s^2$, less its pull. T falls from 3 to 0.1 in equal
    ratios.
    """
    rng = np.random.default_rng(seed)
    symbols = np.arange(p)
    mask = drawn(p, diagonal, beside, rng)
    sums = np.add.outer(symbols, symbols) % p
    on = np.eye(p, dtype=bool)
    for temperature in np.geomspace(3.0, 0.1, rounds * (diagonal + beside)):
        kind = on if rng.random() < diagonal / (diagonal + beside) else np.triu(~on)
        for leaving in (True, False):
            rows = mask.sum(axis=0)
            by_sum = np.bincount(sums.ravel(), mask.ravel(), p)
            u = rows[:, None] + rows + 2 * by_sum[sums] - pull * neighbours(mask)
            # its maximum is a Gibbs draw
            noisy = (u if leaving else -u) + temperature * rng.gumbel(size=(p, p))
            free = kind & (mask == leaving)
            i, j = divmod(int(np.where(free, noisy, -np.inf).argmax()), p)
            mask[i, j] = mask[j, i] = not leaving
    return mask


_exchanged = lru_cache(maxsize=256)(exchanged)
