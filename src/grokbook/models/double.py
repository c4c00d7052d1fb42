"""A network whose numbers are computed in double precision, beside those of
`grokbook.models.intervened`."""

from __future__ import annotations

from dataclasses import dataclass, field

from torch import Tensor

from grokbook.errors import checked_call
from grokbook.models.intervened import Around
from grokbook.models.networks import Parameters


@checked_call
@dataclass(frozen=True)
class InDouble(Around):
    r"""Log probabilities $z - \log \sum e^z$, computed in float64 from the parameters on, in place
    of logits z.

    Cross entropy of them is that of z. In float32 the gradient $p_y - 1$ of the right logit is 0
    once all others have less than about 6e-8; here it is $-\sum_{k \ne y} p_k$, which the backward
    pass of the float64 logarithm restores. Parameters, moments and updates stay in float32.

    Example:
        >>> import torch
        >>> from grokbook.models.quadratic import Quadratic
        >>> network = InDouble(Quadratic(5, width=6))
        >>> network.forward(network.draw(0), torch.tensor([[1, 2]])).exp().sum().item().__round__(6)
        1.0

    Source: the softmax collapse of Prieto et al. 2025 (arXiv:2501.04697), which float64 postpones.
    """

    kind: str = field(default="in_double", init=False)

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Log probabilities (N, M), float64."""
        return self.network.forward(
            {n: w.double() for n, w in weights.items()}, inputs
        ).log_softmax(dim=-1)
