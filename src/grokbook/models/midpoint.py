"""The network of Liu et al.'s Fig. 2: two numbers for each symbol, and a decoder of the midpoint of
two of them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, check_integers, check_positive, checked_call
from grokbook.models.mlp import draw_layers, layer_shapes
from grokbook.models.networks import Parameters
from grokbook.models.toy import ACTIVATIONS, Toy


@checked_call
@dataclass(frozen=True)
class MidpointToy(Toy):
    r"""$(i, j) \mapsto \mathrm{Dec}((E_i + E_j)/2)$ with the decoder that the authors' program
    builds for Fig. 2.

    A layer and an activation; with a second width, the same, a square layer that is applied
    `repeats` times without an activation in between, and one activation behind it if it is applied
    more than once; the outputs. The program means `repeats` layers, but lists one of them that
    often, and all activations behind the last. The embeddings start normal with mean `centre` and
    standard deviation `spread` in every coordinate. The decoder is given `gain` times the midpoint:
    2 makes it the sum.

    Raises ParameterError as `Toy` does, for matrices, for other than one width or two equal ones,
    for `repeats` below 1, and for a gain that is not positive.

    Example:
        >>> MidpointToy(11, outputs=21).shapes()["W.2"], MidpointToy(11, hidden=(8,)).sizes
        ((128, 128), (2, 8, 30))

    Source: Liu et al. 2022, Fig. 2: p = 11.
    """

    d_model: int = 2
    hidden: tuple[int, ...] = (128, 128)
    activation: str = "relu"
    repeats: int = 1
    centre: float = 0.0
    gain: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integers(self, repeats=1)
        check_positive(self, "gain")
        if self.product or len(self.hidden) not in (1, 2) or len(set(self.hidden)) != 1:
            raise ParameterError(
                f"hidden = {self.hidden} must be one width or two equal ones, without a product."
            )

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: normal embeddings, the decoder as torch draws linear layers."""
        generator = torch.Generator().manual_seed(seed)
        table = self.centre + self.spread * torch.randn(self.p, self.d_model, generator=generator)
        return {"W_E": table} | draw_layers(layer_shapes(self.sizes), generator)

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Answers (N, outputs) to pairs (N, 2)."""
        return self.decode(weights, F.embedding(inputs, weights["W_E"]).mean(dim=-2))

    def decode(self, weights: Parameters, points: Tensor) -> Tensor:
        """The decoder alone: answers (N, outputs) where two embeddings have these midpoints, (N,
        d)."""
        bend = ACTIVATIONS[self.activation]
        last = len(self.hidden) + 1
        x = bend(F.linear(self.gain * points, weights["W.1"], weights["b.1"]))
        if last == 3:
            for _ in range(self.repeats):
                x = F.linear(x, weights["W.2"], weights["b.2"])
            x = bend(x) if self.repeats > 1 else x
        return F.linear(x, weights[f"W.{last}"], weights[f"b.{last}"])
