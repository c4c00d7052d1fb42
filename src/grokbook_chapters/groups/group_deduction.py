r"""Which equalities of products follow from others, in any group (Liu et al. 2022, appendix H, Eq.
29 to 31).

Training on (a, d) and (b, c) with ad = bc makes $E_a E_d = E_b E_c$. For invertible matrices this
says that the left quotient $E_b^{-1} E_a$ equals the right quotient $E_c E_d^{-1}$. Where all left
quotients have n starts and all right ones n, an equality of products is an edge between a left and
a right quotient of the same group element g:

    E_{bg} E_d = E_b E_{gd}    is the edge    b -- d    of the graph of g.

Edges of a path of odd length imply the edge between its ends (the paper's deduction has three), and
equalities with a common product imply each other. `deduced` applies both until nothing new comes.
What holds in every group is more: `implied_sizes` asks for it by coset enumeration.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.inputs import whole
from grokbook.tasks.groups import check_group, inverses
from grokbook.theory.finite_field import LARGE_PRIME, rank_in_field
from grokbook.theory.linear_probability import crossing
from grokbook.theory.parallelograms import all_samples

NEGLIGIBLE = 1e-8
"""Eigenvalues below this are zeros: the entries are of size one."""

MOST = 1_000
"""Cosets after which an enumeration is given up."""


def deduced(table: np.ndarray, trained: np.ndarray) -> np.ndarray:
    r"""The equalities that follow from training cells, bool (..., h, a, c): is
    $E_aE_{a^{-1}h}=E_cE_{c^{-1}h}$ implied?

    `trained` (..., n, n) says which cells of the Cayley table are trained, leading axes for many
    sets at once. All that follows is true in the group. Raises ParameterError for a table that is
    no group's or cells of another shape.

    Source: Liu et al. 2022, Eq. 30 and 31; equalities with a common product: this book.
    """
    seen = _by_product(check_group(table), trained)
    return consequences(table, seen[..., :, None] & seen[..., None, :])


def consequences(
    table: np.ndarray, equalities: np.ndarray, *, quotients: bool = True
) -> np.ndarray:
    """All equalities that follow from some by the two rules, bool (..., h, a, c) as in `deduced`.

    There can be more: if E_0 E_3 = E_3 E_0 and E_3 E_3 = E_0 E_4, then E_4 commutes with E_0, and
    no rule says so.

    Without `quotients`, only those that share a product are joined. Raises ParameterError for a
    table of no group.
    """
    table = check_group(table)
    # the edge b - d of the graph of g: E_bg E_d = E_b E_gd, of product b g d
    g, b, d = np.indices((len(table),) * 3)
    first = table[b, g]
    product = table[first, d]
    edge = (product, first, b)
    back = (product, b, first)
    given = np.asarray(equalities) > 0
    known = given | given.mT | np.eye(len(table), dtype=bool)
    while True:
        before = known.sum()
        if quotients:
            linked = _until_still(known[..., *edge], lambda k: k @ k.mT @ k)
            known[..., *edge] |= linked
            known[..., *back] |= linked
        known = _until_still(known, lambda k: k @ k)
        if known.sum() == before:
            return known


def _by_product(table: np.ndarray, cells: np.ndarray) -> np.ndarray:
    """Whether cells (..., n, n) are marked, in the order [h, a]: the cell (a, a^-1 h), whose
    product is h."""
    mask = np.asarray(cells) > 0
    n = len(table)
    if mask.shape[-2:] != (n, n):
        raise ParameterError(
            f"trained has shape {mask.shape}, but must end in ({n}, {n}), the shape of the table."
        )
    partner = table[inverses(table)]  # [a, h] = a^-1 h
    return mask[..., np.arange(n)[:, None], partner].mT


def _until_still(relation: np.ndarray, step: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """A boolean relation, grown by `step` until nothing is added; products of matrices say what is
    reachable."""
    while True:
        grown = relation | (step(relation.astype(np.float32)) > 0.5)
        if (grown == relation).all():
            return relation
        relation = grown


def deduced_accuracy(table: np.ndarray, trained: np.ndarray) -> np.ndarray:
    r"""$\overline{\mathrm{Acc}}$ of an ideal model: the share of cells that are trained or deduced
    from trained ones.

    `trained` (..., n, n) as in `deduced`, the result has its leading axes; errors as there.

    Source: Liu et al. 2022, Eq. 17, for the deductions of appendix H.
    """
    seen = _by_product(check_group(table), trained)
    equal_to_seen = deduced(table, trained) & seen[..., None, :]
    return equal_to_seen.any(axis=-1).mean(axis=(-2, -1))


def first_forced(table: np.ndarray, n: int = 1_000, seed: int = 0) -> np.ndarray:
    """The number of cells at which a random order first implies every equality of products, for n
    orders, (n,).

    Raises ParameterError for a table that is no group's and for n below 1.
    """
    table = check_group(table)

    def forced(cells: np.ndarray) -> np.ndarray:
        return np.all(deduced(table, cells.reshape(-1, *table.shape)), axis=(1, 2, 3))

    return _first_size(forced, table.size, n, seed)


def coset_count(relations: Sequence[Sequence[int]], generators: int) -> int | None:
    """The index of the subgroup of generator 1 in the group of these relations, by coset
    enumeration (Todd, Coxeter).

    A relation is a word that is to be one: numbers 1 to `generators`, negative for inverses. Cosets
    are vertices; each relation is a closed path at each of them, and two edges with one start and
    one name have one end. None where `MOST` cosets do not suffice: the index may be larger,
    infinite or only hard to find.

    Example: in the group of x^2 = y^2 = (xy)^3 = 1, of six elements, that of x has two.
        >>> coset_count([(1, 1), (2, 2), (1, 2) * 3], 2)
        3
    """
    leader: list[int] = [0]
    ends: list[dict[int, int]] = [{}]

    def lead(coset: int) -> int:
        while leader[coset] != coset:
            coset = leader[coset]
        return coset

    def join(start: int, name: int, end: int) -> None:
        edges = [(start, name, end), (end, -name, start)]
        while edges:
            start, name, end = edges.pop()
            end = lead(end)
            other = lead(ends[lead(start)].setdefault(name, end))
            if other != end:
                survivor, gone = sorted((other, end))
                leader[gone] = survivor
                edges += [(survivor, *edge) for edge in ends[gone].items()]

    def follow(coset: int, name: int) -> int:
        at = lead(coset)
        if name not in ends[at]:
            leader.append(len(ends))
            ends.append({})
            join(at, name, len(ends) - 1)
        return lead(ends[lead(at)][name])

    join(0, 1, 0)
    coset = 0
    while coset < len(ends) <= MOST:
        if leader[coset] == coset:
            for word in relations:
                join(reduce(follow, word[:-1], coset), word[-1], coset)
            for name in range(1, generators + 1):
                follow(coset, name)
                follow(coset, -name)
        coset += 1
    if coset < len(ends):
        return None
    return sum(leader[coset] == coset for coset in range(len(ends)))


def implied_sizes(table: np.ndarray, n: int = 200, seed: int = 0) -> np.ndarray:
    r"""The number of cells at which a random order is seen to imply the whole table in every group,
    for n orders, (n,).

    So it does for invertible matrices of any size, whatever rules are used. Let $\Gamma_D$ be the
    group with generators $E_a$ and the equalities of the training cells D as relations, $\Gamma$
    that of all cells, where $E_0$ has infinite order and its powers a finite index. D implies the
    table just if the kernel K of $\Gamma_D\to\Gamma$ is trivial. It meets the powers of $E_0$ in 1
    alone; so if these have the same index in $\Gamma_D$, then K lies among them and is trivial.
    Where the enumeration is given up, the order counts as not there: the sizes are upper bounds, at
    most those of `first_forced` (with the same n and seed).

    Raises ParameterError for a table that is no group's and for n below 1.
    """
    table = check_group(table)

    def index(cells: np.ndarray) -> int | None:
        firsts: dict[int, tuple[int, int]] = {}
        words = []
        for a, b in np.argwhere(cells.reshape(table.shape)).tolist():
            c, d = firsts.setdefault(int(table[a, b]), (a, b))
            if (a, b) != (c, d):
                words.append((a + 1, b + 1, -d - 1, -c - 1))
        return coset_count(words, len(table))

    full = index(np.ones(table.shape, dtype=bool))

    def implied(orders: np.ndarray) -> np.ndarray:
        return np.array([index(cells) == full for cells in orders])

    return _first_size(implied, table.size, n, seed)


def _first_size(
    reached: Callable[[np.ndarray], np.ndarray], samples: int, n: int, seed: int
) -> np.ndarray:
    """The size at which each of n random orders of the samples first has a property that more
    samples keep."""
    place = random_places(samples, n, seed)
    low = np.zeros(n, dtype=int)
    high = np.full(n, samples)
    while (high - low).max() > 1:
        middle = (low + high) // 2
        enough = reached(place < middle[:, None])
        low = np.where(enough, low, middle)
        high = np.where(enough, middle, high)
    return high


def random_places(samples: int, n: int, seed: int) -> np.ndarray:
    """The place of each sample in n random orders, (n, samples).

    Raises ParameterError for n below 1.
    """
    once = np.tile(np.arange(samples), (whole(n, "n"), 1))
    return np.random.default_rng(seed).permuted(once, axis=1)


def probability(sizes: np.ndarray, samples: int) -> np.ndarray:
    """The share of orders that have got there with 0, 1, ..., `samples` samples, from the size at
    which each did."""
    return np.cumsum(np.bincount(sizes, minlength=samples + 1)) / len(sizes)


def half_way(sizes: np.ndarray, samples: int) -> float:
    """The number of samples at which `probability` crosses one half, by a line between two
    sizes."""
    return samples * crossing(probability(sizes, samples))


def additive_nullity(
    table: np.ndarray, trained: np.ndarray | None = None, *, field: int | None = None
) -> int:
    r"""Degrees of freedom of numbers with $E_a + E_b = E_c + E_d$ wherever trained cells have ab =
    cd, for any group.

    For all cells it is 1 over the real numbers: $E_a - E_e$ is a homomorphism to them, and every
    element has a finite order. Over the field of a prime number of elements (`field`) it is 1 + the
    number of independent homomorphisms.

    Raises ParameterError for a table that is no group's, cells of another shape, or a field that is
    not prime.
    """
    table = check_group(table)
    mask = np.ones(table.shape) > 0 if trained is None else np.asarray(trained) > 0
    if mask.shape != table.shape:
        raise ParameterError(
            f"trained has shape {mask.shape}, but must be {table.shape}, the shape of the table."
        )
    a, b = np.nonzero(mask)
    unit = np.eye(len(table), dtype=np.int64)
    sums = unit[a] + unit[b]
    _, first, product = np.unique(table[a, b], return_index=True, return_inverse=True)
    equations = sums - sums[first[product]]
    return len(table) - rank_in_field(equations, LARGE_PRIME if field is None else field)


def order_of(table: np.ndarray, a: int) -> int:
    """The least m >= 1 with a^m = 1, for the table of a group.

    Example:
        >>> from grokbook.tasks.groups import cayley_table
        >>> [order_of(cayley_table("S3"), a) for a in range(6)]
        [1, 2, 2, 3, 3, 2]
    """
    identity = table[a, inverses(table)[a]]
    power = a
    order = 1
    while power != identity:
        power = table[power, a]
        order += 1
    return order


def coset_representation(table: np.ndarray, subgroup: Collection[int] = (0,)) -> np.ndarray:
    r"""Permutation matrices of a group on the left cosets of a subgroup, float64 (n, k, k),
    $E_aE_b=E_{ab}$.

    With the subgroup of the identity alone it is the regular representation, k = n.

    Raises ParameterError for a table that is no group's, and where cosets overlap: then it was no
    subgroup.
    """
    table = check_group(table)
    cosets = sorted({tuple(sorted(table[a, list(subgroup)].tolist())) for a in range(len(table))})
    where = np.full(len(table), -1)
    for number, coset in enumerate(cosets):
        if (where[list(coset)] >= 0).any():
            raise ParameterError(
                f"the elements {sorted(subgroup)} must be a subgroup, but their cosets overlap."
            )
        where[list(coset)] = number
    first = [coset[0] for coset in cosets]
    rows = where[table[:, first]]  # [a, column]: the coset to which a sends it
    return np.eye(len(cosets))[rows].mT


def rigid_sizes(table: np.ndarray, matrices: np.ndarray, n: int = 500, seed: int = 0) -> np.ndarray:
    r"""The number of cells at which a random order leaves a representation no deformation but those
    of all cells, (n,).

    The equalities $E_aE_b=E_cE_d$ of the trained cells are linearised at `matrices` (m, k, k), a
    representation: $\dot E_aE_b+E_a\dot E_b=\dot E_cE_d+E_c\dot E_d$. The rank of these equations
    grows with the cells to that of the whole table, `degrees_of_freedom` below m k^2. Before that,
    matrices nearby obey the training set and not the table. Deduction is valid over any ring, also
    for $E+\epsilon\dot E$ with $\epsilon^2=0$, so that an order is rigid at the latest where
    `first_forced` (with the same n and seed) says.

    Raises ParameterError for a table that is no group's and for n below 1.
    """
    table = check_group(table)
    free = degrees_of_freedom(table, matrices)
    equalities = _Equalities(table.ravel(), product_derivatives(table, matrices))

    def rigid(cells: np.ndarray) -> np.ndarray:
        return equalities.eigenvalues(cells)[:, free] > NEGLIGIBLE

    return _first_size(rigid, table.size, n, seed)


def degrees_of_freedom(table: np.ndarray, matrices: np.ndarray) -> int:
    r"""The dimension of the matrices near a representation (m, k, k) that obey the whole table: k^2
    for all we tried.

    Raises ParameterError for a table that is no group's.

    Source: this book. They are $C\rho(a)$ with a representation $\rho$ and an invertible C that
    commutes with it.
    """
    labels = check_group(table).ravel()
    equalities = _Equalities(labels, product_derivatives(table, matrices))
    every_cell = np.ones((1, len(labels)), dtype=bool)
    return int((equalities.eigenvalues(every_cell) <= NEGLIGIBLE).sum())


def product_derivatives(table: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    r"""The derivative of $E_aE_b$ by all entries of all matrices, for each cell: float64 of shape
    (m^2, k^2, m k^2)."""
    matrices = np.asarray(matrices, dtype=float)
    m = len(table)
    k = matrices.shape[-1]
    derivatives = np.zeros((m, m, k * k, m, k * k))
    for a, b in np.ndindex(m, m):
        derivatives[a, b, :, a] += np.kron(np.eye(k), matrices[b].T)
        derivatives[a, b, :, b] += np.kron(matrices[a], np.eye(k))
    return derivatives.reshape(m * m, k * k, m * k * k)


@dataclass(frozen=True)
class _Equalities:
    """The linear equations that say that samples of one label have one value: `labels` (N,), and
    the values' derivatives `rows` V, (N, values, unknowns)."""

    labels: np.ndarray
    rows: np.ndarray

    @cached_property
    def squares(self) -> np.ndarray:
        r"""$V^\top V$ of each sample."""
        return self.rows.mT @ self.rows

    def eigenvalues(self, chosen: np.ndarray) -> np.ndarray:
        r"""Eigenvalues, rising, of $J^\top J$ of the equations among chosen samples (r, N).

        For each label that is $n\sum V^\top V-(\sum V)^\top(\sum V)$.
        """
        total = np.zeros((len(chosen), *self.squares.shape[1:]))
        for label in np.unique(self.labels):
            alike = self.labels == label
            weights = chosen[:, alike].astype(float)
            sums = np.tensordot(weights, self.rows[alike], axes=1)
            squares = np.tensordot(weights, self.squares[alike], axes=1)
            total += weights.sum(axis=1)[:, None, None] * squares
            total -= sums.mT @ sums
        return np.linalg.eigvalsh(total)


def collapse_sizes(p: int, n: int = 1_000, seed: int = 0) -> np.ndarray:
    r"""The number of samples modulo p at which a random order makes all real embeddings equal, for
    n orders, (n,).

    Samples are unordered pairs with the label i + j mod p and embeddings are numbers that are
    added. From this size on $n_0 = 1$: an ideal model has one embedding for all symbols, and no
    decoder can tell their sums apart.

    Raises ParameterError for p below 3 and for n below 1.

    Source: this book; compare `grokbook.theory.linear_probability.first_linear` with `modulus`.
    """
    samples = np.array(all_samples(whole(p, "p", least=3)))
    rows = np.eye(p)[samples].sum(axis=1)[:, None, :]
    equalities = _Equalities(samples.sum(axis=1) % p, rows)

    def collapsed(chosen: np.ndarray) -> np.ndarray:
        return equalities.eigenvalues(chosen)[:, 1] > NEGLIGIBLE

    return _first_size(collapsed, len(samples), n, seed)
