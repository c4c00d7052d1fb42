"""What a split of the pairs allows: test pairs whose sum no training pair has cannot be answered from the data."""

from __future__ import annotations

import math


def distribution(p: int = 10, held_out: int = 10) -> list[float]:
    r"""Probability that 0, 1, 2, ... of `held_out` random test pairs are unanswerable, exactly.

    A sum with n pairs has k < n of them in the test set in $\binom nk$ ways and loses none, or all n in one way and
    loses n; the products of these terms over all sums are counted.

    Example:
        >>> [round(share, 4) for share in distribution()[:2]]
        [0.3666, 0.3631]
    """
    ways = {(0, 0): 1}
    for total in range(2 * p - 1):
        n = min(total, 2 * p - 2 - total) // 2 + 1
        terms = [(k, n if k == n else 0, math.comb(n, k)) for k in range(n + 1)]
        grown: dict[tuple[int, int], int] = {}
        for (size, lost), count in ways.items():
            for k, more, choices in terms:
                if size + k <= held_out:
                    place = (size + k, lost + more)
                    grown[place] = grown.get(place, 0) + count * choices
        ways = grown
    every = math.comb(p * (p + 1) // 2, held_out)
    most = max(lost for size, lost in ways if size == held_out)
    return [ways.get((held_out, lost), 0) / every for lost in range(most + 1)]
