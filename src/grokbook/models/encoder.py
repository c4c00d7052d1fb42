r"""Liu et al.'s transformer: a trained vector for each symbol, pre-norm encoder layers on the two
of a pair, one linear layer on both outputs side by side.

There are no positions and no mask, so a layer treats both tokens alike: what it makes of the first
token of (i, j) is what it makes of the second token of (j, i). `forward` uses that
(`of_every_pair`), and that attention among two tokens is one sigmoid; with dropout every sample has
noise of its own, and both its tokens are computed (`of_these_pairs`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, check_integers, checked_call, shown
from grokbook.models.mlp import draw_layers
from grokbook.models.networks import ModularNetwork, Parameters, Shapes

Noise = Callable[[Tensor], Tensor]
Views = tuple[Tensor, ...]


@checked_call
@dataclass(frozen=True)
class Encoder(ModularNetwork):
    """Sizes of the network: modulus p, width d, layers, feed-forward width; one head, ReLU.

    `dropout` is the share of numbers dropped while it is trained. `W_E` (p, d) is the group
    "encoder" in the paper's sense, everything else "decoder". Raises ParameterError when a size is
    not a positive integer, or for a dropout outside [0, 1).

    Example:
        >>> Encoder(59).groups()["encoder"], Encoder(59).shapes()["W_U"]
        (('W_E',), (59, 512))

    Source: Liu et al. 2022, section 4.2, and the authors' code, which has
    torch.nn.TransformerEncoderLayer with norm_first and one head. Differs from it: the keys have no
    bias, because the softmax does not see one.
    """

    p: int
    d_model: int = 256
    n_layers: int = 2
    d_mlp: int = 128
    dropout: float = field(default=0.0, kw_only=True, metadata={"later": True})
    shift = 0

    def __post_init__(self) -> None:
        check_integers(self, p=2, d_model=1, n_layers=1, d_mlp=1)
        if not 0 <= self.dropout < 1:
            raise ParameterError(f"dropout = {shown(self.dropout)} must be in [0, 1).")

    def shapes(self) -> Shapes:
        """Name and shape of every parameter: of layer l `gain_1.l`, `shift_1.l` (first norm),
        `W_Q.l` ... `b_O.l` (attention), `gain_2.l`, `shift_2.l` (second norm), `W_in.l` ...
        `b_out.l`; `W_U` (p, 2d), `b_U` read out.
        """
        d = self.d_model
        m = self.d_mlp
        shapes: Shapes = {"W_E": (self.p, d)}
        for l in range(self.n_layers):
            shapes |= {f"gain_1.{l}": (d,), f"shift_1.{l}": (d,)}
            shapes |= {f"W_{name}.{l}": (d, d) for name in "QKVO"}
            shapes |= {f"b_{name}.{l}": (d,) for name in "QVO"}
            shapes |= {f"gain_2.{l}": (d,), f"shift_2.{l}": (d,)}
            shapes |= {f"W_in.{l}": (m, d), f"b_in.{l}": (m,)}
            shapes |= {f"W_out.{l}": (d, m), f"b_out.{l}": (d,)}
        return shapes | {"W_U": (self.p, 2 * d), "b_U": (self.p,)}

    def groups(self) -> dict[str, tuple[str, ...]]:
        """The parameters that can have rates of their own."""
        encoder, *decoder = self.shapes()
        return {"encoder": (encoder,), "decoder": tuple(decoder)}

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: vectors N(0, 1), everything else as torch draws it for these
        layers."""
        generator = torch.Generator().manual_seed(seed)
        shapes = self.shapes()
        drawn = {"W_E": torch.randn(shapes["W_E"], generator=generator)}
        linear = {name: size for name, size in shapes.items() if name[:2] in ("W_", "b_")}
        del linear["W_E"]
        drawn |= draw_layers(linear, generator)
        for name, size in shapes.items():
            kind = name.split(".")[0]
            # torch draws the three as one matrix (3d, d), by Xavier's rule
            if kind in ("W_Q", "W_K", "W_V"):
                drawn[name] *= math.sqrt(3 / 2)
            elif kind in ("b_Q", "b_V", "b_O", "shift_1", "shift_2"):
                drawn[name] = torch.zeros(size)
            elif kind in ("gain_1", "gain_2"):
                drawn[name] = torch.ones(size)
        return {name: drawn[name] for name in shapes}

    def forward(self, weights: Parameters, inputs: Tensor, drop: Noise | None = None) -> Tensor:
        """Logits (N, p) of pairs or token sequences (N, 2 or more), of which the first two are
        read.

        `drop` is applied where torch's layer has dropout: to the weights of attention, to its
        output, to the hidden layer and to the output of the feed-forward part.
        """
        if drop is None:
            table = of_every_pair(weights, self.n_layers)
            return F.embedding(inputs[..., 0] * self.p + inputs[..., 1], table.flatten(0, 1))
        return of_these_pairs(weights, self.n_layers, inputs[..., :2], drop)

    def embeddings(self, weights: Parameters) -> tuple[Any]:
        """The vectors of the symbols, (p, d)."""
        return (weights["W_E"],)

    def products(self, samples: int) -> int:
        """Multiply-adds of a forward pass while it is trained: of all p*p pairs, whatever the
        samples, or with dropout of both tokens of each sample.
        """
        d = self.d_model
        m = self.d_mlp
        p = self.p
        layers = self.n_layers
        tokens = 2 * samples if self.dropout else p * p
        of_a_token = 2 * layers * d * m + 2 * (layers - 1) * d * d + 2 * d * p
        return tokens * of_a_token + 2 * layers * d**3 + 2 * p * d * d

    @property
    def drawn_at_random(self) -> int:
        """Numbers that dropout draws for each sample of a forward pass: in each layer, for both
        tokens."""
        return 2 * self.n_layers * (2 + 2 * self.d_model + self.d_mlp) if self.dropout else 0

    @property
    def activations(self) -> int:
        """Numbers kept for each sample of a forward pass, about."""
        return self.n_layers * (16 * self.d_model + 2 * self.d_mlp) + 3 * self.p


