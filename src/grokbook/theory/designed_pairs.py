r"""Training sets of the addition table with many or few parallelograms, at equal counts of each symbol."""

from __future__ import annotations

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.inputs import one_of, whole
from grokbook.theory.parallelograms import Sample

PULL = {"any": 0.0, "many": 0.7, "few": -0.7}
"""What a trained pair of the same sum counts for a pair, where one more use of its symbols counts -1."""


def designed_pairs(
    p: int, n: int, *, parallelograms: str = "any", seed: int = 0, rounds: int = 20
) -> tuple[Sample, ...]:
    r"""A set D of `n` pairs i <= j < p, sorted: each sum is trained, each symbol about equally often.

    A set that leaves a sum out cannot be generalised: the answer to that sum was never told. So a pair of each of the
    2p - 1 sums is drawn first, the others at random. Then pairs are exchanged one by one under a falling temperature,
    `rounds` times each; one is taken out with probability proportional to $e^{u/T}$ and one put in proportional to
    $e^{-u/T}$,

    .. math:: u_{ij} = r_i + r_j - \mathrm{pull} \cdot n_{i+j},

    with $r_i$ the uses of a symbol ((i, i) uses it twice) and $n_s$ the pairs of a sum. `parallelograms` is "many"
    (pull > 0), "few" (< 0) or "any" (0): there are $|P_0(D)| = \sum_s n_s (n_s - 1) / 2$ permissible ones.

    Raises ParameterError for n below 2p - 1 or not below the number of pairs, or another wish.

    Example:
        >>> from grokbook.theory.parallelograms import permissible_set
        >>> [len(permissible_set(designed_pairs(10, 40, parallelograms=wish))) for wish in ("few", "any", "many")]
        [27, 35, 48]

    Source: this book, on Liu et al. 2022, section 3 (parallelograms); `grokbook.tasks.chosen` trains on such a set.
    """
    p, n = whole(p, "p", least=2), whole(n, "n")
    one_of(parallelograms, tuple(PULL), "parallelograms")
    i, j = np.triu_indices(p)
    if not 2 * p - 1 <= n < i.size:
        raise ParameterError(f"n = {n} must be at least {2 * p - 1}, one pair a sum, and below {i.size}, all pairs.")
    rng = np.random.default_rng(seed)
    order = rng.permutation(i.size)
    first = order[np.unique((i + j)[order], return_index=True)[1]]
    chosen = np.zeros(i.size, dtype=bool)
    chosen[first] = True
    chosen[np.setdiff1d(order, first)[rng.permutation(i.size - first.size)[: n - first.size]]] = True
    for temperature in np.geomspace(3.0, 0.1, rounds * n):
        for leaving in (True, False):
            uses = np.bincount(np.concatenate([i[chosen], j[chosen]]), minlength=p)
            by_sum = np.bincount((i + j)[chosen], minlength=2 * p - 1)[i + j]
            u = uses[i] + uses[j] - PULL[parallelograms] * by_sum
            free = (chosen & (by_sum > 1)) if leaving else ~chosen
            noisy = (u if leaving else -u) + temperature * rng.gumbel(size=u.size)  # its maximum is a Gibbs draw
            chosen[np.where(free, noisy, -np.inf).argmax()] = not leaving
    return tuple(zip(i[chosen].tolist(), j[chosen].tolist(), strict=True))
