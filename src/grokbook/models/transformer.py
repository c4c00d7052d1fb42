r"""The one-token-read-out transformer of Gu et al. 2025, as plain functions of named tensors.

The parameters are a mapping name -> tensor (shapes in `parameter_shapes`); `initialise` draws them,
`logits` runs the model: `Shape` has all three as methods. With one layer `logits` uses an exact
rewriting (`cls_logits`): only the cls row is read, so attention needs one query and, for each
*token* instead of each sample, one key and one value. `plain_logits` is the same model written out
for the whole sequence, any depth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, check_integers, checked_call, shown
from grokbook.models.networks import ModularNetwork, Parameters, Shapes
from grokbook.models.start import STARTS, embedding_start


@checked_call
@dataclass(frozen=True)
class Shape(ModularNetwork):
    """The sizes of a transformer: modulus p, width d, heads h, layers, shift k, positions on or
    off.

    The vocabulary has p + k + 1 tokens (cls is the last), the hidden layer of each MLP `d_mlp`
    units (default 4 d). Raises ParameterError when a size is not a positive integer or d is not a
    multiple of the heads.

    Example:
        >>> Shape(97).vocabulary, Shape(97).d_head, Shape(97).d_mlp
        (98, 32, 512)
    """

    p: int
    d_model: int = 128
    n_heads: int = 4
    n_layers: int = 1
    shift: int = 0
    positional: bool = True
    d_mlp: int | None = None
    starts = STARTS

    def __post_init__(self) -> None:
        if self.d_mlp is None and isinstance(self.d_model, Integral):
            object.__setattr__(self, "d_mlp", 4 * self.d_model)
        check_integers(self, p=1, d_model=1, n_heads=1, n_layers=1, d_mlp=1, shift=0)
        if self.d_model % self.n_heads:
            near = max(self.n_heads, round(self.d_model / self.n_heads) * self.n_heads)
            raise ParameterError(
                f"d_model = {shown(self.d_model)} is not a multiple of n_heads ="
                f" {shown(self.n_heads)}; the nearest is {shown(near)}."
            )

    @property
    def hidden_units(self) -> int:
        """Hidden units of each MLP: `d_mlp`, set when the shape was made."""
        assert self.d_mlp is not None
        return self.d_mlp

    @property
    def d_head(self) -> int:
        """Width of one attention head, d / h."""
        return self.d_model // self.n_heads

    def shapes(self) -> Shapes:
        """Name and shape of every parameter (`parameter_shapes`)."""
        return parameter_shapes(self)

    def draw(self, seed: int, start: str = "normal") -> dict[str, Tensor]:
        """Initial parameters (`initialise`); `start` says how the word embedding is drawn
        (`models.start`)."""
        weights = initialise(self, seed)
        if start != "normal":
            weights["W_E"] = embedding_start(start, self.vocabulary, self.d_model, seed)
        return weights

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Logits (N, p) of token sequences (N, 3)."""
        return logits(weights, inputs, self)

    @property
    def full_sequence(self) -> bool:
        """Whether every layer works on all three positions: from two layers on."""
        return self.n_layers > 1

    def products(self, samples: int) -> int:
        """Multiply-adds of one forward pass over `samples` samples.

        One layer: N (d^2 + 2 d m + d p) + (2p + 1) (d^2 + d h) + 2 d^2; L layers: 3 N L (4 d^2 + 2
        d m) + N d p.
        """
        d = self.d_model
        m = self.hidden_units
        p = self.p
        h = self.n_heads
        if self.full_sequence:
            of_a_layer = 4 * d * d + 2 * d * m
            return 3 * samples * self.n_layers * of_a_layer + samples * d * p
        of_a_sample = d * d + 2 * d * m + d * p
        of_a_token = d * d + d * h
        return samples * of_a_sample + (2 * p + 1) * of_a_token + 2 * d * d

    @property
    def activations(self) -> int:
        """Numbers kept for each sample of a forward pass, about."""
        rows = 3 * self.n_layers if self.full_sequence else 1
        return rows * (6 * self.d_model + 2 * self.hidden_units + 2 * self.p)


def parameter_shapes(shape: Shape) -> Shapes:
    """Name and shape of every parameter tensor, in the order in which they are drawn.

    `W_E` (vocabulary, d): a token is a row. `W_pos` (3, d), absent without positions. For each
    layer l: `W_Q.l`, `W_K.l`, `W_V.l` (d, d), heads stacked along the rows; `W_O.l` (d, d);
    `W_in.l` (d_mlp, d), `b_in.l`, `W_out.l` (d, d_mlp), `b_out.l`. `W_U` (p, d) reads the logits
    off the cls row.
    """
    d = shape.d_model
    m = shape.hidden_units
    shapes: Shapes = {"W_E": (shape.vocabulary, d)}
    if shape.positional:
        shapes["W_pos"] = (3, d)
    for l in range(shape.n_layers):
        shapes |= {f"W_{name}.{l}": (d, d) for name in "QKVO"}
        shapes |= {f"W_in.{l}": (m, d), f"b_in.{l}": (m,)}
        shapes |= {f"W_out.{l}": (d, m), f"b_out.{l}": (d,)}
    return shapes | {"W_U": (shape.p, d)}


