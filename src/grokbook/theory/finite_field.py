"""Linear algebra over the field of q elements, many small systems side by side."""

from __future__ import annotations

import numpy as np
from sympy import isprime

from grokbook.errors import ParameterError, shown
from grokbook.measures.inputs import Array

LARGE_PRIME = 2**31 - 1
"""The largest modulus whose products fit 64 bits; it stands in for the rationals where no minor
reaches it."""


class Echelon:
    """Bases in echelon form over the field of q elements, R of them side by side, that grow row by
    row.

    `rank` (R,) is their number of rows. Raises ParameterError unless q is a prime of at most 2^31 -
    1.
    """

    def __init__(self, n: int, columns: int, q: int = LARGE_PRIME) -> None:
        self.q = _prime(q)
        # [r, c]: the row of basis r whose pivot is c, or 0
        self.rows = np.zeros((n, columns, columns), dtype=np.int64)
        self.rank = np.zeros(n, dtype=np.int64)

    def add(self, vectors: np.ndarray) -> np.ndarray:
        """Add a vector to each basis, (R, columns); which of them grew, (R,)."""
        rest = np.array(vectors, dtype=np.int64) % self.q
        q = self.q
        grew = np.zeros(len(rest), dtype=bool)
        for column in range(rest.shape[1]):
            lead = rest[:, column]
            known = self.rows[:, column, column] == 1
            fresh = np.flatnonzero(~known & (lead != 0) & ~grew)
            rest = np.where(known[:, None], (rest - lead[:, None] * self.rows[:, column]) % q, rest)
            if len(fresh):
                inverse = np.array([pow(value, -1, q) for value in rest[fresh, column].tolist()])
                self.rows[fresh, column] = rest[fresh] * inverse[:, None] % q
                rest[fresh] = 0
                grew[fresh] = True
        self.rank += grew
        return grew


def rank_in_field(matrix: Array, q: int) -> int:
    """The rank of a matrix of whole numbers over the field of q elements, by elimination.

    Raises ParameterError unless q is a prime of at most 2^31 - 1.

    >>> rank_in_field([[1, 1], [1, -1]], 2), rank_in_field([[1, 1], [1, -1]], 3)
    (1, 2)
    """
    q = _prime(q)
    rest = np.array(matrix, dtype=np.int64) % q
    rank = 0
    for column in range(rest.shape[1]):
        candidates = np.flatnonzero(rest[rank:, column])
        if len(candidates) == 0:
            continue
        pivot = rank + candidates[0]
        rest[[rank, pivot]] = rest[[pivot, rank]]
        rest[rank] = rest[rank] * pow(int(rest[rank, column]), -1, q) % q
        below = rest[rank + 1 :]
        below[:] = (below - below[:, [column]] * rest[rank]) % q
        rank += 1
    return rank


def _prime(q: int) -> int:
    if not isinstance(q, int | np.integer) or q > LARGE_PRIME or not isprime(int(q)):
        raise ParameterError(f"q = {shown(q)} must be a prime of at most {LARGE_PRIME}.")
    return int(q)
