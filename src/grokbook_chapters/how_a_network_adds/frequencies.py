r"""The frequencies by which a network adds modulo p: in its logits, in its embedding, and by which
of two rules.

The logits z of all pairs are a table (p*p, p): row i p + j, column c, correct column (i + j) mod p;
p is odd and $w_k = 2\pi k/p$, k = 1, ..., (p-1)/2. The waves $\cos w_k(i + j - c)$ are orthogonal
on all (i, j, c), with square sum $p^3/2$, so what is said of one frequency does not depend on the
others. Wider than these waves is what `grokbook.measures.fourier_losses` keeps or takes out: any
pattern over c of a wave of i + j.

"Clock" and "pizza" are the two rules of Zhong et al. 2023 (arXiv 2306.17844): logits $\sum_k
a_k\cos w_k(i+j-c)$, and the same with the factor $|\cos(w_k(i-j)/2)|$ at each frequency, the length
of the mean of two points of a circle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError
from grokbook.measures.fourier_losses import cross_entropy
from grokbook.measures.inputs import Array, like, rows, whole

LogitsOf = Callable[[Tensor, Tensor], Tensor]
"""A network as a function of two embeddings: (N, d) and (N, d) to logits (N, p)."""


def _cube(logits: Array) -> np.ndarray:
    """The logits as [i, j, c]; raises ParameterError unless they are (p*p, p) with odd p of 3 or
    more."""
    table = rows(logits, least=9, name="logits")
    p = table.shape[1]
    if len(table) != p * p or p % 2 == 0:
        raise ParameterError(
            f"logits have shape {table.shape}, but must be (p*p, p) with an odd p: one row a pair."
        )
    return table.reshape(p, p, p)


def sums(p: int) -> np.ndarray:
    """The correct class (i + j) mod p of each pair, int64 of shape (p*p,), in the order of the
    rows."""
    return np.add.outer(np.arange(p), np.arange(p)).ravel() % p


def waves(p: int, amplitudes: Sequence[float] | np.ndarray) -> np.ndarray:
    r"""Logits $\sum_k a_k\cos w_k(i+j-c)$, shape (p*p, p), of amplitudes $a_1, a_2, ...$ (at most
    (p-1)/2).

    >>> waves(5, [2.0])[0].round(2).tolist()
    [2.0, 0.62, -1.62, -1.62, 0.62]
    """
    a = np.asarray(amplitudes, dtype=float)
    distances = np.arange(p)
    profile = np.cos(2 * np.pi * np.outer(distances, np.arange(1, len(a) + 1)) / p) @ a
    return profile[(sums(p)[:, None] - distances) % p]


def wave_amplitudes(logits: Array) -> np.ndarray:
    r"""Amplitudes $a_k = \frac{2}{p^3}\sum_{ijc} z_{ijc}\cos w_k(i+j-c)$, shape ((p-1)/2,): least
    squares, exactly.

    `logits` has shape (p*p, p). Raises ParameterError for another shape, an even p or a value that
    is not finite.

    >>> wave_amplitudes(waves(5, [2.0, -1.0])).round(12).tolist()
    [2.0, -1.0]

    Source: Nanda et al. 2023, section 4 (the logits are fitted by such waves).
    """
    cube = _cube(logits)
    p = len(cube)
    offsets = (sums(p)[:, None] - np.arange(p)) % p
    profile = np.bincount(offsets.ravel(), weights=cube.ravel(), minlength=p) / p**2
    return 2 / p * np.fft.rfft(profile).real[1:]


def wave_shares(logits: Array) -> np.ndarray:
    r"""Share of the logits' variance that each wave explains,
    $\frac{p^3}{2}a_k^2/\sum_{ijc}(z_{ijc}-\bar z_{ij})^2$.

    $\bar z_{ij}$ is the mean over c, which no answer depends on. Shape ((p-1)/2,); each share is in
    [0, 1] and their sum is at most 1: 1 for a clock, $8/\pi^2$ for a pizza as p grows.

    Raises ParameterError as `wave_amplitudes`, and for rows that are all constant.

    >>> wave_shares(waves(5, [1.0, 2.0])).round(12).tolist()
    [0.2, 0.8]
    """
    cube = _cube(logits)
    whole_variance = ((cube - cube.mean(axis=2, keepdims=True)) ** 2).sum()
    if not whole_variance > 0:
        raise ParameterError(
            "logits are equal for all classes, but must differ to have a variance to explain."
        )
    return len(cube) ** 3 / 2 * wave_amplitudes(logits) ** 2 / whole_variance


def faded_shares(logits: Array) -> np.ndarray:
    r"""Share of the logits' variance that a pizza explains, by frequency: `wave_shares` with faded
    waves.

    The waves $\lvert\cos(w_k(i-j)/2)\rvert\cos w_k(i+j-c)$ are orthogonal too, with square sum
    $p^3/4$: differences and sums are independent for odd p. Shape ((p-1)/2,); the sum is 1 for a
    pizza, $8/\pi^2$ for a clock as p grows.

    Raises ParameterError as `wave_shares`.

    >>> round(float(faded_shares(waves(101, [1.0])).sum() * np.pi**2 / 8), 2)
    1.0
    """
    wave_shares(logits)  # refuses what has no shares
    table = rows(logits, name="logits")
    p = table.shape[1]
    numbers = np.arange(p)
    difference = np.subtract.outer(numbers, numbers).ravel() % p
    offsets = (sums(p)[:, None] - numbers) % p
    profiles = np.zeros((p, p))  # [i - j, i + j - c]
    np.add.at(profiles, (np.repeat(difference, p), offsets.ravel()), table.ravel())
    half_turns = np.pi * np.outer(np.arange(1, (p + 1) // 2), numbers) / p
    fading = np.abs(np.cos(half_turns))
    products = np.einsum("ke,ed,kd->k", fading, profiles, np.cos(2 * half_turns))
    variance = ((table - table.mean(axis=1, keepdims=True)) ** 2).sum()
    return 4 / p**3 * products**2 / variance


def fewest(shares: Sequence[float] | np.ndarray) -> list[int]:
    """The fewest frequencies, strongest first, whose shares reach 95 % of the sum of all shares.

    >>> fewest([0.02, 0.6, 0.0, 0.3])
    [2, 4]
    """
    values = np.asarray(shares, dtype=float)
    order = np.argsort(-values, kind="stable")
    reached = np.cumsum(values[order]) >= 0.95 * values.sum() * (1 - 1e-12)
    count = int(np.argmax(reached)) + 1
    return (1 + order[:count]).tolist()


def keep_waves(logits: Array, frequencies: Sequence[int]) -> np.ndarray:
    r"""The logits' waves at some frequencies alone, $\sum_{k\in K} a_k\cos w_k(i+j-c)$, shape (p*p,
    p).

    Raises ParameterError as `wave_amplitudes`, and for a frequency outside 1, ..., (p-1)/2.
    """
    amplitudes = wave_amplitudes(logits)
    chosen = [whole(k, "frequency", least=1, most=amplitudes.size) - 1 for k in frequencies]
    part = np.zeros_like(amplitudes)
    part[chosen] = amplitudes[chosen]
    return waves(2 * amplitudes.size + 1, part)


def drop_waves(logits: Array, frequencies: Sequence[int]) -> np.ndarray:
    """The logits without their waves at some frequencies, z less `keep_waves`; raises
    ParameterError as that does.

    >>> bool(np.abs(drop_waves(waves(5, [2.0, 1.0]), [1]) - waves(5, [0.0, 1.0])).max() < 1e-12)
    True
    """
    return rows(logits, name="logits") - keep_waves(logits, frequencies)


def margins(logits: Array) -> np.ndarray:
    r"""The margin of every pair, $z_{ij,i+j} - \max_{c\ne i+j} z_{ijc}$, shape (p, p); positive
    where it is right.

    Raises ParameterError as `wave_amplitudes`.

    >>> bool(np.allclose(margins(waves(29, [1.0])), 1 - np.cos(2 * np.pi / 29)))
    True
    """
    table = _cube(logits).reshape(-1, np.shape(logits)[1]).copy()
    p = table.shape[1]
    every = np.arange(len(table))
    right = table[every, sums(p)]
    table[every, sums(p)] = -np.inf
    return (right - table.max(axis=1)).reshape(p, p)


@dataclass(frozen=True)
class Score:
    """How well logits add on all pairs: accuracy, cross entropy in nats, number of wrong pairs,
    least margin."""

    accuracy: float
    loss: float
    wrong: int
    margin: float


def score(logits: Array) -> Score:
    """Accuracy, loss, wrong pairs and least margin of logits (p*p, p); an answer that ties is
    wrong.

    Raises ParameterError as `wave_amplitudes`.

    >>> score(waves(5, [1.0])).wrong
    0
    """
    values = margins(logits)
    wrong = int((values <= 0).sum())
    loss = cross_entropy(logits, sums(len(values)))
    return Score(1 - wrong / values.size, loss, wrong, float(values.min()))


def at_frequencies(table: Array, frequencies: Sequence[int]) -> Array:
    r"""The part of an embedding at some frequencies over the tokens, shape (p, d).

    With $c_k = \frac1p\sum_i\phi_i e^{-\mathrm iw_ki}$ it is $\sum_{k\in K} 2\,\mathrm{Re}(c_k
    e^{\mathrm iw_ki})$: the orthogonal projection of each column on the cosines and sines. `table`
    = $\phi$ is (p, d), numpy or torch.

    Raises ParameterError for a bad table or a frequency outside 1, ..., floor(p/2).
    """
    values = rows(table, least=3)
    spectrum = np.fft.rfft(values, axis=0)
    chosen = [whole(k, "frequency", least=1, most=len(spectrum) - 1) for k in frequencies]
    part = np.zeros_like(spectrum)
    part[chosen] = spectrum[chosen]
    return like(np.fft.irfft(part, n=len(values), axis=0), table)


def without_frequencies(table: Array, frequencies: Sequence[int]) -> Array:
    """Ablation: the embedding less its part `at_frequencies`, the mean row kept; raises
    ParameterError as that does."""
    return table - at_frequencies(table, frequencies)


def with_frequencies_of(table: Array, donor: Array, frequencies: Sequence[int]) -> Array:
    """Transplant: the embedding with the donor's part `at_frequencies` instead of its own.

    Raises ParameterError for tables of different shapes, and as `at_frequencies`.

    >>> np.allclose(with_frequencies_of(np.eye(5), 2 * np.eye(5), [1, 2]), 2 * np.eye(5) - 0.2)
    True
    """
    if tuple(np.shape(table)) != tuple(np.shape(donor)):
        raise ParameterError(
            f"the donor has shape {tuple(np.shape(donor))}, but the table {tuple(np.shape(table))}."
        )
    return without_frequencies(table, frequencies) + at_frequencies(donor, frequencies)


def distance_irrelevance(logits: Array) -> float:
    r"""How little the correct logit depends on the distance of the two numbers, in [0, 1].

    With the correct logits $L_{ij} = z_{ij,i+j}$,

    .. math:: q = \frac1p \sum_d \mathrm{std}_i(L_{i,i+d}) \Big/ \mathrm{std}_{ij}(L_{ij}).

    A pizza has 0: there $L_{ij}$ is a function of j - i alone. Of a trained clock it is near 1. An
    exact clock has equal correct logits and no q: not a number comes back, as for any spread below
    1e-5 of the logits' own (rounding).

    Raises ParameterError as `wave_amplitudes`.

    >>> round(distance_irrelevance(np.eye(5)[sums(5)] * np.repeat(np.arange(5.0), 5)[:, None]), 12)
    1.0

    Source: Zhong et al. 2023, section 4.2: low of a pizza, high of a clock.
    """
    cube = _cube(logits)
    p = len(cube)
    i = np.arange(p)
    correct = np.take_along_axis(cube, sums(p).reshape(p, p, 1), axis=2)[:, :, 0]
    spread = correct.std()
    if spread <= 1e-5 * cube.std():
        return float("nan")
    by_distance = [correct[i, (i + d) % p].std() for d in range(p)]
    return float(np.mean(by_distance) / spread)


def gradient_symmetricity(logits_of: LogitsOf, first: Tensor, second: Tensor) -> float:
    r"""Mean cosine of the gradients of a logit with respect to the embeddings of the two operands,
    in [-1, 1].

    .. math:: s = \frac{1}{|S|} \sum_{(i,j,c)\in S} \cos\angle\Big(\frac{\partial z_{ijc}}{\partial
              E_i}, \frac{\partial z_{ijc}}{\partial E_j}\Big)

    over all classes c of N pairs, given as the embeddings `first` and `second`, (N, d) each;
    `logits_of` maps them to logits (N, p), row by row (`operands.from_embeddings`).
    A network that sees only the sum of both embeddings has 1, whatever it computes of it (a pizza;
    a two-layer network on one-hot pairs, also where it is a clock). One that multiplies the points
    of a circle has $\cos\angle = \cos w(i-j)$ and so 0 over all pairs. Where a gradient vanishes
    the cosine counts as 0.

    Raises ParameterError for embeddings of different shapes.

    >>> x = torch.randn(6, 4)
    >>> round(gradient_symmetricity(lambda a, b: (a + b).square(), x, x.flip(0)), 6)
    1.0

    Source: Zhong et al. 2023, section 4.1, there over a random set S; they report 99.37 % of a
    pizza and 33.36 % of a clock.
    """
    if first.ndim != 2 or first.shape != second.shape:
        raise ParameterError(
            f"the embeddings have shapes {tuple(first.shape)} and {tuple(second.shape)}: not equal."
        )
    own = first.detach().clone().requires_grad_()
    other = second.detach().clone().requires_grad_()
    cosines = []
    with torch.enable_grad():
        for column in logits_of(own, other).sum(dim=0):
            by_one, by_other = torch.autograd.grad(column, (own, other), retain_graph=True)
            cosines.append(F.cosine_similarity(by_one, by_other, dim=1))
    return float(torch.stack(cosines).mean())
