"""Chapter 13: checks of its exercises."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations, permutations, product

import numpy as np

from grokbook.chapters.groups.figures import quotient_edges
from grokbook.errors import ParameterError
from grokbook.exercises.asked import exercise
from grokbook.tasks.groups import cayley_table, check_group

THREE = list(permutations(range(6), 3))
LAWS = {"closed": "closure", "identity": "identity", "inverse": "inverses", "associative": "associativity"}


@exercise("ex-13-five", draws={"q": range(1, 6), "circles": THREE, "squares": THREE})
def five(
    cells: Collection[Sequence[int]], implied: Collection[Sequence[int]], *, q: int, circles: tuple[int, ...],
    squares: tuple[int, ...],
) -> str | None:  # fmt: skip
    """Two lists of pairs: trained cells (row, column), and implied edges (b, d)."""
    table, (b, d) = cayley_table("S3"), (circles, squares)
    path = [(b[0], d[0]), (b[1], d[0]), (b[1], d[1]), (b[2], d[1]), (b[2], d[2])]
    given = {(int(row), int(column)) for row, column in cells}
    needed = {cell: (x, y) for x, y in path for cell in ((table[x, q], y), (x, table[q, y]))}
    swapped = {cell for x, y in path for cell in ((table[x, q], y), (x, table[y, q]))}
    if given != set(needed) and given == swapped:
        return "S_3 does not commute: the second cell of an edge has q d in its column, not d q."
    for cell, (x, y) in needed.items():
        if cell not in given:
            return f"the edge {x} - {y} needs the cells of E_bq E_d and of E_b E_qd, and one is missing."
    if len(given) > len(needed):
        return "some of these cells belong to no edge of the path."
    mask = np.zeros((6, 6), dtype=bool)
    mask[tuple(np.transpose(list(given)))] = True
    found = {tuple(edge) for edges in quotient_edges(table, mask, q).values() for edge in edges}
    edges = {(int(x), int(y)) for x, y in implied}
    if edges & set(path):
        return "five of the edges are the path itself; what is trained is not implied."
    right = (found & set(product(b, d))) - set(path)
    if missing := sorted(right - edges):
        return f"the edge {missing[0][0]} - {missing[0][1]} is implied too: an odd path joins its ends."
    return None if edges == right else "an implied edge joins a circle and a square of the path."


def _law(table: np.ndarray) -> str:
    """The first law that a table violates."""
    try:
        check_group(table)
    except ParameterError as error:
        return next(law for word, law in LAWS.items() if word in str(error).partition(":")[2])
    return "none"


@exercise(
    "ex-13-no-group", draws={"row": range(1, 6), "columns": list(combinations(range(1, 6), 2)), "n": range(3, 100)}
)
def no_group(
    law: str, triple: Sequence[int], law_minus: str, many: int, *, row: int,
    columns: tuple[int, int], n: int,
) -> str | None:  # fmt: skip
    """A law, three elements, a law, and a number of triples."""
    table = cayley_table("S3").copy()
    table[row, list(columns)] = table[row, list(columns[::-1])]
    if law != _law(table):
        if law == "closure":
            return "a swap brings in no new entry, so the table is closed."
        if law == "identity":
            return "neither row 0 nor column 0 was changed, so the element 0 is still an identity."
        moved = 0 in table[row, list(columns)]
        return (
            f"the entry 0 of row {row} was {'moved: who is its inverse now' if moved else 'not moved: inverses stay'}."
        )
    a, b, c = map(int, triple)
    if table[table[a, b], c] == table[a, table[b, c]]:
        return "these three elements of the table associate; look at products that use a swapped entry once."
    if law_minus != "identity":
        return "identity comes before it: a - 0 = a for all a, but 0 - a is another number."
    a, b, c = np.indices((n, n, n))
    if many == int((((a - b - c) - (a - (b - c))) % n != 0).sum()):
        return None
    if many == n**3:
        return "the two sides are equal at least where c = 0, whatever a and b are."
    return (
        "the two sides differ by 2 c, whatever a and b are: for how many c is 2 c = 0 modulo n, and for how many not?"
    )


@exercise(
    "ex-13-more",
    draws={"n": (2, 4, 6), "m": range(2, 8), "k": range(3, 16), "q": (5, 7, 11, 13, 17, 19, 23, 29, 31, 37)},
)
def more(
    freedom: Sequence[int], polygon_freedom: Sequence[int], own: Sequence[int], *, n: int, m: int, k: int, q: int
) -> str | None:
    """Three numbers for the product, three for the polygon, and a list of zeros and ones."""
    fields = (2, 3, q)
    right = [1 + (n % f == 0) + (m % f == 0) for f in fields]
    polygon = [1 + (f == 2) * (1 + (k % 2 == 0)) for f in fields]
    if list(freedom) != right:
        if list(freedom) == [1, 1, 1]:
            return "this is so over the real numbers; modulo 2 an element of even order need not be sent to 0."
        if list(freedom) == [one - 1 for one in right]:
            return "this counts the homomorphisms; the constant is one more degree of freedom."
        return "for the product count 1, and 1 for each of n and m that the prime divides."
    if list(polygon_freedom) != polygon:
        if list(polygon_freedom) == right:
            return "these are the numbers of the product, but the polygon's group does not commute."
        return "a homomorphism sends a rotation and its inverse s r s to one number: in which fields is that not 0?"
    values, table = np.asarray(own, dtype=int) % 2, cayley_table(f"Z{n}xZ{m}")
    if values.shape != (n * m,):
        return f"your own solution needs {n * m} numbers, one for each element."
    if np.ptp(values) == 0:
        return "your own solution has numbers that are all equal."
    if all(np.ptp(np.add.outer(values, values)[table == c] % 2) == 0 for c in range(n * m)):
        return None
    return "your own list is no solution: two sums of one product differ modulo 2."
