"""The Fourier spectrum of an embedding over the tokens, and what is read off it.

Convention: $c_k = \\frac1p \\sum_i \\phi_i e^{-2\\pi \\mathrm{i} k i/p}$, a complex d-vector, and
the one-sided power $P_k = 2\\lVert c_k\\rVert^2$, except $P_0 = \\lVert c_0\\rVert^2$ and, for even
p, $P_{p/2} = \\lVert c_{p/2}\\rVert^2$. So $\\sum_k P_k$ is the mean squared row norm (Parseval),
and a circle of radius A has power $A^2$.
"""

from __future__ import annotations

import numpy as np

from grokbook.errors import ParameterError, checked_call
from grokbook.measures.inputs import Array, like, rows, whole

NEGLIGIBLE = 1e-26  # share of the squared norm below which what varies from row to row is rounding


@checked_call
def fourier_power(embedding: Array) -> np.ndarray:
    r"""Power $P_k$ of each frequency k = 0, ..., floor(p/2) of the embedding over the tokens.

    $P_k = 2\lVert c_k\rVert^2$ with $c_k = \frac1p\sum_i\phi_i e^{-2\pi\mathrm{i}ki/p}$, without
    the 2 at k = 0 and (p even) k = p/2. `embedding` = $\phi$ has shape (p, d); the result is a
    numpy array of shape (floor(p/2) + 1,) in squared embedding units, with sum equal to the mean
    squared row norm.

    Raises ParameterError if the table is not finite, not (p, d), or p < 3.

    >>> angle = 2 * np.pi * 2 * np.arange(7) / 7
    >>> fourier_power(3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)).round(12).tolist()
    [0.0, 0.0, 9.0, 0.0]

    Source: the spectrum of Nanda et al. 2023, section 4, normalised so that Parseval has no
    constant.
    """
    table = rows(embedding, least=3)
    p = len(table)
    coefficients = np.fft.rfft(table, axis=0) / p
    power = np.einsum("ij,ij->i", coefficients.real, coefficients.real)
    power += np.einsum("ij,ij->i", coefficients.imag, coefficients.imag)
    power[1 : (p + 1) // 2] *= 2
    return power


def _varying_power(embedding: Array) -> np.ndarray:
    """The powers of the frequencies 1, 2, ...; refuses an embedding whose rows are all equal."""
    power = fourier_power(embedding)
    if power[1:].sum() <= NEGLIGIBLE * power.sum():
        raise ParameterError(
            "embedding has equal rows, but at least two must differ to have power at a frequency"
            " > 0."
        )
    return power[1:]


def inverse_participation_ratio(embedding: Array) -> float:
    r"""How concentrated the spectrum is, $\sum_{k>0}P_k^2/(\sum_{k>0}P_k)^2$, in [1/K, 1].

    `embedding` has shape (p, d), $P_k$ is `fourier_power`, K = floor(p/2) the number of non-zero
    frequencies ((p-1)/2 for odd p). It is 1 for one circle and 1/n for n circles of equal radius;
    its inverse counts the frequencies in use. Relabelling $i \mapsto ci$ leaves it unchanged for
    prime p.

    Raises ParameterError for a bad table or one whose rows are all equal.

    >>> round(inverse_participation_ratio(np.eye(7)), 12) == round(1 / 3, 12)
    True

    Source: Doshi et al. 2024, for single neurons; here over the powers of all d columns together.
    """
    power = _varying_power(embedding)
    shares = power / power.sum()
    return float(shares @ shares)


def dominant_frequencies(embedding: Array, n: int) -> list[int]:
    """The n frequencies k > 0 of greatest power, strongest first (of equals the lower first).

    `embedding` has shape (p, d). Raises ParameterError for a bad table or n outside 1, ...,
    floor(p/2).

    >>> angle = 2 * np.pi * np.arange(7)[:, None] / 7
    >>> dominant_frequencies(np.hstack([np.cos(angle), np.sin(angle), 3 * np.cos(2 * angle)]), 2)
    [2, 1]
    """
    power = _varying_power(embedding)
    order = np.argsort(-power, kind="stable")[: whole(n, "n", least=1, most=power.size)]
    return [int(k) + 1 for k in order]


def energy_share(embedding: Array, n: int) -> float:
    r"""Share of the power at frequencies k > 0 that the n strongest hold, in [n/K, 1], K =
    floor(p/2).

    `embedding` has shape (p, d). Raises ParameterError for a bad table or n outside 1, ..., K.

    >>> energy_share(np.eye(7), 3)
    1.0
    """
    power = np.sort(_varying_power(embedding))[::-1]
    return float(power[: whole(n, "n", least=1, most=power.size)].sum() / power.sum())


def circle_projection(embedding: Array, k: int) -> Array:
    r"""Coordinates of the rows in the plane of frequency k, shape (p, 2).

    The plane is spanned by $a = \frac2p\sum_i\phi_i\cos(2\pi ki/p)$ and $b =
    \frac2p\sum_i\phi_i\sin(2\pi ki/p)$; the first axis is $a/\lVert a\rVert$, the second the part
    of b at right angles to it, made a unit vector (Gram-Schmidt). The rows less their mean are
    projected on both. A circle $A(\cos, \sin)$ comes back as itself: token 0 lies to the right,
    counting runs anticlockwise. An axis without length (a flat ellipse) gives the coordinate 0.
    `embedding` = $\phi$ has shape (p, d), numpy or torch; the result is of the same kind.

    Raises ParameterError for a bad table, k outside 1, ..., floor(p/2), or a frequency without
    power.

    >>> angle = 2 * np.pi * 2 * np.arange(5) / 5
    >>> circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    >>> bool(np.allclose(circle_projection(circle, 2), circle))
    True
    """
    table = rows(embedding, least=3)
    p = len(table)
    angle = 2 * np.pi * whole(k, "k", least=1, most=p // 2) * np.arange(p) / p
    pair = 2 / p * np.stack([np.cos(angle), np.sin(angle)]) @ table
    size = float(np.linalg.norm(pair))
    if size <= 1e-13 * np.linalg.norm(table) / np.sqrt(p):
        raise ParameterError(
            f"embedding has no power at k = {k}, but its plane needs some: see"
            " dominant_frequencies."
        )
    first = _unit(pair[0], size)
    second = _unit(pair[1] - (pair[1] @ first) * first, size)
    return like((table - table.mean(axis=0)) @ np.stack([first, second], axis=1), embedding)


def _unit(vector: np.ndarray, size: float) -> np.ndarray:
    """The vector made a unit vector, or zero where it is rounding beside `size`."""
    norm = np.linalg.norm(vector)
    return vector / norm if norm > 1e-12 * size else np.zeros_like(vector)
