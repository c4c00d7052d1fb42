"""Liu et al.'s toy from the first weights of their program, moved by about a rounding error."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from grokbook.errors import check_integers, checked_call
from grokbook.models.networks import ROWS
from grokbook.models.replayed import ReplayedToy

NUDGE = 1e-6
"""Relative size of the nudge: some ten units in the last place of a float32."""


@checked_call
@dataclass(frozen=True)
class NudgedToy(ReplayedToy):
    r"""`ReplayedToy` whose first weights are $w (1 + 10^{-6} g)$, each with a standard normal $g$;
    twin 0 has $g = 0$.

    Twins do what another processor, or another order of the same sums, does to a run: where they
    end in different phases, rounding decides.

    Raises ParameterError as `Toy` does, and for a `twin` that is no integer of 0 or more.

    Example:
        >>> first, other = (NudgedToy(10, twin=n).draw(58)["W_E"] for n in (0, 1))
        >>> (
        ...     bool(torch.equal(first, ReplayedToy(10).draw(58)["W_E"])),
        ...     float(abs(other / first - 1).max()) < 1e-5,
        ... )
        (True, True)
    """

    twin: int = field(default=0, metadata=ROWS)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integers(self, twin=0)

    def draw(self, seed: int) -> dict[str, Tensor]:
        """Initial parameters: those of `ReplayedToy`, each moved by its own nudge of this twin."""
        first = super().draw(seed)
        generator = torch.Generator().manual_seed(self.twin)
        return {
            name: w * (1 + bool(self.twin) * NUDGE * torch.randn(w.shape, generator=generator))
            for name, w in first.items()
        }
