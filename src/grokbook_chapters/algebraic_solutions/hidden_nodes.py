r"""Hidden nodes of a two-layer network on addition modulo d: their waves, orders of frequencies,
factors of solutions.

`waves` are the Fourier coordinates z (3, d, q) of the layers a, b and c (see `semiring`). The rules
and thresholds are those of the authors' program; the code is our own. Where theirs takes the
arrangement whose output layer factors best, ours takes the one that factors best altogether.

Source: Tian, CoGO (arXiv 2410.01779), Table 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import pandas as pd

from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array, rows, to_numpy
from grokbook_chapters.labelled import Row

ACTIVE = 0.05
"""Size of a node's wave in layer a from which it counts for the order of a frequency."""

CLOSE = 0.1
"""How far an entry of a factor may be from its ideal value."""

FOUR = "nu=i * xi"
SYNCED = "nu=i * syn,ab"
OPPOSED = "nu * syn"
OTHER = "others"
KINDS = (FOUR, SYNCED, OPPOSED, OTHER)
"""The kinds of solutions of a frequency: one of order 4, two of order 6, and all others that
factor."""


def node_waves(first: Array, second: Array, output: Array) -> np.ndarray:
    r"""The waves of each node, complex (3, d, q), from the weights w_a, w_b, w_c, each (d, q).

    .. math:: z_{pkj} = \tfrac1d \sum_x w_{pj}[x]\, e^{-2\pi\mathrm i kx/d} \text{ for } p = a, b,
        \qquad z_{ckj} = \tfrac1d \sum_x w_{cj}[x]\, e^{2\pi\mathrm i kx/d}

    Raises ParameterError for weights of other shapes.
    """
    a, b, c = (rows(w, name="weights") for w in (first, second, output))
    if not a.shape == b.shape == c.shape:
        raise ParameterError(
            f"the layers have shapes {a.shape}, {b.shape} and {c.shape}, but must have one."
        )
    waves = np.fft.fft([a, b, c], axis=1) / len(a)
    waves[2] = waves[2].conj()
    return waves


