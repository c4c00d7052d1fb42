r"""Two-layer networks with x^2 in Fourier coordinates: a semi-ring, its homomorphisms, and networks
without loss.

A network answers a + b modulo d: $o_c(a, b) = \sum_j w_{cj}[c]\,(w_{aj}[a] + w_{bj}[b])^2$. Its
coordinates z, of shape (3, d, q), are those of its layers a, b, c, its frequencies, its nodes:

    w_aj[x] = sum_k z[0, k, j] chi_k(x),   w_bj[x] = sum_k z[1, k, j] chi_k(x),
    w_cj[x] = sum_k z[2, k, j] / chi_k(x)

with $\chi_k(x) = e^{2\pi\mathrm i kx/d}$; real weights have $z_{p,-k} = \bar z_{pk}$. Losses are in
one convention: the mean over all $d^2$ pairs of $\lVert P(o/2d - e_{a+b})\rVert^2$, where P takes
the class mean out of an answer.

Source: Tian, CoGO (arXiv 2410.01779), and the slides of Tian 2025.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.inputs import whole

OMEGA = np.exp(2j * np.pi / 3)
"""A third root of one."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A network of the semi-ring by its Fourier coordinates `z`, complex of shape (3, d, q): layers
    a, b, c; k; node.

    `first + second` puts the nodes of both side by side, `first * second` multiplies each node of
    the first with each of the second, coordinate by coordinate. A number times a network multiplies
    every coordinate.

    Raises ParameterError for another shape, coordinates of weights that are not real, and networks
    of different d.
    """

    z: np.ndarray

    def __post_init__(self) -> None:
        z = np.asarray(self.z, dtype=complex)
        if z.ndim != 3 or z.shape[0] != 3 or z.shape[1] < 2:
            raise ParameterError(
                f"z has shape {z.shape}, but must be (3, d, q): layers a, b, c; frequencies; nodes."
            )
        if not np.allclose(z[:, -np.arange(z.shape[1])], z.conj()):
            raise ParameterError(
                "z must have complex conjugates at k and -k, but these are no coordinates of"
                " weights."
            )
        object.__setattr__(self, "z", z)

    @property
    def d(self) -> int:
        """The modulus."""
        return self.z.shape[1]

    @property
    def nodes(self) -> int:
        """The number of hidden nodes q."""
        return self.z.shape[2]

    def __add__(self, other: Solution) -> Solution:
        return Solution(np.concatenate([self.z, _same(self, other)], axis=2))

    def __mul__(self, other: Solution) -> Solution:
        product = self.z[:, :, :, None] * _same(self, other)[:, :, None, :]
        return Solution(product.reshape(3, self.d, -1))

    def __rmul__(self, factor: float) -> Solution:
        return Solution(factor * self.z)

    def weights(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The real weights w_a, w_b, w_c, each (d, q): a row a number, a column a node."""
        waves = _waves(self.d)
        a, b, c = self.z
        return (waves @ a).real, (waves @ b).real, (waves.conj() @ c).real

    def outputs(self) -> np.ndarray:
        """The answers o / 2d to all pairs, (d, d, d) by a, b, c; without loss: one at c = a + b,
        but for a mean."""
        a, b, c = self.weights()
        return (a[:, None] + b[None]) ** 2 @ c.T / (2 * self.d)


def _waves(d: int) -> np.ndarray:
    """exp(2 pi i k l / d), (d, d)."""
    k = np.arange(d)
    return np.exp(2j * np.pi * np.outer(k, k) / d)


def _same(first: Solution, other: Solution) -> np.ndarray:
    if first.d != other.d:
        raise ParameterError(f"networks modulo {first.d} and {other.d} have no sum and no product.")
    return other.z


# --------------------------------------------------------------------------- homomorphisms and loss


def potentials(network: Solution) -> np.ndarray:
    r"""The sums $r_{k_1k_2k} = \sum_j z_{ak_1j} z_{bk_2j} z_{ckj}$ for all frequencies, complex (d,
    d, d).

    Each entry is a homomorphism: it turns + and * of networks into + and * of numbers.
    """
    a, b, c = network.z
    return np.einsum("ij,kj,lj->ikl", a, b, c, optimize=True)


def same_layer_potentials(network: Solution, layer: int) -> np.ndarray:
    r"""The sums $r_{pk_1k_2k} = \sum_j z_{pk_1j} z_{pk_2j} z_{ckj}$ of one layer p (0: a, 1: b),
    complex (d, d, d)."""
    inside = network.z[layer]
    c = network.z[2]
    return np.einsum("ij,kj,lj->ikl", inside, inside, c, optimize=True)


