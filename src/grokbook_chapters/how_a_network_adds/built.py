r"""Networks that are written down instead of trained: they add modulo p without error, by angles.

Both load into the book's own networks and use their forward pass. With $w_k = 2\pi k/p$ and
amplitudes $a_k$,

.. math:: z_c(i, j) &= \sum_k a_k \cos w_k(i + j - c) & \text{(quadratic: a clock)}, \\
          z_c(i, j) &= \sum_k a_k \Bigl\lvert\cos\frac{w_k(i - j)}{2}\Bigr\rvert \cos w_k(i + j - c)
                     & \text{(transformer: a pizza)} .

Their margins are `grokbook_chapters.how_a_network_adds.sum_of_angles.margin` and `faded`.

Source: the two rules are those that Nanda et al. 2023 (arXiv 2301.05217) and Zhong et al. 2023
(arXiv 2306.17844) find in trained networks; these weights are this book's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from grokbook.errors import ParameterError
from grokbook.models.networks import Parameters
from grokbook.models.quadratic import Quadratic
from grokbook.models.transformer import Shape

THIRDS = 2 * math.pi / 3 * torch.arange(3, dtype=torch.float64)
"""Three phases: the cosines of any angle plus these sum to zero, and so do those of any angle plus
twice these."""


def angles(p: int, frequencies: Sequence[int]) -> Tensor:
    r"""$2\pi ki/p$ for each frequency k and number i, float64 of shape (m, p).

    Raises ParameterError unless p is odd, at least 3, and the frequencies are distinct and in 1,
    ..., (p-1)/2.

    >>> angles(3, [1]).shape
    torch.Size([1, 3])
    """
    half = (p - 1) // 2
    if p < 3 or p % 2 == 0:
        raise ParameterError(
            f"p = {p!r} must be odd and at least 3: a half turn must not be a number."
        )
    distinct = len(set(frequencies)) == len(frequencies)
    if not frequencies or not distinct or not set(frequencies) <= set(range(1, half + 1)):
        raise ParameterError(
            f"frequencies = {list(frequencies)} must be distinct and in 1, ..., {half} (p = {p})."
        )
    turns = torch.outer(torch.tensor(frequencies), torch.arange(p)) % p  # exact: integers first
    return 2 * math.pi / p * turns.double()


def strengths(frequencies: Sequence[int], amplitudes: Sequence[float] | None) -> Tensor:
    """The amplitudes, 1 by default, float64 of shape (m,); raises ParameterError unless there is
    one a frequency.

    >>> strengths([1, 4], None).tolist()
    [1.0, 1.0]
    """
    a = torch.ones(len(frequencies)) if amplitudes is None else torch.as_tensor(amplitudes)
    if a.shape != (len(frequencies),) or not (a > 0).all():
        raise ParameterError(
            f"amplitudes = {a.tolist()} must be {len(frequencies)} positive numbers."
        )
    return a.double()


def built_quadratic(
    p: int,
    frequencies: Sequence[int],
    amplitudes: Sequence[float] | None = None,
    *,
    dtype: torch.dtype = torch.float32,
) -> tuple[Quadratic, Parameters]:
    r"""A two-layer network with squares whose logits are $\sum_k a_k\cos w_k(i + j - c)$: sizes and
    weights.

    Six hidden units a frequency, for three phases $\phi = 0, 2\pi/3, 4\pi/3$ and two signs:

    .. math:: \sum_\phi \cos(w_kc + \phi)\,\bigl[(x_\phi + y_\phi)^2 - (x_\phi - y_\phi)^2\bigr]
              = \sum_\phi 2\cos(w_kc + \phi)\,[\cos w_k(i - j) + \cos(w_k(i + j) + \phi)]
              = 3\cos w_k(i + j - c),

    $x_\phi = \cos(w_ki + \phi/2)$, $y_\phi = \cos(w_kj + \phi/2)$. The two signs cancel the
    squares, the three phases what turns with i - j. A frequency alone needs six units (chapter 16).

    Raises ParameterError for an even p, a frequency outside 1, ..., (p-1)/2 or amplitudes that do
    not fit.

    Example:
        >>> network, weights = built_quadratic(7, [1, 3])
        >>> network.forward(weights, torch.tensor([[5, 4]])).argmax().item()  # 5 + 4 = 2 modulo 7
        2
    """
    turned = angles(p, frequencies)[:, None, :]
    a = strengths(frequencies, amplitudes)[:, None, None]
    rows = torch.cos(turned + THIRDS[:, None] / 2).flatten(0, 1)  # (3 m, p)
    out = (a / 3 * torch.cos(turned + THIRDS[:, None])).flatten(0, 1)
    first = torch.cat([rows, rows])
    second = torch.cat([rows, -rows])
    weights = {
        "W_E": torch.cat([first, second], dim=1).T.to(dtype).contiguous(),  # (2 p, 6 m)
        "W_U": torch.cat([out, -out]).T.to(dtype).contiguous(),
    }
    return Quadratic(p, width=len(first)), weights


def built_transformer(
    p: int,
    frequencies: Sequence[int],
    amplitudes: Sequence[float] | None = None,
    *,
    dtype: torch.dtype = torch.float32,
) -> tuple[Shape, Parameters]:
    r"""A transformer of chapter 2's form with the logits of a pizza on all pairs: sizes and
    weights.

    A number is a point on each of m circles. Attention looks at all three tokens alike and so adds
    the two points, $2\cos\frac{w_k(i-j)}2$ times the point at the angle $\psi = w_k(i+j)/2$. A
    hidden unit of the phase $\phi_l = \pi l/p$, l = 0, ..., 2p - 1, has $A\,\mathrm{relu}(\cos(\psi
    - \phi_l))$, and

    .. math:: \sum_l \mathrm{relu}(\cos(\psi - \phi_l))\, e^{2\mathrm i\phi_l} = C e^{2\mathrm
              i\psi}, \quad C = \sum_l \mathrm{relu}(\cos\phi_l)\cos 2\phi_l ,

    exactly, because $\psi$ is one of the $\phi_l$ (up to half a turn, which $2\psi$ does not see).
    Width 4m, 2pm hidden units: the first 2m coordinates hold the points of the numbers, the others
    the point of the sum, which is read out.

    Raises ParameterError as `built_quadratic`.

    Example:
        >>> shape, weights = built_transformer(7, [1, 3])
        >>> shape.forward(weights, torch.tensor([[5, 4, 7]])).argmax().item()
        2
    """
    turned = angles(p, frequencies)
    m = len(frequencies)
    phases = math.pi / p * torch.arange(2 * p, dtype=torch.float64)
    total = (torch.cos(phases).relu() * torch.cos(2 * phases)).sum()
    shape = Shape(p, d_model=4 * m, n_heads=4, d_mlp=2 * p * m)
    weights = {
        name: torch.zeros(size, dtype=torch.float64) for name, size in shape.shapes().items()
    }
    a = strengths(frequencies, amplitudes)[:, None] / (2 * total)
    for f, turn in enumerate(turned):
        points = slice(2 * f, 2 * f + 2)
        sums = slice(2 * (m + f), 2 * (m + f) + 2)
        units = slice(2 * p * f, 2 * p * (f + 1))
        weights["W_E"][:p, points] = _on_circle(turn)
        weights["W_in.0"][units, points] = _on_circle(phases)
        weights["W_out.0"][sums, units] = a[f] * _on_circle(2 * phases).T
        weights["W_U"][:, sums] = _on_circle(turn)
    weights["W_V.0"] = torch.eye(4 * m, dtype=torch.float64)
    weights["W_O.0"] = 3 * weights["W_V.0"]
    return shape, {name: w.to(dtype) for name, w in weights.items()}


def _on_circle(angle: Tensor) -> Tensor:
    """Points (cos, sin), shape (n, 2)."""
    return torch.stack([angle.cos(), angle.sin()], dim=1)
