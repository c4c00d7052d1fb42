r"""Finite groups from their Cayley tables, and the task that Liu et al. 2022 (appendix H) set on
them: (a, b) -> ab.

A Cayley table is an integer array (n, n) whose entry [a, b] is the number of the product ab. A
group is named by its factors: "Z6" (cyclic), "D4" (the symmetries of a square, 8 elements), "S3",
"A4", "Q8" (quaternions), "Z2xZ4".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, permutations

import numpy as np

from grokbook.errors import ParameterError, check_integers, checked_call, shown
from grokbook.tasks.pairs import PairTask

LARGEST = 120
LARGEST_CYCLIC = 500
"""Elements of the largest group that is made from a name, and of the largest cyclic one."""


def check_group(table: np.ndarray) -> np.ndarray:
    """The table as int64 (n, n) if it is that of a group.

    Raises ParameterError naming the first law that is violated: closure, identity, inverses,
    associativity.
    """
    given = np.asarray(table)
    if (
        given.ndim != 2
        or given.shape[0] != given.shape[1]
        or not given.size
        or given.dtype.kind not in "iu"
    ):
        raise ParameterError(
            f"a Cayley table must be whole numbers (n, n), but this has shape {given.shape}."
        )
    table = given.astype(np.int64)
    n = len(given)
    if len(outside := np.argwhere((table < 0) | (table >= n))):
        a, b = outside[0]
        raise ParameterError(
            f"the table is no group: it is not closed, {a} * {b} = {table[a, b]} is no element."
        )
    e = _identity(table)
    if e is None:
        raise ParameterError("the table is no group: it has no identity.")
    unit = table == e
    lonely = ~(unit & unit.T).any(axis=1)
    if lonely.any():
        raise ParameterError(
            f"the table is no group: element {int(np.argmax(lonely))} has no inverse."
        )
    wrong = np.argwhere(table[table] != table[:, table])
    if len(wrong):
        a, b, c = wrong[0]
        raise ParameterError(
            f"the table is no group: it is not associative, ({a} {b}) {c} is not {a} ({b} {c})."
        )
    return table


def _identity(table: np.ndarray) -> int | None:
    every = np.arange(len(table))
    from_left = (table == every).all(axis=1)
    from_right = (table == every[:, None]).all(axis=0)
    neutral = np.flatnonzero(from_left & from_right)
    return int(neutral[0]) if len(neutral) else None


def inverses(table: np.ndarray) -> np.ndarray:
    """The inverse of each element, (n,), for the table of a group."""
    return np.argmax(np.asarray(table) == _identity(np.asarray(table)), axis=1)


def cyclic(n: int) -> np.ndarray:
    """Addition modulo n."""
    return np.add.outer(np.arange(n), np.arange(n)) % n


def dihedral(n: int) -> np.ndarray:
    """The 2n symmetries of a regular n-gon: k is the rotation r^k, n + k is r^k after a reflection
    s."""
    return _with_second(n, 0)


def quaternion() -> np.ndarray:
    """The eight unit quaternions: k is i^k, 4 + k is i^k j."""
    return _with_second(4, 2)


def _with_second(n: int, square: int) -> np.ndarray:
    """Elements r^k s^l with r^n = 1, s r = r^-1 s and s^2 = r^square."""
    k = np.arange(2 * n) % n
    s = np.arange(2 * n) // n
    sign = 1 - 2 * s[:, None]
    turns = k[:, None] + sign * k + square * np.multiply.outer(s, s)
    return turns % n + n * (np.add.outer(s, s) % 2)


def permutation_group(n: int, *, even: bool = False) -> np.ndarray:
    """The permutations of n things in lexicographic order, the even ones alone with `even`; ab does
    b first.

    Example:
        >>> len(permutation_group(3)), len(permutation_group(4, even=True))
        (6, 12)
    """
    chosen = np.array([p for p in permutations(range(n)) if not even or _even(p)])
    code = n ** np.arange(n)[::-1]
    products = chosen[:, chosen]  # [a, b] is the list of a[b[i]]
    return np.searchsorted(chosen @ code, products @ code)


def _even(p: tuple[int, ...]) -> bool:
    return sum(a > b for a, b in combinations(p, 2)) % 2 == 0


def direct_product(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Pairs of elements, multiplied place by place; the pair (a, b) is number a m + b, m the size
    of the second group.

    Example:
        >>> direct_product(cyclic(2), cyclic(2)).tolist()[1]
        [1, 0, 3, 2]
    """
    a, b = np.divmod(np.arange(len(first) * len(second)), len(second))
    return first[np.ix_(a, a)] * len(second) + second[np.ix_(b, b)]