def _half(waves: np.ndarray) -> np.ndarray:
    """The waves at k = 1, ..., (d - 1)/2."""
    given = np.asarray(waves)
    if given.ndim != 3 or len(given) != 3:
        raise ParameterError(f"waves have shape {given.shape}, but must be (3, d, q).")
    return given[:, 1 : (given.shape[1] + 1) // 2]


def orders(waves: np.ndarray) -> np.ndarray:
    """The order of each frequency k = 1, ..., (d - 1)/2: how many nodes have a wave above `ACTIVE`
    there in layer a."""
    return (np.abs(_half(waves)[0]) > ACTIVE).sum(axis=1)


def node_frequencies(waves: np.ndarray) -> np.ndarray:
    """The frequency at which each node's wave in layer a is largest, (q,)."""
    return 1 + np.abs(_half(waves)[0]).argmax(axis=0)


@dataclass(frozen=True)
class Factors:
    """The best 2 x h table of some nodes: its error, and both factors with products of a, b, c made
    one.

    `error` is the root of the sum of squares of (ratio of both rows of the table - its mean);
    `pair` (3, 2) and `other` (3, h) are the factors, each begins with (1, 1, 1); `order` (2, h)
    says which node stands where.
    """

    error: float
    pair: np.ndarray
    other: np.ndarray
    order: np.ndarray

    @property
    def factorable(self) -> bool:
        """Whether the error is within the authors' limit, 0.1 sqrt(3 order)."""
        return bool(self.error <= CLOSE * np.sqrt(3 * self.order.size))


@lru_cache(maxsize=4)
def _tables(n: int) -> tuple[np.ndarray, np.ndarray]:
    """All 2 x n/2 tables of n nodes up to the order of columns and rows, (P, 2, h); signs of the
    second row (P, h)."""
    half = n // 2
    signs = np.array([(1, *rest) for rest in product((1, -1), repeat=half - 1)])
    turned = []
    for pairs in _matchings(tuple(range(n))):
        for ways in signs:
            turned.append([pair[::way] for pair, way in zip(pairs, ways, strict=True)])
    tables = np.array(turned).transpose(0, 2, 1)
    return np.repeat(tables, len(signs), axis=0), np.tile(signs, (len(tables), 1))


def _matchings(nodes: tuple[int, ...]) -> list[list[tuple[int, int]]]:
    """All ways to put an even number of nodes into pairs."""
    if not nodes:
        return [[]]
    first, *rest = nodes
    matchings = []
    for partner in rest:
        others = tuple(node for node in rest if node != partner)
        for more in _matchings(others):
            matchings.append([(first, partner), *more])
    return matchings


def factorise(nodes: np.ndarray) -> Factors:
    """Write the nodes of one frequency, complex (3, n), n even, as a product of a pair and n/2
    nodes as well as can be.

    All pairings are tried, in both directions, and for every node both signs of (a, b), which its
    square forgets.

    Raises ParameterError for another shape, an odd number of nodes or more than eight, and a zero.
    """
    z = np.asarray(nodes, dtype=complex)
    if z.ndim != 2 or len(z) != 3 or z.shape[1] % 2 or not 4 <= z.shape[1] <= 8 or not z.all():
        raise ParameterError(
            f"nodes have shape {z.shape}, but must be (3, n) without zeros, n = 4, 6 or 8."
        )
    tables, signs = _tables(z.shape[1])
    flips = np.stack([signs, signs, np.ones_like(signs)])
    ratios = flips * z[:, tables[:, 1]] / z[:, tables[:, 0]]
    mean = ratios.mean(axis=2)
    errors = np.sqrt((np.abs(ratios - mean[:, :, None]) ** 2).sum(axis=(0, 2)))
    best = int(errors.argmin())
    table = tables[best]
    ratio = mean[:, best, None]
    upper = z[:, table[0]]
    lower = flips[:, best] * z[:, table[1]] / ratio
    columns = (upper + lower) / 2
    pair = np.hstack([np.ones((3, 1)), _scaled(ratio)])
    return Factors(float(errors[best]), pair, _scaled(columns / columns[:, :1]), table)


def _scaled(triples: np.ndarray) -> np.ndarray:
    """Each column (3,) divided by the cube root of its product."""
    return triples / np.prod(triples, axis=0) ** (1 / 3)


def pair_type(pair: np.ndarray) -> str:
    """What a factor of two nodes (3, 2) is: "4c" (c = 1, a = i or -i), "xi" (c = i or -i), "nu" (a
    = -b), or "".

    >>> pair_type(np.array([[1, 1j], [1, -1j], [1, 1]]))
    '4c'
    """
    a, b, c = np.asarray(pair)[:, 1]
    if abs(c - 1) < CLOSE and min(abs(a - 1j), abs(a + 1j)) < CLOSE:
        return "4c"
    if min(abs(c - 1j), abs(c + 1j)) < CLOSE:
        return "xi"
    return "nu" if abs(a + b) < CLOSE else ""


def three_type(nodes: np.ndarray) -> str:
    """What a factor of three nodes (3, 3) is: "syn" (thirds of a turn in all layers), "syn,ab" (in
    c alone) or "".

    >>> three_type(np.exp(2j * np.pi * np.outer([1, 1, 1], [0, 1, 2]) / 3))
    'syn'
    """
    a, b, c = np.asarray(nodes)
    way = min((1, -1), key=lambda way: _turning(c, way, flips=False))
    limit = CLOSE * np.sqrt(3)
    if _turning(c, way, flips=False) >= limit:
        return ""
    in_all = _turning(a, way, flips=True) < limit and _turning(b, way, flips=True) < limit
    return "syn" if in_all else "syn,ab"


def _turning(row: np.ndarray, way: int, flips: bool) -> float:
    """How far three numbers are from a turned 1, w, w^2, w a third of a turn; with `flips` up to
    signs."""
    turned = row * np.exp(-2j * np.pi * way * np.arange(3) / 3)
    if flips:
        turned = turned * np.where((turned / turned[0]).real < 0, -1, 1)
    mean = turned.mean()
    return float(np.linalg.norm(turned * abs(mean) / mean - 1)) if mean else np.inf


def kind_of(factors: Factors) -> str:
    """The kind of the solution of a frequency that factors: one of `KINDS`.

    Where the pair is (1, 1, 1), (i, -i, 1), the two nodes of a column may be exchanged: thirds of a
    turn count in any such table.
    """
    pair = pair_type(factors.pair)
    if factors.other.shape[1] == 2:
        return FOUR if {pair, pair_type(factors.other)} == {"4c", "xi"} else OTHER
    if factors.other.shape[1] != 3:
        return OTHER
    if pair == "nu":
        return OPPOSED if three_type(factors.other) == "syn" else OTHER
    if pair != "4c":
        return OTHER
    types = set()
    for ways in product((1, 1j), repeat=2):
        turns = np.array([1, *ways])
        types.add(three_type(factors.other * [turns, turns.conj(), np.ones(3)]))
    if "syn" in types:
        return OPPOSED
    return SYNCED if "syn,ab" in types else OTHER


def frequency_table(waves: np.ndarray) -> pd.DataFrame:
    """A row a frequency k = 1, ..., (d - 1)/2: its order, error of its factors, whether it is
    factorable, and its kind.

    Only orders 4 and 6 are factored; the nodes are those above `ACTIVE` at k. Columns: frequency,
    order, error, factorable, kind ("" where there is none).
    """
    half = _half(waves)
    rows = []
    for n, order in enumerate(orders(waves)):
        row = {"frequency": n + 1, "order": int(order)}
        row |= {"error": np.nan, "factorable": False, "kind": ""}
        if order in (4, 6):
            factors = factorise(half[:, n, np.abs(half[0, n]) > ACTIVE])
            row |= {"error": factors.error, "factorable": factors.factorable}
            row["kind"] = kind_of(factors) if factors.factorable else ""
        rows.append(row)
    return pd.DataFrame(rows)


def kind_shares(frequencies: pd.DataFrame) -> Row:
    """One run's percent of each of `KINDS` among the frequencies that factor, from
    `frequency_table`; NaN where none does."""
    kinds = frequencies.kind[frequencies.factorable]
    if kinds.empty:
        return dict.fromkeys(KINDS, np.nan)
    return {kind: 100 * float(to_numpy(kinds == kind).mean()) for kind in KINDS}
