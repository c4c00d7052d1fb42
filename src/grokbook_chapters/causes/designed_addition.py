r"""Training sets of the addition table at equal counts of each symbol: many or few parallelograms,
spread or clumps."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from grokbook.errors import ParameterError, check_choice, checked_call
from grokbook.tasks.addition import AdditionTask
from grokbook.tasks.chosen import ChosenAddition

PULL = {
    "any": (0.0, 0.0),
    "many": (0.7, 0.0),
    "few": (-0.7, 0.0),
    "covering": (0.0, -0.5),
    "clumps": (0.0, 0.4),
}
"""What a trained pair of the same sum, and a trained neighbour, count for a pair; one use more of a
symbol is -1."""


@checked_call
@dataclass(frozen=True)
class DesignedAddition(AdditionTask):
    r"""`AdditionTask` whose training set D is a `design`, drawn by `seed`.

    It has "many", "few" or "any" number of parallelograms, or its pairs are spread ("covering") or
    stand in "clumps" on the grid. Each of the 2p - 1 sums is trained (a set that leaves one out
    cannot teach its vector or label), and the uses of two symbols differ by at most 2 in the sizes
    tested. See `designed_pairs`.

    Raises ParameterError as `AdditionTask` and `designed_pairs` do.

    Example:
        >>> task = DesignedAddition(10, 40 / 55, design="many")
        >>> len(task.train_index), task.design
        (40, 'many')

    Source: this book, on Liu et al. 2022, section 3.
    """

    design: str = field(default="any", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("design", self.design, PULL)
        _check(self.p, self.sizes()[1])

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training pairs, sorted."""
        pairs = _designed(self.p, self.sizes()[1], self.design, self.seed)
        return ChosenAddition(self.p, trained=pairs).train_index


def _check(p: int, n: int) -> None:
    most = p * (p + 1) // 2
    if not 2 * p - 1 <= n < most:
        raise ParameterError(
            f"n = {n} must be at least {2 * p - 1}, one pair a sum, and below {most}, all pairs."
        )


def designed_pairs(
    p: int, n: int, design: str = "any", seed: int = 0, rounds: int = 20
) -> tuple[tuple[int, int], ...]:
    r"""A set D of `n` pairs i <= j < p, sorted: each sum is trained, each symbol about equally
    often.

    A pair of each of the 2p - 1 sums is drawn first, the others at random. Then pairs are exchanged
    one by one under a falling temperature, `rounds` times each; one is taken out with probability
    proportional to $e^{u/T}$ and one put in proportional to $e^{-u/T}$,

    .. math:: u_{ij} = r_i + r_j - a\,n_{i+j} - b\,m_{ij},

    with $r_i$ the uses of a symbol ((i, i) uses it twice), $n_s$ the pairs of a sum and $m_{ij}$
    the trained among the four neighbours of the cell in the symmetric table. (a, b) is `PULL` of
    the `design`: "many" parallelograms have a > 0, "few" a < 0, of $|P_0(D)| = \sum_s n_s (n_s - 1)
    / 2$ permissible ones; "clumps" b > 0, "covering" b < 0.

    Raises ParameterError for n below 2p - 1 or not below the number of pairs.

    Example:
        >>> from grokbook.theory.parallelograms import permissible_set
        >>> [len(permissible_set(designed_pairs(10, 40, wish))) for wish in ("few", "any", "many")]
        [27, 35, 48]

    Source: this book, on Liu et al. 2022, section 3 (parallelograms, Eq. 1).
    """
    _check(p, n)
    i, j = np.triu_indices(p)
    rng = np.random.default_rng(seed)
    by_pull, near_pull = PULL[design]
    table = np.zeros((p + 2, p + 2))
    order = rng.permutation(i.size)
    first = order[np.unique((i + j)[order], return_index=True)[1]]
    chosen = np.zeros(i.size, dtype=bool)
    chosen[first] = True
    others = np.setdiff1d(order, first)
    chosen[others[rng.permutation(others.size)[: n - first.size]]] = True
    for temperature in np.geomspace(3.0, 0.1, rounds * n):
        for leaving in (True, False):
            uses = np.bincount(np.concatenate([i[chosen], j[chosen]]), minlength=p)
            by_sum = np.bincount((i + j)[chosen], minlength=2 * p - 1)[i + j]
            u = uses[i] + uses[j] - by_pull * by_sum
            if near_pull:
                table[1 + i, 1 + j] = table[1 + j, 1 + i] = chosen
                beside = table[1 + i, 2 + j] + table[1 + i, j]
                u -= near_pull * (beside + table[2 + i, 1 + j] + table[i, 1 + j])
            free = (chosen & (by_sum > 1)) if leaving else ~chosen
            # its maximum is a Gibbs draw
            noisy = (u if leaving else -u) + temperature * rng.gumbel(size=u.size)
            chosen[np.where(free, noisy, -np.inf).argmax()] = not leaving
    return tuple(zip(i[chosen].tolist(), j[chosen].tolist(), strict=True))


_designed = lru_cache(maxsize=256)(designed_pairs)
