r"""Liu et al.'s toy: a trained vector for each symbol, and a decoder of the sum of two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, check_integers
from grokbook.models.mlp import draw_layers, layer_shapes, relu_layers
from grokbook.models.networks import Parameters, Shapes


@dataclass(frozen=True)
class Toy:
    r"""Sizes of the network $(i, j) \mapsto \mathrm{Dec}(E_i + E_j)$: p vectors of `d_model` numbers, a ReLU decoder.

    `hidden` are the widths of the decoder's layers, `outputs` the length of an answer. `W_E` (p, d) is the group
    "encoder", everything else "decoder". Raises ParameterError when a size is not a positive integer.

    Example:
        >>> list(Toy(10, hidden=(4,)).shapes())
        ['W_E', 'W.1', 'b.1', 'W.2', 'b.2']

    Source: Liu et al. 2022, section 3: p = 10, one dimension, decoder 1-200-200-30.
    """

    p: int
    d_model: int = 1
    hidden: tuple[int, ...] = (200, 200)
    outputs: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "hidden", tuple(self.hidden))
        check_integers(self, p=2, d_model=1, outputs=1)

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
        """Initial parameters: vectors N(0, 1), the decoder as torch draws linear layers."""
        generator = torch.Generator().manual_seed(seed)
        table = torch.randn(self.p, self.d_model, generator=generator)
        return {"W_E": table} | draw_layers(layer_shapes(self.sizes), generator)

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Answers (N, outputs) to pairs (N, 2)."""
        x, last = F.embedding(inputs, weights["W_E"]).sum(dim=-2), len(self.sizes) - 1
        return F.linear(relu_layers(weights, x, last - 1), weights[f"W.{last}"], weights[f"b.{last}"])

    def embeddings(self, weights: Parameters) -> tuple[Tensor]:
        """The vectors of the symbols, (p, d)."""
        return (weights["W_E"],)

    def check(self, task: Any) -> None:
        """Raise ParameterError for a task with more symbols or answers of another length."""
        p, width = task.inputs.max() + 1, task.targets.shape[-1]
        if p > self.p or width != self.outputs:
            raise ParameterError(
                f"p = {self.p}, outputs = {self.outputs} must be those of the task, {p} and {width}."
            )
