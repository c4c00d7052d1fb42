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
    table, (b, d) = cayley_table("S3"), (circles, squares)
    path = [(b[0], d[0]), (b[1], d[0]), (b[1], d[1]), (b[2], d[1]), (b[2], d[2])]
    given = {(int(row), int(column)) for row, column in cells}
    needed = {cell: (x, y) for x, y in path for cell in ((table[x, q], y), (x, table[q, y]))}
    swapped = {cell for x, y in path for cell in ((table[x, q], y), (x, table[y, q]))}
    yield given != set(needed) and given == swapped, "does not commute"
    for cell, (x, y) in needed.items():
        yield cell not in given, "the cells", x, y
    yield len(given) > len(needed), "some of these cells belong"
    mask = np.zeros((6, 6), dtype=bool)
    mask[tuple(np.transpose(list(given)))] = True
    found = {tuple(edge) for edges in quotient_edges(table, mask, q).values() for edge in edges}
    edges = {(int(x), int(y)) for x, y in implied}
    yield edges & set(path), "the path itself"
    right = (found & set(product(b, d))) - set(path)
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
    a, b, c = np.indices((n, n, n))
    if many == int((((a - b - c) - (a - (b - c))) % n != 0).sum()):
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
    fields = (2, 3, q)
    right = [1 + (n % f == 0) + (m % f == 0) for f in fields]
    polygon = [1 + (f == 2) * (1 + (k % 2 == 0)) for f in fields]
    if list(freedom) != right:
        yield list(freedom) == [1, 1, 1], "over the real numbers"
        yield list(freedom) == [one - 1 for one in right], "the constant"
        yield True, "for the product count 1"
    if list(polygon_freedom) != polygon:
        yield list(polygon_freedom) == right, "does not commute"
        yield True, "a homomorphism sends a rotation"
    values, table = np.asarray(own, dtype=int) % 2, cayley_table(f"Z{n}xZ{m}")
    yield values.shape != (n * m,), "your own solution needs N numbers", n * m
    yield np.ptp(values) == 0, "all equal"
    yield (
        not all(np.ptp(np.add.outer(values, values)[table == c] % 2) == 0 for c in range(n * m)),
        "is no solution",
    )
