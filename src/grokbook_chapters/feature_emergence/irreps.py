r"""Real irreducible representations of a finite group from its Cayley table, computed and then
verified.

The regular representation $(L_g f)(h) = f(g^{-1}h)$ on $\mathbb{R}^M$ splits into irreducible
parts. A generic symmetric matrix that commutes with all $L_g$ has exactly such a part as each of
its eigenspaces, so one eigendecomposition finds them. A real irreducible representation of
dimension D is of one of three types, told by $c = \langle\chi, \chi\rangle$:

    real (c = 1): a complex irrep of dimension D;
    complex (c = 2): a pair of them, of dimension D/2;
    quaternionic (c = 4): twice the same one, of dimension D/2.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from grokbook.errors import ParameterError
from grokbook.tasks.groups import cayley_table, check_group, cyclic, inverses

TYPES = {1: "real", 2: "complex", 4: "quaternionic"}
"""The type of a real irreducible representation by the norm of its character."""

TOLERANCE = 1e-8
"""Largest error of a product rho(a) rho(b) - rho(ab) that passes for none."""


@dataclass(frozen=True, eq=False)
class Irrep:
    """A real irreducible representation: orthogonal matrices (M, D, D), and the norm c of its
    character (1, 2 or 4)."""

    matrices: np.ndarray
    norm: int

    @property
    def dimension(self) -> int:
        """D, the dimension over the real numbers."""
        return self.matrices.shape[-1]

    @property
    def degree(self) -> int:
        """$d_k$, the dimension of the complex irreps inside."""
        return self.dimension if self.norm == 1 else self.dimension // 2

    @property
    def type(self) -> str:
        """Real, complex or quaternionic."""
        return TYPES[self.norm]

    @property
    def character(self) -> np.ndarray:
        """The trace of each matrix, (M,)."""
        return np.trace(self.matrices, axis1=1, axis2=2)

    @property
    def projection(self) -> np.ndarray:
        r"""The projection (M, M) of functions on the group onto $\mathcal H_k$, the matrix entries
        of this irrep."""
        flat = self.matrices.reshape(len(self.matrices), -1)
        u, s, _ = np.linalg.svd(flat, full_matrices=False)
        basis = u[:, s > 1e-6]
        return basis @ basis.T


def as_table(group: int | str | np.ndarray) -> np.ndarray:
    """A Cayley table from what names a group: the order of a cyclic one, a name, or the table
    itself.

    Raises ParameterError for what is no group.
    """
    if isinstance(group, str):
        return cayley_table(group)
    if isinstance(group, int | np.integer):
        if group < 2:
            raise ParameterError(f"M = {group} must be 2 or more.")
        return cyclic(int(group))
    return check_group(group)


def irreps(group: int | str | np.ndarray) -> tuple[Irrep, ...]:
    r"""All real irreducible representations of a group, the trivial one first, then by dimension.

    Each is verified: orthogonal, a homomorphism, irreducible of a known type; and $\sum_k D_k^2 /
    c_k = M$, so that none is missing. Raises ParameterError for a table that is no group's.

    Source: Tian 2025 (Li2), Eq. 9, over the real numbers; the types are Frobenius and Schur's.
    """
    table = as_table(group)
    return _irreps(table.tobytes(), len(table))


@lru_cache(maxsize=32)
def _irreps(table: bytes, n: int) -> tuple[Irrep, ...]:
    products = np.frombuffer(table, dtype=np.int64).reshape(n, n)
    parts: list[Irrep] = []
    weights = np.random.default_rng(0).normal(size=n)
    generic = np.zeros((n, n))
    # h -> hg, commutes with L
    np.add.at(generic, (np.broadcast_to(np.arange(n)[:, None], (n, n)), products), weights)
    values, vectors = np.linalg.eigh(generic + generic.T)
    cuts = np.flatnonzero(np.diff(values) > 1e-7 * np.abs(values).max()) + 1
    # an orthonormal basis (M, D) of an irreducible part
    for space in np.split(vectors, cuts, axis=1):
        moved = space[products]  # [g, h] = f(gh), so that its inner products give rho(g^-1)
        matrices = np.einsum("hi,ghj->gij", space, moved[inverses(products)])
        character = np.trace(matrices, axis1=1, axis2=2)
        rho = Irrep(matrices, round((character**2).mean()))
        if all(np.abs(rho.character - other.character).max() > 1e-6 for other in parts):
            parts.append(rho)
    ordered = tuple(sorted(parts, key=_order))
    verify(products, ordered)
    return ordered


def _order(rho: Irrep) -> tuple[int, int, tuple[float, ...]]:
    """Where an irrep stands: by dimension, the trivial one first, then by character."""
    return rho.dimension, -round(rho.character.sum()), tuple(-rho.character.round(6))


def verify(table: np.ndarray, parts: tuple[Irrep, ...]) -> None:
    """Check that these are all real irreducible representations of a group; AssertionError names
    what fails."""
    for rho in parts:
        matrices = rho.matrices
        identity = np.eye(rho.dimension)
        assert rho.norm in TYPES, "a part is reducible"
        assert np.abs(matrices @ matrices.mT - identity).max() < TOLERANCE, (
            "a matrix is not orthogonal"
        )
        products = np.einsum("aij,bjk->abik", matrices, matrices)
        assert np.abs(products - matrices[table]).max() < TOLERANCE, (
            "products do not agree with the table"
        )
    assert sum(rho.dimension**2 // rho.norm for rho in parts) == len(table), "an irrep is missing"