def shifted_sums(potential: np.ndarray) -> np.ndarray:
    """The sums over k' of potential[k', m - k', k], by m and k: what a wave of frequency m in one
    operand adds to k."""
    d = len(potential)
    m, k = np.indices((d, d))
    return potential[k, (m - k) % d].sum(axis=1)


def frequency_losses(network: Solution, *, strict: bool = True) -> np.ndarray:
    r"""The loss $\ell_k + 1$ of each frequency k = 1, ..., d - 1, as a sum of squares, (d - 1,).

    .. math:: \ell_k + 1 = |r_{kkk} - 1|^2 + \sum_{(k_1, k_2) \ne (k, k)} |r_{k_1k_2k}|^2
        + \tfrac14 |s_{a0k} + s_{b0k}|^2 + \tfrac14 \sum_{m \ne 0} (|s_{amk}|^2 + |s_{bmk}|^2)

    with $s_{pmk} = \sum_{k'} r_{p,k',m-k',k}$. Zeros of z at k = 0 in the input layers are assumed:
    see `loss`.

    Raises ParameterError where an input layer has a constant part, unless `strict` is false: then
    it is the printed formula, which is not the loss there.
    """
    if strict and np.abs(network.z[:2, 0]).max(initial=0) > 1e-12:
        raise ParameterError(
            "the input layers must have no constant part (k = 0), or the formula of the loss is not"
            " exact."
        )
    r = potentials(network)
    k = np.arange(1, network.d)
    wanted = r[k, k, k]
    all_potentials = (np.abs(r) ** 2).sum(axis=(0, 1))[k]
    square = all_potentials - np.abs(wanted) ** 2 + np.abs(wanted - 1) ** 2
    first = shifted_sums(same_layer_potentials(network, 0))
    second = shifted_sums(same_layer_potentials(network, 1))
    constant = (np.abs(first[0] + second[0]) ** 2)[k]
    others = np.abs(first[1:]) ** 2 + np.abs(second[1:]) ** 2
    rest = others.sum(axis=0)[k]
    return square + constant / 4 + rest / 4


def loss(solution: Solution) -> float:
    r"""The mean over all pairs of $\lVert P(o/2d - e_{a+b})\rVert^2$, from the potentials:
    $\frac1d\sum_k(\ell_k + 1)$.

    Example:
        >>> loss(order_six_solution(7)) < 1e-24
        True
    """
    return float(frequency_losses(solution).sum() / solution.d)


def direct_loss(solution: Solution) -> float:
    """The same loss from the answers to all pairs, whatever the constant parts of the layers."""
    answers = solution.outputs()
    symbols = np.arange(solution.d)
    sums = np.add.outer(symbols, symbols) % solution.d
    gap = answers - np.eye(solution.d)[sums]
    gap -= gap.mean(axis=2, keepdims=True)
    return float((gap**2).sum(axis=2).mean())


# ---------------------------------------------------------------------------------- building blocks


