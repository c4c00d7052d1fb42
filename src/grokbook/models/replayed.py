"""Liu et al.'s toy with the first weights that their own program draws from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from grokbook.errors import checked_call
from grokbook.models.mlp import draw_layers, layer_shapes
from grokbook.models.toy import Toy


@checked_call
@dataclass(frozen=True)
class ReplayedToy(Toy):
    """`Toy` whose seed is that of the program behind Fig. 6: torch's stream in the order in which
    it builds its parts.

    First comes an encoder of p inputs and one output, with the decoder's hidden layers, that it
    never uses, then the decoder, then the embeddings.

    Example:
        >>> ours, theirs = Toy(10).draw(58), ReplayedToy(10).draw(58)
        >>> bool(torch.equal(ours["W_E"], theirs["W_E"])), float(theirs["W_E"].abs().max()) <= 0.5
        (False, True)

    Source: the programs of Liu et al. 2022, phase_diagram_plot.
    """

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: uniform embeddings, the decoder as torch draws linear layers."""
        generator = torch.Generator().manual_seed(seed)
        draw_layers(layer_shapes((self.p, *self.hidden, 1)), generator)
        decoder = draw_layers(layer_shapes(self.sizes), generator)
        table = self.spread * (torch.rand(self.p, self.d_model, generator=generator) - 0.5)
        return {"W_E": table} | decoder
