r"""Adding by angles: how far the right answer stands above the others, as a function of the
frequencies used.

A network that adds modulo p by the frequencies k in K answers with the logits

.. math:: z_c(i, j) = \sum_{k \in K} a_k \cos\frac{2\pi k(i + j - c)}{p} = g(i + j - c), \quad a_k >
    0 .

They depend on the *distance* d = i + j - c alone, so the margin, the right logit less the best
wrong one, is $g(0) - \max_{d \ne 0} g(d)$ for all pairs. Its *share* is the margin over $g(0) =
\sum_k a_k$. The bounds of this module are for equal amplitudes and a prime p; m = |K|, at most (p -
1)/2.

Source: the rule is that of Nanda et al. 2023 (arXiv 2301.05217); `faded` is the second one of Zhong
et al. 2023 (arXiv 2306.17844), the "pizza". The bounds are this book's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.inputs import whole
from grokbook.theory.vectors import odd_prime

REASON = "every frequency must tell all answers apart"
Amplitudes = Sequence[float] | np.ndarray | None


class Chosen(NamedTuple):
    """Frequencies and their amplitudes, (m,) both."""

    frequencies: np.ndarray
    amplitudes: np.ndarray


def chosen(p: int, frequencies: Sequence[int], amplitudes: Amplitudes = None) -> Chosen:
    """Frequencies and amplitudes (default: all 1) as arrays.

    Raises ParameterError unless p is an odd prime, the frequencies are distinct and in 1, ...,
    (p-1)/2, and there is a positive amplitude for each.

    >>> chosen(7, [1, 3])[1].tolist()
    [1.0, 1.0]
    """
    odd_prime(p, REASON)
    half = (p - 1) // 2
    k = np.array([whole(value, "frequency", least=1, most=half) for value in frequencies], int)
    a = np.ones(len(k)) if amplitudes is None else np.asarray(amplitudes, dtype=float)
    if not len(k) or len(np.unique(k)) < len(k):
        raise ParameterError(f"frequencies = {k.tolist()} must be at least one, and no two equal.")
    if a.shape != k.shape or not (np.isfinite(a) & (a > 0)).all():
        raise ParameterError(
            f"amplitudes = {a.tolist()} must be {len(k)} positive numbers, one a frequency."
        )
    return Chosen(k, a)


def profile(p: int, frequencies: Sequence[int], amplitudes: Amplitudes = None) -> np.ndarray:
    r"""$g(d) = \sum_k a_k\cos(2\pi kd/p)$, d = 0, ..., p-1, shape (p,): the logit at distance d
    from the right answer.

    Raises ParameterError as `chosen`.

    >>> profile(5, [1, 2]).round(12).tolist()
    [2.0, -0.5, -0.5, -0.5, -0.5]
    """
    k, a = chosen(p, frequencies, amplitudes)
    return a @ np.cos(2 * np.pi * np.outer(k, np.arange(p)) / p)


def margin(p: int, frequencies: Sequence[int], amplitudes: Amplitudes = None) -> float:
    r"""The margin $g(0) - \max_{d\ne0} g(d)$, the same for all pairs; raises ParameterError as
    `chosen`.

    One frequency: $a(1 - \cos(2\pi/p)) = 2a\sin^2(\pi/p)$, whichever it is. All (p-1)/2 with one
    amplitude: $ap/2$.

    >>> (
    ...     round(margin(7, [3]), 4),
    ...     round(2 * math.sin(math.pi / 7) ** 2, 4),
    ...     round(margin(7, [1, 2, 3]), 12),
    ... )
    (0.3765, 0.3765, 3.5)
    """
    g = profile(p, frequencies, amplitudes)
    return float(g[0] - g[1:].max())


def faded(p: int, frequencies: Sequence[int], amplitudes: Amplitudes = None) -> np.ndarray:
    r"""The margins of a pizza by the difference e = i - j, shape (p,).

    Its logits are $\sum_k a_k \lvert\cos(\pi ke/p)\rvert \cos(2\pi k(i+j-c)/p)$: each wave is as
    strong as the mean of the two points of its circle is long, so a frequency says least where they
    are opposite. Of one frequency the least margin is $\sin(\pi/2p)$ times that of the clock.
    Raises ParameterError as `chosen`.

    >>> bool(np.isclose(faded(7, [2]).min(), np.sin(np.pi / 14) * margin(7, [2])))
    True
    """
    k, a = chosen(p, frequencies, amplitudes)
    strengths = a * np.abs(np.cos(np.pi * np.outer(np.arange(p), k) / p))
    g = strengths @ np.cos(2 * np.pi * np.outer(k, np.arange(p)) / p)
    return g[:, 0] - g[:, 1:].max(axis=1)


def shares(p: int, sets: np.ndarray) -> np.ndarray:
    """Share of the margin, margin / m, of each row of `sets`, (n, m) frequencies, at equal
    amplitudes; shape (n,).

    >>> shares(7, np.array([[1, 2, 3]])).round(12).tolist()
    [1.166666666667]
    """
    half = np.arange(1, (p - 1) // 2 + 1)
    # row k - 1: g(1), ..., g((p - 1)/2)
    waves = np.cos(2 * np.pi * np.outer(half, half) / p)
    total = sum(waves[column - 1] for column in np.asarray(sets).T)
    return 1 - np.asarray(total).max(axis=1) / np.shape(sets)[1]


class Best(NamedTuple):
    """The largest share of the margin, and a set of frequencies that has it."""

    share: float
    frequencies: tuple[int, ...]


def best(p: int, m: int, chunk: int = 50_000) -> Best:
    """The best set of m frequencies, by trying all sets.

    Renaming every number i to ci turns k into ck, so one frequency may be 1: C((p-3)/2, m-1) sets
    are tried, a third of a million at p = 113 and m = 5. Raises ParameterError as `chosen`.

    >>> best(7, 1).frequencies, round(best(7, 3).share, 3)
    ((1,), 1.167)
    """
    chosen(p, range(1, whole(m, "m", least=1, most=(p - 1) // 2) + 1))
    others = combinations(range(2, (p + 1) // 2), m - 1)
    highest = Best(-np.inf, ())
    while batch := list(islice(others, chunk)):
        sets = np.array([(1, *rest) for rest in batch])
        values = shares(p, sets)
        top = int(values.argmax())
        highest = max(highest, Best(float(values[top]), tuple(sets[top].tolist())))
    return highest


def drawn(p: int, m: int, draws: int = 200, seed: int = 0) -> np.ndarray:
    """The shares of `draws` random sets of m frequencies, shape (draws,); raises ParameterError as
    `chosen`.

    >>> drawn(7, 3, 2).round(3).tolist()
    [1.167, 1.167]
    """
    chosen(p, range(1, whole(m, "m", least=1, most=(p - 1) // 2) + 1))
    order = np.random.default_rng(seed).random((draws, (p - 1) // 2)).argsort(axis=1)
    return shares(p, order[:, :m] + 1)


def sides(p: int, m: int) -> int:
    """The largest N with N^m < p: m angles cannot fall into N^m boxes without two of p numbers in
    one.

    >>> sides(113, 2), sides(113, 3), sides(113, 7)
    (10, 4, 1)
    """
    n = int(p ** (1 / m)) + 1
    while n**m >= p:
        n -= 1
    return n


def box_bound(p: int, m: int) -> float:
    r"""No m frequencies have a larger share than $1 - \cos(2\pi/N)$, N = `sides` (no bound, inf,
    where N < 3).

    Two of the p numbers have all m angles in one box of side 1/N of a turn. At their difference d
    every cosine is at least $\cos(2\pi/N)$.

    >>> round(box_bound(113, 2), 3), box_bound(113, 7)
    (0.191, inf)
    """
    n = sides(p, m)
    return 1 - math.cos(2 * math.pi / n) if n >= 3 else math.inf


def moment_bound(p: int, m: int) -> float:
    r"""No m frequencies have a larger share than $1 - (p - 4m)/(2m(p - 2))$, equality for all
    (p-1)/2 of them.

    With M the largest g(d), d != 0, all $(M - g)(g + m) \ge 0$; sum over d != 0, with $\sum g = -m$
    and $\sum g^2 = pm/2 - m^2$.

    >>> round(moment_bound(7, 3), 12), round(best(7, 3).share, 12)
    (1.166666666667, 1.166666666667)
    """
    return 1 - (p - 4 * m) / (2 * m * (p - 2))


def random_bound(p: int, m: int) -> float:
    r"""Some m frequencies have a share of at least $1 - \sqrt{\ln((p-1)/2)/m}$.

    For a random set of m frequencies $P(g(d) \ge \delta m) \le e^{-m\delta^2}$, and there are
    (p-1)/2 distances.

    >>> round(random_bound(113, 16), 3)
    0.498
    """
    return 1 - math.sqrt(math.log((p - 1) / 2) / m)


def enough(p: int, share: float) -> int:
    """So many frequencies have a share of at least `share` in [0, 1) for some set of them
    (`random_bound`).

    Never more than all (p-1)/2, whose share is p/(p-1). Raises ParameterError for another share.

    >>> enough(113, 0.5)
    17
    """
    if not 0 <= share < 1:
        raise ParameterError(f"share = {share!r} must be in [0, 1).")
    wanted = math.ceil(math.log((p - 1) / 2) / (1 - share) ** 2)
    return min((p - 1) // 2, max(1, wanted))


def needed(p: int, share: float) -> int:
    """Fewer frequencies than this have a smaller share than `share`, whatever the set (`box_bound`,
    `moment_bound`).

    >>> needed(113, 0.5), needed(113, 0.9)
    (3, 5)
    """
    most = (p - 1) // 2
    for m in range(1, most):
        if min(box_bound(p, m), moment_bound(p, m)) >= share - 1e-12:
            return m
    return most


def least(p: int, share: float) -> int:
    """The least number of frequencies of which some set has this share, by trying all sets
    (`best`).

    Raises ParameterError where not even all (p-1)/2 have it.

    >>> least(7, 0.5), least(7, 1.0)
    (2, 3)
    """
    for m in range(needed(p, share), (p - 1) // 2 + 1):
        if best(p, m).share >= share - 1e-12:
            return m
    raise ParameterError(f"share = {share!r} is too large: all frequencies have {p / (p - 1):.3f}.")
