"""An intervention on a run beside those of `grokbook.training.interventions`: a norm held where it
is."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from grokbook.errors import checked_call
from grokbook.training.interventions import Hook, marked
from grokbook.training.optim import Numbers, Shapes, column


@checked_call
@dataclass(frozen=True)
class Hold(Hook):
    r"""Named parameters (none named: all) keep the norm that they have when it begins, $w
    \leftarrow |w_0|\,w/|w|$.

    Each update is rescaled to the norm before it: a `Clamp` whose radius need not be known
    beforehand.

    Example:
        >>> Hold(start=500).acts(500)
        True
    """

    names: tuple[str, ...] = ()
    kind: str = field(default="hold", init=False)

    def after(self, before: Tensor, weights: Tensor, numbers: Numbers, shapes: Shapes) -> None:
        """Rescale to the norm before."""
        held, on = marked(self.names, shapes, weights), column(numbers["on"], weights)[:, :1] > 0
        was, now = ((part * held).norm(dim=1, keepdim=True) for part in (before, weights))
        scaled = weights * (was / now.clamp_min(1e-30))
        weights.copy_(torch.where(held & on, scaled, weights))
