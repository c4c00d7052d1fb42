r"""What reaches the hidden layer behind a ridge-solved output layer (Tian 2025, Li2): $G_F$, and
what it becomes.

Features $F = \sigma(XW)$ are (n, K), targets Y (n, M); a tilde takes the mean over the n samples
out. With the ridge solution $V = (\tilde F^\top\tilde F + \eta I)^{-1}\tilde F^\top\tilde Y$ the
residual is $R = \tilde Y - \tilde F V = \eta(\tilde F\tilde F^\top + \eta I)^{-1}\tilde Y$ and $V =
\tilde F^\top R/\eta$, so

    G_F = R V^T = (1/eta) R R^T F~ .

Every theorem on the three stages is a statement on R.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from grokbook.errors import ParameterError
from grokbook.tasks.groups import inverses
from grokbook_chapters.feature_emergence.feature_energy import Group
from grokbook_chapters.feature_emergence.irreps import Irrep, as_table, irreps

KEPT = 0.5
"""Part of |w|^2 that must be left in the irrep of the start for a maximum to count as kept."""


def centred(values: np.ndarray) -> np.ndarray:
    """$P^\\perp A$: an array (n, ...) less its mean over the samples."""
    return values - values.mean(axis=0)


def answers(M: Group) -> np.ndarray:
    """The one-hot products of all pairs (a, b), (M^2, M), in the order of the table's cells."""
    table = as_table(M)
    return np.eye(len(table))[table.ravel()]


def ridge(F: np.ndarray, Y: np.ndarray, eta: float) -> np.ndarray:
    r"""The layer $V = (\tilde F^\top\tilde F + \eta I)^{-1}\tilde F^\top\tilde Y$, (K, M), from F
    (n, K), Y (n, M).

    Raises ParameterError for an eta that is not positive.

    Source: Tian 2025, the solution beside Eq. 5.
    """
    if not eta > 0:
        raise ParameterError(f"eta = {eta} must be above 0.")
    features = centred(F)
    gram = features.T @ features + eta * np.eye(F.shape[1])
    return np.linalg.solve(gram, features.T @ centred(Y))


def residual(F: np.ndarray, Y: np.ndarray, eta: float) -> np.ndarray:
    r"""What the ridge leaves of the targets, $R = \eta(\tilde F\tilde F^\top + \eta I)^{-1}\tilde
    Y$, (n, M)."""
    features = centred(F)
    if F.shape[1] < len(F):
        return centred(Y) - features @ ridge(F, Y, eta)
    return eta * np.linalg.solve(features @ features.T + eta * np.eye(len(F)), centred(Y))


def feature_gradient(F: np.ndarray, Y: np.ndarray, eta: float) -> np.ndarray:
    r"""$G_F = P^\perp(Y - FV)V^\top = RR^\top\tilde F/\eta$, (n, K), at the ridge solution V.

    Source: Tian 2025, Eq. 5.
    """
    left = residual(F, Y, eta)
    return left @ (left.T @ centred(F)) / eta


def as_printed(F: np.ndarray, Y: np.ndarray, eta: float) -> np.ndarray:
    r"""$\eta(\tilde F\tilde F^\top+\eta)^{-1}\tilde Y\tilde Y^\top\tilde F(\tilde F^\top\tilde
    F+\eta)^{-1}$, (n, K).

    Source: Tian 2025, Eq. 5.
    """
    features = centred(F)
    left = np.linalg.solve(features @ features.T + eta * np.eye(len(F)), centred(Y))
    return eta * left @ ridge(F, Y, eta).T


def shrinkage(K: float, c: float, eta: float) -> float:
    r"""Lemma 1's prefactor as the width K grows, corrected: $\eta/(Kc + \eta)^2$, largest at $\eta
    = Kc$.

    c is the eigenvalue of $\tilde F\tilde F^\top/K$ on the targets: 4 s^4 for $x^2$, normal weights
    of variance s^2 and all pairs of a group.
    """
    return eta / (K * c + eta) ** 2


