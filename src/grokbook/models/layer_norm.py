r"""The transformer of `grokbook.models.transformer` with LayerNorm in front of everything that
reads the stream.

For a row x of d numbers with mean $\bar x$,

.. math:: n(x) = (x - \bar x) \Big/ \sqrt{\tfrac1d \sum_i (x_i - \bar x)^2 + \epsilon}, \qquad
    \epsilon = 10^{-5},

without gain or bias. The stream itself is not normalised: attention, the MLP and the read-out see
n(x), and what the first two find is added to x. No network of the four papers has this layer (Gu et
al. 2025 speaks of one, the code has none); it is the usual "pre-norm" form (Xiong et al. 2020, Fig.
1b), in which the scale of the stream has no effect.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, checked_call
from grokbook.models.networks import Parameters, layer_groups
from grokbook.models.transformer import Shape, cls_attention, operand_tables

EPSILON = 1e-5
"""What is added to the variance, torch's default."""


@checked_call
@dataclass(frozen=True)
class GroupedShape(Shape):
    """`Shape`, the same network, whose embedding, hidden layers and read-out can have rates of
    their own.

    Example:
        >>> GroupedShape(5, d_model=8).groups()["embedding"]
        ('W_E', 'W_pos')
    """

    kind: str = field(default="grouped", init=False)

    def groups(self) -> dict[str, tuple[str, ...]]:
        """Names of the parameters of each layer."""
        return layer_groups(self.shapes())


@checked_call
@dataclass(frozen=True)
class NormedShape(GroupedShape):
    """Sizes of the one-layer transformer with LayerNorm; fields, parameters and groups are those of
    `GroupedShape`.

    Raises ParameterError for another number of layers than one, and where `Shape` does.

    Example:
        >>> NormedShape(29, d_model=32).shapes() == Shape(29, d_model=32).shapes()
        True
    """

    kind: str = field(default="normed", init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_layers != 1:
            raise ParameterError(
                f"n_layers = {self.n_layers}: a network with LayerNorm has one layer."
            )

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Logits (N, p) of token sequences (N, 3)."""
        return normed_logits(weights, inputs, self)


def normalise(x: Tensor) -> Tensor:
    """n(x) of every row of x (..., d): mean 0 and variance 1, up to epsilon."""
    return F.layer_norm(x, x.shape[-1:], eps=EPSILON)


def normed_logits(w: Parameters, tokens: Tensor, shape: Shape) -> Tensor:
    r"""Logits (N, p) of the one-layer model with LayerNorm, read at the cls token.

    With $x_2$ the embedded cls row and z what attention reads there from $n(x_0), n(x_1), n(x_2)$,

    .. math:: y = x_2 + W_O z, \quad u = y + W_{out} \mathrm{relu}(W_{in} n(y) + b_{in}) + b_{out},
              \quad o = W_U n(u).

    It is the exact rewriting of `grokbook.models.transformer.cls_logits`: a row that attention sees
    depends on the token and its position alone, so the tables of rows are normalised, once for each
    token.
    """
    tables = operand_tables(w, shape)
    seen = tuple(normalise(table) for table in tables)
    z = cls_attention(w, seen, tokens[:, 0], tokens[:, 1] - shape.shift, shape)
    y = tables[2] + F.linear(z, w["W_O.0"])
    hidden = F.relu(F.linear(normalise(y), w["W_in.0"], w["b_in.0"]), inplace=True)
    return F.linear(normalise(y + F.linear(hidden, w["W_out.0"], w["b_out.0"])), w["W_U"])
