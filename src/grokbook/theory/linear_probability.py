r"""How many samples force a line: the size at which random training data leave two degrees of
freedom.

Samples are taken one after the other in a random order, many orders at once. Each new sample gives
one equation (with the first sample of its label), which is reduced by those before it; so one order
answers for sets of all sizes. Ranks of plain sums are taken modulo a large prime: exact for p <=
25, since no minor of p - 2 rows of length at most sqrt(6) is above 6^((p - 2) / 2) (Hadamard), and
never too large beyond that.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from scipy.optimize import brentq

from grokbook.errors import ParameterError
from grokbook.measures.inputs import whole
from grokbook.theory.finite_field import LARGE_PRIME, Echelon
from grokbook.theory.parallelograms import all_samples


def first_linear(p: int, n: int = 10_000, seed: int = 0, *, modulus: bool = False) -> np.ndarray:
    r"""The number of samples at which a random order first forces a line, for n orders, int64 of
    shape (n,).

    The nullity falls to 2 at this size and stays there. So the share of orders with a value of at
    most m is the probability that m samples determine the representation. With `modulus`, sums are
    taken modulo p and ranks over the field of p elements, where the solutions are again $E_k = a +
    k b$.

    Raises ParameterError for p below 3, n below 1, and with `modulus` for p not prime.

    Source: Liu et al. 2022, Fig. 4a; modulo p: this book.
    """
    return _first_linear(whole(p, "p", least=3), whole(n, "n"), seed, modulus).copy()


@lru_cache(maxsize=16)
def _first_linear(p: int, n: int, seed: int, modulus: bool) -> np.ndarray:
    samples = len(all_samples(p))
    order = np.random.default_rng(seed).permuted(np.tile(np.arange(samples), (n, 1)), axis=1)
    first = np.zeros(n, dtype=np.int64)
    for size, rank in enumerate(_ranks(p, order, modulus), start=1):
        first[(first == 0) & (rank == p - 2)] = size
        if first.all():
            break
    return first


def _ranks(p: int, orders: np.ndarray, modulus: bool = False) -> Iterator[np.ndarray]:
    """The rank of the equations after each sample of the orders (n, size), numbers of
    `all_samples(p)`; each (n,)."""
    samples = np.array(all_samples(p))
    every = np.arange(len(orders))
    labels = samples.sum(axis=1) % p if modulus else samples.sum(axis=1)
    vectors = np.zeros((len(samples), p), dtype=np.int64)
    for column in samples.T:
        vectors[np.arange(len(samples)), column] += 1
    bases = Echelon(len(orders), p, p if modulus else LARGE_PRIME)
    firsts = np.full((len(orders), int(labels.max()) + 1), -1)
    for chosen in orders.T:
        first = firsts[every, labels[chosen]]
        firsts[every, labels[chosen]] = np.where(first < 0, chosen, first)
        bases.add(np.where((first >= 0)[:, None], vectors[chosen] - vectors[first], 0))
        yield bases.rank.copy()


def linear_probability(
    p: int, n: int = 10_000, seed: int = 0, *, modulus: bool = False
) -> np.ndarray:
    """P(nullity 2) for random training sets of 0, 1, ..., p (p + 1) / 2 samples, from n orders;
    errors as above.

    One order counts at every size, so that the curve rises; its standard error at a size is sqrt(P
    (1 - P) / n).
    """
    sizes = first_linear(p, n, seed, modulus=modulus)
    return np.cumsum(np.bincount(sizes, minlength=len(all_samples(p)) + 1)) / n


def critical_fraction(p: int, n: int = 10_000, seed: int = 0, *, modulus: bool = False) -> float:
    """The share of samples at which `linear_probability` crosses one half, by a line between two
    sizes."""
    return crossing(linear_probability(p, n, seed, modulus=modulus))


def crossing(curve: np.ndarray, level: float = 0.5, places: np.ndarray | None = None) -> float:
    """The place at which the largest value so far of a curve comes to a level, by a line between
    two places.

    It is the first place for a curve that begins at the level or above it, and NaN for one that
    does not reach it; the places are by default the shares of samples of a curve over 0, 1, ...,
    all samples.

    Example:
        >>> crossing(np.array([0.0, 0.4, 0.3, 0.8]), 0.6, np.array([0, 10, 20, 30]))
        25.0
    """
    top = np.maximum.accumulate(curve)
    at = np.linspace(0, 1, len(top)) if places is None else np.asarray(places)
    above = int(np.argmax(top >= level))
    if top[above] < level:
        return float("nan")
    if not above:
        return float(at[0])
    return float(np.interp(level, top[above - 1 : above + 1], at[above - 1 : above + 1]))


def expected_free(p: int, chance: float) -> float:
    r"""The expected number of symbols in no equation, if each of the samples is taken with a chance
    q, exactly.

    A symbol k is in one sample of each label s = k, ..., k + p - 1, which has $n_s$ samples in all;
    it is free just if for none of them this one is taken and another one too: $\prod_s [1 - q (1 -
    (1-q)^{n_s - 1})]$. A line is forced only where no symbol is free; for large p it mostly is
    where none is (chapter 11).

    Raises ParameterError for p below 3.

    Source: this book.

    Example: all samples taken, 0, 1, p - 2 and p - 1 are in equations as well.
        >>> expected_free(10, 1.0), expected_free(10, 0.0)
        (0.0, 10.0)
    """
    sums = np.arange(2 * whole(p, "p", least=3) - 1)
    others = np.minimum(sums, 2 * p - 2 - sums) // 2
    odds = np.maximum(1 - chance * (1 - (1 - chance) ** others), np.finfo(float).tiny)
    logs = np.concatenate([[0.0], np.cumsum(np.log(odds))])
    return float(np.exp(logs[p:] - logs[:p]).sum())


def free_crossover(p: int) -> np.ndarray:
    """The shares of samples from which a tenth, half and nine tenths of training sets leave no
    symbol free, their number taken as Poisson.

    Errors and source as of `expected_free`.

    Example: the crossover narrows slowly.
        >>> [
        ...     round((b - a) / half, 2)
        ...     for a, half, b in (free_crossover(p).tolist() for p in (1_000, 100_000))
        ... ]
        [0.35, 0.23]
    """
    crossings = []
    for level in (0.1, 0.5, 0.9):

        def beyond(q: float, level: float = level) -> float:
            return expected_free(p, q) + np.log(level)

        crossings.append(brentq(beyond, p**-2, 0.99, xtol=1e-12))
    return np.array(crossings)


MOST_SETS = 200_000
"""More sets than this are not all looked at."""


@lru_cache(maxsize=64)
def sets_with_a_line(p: int, size: int) -> int:
    """The number of training sets of this size with nullity 2, by looking at all of them.

    Raises ParameterError for p below 3, a size that is not in the table, and more than 200,000
    sets.
    """
    samples = len(all_samples(whole(p, "p", least=3)))
    size = whole(size, "size", least=0, most=samples)
    n = comb(samples, size)
    if n > MOST_SETS:
        raise ParameterError(
            f"size = {size} at p = {p} has {n:,} sets; at most {MOST_SETS:,} are looked at."
        )
    last = np.zeros(n, dtype=np.int64)
    for rank in _ranks(
        p, np.array(list(combinations(range(samples), size)), dtype=np.int64).reshape(n, size)
    ):
        last = rank
    return int((last == p - 2).sum())
