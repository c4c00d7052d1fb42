"""A transplant beside that of `grokbook.training.interventions`, for symbols on a line instead of a
clock."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from grokbook.errors import checked_call
from grokbook.training.interventions import Transplanted


@checked_call
@dataclass(frozen=True)
class Reflected(Transplanted):
    r"""`Transplanted` for sums without a modulus: `renaming` = -1 takes row i from row p - 1 - i of
    the donor.

    With it the sum i + j becomes 2(p - 1) - (i + j): an answer that is a number of mean 0 changes
    its sign, and nothing else does. Other renamings are as for `Transplanted`; i -> c i mod p does
    not keep all equal sums of a line equal.

    Example:
        >>> from grokbook.models.toy import Toy
        >>> from grokbook.tasks.addition import AdditionTask
        >>> from grokbook.training.config import RunConfig
        >>> donor = RunConfig(
        ...     AdditionTask(5, 0.6, "number"), Toy(5, outputs=1), loss="squared_error", steps=3
        ... )
        >>> own, turned = (
        ...     Reflected(donor.model, donor, renaming=c).draw(1)["W_E"] for c in (1, -1)
        ... )
        >>> bool((turned == own.flip(0)).all())
        True
    """

    kind: str = field(default="reflected", init=False)

    def _rows(self, seed: int, count: int) -> Tensor:
        return torch.arange(count).flip(0) if self.renaming == -1 else super()._rows(seed, count)