_KINDS = {
    "Z": cyclic,
    "D": dihedral,
    "S": permutation_group,
    "A": lambda n: permutation_group(n, even=True),
}
_ORDERS = {"Z": lambda n: n, "D": lambda n: 2 * n}


@lru_cache(maxsize=64)
def cayley_table(name: str) -> np.ndarray:
    """The Cayley table of a named group, read-only; element 0 is the identity.

    Raises ParameterError for a name that is none, and for more than 120 elements (a cyclic group:
    500).
    """
    table = np.zeros((1, 1), dtype=np.int64)
    for factor in str(name).split("x"):
        other = _factor(factor, name)
        if len(table) * len(other) > LARGEST and "x" in name:
            raise ParameterError(f"group = {shown(name)} has more than {LARGEST} elements.")
        table = direct_product(table, other)
    table.flags.writeable = False
    return table


def _factor(factor: str, name: str) -> np.ndarray:
    kind = factor[:1]
    digits = factor[1:]
    if factor == "Q8":
        return quaternion()
    n = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 4 else 0
    most = LARGEST_CYCLIC if kind == "Z" else LARGEST
    if kind not in _KINDS or n < 1 or (kind in "SA" and n > 5) or _ORDERS.get(kind, int)(n) > most:
        raise ParameterError(
            f"group = {shown(name)} must be factors joined by x, each Zn, Dn, S1 to S5, A1 to A5 or"
            f" Q8, of at most {LARGEST} elements; Zn alone of {LARGEST_CYCLIC}."
        )
    return _KINDS[kind](n)


@checked_call
@dataclass(frozen=True)
class GroupTask(PairTask):
    r"""Ordered pairs (a, b) of elements of a group -> the product ab, as a fixed random vector or
    as a label.

    `answers` is "vectors": each element has a vector $Y_{ab} \sim \mathcal N(0, 1)$ in `width`
    dimensions, (N, width), drawn by `seed`; or "labels": the number of ab, (N,). The nearest whole
    number to train_fraction * n^2 of the pairs, drawn by `seed`, are the training set.

    Raises ParameterError for a group that is none, unknown answers, or a fraction that leaves one
    of both sets empty.

    Example:
        >>> task = GroupTask("S3")
        >>> task.sizes(), task.targets.shape, task.train_index.shape
        ((36, 24), (36, 30), (24,))

    Source: Liu et al. 2022, appendix H: S3, 24 of 36 ordered pairs, vectors of 30 dimensions
    (authors' code).
    """

    group: str = "S3"
    train_fraction: float = 24 / 36
    answers: str = "vectors"
    width: int = 30
    seed: int = 0

    def __post_init__(self) -> None:
        check_integers(self, width=1, seed=0)
        self.check()

    @property
    def table(self) -> np.ndarray:
        """The Cayley table, (n, n)."""
        return cayley_table(self.group)

    @property
    def p(self) -> int:
        """Number of elements."""
        return len(self.table)

    @property
    def outputs(self) -> int:
        """Length of an answer, or number of labels."""
        return self.width if self.answers == "vectors" else self.p

    @property
    def samples(self) -> int:
        """Number of pairs."""
        return self.table.size

    @cached_property
    def inputs(self) -> np.ndarray:
        """The pairs (a, b), int64 of shape (n^2, 2), in the order of the table's cells."""
        return np.argwhere(np.ones(self.table.shape, dtype=bool)).astype(np.int64)

    @cached_property
    def targets(self) -> np.ndarray:
        """The answers: float64 of shape (N, width), or int64 of shape (N,)."""
        products = self.table.ravel()
        if self.answers == "labels":
            return products.copy()
        return self.vectors(self.p)[products]

    @property
    def train_mask(self) -> np.ndarray:
        """Which cells of the table are trained, bool of shape (n, n)."""
        mask = np.zeros(self.table.size, dtype=bool)
        mask[self.train_index] = True
        return mask.reshape(self.table.shape)
