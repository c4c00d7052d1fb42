"""Chapter 13: checks of its exercises."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations, permutations, product

import numpy as np

from companion.exercises.registry import Mistakes, exercise
from grokbook.errors import ParameterError
from grokbook.tasks.groups import cayley_table, check_group
from grokbook_chapters.groups.figures import quotient_edges

THREE = list(permutations(range(6), 3))
LAWS = {
    "closed": "closure",
    "identity": "identity",
    "inverse": "inverses",
    "associative": "associativity",
}


@exercise("ex-13-five", draws={"q": range(1, 6), "circles": THREE, "squares": THREE})
def five(
    cells: Collection[Sequence[int]],
    implied: Collection[Sequence[int]],
    *,
    q: int,
    circles: tuple[int, ...],
    squares: tuple[int, ...],
) -> Mistakes:
    """Two lists of pairs: trained cells (row, column), and implied edges (b, d)."""
    table = cayley_table("S3")
    b = circles
    d = squares
    path = [(b[0], d[0]), (b[1], d[0]), (b[1], d[1]), (b[2], d[1]), (b[2], d[2])]
    given = {(int(row), int(column)) for row, column in cells}
    needed = {}
    swapped = set()
    for x, y in path:
        needed[table[x, q], y] = (x, y)
        needed[x, table[q, y]] = (x, y)
        swapped |= {(table[x, q], y), (x, table[y, q])}
    yield given != set(needed) and given == swapped, "does not commute"
    for cell, (x, y) in needed.items():
        yield cell not in given, "the cells", x, y
    yield len(given) > len(needed), "some of these cells belong"
    mask = np.zeros((6, 6), dtype=bool)
    mask[tuple(np.transpose(list(given)))] = True
    known = quotient_edges(table, mask, q)
    holding = {(x, y) for x, y in known["trained"] + known["deduced"]}
    edges = {(int(x), int(y)) for x, y in implied}
    yield edges & set(path), "the path itself"
    right = (holding & set(product(b, d))) - set(path)
    if missing := sorted(right - edges):
        yield True, "is implied too", missing[0][0], missing[0][1]
    yield edges != right, "an implied edge joins a circle"


def _law(table: np.ndarray) -> str:
    """The first law that a table violates."""
    try:
        check_group(table)
    except ParameterError as error:
        return next(law for word, law in LAWS.items() if word in str(error).partition(":")[2])
    return "none"


@exercise(
    "ex-13-no-group",
    draws={"row": range(1, 6), "columns": list(combinations(range(1, 6), 2)), "n": range(3, 100)},
)
def no_group(
    law: str,
    triple: Sequence[int],
    law_minus: str,
    many: int,
    *,
    row: int,
    columns: tuple[int, int],
    n: int,
) -> Mistakes:
    """A law, three elements, a law, and a number of triples."""
    table = cayley_table("S3").copy()
    table[row, list(columns)] = table[row, list(columns[::-1])]
    if law != _law(table):
        yield law == "closure", "closed"
        yield law == "identity", "the element 0 is still"
        yield 0 in table[row, list(columns)], "the entry 0 of row N was moved"
        yield True, "the entry 0 of row N was not moved"
    a, b, c = map(int, triple)
    yield table[table[a, b], c] == table[a, table[b, c]], "of the table associate"
    yield law_minus != "identity", "comes before it"
    # (a - b) - c and a - (b - c) differ by 2 c, and agree where n divides that
    differing = np.count_nonzero(2 * np.arange(n) % n)
    if many == n**2 * differing:
        return
    yield many == n**3, "at least where c = 0"
    yield True, "differ by 2 c"


@exercise(
    "ex-13-more",
    draws={
        "n": (2, 4, 6),
        "m": range(2, 8),
        "k": range(3, 16),
        "q": (5, 7, 11, 13, 17, 19, 23, 29, 31, 37),
    },
)
def more(
    freedom: Sequence[int],
    polygon_freedom: Sequence[int],
    own: Sequence[int],
    *,
    n: int,
    m: int,
    k: int,
    q: int,
) -> Mistakes:
    """Three numbers for the product, three for the polygon, and a list of zeros and ones."""
    fields = np.array([2, 3, q])
    right = 1 + (n % fields == 0) + (m % fields == 0)
    polygon = [3 if k % 2 == 0 else 2, 1, 1]
    if list(freedom) != list(right):
        yield list(freedom) == [1, 1, 1], "over the real numbers"
        yield list(freedom) == list(right - 1), "the constant"
        yield True, "for the product count 1"
    if list(polygon_freedom) != polygon:
        yield list(polygon_freedom) == list(right), "does not commute"
        yield True, "a homomorphism sends a rotation"
    values = np.asarray(own, dtype=int) % 2
    table = cayley_table(f"Z{n}xZ{m}")
    yield values.shape != (n * m,), "your own solution needs N numbers", n * m
    yield np.ptp(values) == 0, "all equal"
    sums = np.add.outer(values, values) % 2
    solves = all(np.ptp(sums[table == product]) == 0 for product in range(n * m))
    yield not solves, "is no solution"
