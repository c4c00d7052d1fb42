r"""The energy of one feature of a two-layer $x^2$ network on a group, and its local maxima (Tian
2025, Li2).

A node with weights $w = [u; v]$, u and v functions on a group of order M, sees the pair (a, b) as
$u(a) + v(b)$ and has

    E(w) = 1/2 |Yt^T sigma(X w)|^2 ,     sigma(x) = x^2 ,     Yt = Y less its mean over the samples.

On all M^2 pairs only the product term of the square is left, E = 2 |u * v - mean|^2 with the
convolution of the group, and over its real irreducible representations rho of dimension D and type
c (`grokbook_chapters.feature_emergence.irreps`)

    E = (2/M) sum_{rho not trivial} (D/c) |u^(rho) v^(rho)|_F^2 ,     u^(rho) = sum_h u(h) rho(h) .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grokbook.errors import ParameterError, check_choice
from grokbook.tasks.groups import inverses
from grokbook_chapters.feature_emergence.irreps import Irrep, as_table, irreps

Group = int | str | np.ndarray

INPUTS = {"one-hot": 1.0, "unit": 0.25}
"""What the inputs [e_a; e_b] do to an energy of degree four: as they are, or divided by sqrt(2) to
norm one."""


def energy(w: np.ndarray, M: Group, *, inputs: str = "one-hot") -> np.ndarray:
    r"""$\mathcal E(w) = \frac12\lVert\tilde Y^\top\sigma(Xw)\rVert^2$, the energy of a node, for w
    (..., 2M).

    M is the order of a cyclic group, a group's name or its Cayley table. `inputs` is "one-hot", x =
    [e_a; e_b], or "unit", x = [e_a; e_b]/sqrt(2), a quarter of it. All pairs are in the sample.

    Raises ParameterError for a w of another length, no group and unknown inputs.

    Example: a cosine of norm 1 has M/4.
        >>> wave = np.cos(2 * np.pi * np.arange(11) / 11)
        >>> w = np.concatenate([wave, wave]) / np.sqrt(11)
        >>> float(energy(w, 11).round(12)), float(energy(w, 11, inputs="unit").round(12))
        (2.75, 0.6875)

    Source: Tian 2025, Eq. 8.
    """
    check_choice("inputs", inputs, INPUTS)
    u, v = _halves(w, M)
    return INPUTS[inputs] / 2 * (_class_sums(u, v, M) ** 2).sum(axis=-1)


def gradient(w: np.ndarray, M: Group) -> np.ndarray:
    r"""The gradient of `energy`, $X^\top D\,\tilde Y\tilde Y^\top\sigma(Xw)$ with $D =
    \mathrm{diag}\,\sigma'(Xw)$.

    That is the dynamics of one node whose backpropagated gradient is $\tilde Y\tilde Y^\top F$ (Eq.
    7). Arguments and errors as those of `energy`.

    Source: Tian 2025, Eq. 7 and Theorem 1.
    """
    u, v = _halves(w, M)
    back = 2 * _class_sums(u, v, M)[..., as_table(M)]
    by_u = np.einsum("...ab,...b->...a", back, v)
    by_v = np.einsum("...ab,...a->...b", back, u)
    return np.concatenate([by_u, by_v], axis=-1)


def _halves(w: np.ndarray, group: Group) -> tuple[np.ndarray, np.ndarray]:
    given = np.asarray(w, dtype=float)
    n = len(as_table(group))
    if given.shape[-1:] != (2 * n,):
        raise ParameterError(f"w has shape {given.shape}, but its last side must be 2 M = {2 * n}.")
    return given[..., :n], given[..., n:]


def convolution(u: np.ndarray, v: np.ndarray, M: Group) -> np.ndarray:
    r"""The convolution of functions on a group, $(u*v)(h) = \sum_a u(a)\,v(a^{-1}h)$, (..., M).

    Example:
        >>> convolution(np.array([0.0, 1.0, 0.0]), np.array([1.0, 2.0, 3.0]), 3).round(9).tolist()
        [3.0, 1.0, 2.0]
    """
    if isinstance(M, int):
        return np.fft.irfft(np.fft.rfft(u) * np.fft.rfft(v), M)
    table = as_table(M)
    # [a, h]: v(a^-1 h)
    return np.einsum("...a,...ah->...h", u, np.asarray(v)[..., table[inverses(table)]])


def _class_sums(u: np.ndarray, v: np.ndarray, M: Group) -> np.ndarray:
    """The sum of sigma less its mean over the pairs with one product: Yt^T sigma(Xw) = 2 (u * v -
    mean), (..., M)."""
    sums = 2 * convolution(u, v, M)
    return sums - sums.mean(axis=-1, keepdims=True)


@dataclass(frozen=True)
class LocalMaximum:
    r"""A family of local maxima of the energy on the sphere |w| = 1: one real irrep of dimension D.

    `energy` is M/(2D) for one-hot inputs and M/(8D) for unit ones. The family is $u(h) =
    x^\top\rho(h)y$, $v(h) = y^\top\rho(h)z$ with any vectors x, y, z of D numbers, scaled to $|u| =
    |v| = 1/\sqrt2$; it has `zero_modes` = 3(D - 1) - (c - 1) dimensions, along which the energy is
    constant. It is connected for D > 1; for D = 1 it is the four points with either sign of u and
    of v. `w` is one member, (2M,).
    """

    irrep: Irrep
    energy: float
    zero_modes: int
    w: np.ndarray

    @property
    def dimension(self) -> int:
        """D, the dimension of the irrep over the real numbers."""
        return self.irrep.dimension

    @property
    def type(self) -> str:
        """Real, complex (a pair of complex irreps) or quaternionic."""
        return self.irrep.type


def local_maxima(M: Group, *, inputs: str = "one-hot") -> tuple[LocalMaximum, ...]:
    """All local maxima of the energy on |w| = 1, a family for each nontrivial real irrep of a
    group.

    M and `inputs` as in `energy`; raises ParameterError as there.

    Example: cyclic groups, odd and even, and the quaternions, whose third type is not printed.
        >>> [m.energy for m in local_maxima(5)], [m.energy for m in local_maxima(8, inputs="unit")]
        ([1.25, 1.25], [1.0, 0.5, 0.5, 0.5])
        >>> [(m.energy, m.type, m.zero_modes) for m in local_maxima("Q8")][-2:]
        [(4.0, 'real', 0), (1.0, 'quaternionic', 6)]

    Source: Tian 2025, Theorem 2 and Corollary 2, corrected: proof in chapter 17.
    """
    check_choice("inputs", inputs, INPUTS)
    n = len(as_table(M))
    maxima = []
    for rho in irreps(M)[1:]:
        top = INPUTS[inputs] * n / (2 * rho.dimension)
        zero_modes = 3 * (rho.dimension - 1) - (rho.norm - 1)
        maxima.append(LocalMaximum(rho, top, zero_modes, example(rho)))
    return tuple(maxima)


def example(rho: Irrep, seed: int | None = None) -> np.ndarray:
    """One node (2M,) of the family of an irrep, |w| = 1: with the first unit vector for x, y, z, or
    random ones."""
    vectors = np.eye(rho.dimension)[[0, 0, 0]]
    if seed is not None:
        vectors = np.random.default_rng(seed).normal(size=(3, rho.dimension))
    x, y, z = vectors
    u = np.einsum("i,hij,j->h", x, rho.matrices, y)
    v = np.einsum("i,hij,j->h", y, rho.matrices, z)
    return np.concatenate([u / np.linalg.norm(u), v / np.linalg.norm(v)]) / np.sqrt(2)


def spectrum(w: np.ndarray, M: Group) -> np.ndarray:
    """The part of |w|^2 in each real irrep of a group, trivial first: (..., number of irreps), sums
    to one."""
    u, v = _halves(w, M)
    parts = []
    for rho in irreps(M):
        of_u = ((u @ rho.projection) ** 2).sum(axis=-1)
        of_v = ((v @ rho.projection) ** 2).sum(axis=-1)
        parts.append(of_u + of_v)
    power = np.stack(parts, axis=-1)
    return power / power.sum(axis=-1, keepdims=True)


def by_irreps(w: np.ndarray, M: Group) -> float:
    r"""The energy of w (2M,) from the irreps: $\frac2M\sum_\rho\frac Dc\lVert\hat u(\rho)\hat
    v(\rho)\rVert_F^2$."""
    u, v = _halves(w, M)
    total = 0.0
    for rho in irreps(M)[1:]:
        of_u = np.einsum("h,hij->ij", u, rho.matrices)
        of_v = np.einsum("h,hij->ij", v, rho.matrices)
        total += rho.dimension / rho.norm * ((of_u @ of_v) ** 2).sum()
    return 2 / len(u) * total


def by_traces(w: np.ndarray, M: Group) -> float:
    r"""What the slides print for the energy of w (2M,): $|\mathrm{tr}\,\hat u(k)\hat v(k)|^2$ in
    place of the norm.

    The trace is that of the mean of u * v over conjugate elements, so that this is $2\sum_k
    d_k\lVert P_k\,\overline{u*v}\rVert^2$ with the projections $P_k$ onto the irreps. Equal to the
    energy where every $d_k$ is one.

    Source: Tian 2025, the formula beside Theorem 2.
    """
    table = as_table(M)
    u, v = _halves(w, M)
    conjugates = table[table, inverses(table)[:, None]]  # [g, h] = g h g^-1
    mean = convolution(u, v, table)[conjugates].mean(axis=0)
    total = 0.0
    for rho in irreps(M)[1:]:
        total += 2 * rho.degree * ((rho.projection @ mean) ** 2).sum()
    return float(total)


def ascend(w: np.ndarray, M: Group, *, steps: int = 500) -> np.ndarray:
    """Gradient ascent of the energy on the sphere from w (..., 2M), until nothing changes or
    `steps` are over.

    A step goes to (4 E w + gradient), scaled to norm one: a power iteration with a shift.
    """
    now = np.asarray(w, dtype=float)
    now = now / np.linalg.norm(now, axis=-1, keepdims=True)
    for _ in range(steps):
        slope = gradient(now, M)
        moved = slope + (slope * now).sum(axis=-1, keepdims=True) * now  # w . slope = 4 E
        moved = moved / np.linalg.norm(moved, axis=-1, keepdims=True)
        if np.abs(moved - now).max() < 1e-12:
            return moved
        now = moved
    return now
