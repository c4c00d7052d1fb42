"""Claims on groups: what follows from equal products, how much data that takes, and what it means
for Abelian ones."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from companion.claims import Finding, claim, judge
from companion.claims.finding import decided
from grokbook.tasks.groups import cayley_table
from grokbook.theory.linear_probability import critical_fraction
from grokbook_chapters.groups.group_deduction import (
    additive_nullity,
    collapse_sizes,
    consequences,
    coset_representation,
    degrees_of_freedom,
    first_forced,
    half_way,
    implied_sizes,
    rigid_sizes,
)
from grokbook_chapters.groups.group_quality import equal_products

DEDUCTION = "What equal products imply"
AMOUNT = "How much data that takes"
CIRCLE = "Numbers do not go round"
# the identity of S3 and one swap: a subgroup with three cosets, for matrices of the paper's size
SWAP = (0, 1)
CORNER = np.diag([1.0, 0.0])  # a matrix without an inverse, E_e and E_f of L29's example


@claim(
    "L18",
    "liu2022",
    "appendix B, Eq. 10",
    section=CIRCLE,
    kind="theorem",
    shown_by="proof",
    seconds=3,
    published="all Abelian groups",
    also=("L19", "L20"),
    says=(
        "for all {of} groups tried, the cyclic ones up to order {most} among them, the full table "
        "leaves real embeddings {value:.0f} degree of freedom: all are equal, and no decoder tells "
        "their sums apart; at p = 11 half of random training sets force this at a share of "
        "{collapse:.3f}; over the field of 11 elements the lines are left (nullity {over}), forced "
        "at {line:.3f}. The residues with an inverse modulo 8 all have the square {square} and so "
        "form no cyclic group; with phi(k) = 4^k the {sums} sums of two of ten symbols have "
        "{different} values, and rho reads any table off them"
    ),
)
def abelian_groups(most: int = 12) -> Finding:
    """ "The analysis of the toy setting can actually apply to all Abelian groups": addition in R^d,
    as modular addition "could apply to all other cyclic groups" and a symmetric f is rho(phi(x_1) +
    phi(x_2)).

    The paper's own limitation, that there may be "a broader notion of parallelogram given by some
    other metric", is the way out: for phases the analysis is right. The residues modulo n with an
    inverse are a cyclic group for n = 1, 2, 4, odd prime powers and twice these alone. The sum that
    a symmetric function has need not be one that the theory's injective decoder can read.
    """
    names = [f"Z{n}" for n in range(2, most + 1)] + ["Z2xZ2", "Z2xZ4", "Z3xZ3"]
    left = [additive_nullity(cayley_table(name)) for name in names]
    collapse = half_way(collapse_sizes(11, 400), 66) / 66
    powers = 4 ** np.arange(10)
    sums = np.add.outer(powers, powers)[np.triu_indices(10)]
    return judge(
        max(left) > 1,
        value=max(left),
        low=1,
        high=1,
        of=len(names),
        most=most,
        collapse=collapse,
        over=additive_nullity(cayley_table("Z11"), field=11),
        line=critical_fraction(11, 1_000, modulus=True),
        square=max(a * a % 8 for a in (1, 3, 5, 7)),
        sums=sums.size,
        different=np.unique(sums).size,
    )


@claim(
    "L29",
    "liu2022",
    "appendix H, Eq. 29 to 31",
    section=DEDUCTION,
    kind="theorem",
    published="3",
    shown_by="count",
    also=("L28",),
    says=(
        "of the {of} pairs of the {all} parallelograms of S3 {value:.0f} imply a third, {shared} "
        "because they share a product (ab = cd = ef); by quotients, as the paper deduces, none of "
        "the other {others} does. Quotients need an inverse: with E_e = E_f = diag(1, 0) and E_g = "
        "diag(1, 2), all others 1, the three equalities of Eq. 30 and 31 hold and the fourth is "
        "off by {off:g}"
    ),
)
def three_needed() -> Finding:
    """ "For non-Abelian groups, three parallelograms are needed to deduce a new parallelogram", and
    these three imply a fourth.

    With correction: to deduce one by quotients of invertible matrices, as the paper does; two that
    share a product suffice. Two of different products can imply a third in other ways too, by
    commuting.
    """
    implied, joined = third_ones("S3")
    other = np.diag([1.0, 2.0])
    three_hold = (CORNER @ other == CORNER).all()
    off = float(np.abs(other - np.eye(2)).max()) if three_hold else 0.0
    return judge(
        not implied.any(),
        off == 0,
        corrected=not implied[~joined].any(),
        value=implied.sum(),
        of=len(implied),
        all=len(equal_products(cayley_table("S3"))),
        others=(~joined).sum(),
        shared=implied[joined].sum(),
        off=off,
    )


class Thirds(NamedTuple):
    """Which pairs of parallelograms imply a third one, and which do so by sharing a product."""

    implied: np.ndarray
    joined: np.ndarray


def third_ones(group: str) -> Thirds:
    """What each pair of parallelograms of a group implies.

    Example:
        >>> implied, joined = third_ones("Z3")
        >>> len(implied), int(implied.sum()), int(joined.sum())
        (36, 9, 9)
    """
    table = cayley_table(group)
    order = len(table)
    every = equal_products(table)
    pairs = np.array(list(combinations(range(len(every)), 2)))
    given = np.zeros((len(pairs), order, order, order), dtype=bool)
    for column in pairs.T:
        (a, b), (c, _) = every[column].transpose(1, 2, 0)
        given[np.arange(len(pairs)), table[a, b], a, c] = True
    least = order**2 + 4  # trivial ones, and two equalities in both directions

    def grow(quotients: bool) -> np.ndarray:
        return consequences(table, given, quotients=quotients).sum(axis=(1, 2, 3)) > least

    return Thirds(implied=grow(True), joined=grow(False))


class HalfWays(NamedTuple):
    """The cells of S3 at which half of random orders imply all in every group, deduce all by the
    two rules, and make matrices rigid."""

    implied: float
    deduced: float
    rigid: float


@lru_cache(maxsize=1)
def _half_ways(draws: int) -> HalfWays:
    table = cayley_table("S3")
    matrices = coset_representation(table, SWAP)
    return HalfWays(
        half_way(implied_sizes(table, draws), table.size),
        half_way(first_forced(table, draws), table.size),
        half_way(rigid_sizes(table, matrices, draws), table.size),
    )


@claim(
    "L30",
    "liu2022",
    "appendix H, Fig. 18",
    section=AMOUNT,
    published="0.5",
    seconds=6,
    shown_by="draws",
    origin="ours",
    bars={"near": (0.02, 0.2)},
    says=(
        "half of {draws} random orders of the 36 products of S3 imply all {equalities} equalities "
        "in every group at {size:.2f} cells or fewer, a share of {value:.3f} (by two rules "
        "{rules:.3f}); 3 x 3 matrices near a representation have {dof} degrees of freedom from "
        "{rigid:.3f} on; near: within {near:g} of 0.5; {bars}"
    ),
)
def critical_share(draws: int = 200, *, near: float = 0.05) -> Finding:
    """An ideal model of S3 has its transition near the published r_c = 0.5 (of trained networks:
    LG2).

    Our reading: an ideal model, of invertible matrices, obeys what the training cells imply. The
    share at which half of random orders imply all lies between that at which matrices near a
    representation are fixed and that at which an enumeration of cosets proves it: near where both
    are, not where both are on one side of what counts as near.
    """
    table = cayley_table("S3")
    half = _half_ways(draws)
    least = half.rigid / table.size - 0.5
    most = half.implied / table.size - 0.5
    inside = -near < least <= most < near
    outside = most <= -near or least >= near
    return judge(
        decided(inside, outside),
        value=half.implied / table.size,
        near=near,
        draws=draws,
        size=half.implied,
        equalities=len(equal_products(table)),
        rules=half.deduced / table.size,
        rigid=half.rigid / table.size,
        dof=degrees_of_freedom(table, coset_representation(table, SWAP)),
    )