def block(d: int, k: int, nodes: Sequence[Sequence[complex]]) -> Solution:
    """A network of one frequency: `nodes` are triples (a, b, c) at k, their conjugates stand at -k.

    Raises ParameterError for k outside 1, ..., d/2, and at d/2 for triples that are not real.
    """
    k = whole(k, "k", least=1, most=d // 2)
    z = np.zeros((3, d, len(nodes)), dtype=complex)
    z[:, k] = np.asarray(nodes, dtype=complex).T
    z[:, d - k] = z[:, k].conj()
    return Solution(z)


def synced(d: int, k: int) -> Solution:
    """z_syn: three nodes whose three phases are the same third of a turn."""
    return block(d, k, [(OMEGA**j,) * 3 for j in range(3)])


def opposed(d: int, k: int, nu: complex = 1j) -> Solution:
    """z_nu: two nodes, (1, 1, 1) and (nu, -nu, -1/nu^2); nu of size one."""
    return block(d, k, [(1, 1, 1), (nu, -nu, -(nu**-2))])


def quarter(d: int, k: int, xi: complex = np.exp(0.25j * np.pi)) -> Solution:
    """z_xi: two nodes, (1, 1, 1) and (xi, -i/xi, i); xi of size one."""
    return block(d, k, [(1, 1, 1), (xi, -1j / xi, 1j)])


def identity(d: int) -> Solution:
    """The one of the multiplication: a single node whose coordinates are all one (none at k =
    0)."""
    z = np.ones((3, d, 1), dtype=complex)
    z[:, 0] = 0
    return Solution(z)


def pseudo_identity(d: int, nodes: int) -> Solution:
    """e: the one with `nodes` - 1 empty nodes behind it; e * z is z with so many empty copies."""
    z = np.zeros((3, d, whole(nodes, "nodes", least=1)), dtype=complex)
    z[:, 1:, 0] = 1
    return Solution(z)


def phases(d: int, k: int, first: float, second: float) -> Solution:
    """y_k: one node with these angles in the layers a and b, and minus their sum in c."""
    return block(d, k, [tuple(np.exp(1j * np.array([first, second, -first - second])))])


# ----------------------------------------------------------------------------------- whole networks


def order_six(d: int, k: int, nu: complex = 1j) -> Solution:
    """The six nodes of one frequency, z_syn * z_nu / 6^(1/3): no other potential than r_kkk = 1
    that counts."""
    return 6 ** (-1 / 3) * (synced(d, k) * opposed(d, k, nu))


def order_four(d: int, k: int) -> Solution:
    """The four nodes of one frequency, z_i * z_xi / 4^(1/3): right but for a constant answer."""
    return 4 ** (-1 / 3) * (opposed(d, k) * quarter(d, k))


def _sum(parts: Sequence[Solution]) -> Solution:
    return reduce(Solution.__add__, parts)


def order_six_solution(d: int, nu: complex = 1j) -> Solution:
    """z_F6: six nodes at every frequency, 3(d - 1) in all for odd d; loss zero.

    `nu` may be any number of size one. For even d the frequency d/2 gets two nodes (this book).
    Raises ParameterError for d below 3.

    Example:
        >>> z = order_six_solution(7)
        >>> z.nodes, loss(z) < 1e-24
        (18, True)

    Source: Tian 2025, z_F6; CoGO, Corollary 3.
    """
    d = whole(d, "d", least=3)
    blocks = [order_six(d, k, nu) for k in range(1, (d + 1) // 2)]
    if d % 2 == 0:  # at k = d/2 all is real
        blocks.append(2 ** (-1 / 3) * block(d, d // 2, [(1, 1, 1), (1, -1, -1)]))
    return _sum(blocks)


def order_four_solution(d: int) -> Solution:
    """z_F4 alone: four nodes at every frequency, odd d; its loss is 2(d - 1)/d, all of it a
    constant answer.

    Raises ParameterError for even d and below 3.
    """
    return _sum([order_four(d, k) for k in range(1, (_odd(d, 3) + 1) // 2)])


def order_four_six_solution(d: int, k0: int = 1) -> Solution:
    r"""z_F4/6: six nodes at the frequency k0, four at each other, 2d in all; loss zero. d is odd
    and 5 or more.

    The four nodes of a frequency k leave the same constant in every answer, of size $s_{a0k} +
    s_{b0k}$. The hat on the six nodes of k0 takes it away: their output layer gets one number,
    shared by the six, at each other frequency.

    Raises ParameterError for another d, and k0 outside 1, ..., (d - 1)/2.

    Source: Tian 2025, z_F4/6; what the hat is: computed here.
    """
    d = _odd(d, 5)
    k0 = whole(k0, "k0", least=1, most=(d - 1) // 2)
    others = [k for k in range(1, (d + 1) // 2) if k != k0]
    fours = _sum([order_four(d, k) for k in others])
    z = order_six(d, k0).z.copy()
    first = shifted_sums(same_layer_potentials(fours, 0))[0]
    second = shifted_sums(same_layer_potentials(fours, 1))[0]
    size = 2 * (np.abs(z[:2, k0]) ** 2).sum()
    hat = -(first + second) / size
    hat[[0, k0, d - k0]] = 0
    z[2] += hat[:, None]
    return Solution(z) + fours


def memorization_solution(d: int) -> Solution:
    """z_M = d^(-2/3) z_a * z_b: d^2 nodes, each of which knows one pair; loss zero.

    Raises ParameterError for d below 2.

    Example:
        >>> z = memorization_solution(5)
        >>> z.nodes, loss(z) < 1e-24
        (25, True)

    Source: Tian 2025, "perfect memorization".
    """
    d = whole(d, "d", least=2)
    waves = _waves(d)
    waves[0] = 0
    ones = identity(d).z[0] * np.ones(d)
    of_first = Solution(np.stack([waves, ones, waves.conj()]))
    of_second = Solution(np.stack([ones, waves, waves.conj()]))
    return d ** (-2 / 3) * (of_first * of_second)


def _odd(d: int, least: int) -> int:
    d = whole(d, "d", least=least)
    if d % 2 == 0:
        raise ParameterError(f"d = {d} must be odd here: the frequency d/2 has no four nodes.")
    return d
