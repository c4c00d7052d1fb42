"""Liu et al.'s toy with embeddings that we put in place: what does the decoder learn, given a
representation?"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from grokbook.errors import check_choice, checked_call
from grokbook.models.toy import Toy

PLACES = ("ladder", "shuffled", "random")


@checked_call
@dataclass(frozen=True)
class PlacedToy(Toy):
    """`Toy` whose embeddings start at given places, columns of mean 0 and of unbiased variance 1.

    "ladder": evenly spaced in the order of the symbols; "shuffled": the same numbers in a random
    order; "random": the uniform numbers that `Toy` draws. The decoder is the one that `Toy` draws
    from the seed, whatever the places are. They stay where they are only under a rate of the group
    "encoder" that moves nothing.

    Raises ParameterError as `Toy` does, and for other places.
    """

    places: str = "ladder"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("places", self.places, PLACES)

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: the embeddings at their places, the decoder of `Toy`."""
        weights = super().draw(seed)
        table = weights["W_E"]
        if self.places != "random":
            order = torch.randperm(self.p, generator=torch.Generator().manual_seed(seed))
            rungs = torch.arange(self.p) if self.places == "ladder" else order
            table = rungs.to(table.dtype)[:, None].expand_as(table)
        return weights | {"W_E": (table - table.mean(dim=0)) / table.std(dim=0)}
