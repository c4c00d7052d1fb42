r"""Between and below the zero-loss networks of `semiring`: paths, norms, and how few nodes will
do.

Source: Tian 2025, "Occam's razor" and the orders of its solutions; the paths, the balance that the
norm inequality needs and the least number of nodes are worked out here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from grokbook.errors import ParameterError
from grokbook.measures.inputs import whole
from grokbook_chapters.algebraic_solutions.semiring import Solution, pseudo_identity


def scaled_layers(network: Solution, factors: Sequence[float]) -> Solution:
    """The network with its layers a, b, c multiplied by one number each; a product of one keeps
    every answer a * b * c.

    Example:
        >>> from grokbook_chapters.algebraic_solutions.semiring import loss, order_six_solution
        >>> bool(np.isclose(loss(scaled_layers(order_six_solution(5), (0.5, 1, 2))), 0, atol=0.5))
        True
    """
    return Solution(np.asarray(factors, dtype=float)[:, None, None] * network.z)


def squared_norm(network: Solution) -> float:
    """The sum of the squared coordinates of all layers."""
    return float((np.abs(network.z) ** 2).sum())


def razor_path(factor: Solution, points: int = 9) -> list[Solution]:
    r"""Networks y(t) from y = `factor` to the pseudo-identity e, all $r_{kkk}(y(t))$ one, `points`
    to each of 4 legs.

    At each frequency: (1) the output layer moves to the node, not the first, with the largest $|z_a
    z_b|$; (2) the first node, now silent, takes the input waves 1, 1; (3) the output layer moves to
    it; (4) all others vanish. Each leg is a straight line on which $r_{kkk}$ does not change.

    Raises ParameterError for fewer than two nodes, where some $r_{kkk}$ is not one, and where no
    node but the first has waves.
    """
    y = factor.z
    d = factor.d
    if factor.nodes < 2 or not np.allclose(y.prod(axis=0).sum(axis=1)[1:], 1):
        raise ParameterError("factor must have two nodes or more and every r_kkk must be 1.")
    inputs = y[0] * y[1]
    size = np.abs(inputs) + np.abs(inputs[-np.arange(d)])  # the same at k and -k
    strongest = 1 + size[:, 1:].argmax(axis=1)
    k = np.arange(1, d)
    if not inputs[k, strongest[1:]].all():
        raise ParameterError(
            "at some frequency no node but the first has waves in both layers a and b."
        )
    on_strongest = y.copy()
    on_strongest[2] = 0
    on_strongest[2, k, strongest[1:]] = 1 / inputs[k, strongest[1:]]
    ready = on_strongest.copy()
    ready[:2, 1:, 0] = 1
    moved = ready.copy()
    moved[2] = 0
    moved[2, 1:, 0] = 1
    stations = [y, on_strongest, ready, moved, pseudo_identity(d, factor.nodes).z]
    return [Solution(z) for z in _straight_legs(stations, points)]


def _straight_legs(stations: Sequence[np.ndarray], points: int) -> list[np.ndarray]:
    """`points` on the straight line from each station to the next, both ends among them."""
    times = np.linspace(0, 1, whole(points, "points", least=2))
    legs = []
    for start, end in pairwise(stations):
        legs += [(1 - t) * start + t * end for t in times]
    return legs


def levelled_path(factor: Solution, k0: int, points: int = 9) -> list[Solution]:
    r"""Networks from y = `factor` to one with $|y_{ak}|^2 + |y_{bk}|^2$ as at k0 for all k,
    `points` to each of 2 legs.

    With $y_a y_b$ and $y_c$ kept, a sum of squares takes any value from $2|y_a y_b|$ on. All are
    raised by one amount, then led to those of k0. So $\sum_i (|y_{aki}|^2 + |y_{bki}|^2 -
    |y_{ak_0i}|^2 - |y_{bk_0i}|^2)\, y_{cki}$ only shrinks: where $z_{F4/6}$ with six nodes at k0
    has no loss times y, it has none along the path, nor along `razor_path` from its end.

    Raises ParameterError for fewer than two points.
    """
    y = factor.z
    first, second = np.abs(y[:2]) ** 2
    size = first + second
    product = first * second
    high = size + 2 * np.sqrt(product.max())
    high[0] = 0
    level = np.where(np.arange(factor.d)[:, None] > 0, high[k0], 0)

    def at(sizes: np.ndarray) -> Solution:
        gap = np.sqrt(np.maximum(sizes**2 - 4 * product, 0)) * np.where(first < second, -1, 1)
        lengths = np.sqrt(np.maximum([sizes + gap, sizes - gap], 0) / 2)
        inputs = lengths * np.exp(1j * np.angle(y[:2]))
        return Solution(np.concatenate([inputs, y[2:]]))

    return [at(sizes) for sizes in _straight_legs([size, high, level], points)]


def side_by_side(first: Solution, second: Solution, t: float) -> Solution:
    """Both networks side by side, the answers of the first times 1 - t, of the second times t.

    Its answers are (1 - t) o + t o', so the loss is at most the larger one: with spare nodes
    enough, any two networks without loss are joined by a path without loss.
    """
    return scaled_layers(first, (1, 1, 1 - t)) + scaled_layers(second, (1, 1, t))


# ------------------------------------------------------------------- how few nodes of one frequency


def isolated_terms(nodes: np.ndarray, free: bool = False) -> np.ndarray:
    """All sums that must vanish for the nodes (..., 3, n) of one frequency to be right at it,
    complex (..., 9).

    The sum of their squared sizes is the loss of the frequency. `free` leaves out the constant
    answer, for a bias that is free: (..., 8).
    """
    a, b, c = np.moveaxis(np.asarray(nodes, dtype=complex), -2, 0)
    pairs = [a * b, a * b.conj(), a.conj() * b, (a * b).conj()]
    pairs += [a**2 / 2, b**2 / 2, a.conj() ** 2 / 2, b.conj() ** 2 / 2]
    if not free:
        pairs.append(np.abs(a) ** 2 + np.abs(b) ** 2)
    sums = np.stack([(pair * c).sum(axis=-1) for pair in pairs], axis=-1)
    sums[..., 0] -= 1
    return sums


class Isolated(NamedTuple):
    """The loss of one frequency, and the squared norm of its nodes."""

    loss: float
    squared_norm: float


def least_isolated(
    n: int, starts: int = 10, free: bool = False, seed: int = 0, decay: float = 0.0
) -> Isolated:
    """The lowest loss of one frequency that `starts` searches find with n nodes, and the squared
    norm there.

    With `decay` they look for the least loss + decay x squared norm. Without it, a large squared
    norm says that the search has not come to an end: no network attains the loss.

    Raises ParameterError for n or starts below 1.
    """
    rng = np.random.default_rng(seed)
    shape = (2, 3, whole(n, "n", least=1))
    steps = 1e-5 * np.eye(6 * n)

    def residuals(x: np.ndarray) -> np.ndarray:
        parts = x.reshape(*x.shape[:-1], *shape)
        terms = isolated_terms(parts[..., 0, :, :] + 1j * parts[..., 1, :, :], free)
        return np.concatenate([terms.real, terms.imag, np.sqrt(decay) * x], axis=-1)

    def jacobian(x: np.ndarray) -> np.ndarray:
        return ((residuals(x + steps) - residuals(x - steps)) / 2e-5).T

    limits = {"xtol": None, "ftol": 1e-14, "gtol": 1e-14, "max_nfev": 300}
    drawn = rng.normal(size=(whole(starts, "starts", least=1), 6 * n))
    searches = [least_squares(residuals, x, jacobian, **limits) for x in drawn]
    best = min(searches, key=attrgetter("cost"))
    norm = float(best.x @ best.x)
    return Isolated(2 * float(best.cost) - decay * norm, norm)


def five_nodes(norm: float) -> np.ndarray:
    r"""Five nodes (3, 5) of one frequency that come as near being right at it as their squared norm
    is large.

    With $\omega = e^{2\pi i/5}$ they are $(A\omega^j, \epsilon\omega^{3j}, C\omega^j)$, $A^2 = 2C^2
    = 2/15$ of `norm` and $5A\epsilon C = 1$. Of the sums of `isolated_terms` only that of $\bar b^2
    c / 2$ is left, and the loss is 135 / (16 norm^3). The squared norm is `norm` and $5\epsilon^2$.
    """
    C = np.sqrt(norm / 15)
    A = np.sqrt(2) * C
    turns = np.exp(2j * np.pi * np.outer([1, 3, 1], np.arange(5)) / 5)
    return np.array([[A], [1 / (5 * A * C)], [C]]) * turns


def answer_form(s: complex, t: complex, first: complex, second: complex) -> np.ndarray:
    r"""The symmetric form of s Re(uv) + t Im(uv) + first |u|^2 + second |v|^2 in (Re u, Im u, Re v,
    Im v), (4, 4).

    With u, v on the unit circle it is what the nodes of one frequency must add up to, two constants
    left open.
    """
    product = np.array([[s, t], [t, -s]]) / 2
    return np.block([[first * np.eye(2), product], [product.T, second * np.eye(2)]])
