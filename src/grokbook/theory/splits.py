"""What a split of the pairs allows: test pairs whose sum no training pair has cannot be answered
from the data."""

from __future__ import annotations

import math
from collections import Counter


def distribution(p: int = 10, held_out: int = 10) -> list[float]:
    r"""Probability that 0, 1, 2, ... of `held_out` random test pairs are unanswerable, exactly.

    A sum with n pairs has k < n of them in the test set in $\binom nk$ ways and loses none, or all
    n in one way and loses n; the products of these terms over all sums are counted.

    Example:
        >>> [round(share, 4) for share in distribution()[:2]]
        [0.3666, 0.3631]
    """
    ways = Counter({(0, 0): 1})
    for total in range(2 * p - 1):
        n = min(total, 2 * p - 2 - total) // 2 + 1
        grown: Counter[tuple[int, int]] = Counter()
        for (size, lost), count in ways.items():
            for k in range(min(n, held_out - size + 1)):
                grown[size + k, lost] += count * math.comb(n, k)
            if size + n <= held_out:
                grown[size + n, lost + n] += count
        ways = grown
    every = math.comb(p * (p + 1) // 2, held_out)
    return [ways[held_out, lost] / every for lost in range(held_out + 1)]