def random_features(M: Group, K: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Features $(u(a) + v(b))^2$ of K nodes, weights normal with standard deviation `scale`, on all
    pairs: (M^2, K)."""
    w = np.random.default_rng(seed).normal(scale=scale, size=(K, 2 * len(as_table(M))))
    return features(w, M)


def features(w: np.ndarray, M: Group) -> np.ndarray:
    """$\\sigma(Xw)$ of nodes w (K, 2M), real or complex, on all pairs: (M^2, K)."""
    n = len(as_table(M))
    return ((w[:, :n, None] + w[:, None, n:]) ** 2).reshape(len(w), n * n).T


def unreached(F: np.ndarray, Y: np.ndarray) -> float:
    r"""$\lVert\tilde Y - \hat Y\rVert_F/\lVert\tilde Y\rVert_F$ of the best V without decay; F may
    be complex."""
    inside = centred(F)
    wanted = centred(Y)
    best = np.linalg.lstsq(inside, wanted.astype(inside.dtype), rcond=1e-10)[0]
    return np.linalg.norm(wanted - inside @ best) / np.linalg.norm(wanted)


def paired_nodes(M: Group, *, conjugate: bool = True, seed: int = 0) -> np.ndarray:
    r"""Theorem 3's nodes: $[u; \pm P\bar u]$ with $(Pu)(h) = u(h^{-1})$, $d_k^4$ pairs an irrep,
    complex (K, 2M).

    The u of an irrep are drawn at random in $\mathcal H_k$, so that the $uu^*$ are a complete
    basis. Without `conjugate` they are the printed $[u; \pm Pu]$.

    Source: Tian 2025, Theorem 3.
    """
    table = as_table(M)
    rng = np.random.default_rng(seed)
    inverse = inverses(table)
    nodes = []
    for basis in _complex_spaces(M):
        size = basis.shape[1]
        real, imaginary = rng.normal(size=(2, size, size**2))
        u = (basis @ (real + 1j * imaginary)).T
        v = (u.conj() if conjugate else u)[:, inverse]
        nodes += [np.hstack([u, v]), np.hstack([u, -v])]
    return np.concatenate(nodes)


def _complex_spaces(M: Group) -> list[np.ndarray]:
    """Orthonormal bases (M, d_k^2) of the spaces H_k of the complex irreps, the trivial one left
    out.

    A pair of complex irreps is told apart by its character: the eigenspaces of the convolution with
    Im chi.
    """
    table = as_table(M)
    bases = []
    difference = table[inverses(table)]  # [a, h] = a^-1 h
    for rho in irreps(M)[1:]:
        values, vectors = np.linalg.eigh(rho.projection)
        basis = vectors[:, values > 0.5]
        if rho.norm != 2:
            bases.append(basis)
            continue
        # i times an odd class function is hermitian, with opposite values on the two irreps
        odd = _imaginary_character(rho)
        values, vectors = np.linalg.eigh(basis.T @ (1j * odd[difference]) @ basis)
        bases += [basis @ vectors[:, values < 0], basis @ vectors[:, values > 0]]
    return bases


def _imaginary_character(rho: Irrep) -> np.ndarray:
    """Im chi of one of a pair of complex irreps, (M,).

    It is the trace with the complex structure J, of which every mean over the group is a multiple.
    """
    seed = np.random.default_rng(0).normal(size=(rho.dimension, rho.dimension))
    mean = (rho.matrices @ (seed - seed.T) @ rho.matrices.mT).mean(axis=0)
    structure = mean * np.sqrt(rho.dimension) / np.linalg.norm(mean)
    return np.einsum("hij,ji->h", rho.matrices, structure) / 2


class Enough(NamedTuple):
    """A number of nodes that is enough, and its bound."""

    nodes: int
    bound: int


def enough_nodes(M: Group) -> Enough:
    r"""Theorem 3's number of nodes $2\sum_k m_k^2d_k^2$, and its bound
    $2[(M-\kappa)^2+\kappa-1]$."""
    nodes = 0
    kappa = 0
    for rho in irreps(M)[1:]:
        complex_irreps = 2 if rho.norm == 2 else 1
        kappa += complex_irreps
        nodes += 2 * complex_irreps * rho.degree**4
    n = len(as_table(M))
    return Enough(nodes, 2 * ((n - kappa) ** 2 + kappa - 1))


FOUR = np.array([[0, 0], [2, -2], [1, 1], [3, -1]]) * np.pi / 4
"""Phases of u and v of four nodes of one frequency that reconstruct its part of the target
exactly."""


def cosines(M: int, phases: np.ndarray = FOUR) -> np.ndarray:
    r"""Real maxima of addition modulo odd M: for each frequency a node for each row (phase of u,
    phase of v), (K, 2M).

    With the four rows of `FOUR` they are $2M - 2$ nodes, and enough.
    """
    k = np.arange(1, (M + 1) // 2)[:, None, None, None]
    angles = 2 * np.pi * k * np.arange(M) / M + np.asarray(phases)[:, :, None]
    return np.cos(angles).reshape(-1, 2 * M) / np.sqrt(M)


def modulated(w: np.ndarray, M: Group, learned: np.ndarray, eta: float) -> float:
    r"""Theorem 7: the energy $\mathcal E_S = \frac12\lVert R^\top\sigma(Xw)\rVert^2$ of a node once
    others are learned.

    R is the residual of a ridge on the features (M^2, K) of the learned nodes; w is (2M,).

    Source: Tian 2025, Theorem 7.
    """
    left = residual(learned, answers(M), eta)
    return float(((left.T @ features(w[None], M)) ** 2).sum() / 2)


def keeps(M: int, pairs: int, draws: int = 20, seed: int = 0, *, steps: int = 300) -> np.ndarray:
    r"""Theorem 4 by sampling: whether a maximum modulo M survives so many random pairs, bool
    (draws,).

    A draw has random pairs, a frequency below M/2 and phases. The maximum survives if ascent of the
    energy of these pairs from it ends with at least `KEPT` of $|w|^2$ in its frequency. A step
    takes as many operations as there are pairs, so that M may be thousands.

    Raises ParameterError for an M below 3, and for pairs that are not 1 to M^2.

    Example: all pairs keep every maximum, a few keep none.
        >>> keeps(31, 31**2, draws=3).tolist(), keeps(31, 62, draws=3).tolist()
        ([True, True, True], [False, False, False])

    Source: Tian 2025, Theorem 4, whose $d_k$ is 1 here.
    """
    survived = []
    for rng in np.random.default_rng(seed).spawn(draws):
        draw = _drawn(M, pairs, rng)
        survived.append(_part_kept(M, draw.order, draw, steps) >= KEPT)
    return np.array(survived)


def samples_to_keep(M: int, draws: int = 20, seed: int = 0, *, steps: int = 300) -> np.ndarray:
    r"""The number of random pairs from which on a maximum modulo M survives, as in `keeps`,
    (draws,).

    It is found to 1 % of itself by halving, as if more of the pairs, in a random order, never hurt.
    All pairs keep every maximum. Raises ParameterError for an M below 3.
    """
    numbers = []
    for rng in np.random.default_rng(seed).spawn(draws):
        draw = _drawn(M, M * M, rng)
        low = M
        high = M * M
        while high - low > max(1, low // 100):
            middle = round((low * high) ** 0.5)
            if _part_kept(M, draw.order[:middle], draw, steps) >= KEPT:
                high = middle
            else:
                low = middle
        numbers.append(high)
    return np.array(numbers)


class Draw(NamedTuple):
    """Places of pairs in the table, in a random order, a maximum of the full energy (2M,), and its
    frequency."""

    order: np.ndarray
    wave: np.ndarray
    frequency: int


def _drawn(M: int, pairs: int, rng: np.random.Generator) -> Draw:
    """So many pairs and a maximum, drawn at random."""
    if M < 3 or not 1 <= pairs <= M * M:
        raise ParameterError(
            f"M = {M} must be 3 or more, and pairs = {pairs} from 1 to M^2 = {M * M}."
        )
    k = int(rng.integers(1, (M + 1) // 2))
    phases = rng.uniform(0, 2 * np.pi, (2, 1))
    wave = np.cos(2 * np.pi * k * np.arange(M) / M + phases).ravel() / np.sqrt(M)
    return Draw(rng.choice(M * M, pairs, replace=False), wave, k)


def _part_kept(M: int, place: np.ndarray, draw: Draw, steps: int) -> float:
    """The part of $|w|^2$ in the frequency of a draw after `ascend`, from its wave, of the energy
    of these pairs, computed pair by pair."""
    w = draw.wave
    first, second = np.divmod(place, M)
    total = (first + second) % M
    second = second + M
    count = np.bincount(total, minlength=M)
    for _ in range(steps):
        felt = w[first] + w[second]
        sums = np.bincount(total, felt**2, M)
        sums -= sums.sum() / len(place) * count
        back = 2 * felt * (sums[total] - sums @ count / len(place))
        slope = np.bincount(first, back, 2 * M) + np.bincount(second, back, 2 * M)
        moved = slope + (slope @ w) * w
        before = w
        w = moved / np.linalg.norm(moved)
        if np.abs(w - before).max() < 1e-7:
            break
    tone = np.exp(2j * np.pi * draw.frequency * np.arange(M) / M)
    return float(2 / M * (np.abs(w.reshape(2, M) @ tone) ** 2).sum())