def initialise(shape: Shape, seed: int) -> dict[str, Tensor]:
    """Fresh float32 parameters on the CPU: every weight N(0, 1/d), every bias zero.

    Args:
        shape: the sizes.
        seed: seeds a generator of its own; torch's global generator is neither read nor moved.

    Source: the authors' code of Gu et al. 2025 (all weights randn / sqrt(d), also the embeddings).
    """
    generator = torch.Generator().manual_seed(seed)
    scale = 1 / math.sqrt(shape.d_model)
    weights = {}
    for name, size in parameter_shapes(shape).items():
        if name.startswith("b_"):
            weights[name] = torch.zeros(size)
        else:
            weights[name] = scale * torch.randn(size, generator=generator)
    return weights


def mlp(w: Parameters, l: int, x: Tensor) -> Tensor:
    """MLP(X) = X + l_1 o r o l_2 (X): W_out relu(W_in x + b_in) + b_out added to x (Gu et al. 2025,
    Eq. 2)."""
    hidden = F.relu(F.linear(x, w[f"W_in.{l}"], w[f"b_in.{l}"]), inplace=True)
    return x + F.linear(hidden, w[f"W_out.{l}"], w[f"b_out.{l}"])


def self_attention(w: Parameters, l: int, x: Tensor, shape: Shape) -> Tensor:
    """SelfAtt(X) = X + l_O o (n o beta_QK(X, X) . l_V(X)): causal attention added to x (Gu et al.
    2025, Eq. 1).

    Shapes: x (N, 3, d) -> (N, 3, d). n is the softmax over earlier positions of beta_QK /
    sqrt(d_head).
    """
    n, t, d = x.shape
    q, k, v = (
        F.linear(x, w[f"W_{name}.{l}"]).view(n, t, shape.n_heads, -1).transpose(1, 2)
        for name in "QKV"
    )
    beta = q @ k.transpose(-1, -2) / math.sqrt(shape.d_head)
    later = torch.ones(t, t, dtype=torch.bool, device=x.device).triu(1)
    beta = beta.masked_fill(later, -math.inf)
    z = (beta.softmax(dim=-1) @ v).transpose(1, 2).reshape(n, t, d)
    return x + F.linear(z, w[f"W_O.{l}"])


def plain_logits(w: Parameters, tokens: Tensor, shape: Shape) -> Tensor:
    """Logits (N, p) of token sequences (N, 3), computed for all three positions and read at the
    last."""
    x = F.embedding(tokens, w["W_E"])
    if shape.positional:
        x = x + w["W_pos"]
    for l in range(shape.n_layers):
        x = mlp(w, l, self_attention(w, l, x, shape))
    return F.linear(x[:, -1], w["W_U"])


def operand_tables(w: Parameters, shape: Shape) -> tuple[Tensor, Tensor, Tensor]:
    """What position 0 can hold, what position 1 can hold and the cls row: (p, d), (p, d), (1,
    d)."""
    p = shape.p
    k = shape.shift
    first = w["W_E"][:p]
    second = w["W_E"][k : k + p]
    cls = w["W_E"][p + k : p + k + 1]
    if not shape.positional:
        return first, second, cls
    return first + w["W_pos"][:1], second + w["W_pos"][1:2], cls + w["W_pos"][2:3]


def cls_attention(
    w: Parameters, tables: tuple[Tensor, ...], i: Tensor, j: Tensor, shape: Shape
) -> Tensor:
    """The cls row after attention, before W_O, for samples (i, j): z of shape (N, d).

    The query is the same for every sample and keys and values depend on the token alone, so scores
    and values are computed once for each token (2 p + 1 rows) and looked up for each sample. The
    three weights sum to one, so z = v_2 + a_0 (v_0 - v_2) + a_1 (v_1 - v_2), with the differences
    taken in the tables.
    """
    n = i.shape[0]
    h = shape.n_heads
    dh = shape.d_head
    query = F.linear(tables[2], w["W_Q.0"]).view(h, 1, dh) / math.sqrt(dh)
    probe = (query @ w["W_K.0"].view(h, dh, -1)).squeeze(1)
    s0, s1, s2 = (F.linear(table, probe) for table in tables)
    scores = torch.stack([F.embedding(i, s0), F.embedding(j, s1), s2.expand(n, h)])
    a = scores.softmax(dim=0).unsqueeze(-1)
    v0, v1, v2 = (F.linear(table, w["W_V.0"]) for table in tables)
    u0 = F.embedding(i, v0 - v2).view(n, h, dh)
    u1 = F.embedding(j, v1 - v2).view(n, h, dh)
    z = torch.addcmul(torch.addcmul(v2.view(1, h, dh), a[0], u0), a[1], u1)
    return z.reshape(n, h * dh)


def cls_logits(w: Parameters, tokens: Tensor, shape: Shape) -> Tensor:
    """Logits (N, p) of a one-layer model by the exact rewriting; equal to `plain_logits`, and so
    are gradients.

    Why it is exact: the last position attends to all three (the causal mask hides nothing from it),
    no layer follows that would read the other two positions, and the cls token stands at the last
    position of every sample. Tokens are (i, j + k, cls), with k the shift.
    """
    tables = operand_tables(w, shape)
    z = cls_attention(w, tables, tokens[:, 0], tokens[:, 1] - shape.shift, shape)
    x = tables[2] + F.linear(z, w["W_O.0"])
    return F.linear(mlp(w, 0, x), w["W_U"])


def logits(w: Parameters, tokens: Tensor, shape: Shape) -> Tensor:
    """Logits (N, p) of token sequences (N, 3): the exact rewriting for one layer, the plain model
    for more."""
    return (cls_logits if shape.n_layers == 1 else plain_logits)(w, tokens, shape)
