r"""Liu et al.'s toy: a trained vector for each symbol, and a decoder of the sum of two of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import (
    ParameterError,
    check_choice,
    check_integers,
    check_positive,
    checked_call,
    shown,
)
from grokbook.models.mlp import draw_layers, layer_shapes
from grokbook.models.networks import ROWS, Parameters, Shapes

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"tanh": torch.tanh, "relu": F.relu}


@checked_call
@dataclass(frozen=True)
class Toy:
    r"""Sizes of the network $(i, j) \mapsto \mathrm{Dec}(E_i + E_j)$: p vectors of `d_model`
    numbers, a tanh decoder.

    With `product` the vectors are matrices (`d_model` = k^2) and the decoder sees $E_i E_j$. The
    embeddings start uniform in `spread` * [-1/2, 1/2]. `hidden` are the widths of the decoder's
    layers, `activation` ("tanh" or "relu") stands between them, `outputs` is the length of an
    answer. `W_E` (p, d) is the group "encoder", the rest "decoder".

    Raises ParameterError for a size that is not a positive integer, a spread that is not positive,
    an unknown activation, or matrices that are not square.

    Example:
        >>> list(Toy(10, hidden=(4,)).shapes())
        ['W_E', 'W.1', 'b.1', 'W.2', 'b.2']

    Source: Liu et al. 2022, section 3 and appendix H: p = 10, one dimension, or six 3x3 matrices;
    decoder 200-200-30.
    """

    p: int
    d_model: int = 1
    hidden: tuple[int, ...] = (200, 200)
    outputs: int = 30
    activation: str = "tanh"
    product: bool = False
    spread: float = field(default=1.0, metadata=ROWS)

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        check_integers(self, p=2, d_model=1, outputs=1)
        if not all(isinstance(n, Integral) and n >= 1 for n in self.hidden):
            raise ParameterError(
                f"hidden = {shown(self.hidden)} must be widths, integers of 1 or more."
            )
        object.__setattr__(self, "hidden", tuple(map(int, self.hidden)))
        check_positive(self, "spread")
        check_choice("activation", self.activation, ACTIVATIONS)
        if self.product and math.isqrt(self.d_model) ** 2 != self.d_model:
            raise ParameterError(
                f"d_model = {self.d_model} must be a square number: the embeddings are matrices."
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Widths of the decoder from its input to its output."""
        return (self.d_model, *self.hidden, self.outputs)

    def shapes(self) -> Shapes:
        """Name and shape of every parameter."""
        return {"W_E": (self.p, self.d_model)} | layer_shapes(self.sizes)

    def groups(self) -> dict[str, tuple[str, ...]]:
        """The parameters that can have rates of their own."""
        return {"encoder": ("W_E",), "decoder": tuple(layer_shapes(self.sizes))}

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: uniform embeddings, the decoder as torch draws linear layers."""
        generator = torch.Generator().manual_seed(seed)
        table = self.spread * (torch.rand(self.p, self.d_model, generator=generator) - 0.5)
        return {"W_E": table} | draw_layers(layer_shapes(self.sizes), generator)

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Answers (N, outputs) to pairs (N, 2)."""
        first, second = F.embedding(inputs, weights["W_E"]).unbind(dim=-2)
        if self.product:
            k = math.isqrt(self.d_model)
            x = (first.unflatten(-1, (k, k)) @ second.unflatten(-1, (k, k))).flatten(-2)
        else:
            x = first + second
        last = len(self.sizes) - 1
        between = ACTIVATIONS[self.activation]
        for l in range(1, last):
            x = between(F.linear(x, weights[f"W.{l}"], weights[f"b.{l}"]))
        return F.linear(x, weights[f"W.{last}"], weights[f"b.{last}"])

    def embeddings(self, weights: Parameters) -> tuple[Tensor]:
        """The vectors of the symbols, (p, d)."""
        return (weights["W_E"],)

    def check(self, task: Any) -> None:
        """Raise ParameterError for a task with another number of symbols (`p`) or length of answers
        (`outputs`)."""
        if (task.p, task.outputs) != (self.p, self.outputs):
            raise ParameterError(
                f"p = {self.p}, outputs = {self.outputs} must be those of the task, {task.p} and"
                f" {task.outputs}."
            )