def unchanged(x: Tensor) -> Tensor:
    """No dropout."""
    return x


def views(w: Parameters, l: int, x: Tensor) -> Views:
    r"""What attention of layer l needs of each token: itself, its norm n, its question u and its
    answer o.

    Of two tokens the first looks at the second with weight $\sigma(q_1 k_2 - q_1 k_1) =
    \sigma(u_1(n_2 - n_1))$, where $u = W_K^\top(W_Q n + b_Q)/\sqrt d$; it receives $o = W_O(W_V n +
    b_V)$. Both maps are multiplied out first.
    """
    q, k, v, o = (w[f"W_{name}.{l}"] for name in "QKVO")
    norm = F.layer_norm(x, x.shape[-1:], w[f"gain_1.{l}"], w[f"shift_1.{l}"])
    ask = k.T / math.sqrt(x.shape[-1])
    question = F.linear(norm, ask @ q, ask @ w[f"b_Q.{l}"])
    answer = F.linear(norm, o @ v, o @ w[f"b_V.{l}"])
    return x, norm, question, answer


def layer(w: Parameters, l: int, seen: Views, other: Noise, drop: Noise = unchanged) -> Tensor:
    """The tokens after layer l, from `views` of them; `other` puts in the place of each token that
    beside it."""
    x, norm, ask, answer = seen
    a = torch.sigmoid((ask * (other(norm) - norm)).sum(dim=-1, keepdim=True))
    if drop is unchanged:
        mixed = torch.lerp(answer, other(answer), a)
    else:
        mixed = drop(1 - a) * answer + drop(a) * other(answer)
    x = x + drop(mixed + w[f"b_O.{l}"])
    norm = F.layer_norm(x, x.shape[-1:], w[f"gain_2.{l}"], w[f"shift_2.{l}"])
    hidden = drop(F.relu(F.linear(norm, w[f"W_in.{l}"], w[f"b_in.{l}"])))
    return x + drop(F.linear(hidden, w[f"W_out.{l}"], w[f"b_out.{l}"]))


def read_out(w: Parameters, x: Tensor, other: Noise) -> Tensor:
    """Logits of each token beside the other: W_U (x, other(x)) + b_U."""
    first, second = w["W_U"].chunk(2, dim=1)
    return F.linear(x, first, w["b_U"]) + other(F.linear(x, second))


def of_every_pair(w: Parameters, n_layers: int) -> Tensor:
    """Logits (p, p, p) of all pairs (i, j), from the first token of each: the second token of (i,
    j) is that of (j, i).

    The first layer's norm, question and answer depend on the token alone, and are computed for p of
    them.
    """

    def other(x: Tensor) -> Tensor:
        return x.transpose(0, 1)

    x = w["W_E"].unsqueeze(1)  # (p, 1, d): the first token of every pair in a row
    for l in range(n_layers):
        x = layer(w, l, views(w, l, x), other)
    return read_out(w, x, other)


def of_these_pairs(w: Parameters, n_layers: int, pairs: Tensor, drop: Noise = unchanged) -> Tensor:
    """Logits (N, p) of pairs (N, 2), both tokens of each computed."""

    def other(x: Tensor) -> Tensor:
        return x.flip(0)

    seen = tuple(F.embedding(pairs.T, view) for view in views(w, 0, w["W_E"]))  # (2, N, d)
    x = layer(w, 0, seen, other, drop)
    for l in range(1, n_layers):
        x = layer(w, l, views(w, l, x), other, drop)
    return read_out(w, x, other)[0]
