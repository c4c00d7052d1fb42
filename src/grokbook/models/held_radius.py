"""A network whose hidden activations are pulled to a sphere, beside those of
`grokbook.models.intervened`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError, checked_call, shown
from grokbook.models.intervened import Around
from grokbook.models.networks import Parameters, read_by


class _Pulled(torch.autograd.Function):
    """Its first argument, to whose gradient g the backward pass adds s |g| d / |d|, d the second
    one, s the third."""

    generate_vmap_rule = True

    @staticmethod
    def forward(hidden: Tensor, pull: Tensor, strength: float) -> Tensor:
        return hidden.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, float], output: Tensor) -> None:
        ctx.save_for_backward(inputs[1])
        ctx.strength = inputs[2]

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        (pull,) = ctx.saved_tensors
        size = gradient.norm() / pull.norm().clamp_min(1e-30)
        return gradient + ctx.strength * size * pull, None, None


@checked_call
@dataclass(frozen=True)
class HeldRadius(Around):
    r"""The activations h that the last layer reads are pulled to a radius r, as strongly as the
    loss pulls them.

    Outputs are those of the network. The gradient g of the loss with respect to the activations h_i
    of all samples i becomes $g + s\,|g|\,d / |d|$, where d is the gradient of the penalty

    .. math:: \tfrac12 \sum_i (|h_i| - r)^2, \quad d_i = (1 - r / |h_i|)\, h_i,

    s = `strength`: above the radius activations shrink, below it they grow. With `scrambled` each
    activation's part of d has a sign of its own, drawn once, so that a pull of equal size has no
    radial part: its sham.

    Args:
        radius: r; 0 takes $\sqrt{d}$, d the number of activations.
        readout: the matrix (outputs, d) of the last layer, which has no bias.

    Raises ParameterError for a negative radius, a strength that is not positive, or a readout that
    the network lacks.

    Example:
        >>> from grokbook.models.quadratic import Quadratic
        >>> network = HeldRadius(Quadratic(5, width=9))
        >>> network.pull(2 * torch.ones(1, 9)).tolist()[0][0]  # the radius is 6, to be 3
        1.0

    Source: our reading of the abstract of arXiv:2606.32000, a penalty towards a sphere of radius
    sqrt(d); which activations, and how strong, is ours.
    """

    radius: float = 0.0
    strength: float = 0.5
    scrambled: bool = False
    readout: str = "W_U"
    kind: str = field(default="held_radius", init=False)

    def __post_init__(self) -> None:
        if not 0 <= self.radius < math.inf or not 0 < self.strength < math.inf:
            raise ParameterError(
                f"radius = {shown(self.radius)} must be 0 (the root of the width) or positive, "
                f"strength = {shown(self.strength)} positive."
            )
        if self.readout not in self.shapes():
            raise ParameterError(
                f"the parameter {self.readout!r} is none of the network's,"
                f" {', '.join(self.shapes())}."
            )

    def hidden(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """The activations (N, d) that the last layer reads."""
        return read_by(self.network, weights, inputs, self.readout)

    def pull(self, hidden: Tensor) -> Tensor:
        """The gradient d of the penalty with respect to activations (N, d)."""
        radius = self.radius or math.sqrt(hidden.shape[-1])
        pull = hidden * (1 - radius / hidden.norm(dim=-1, keepdim=True).clamp_min(1e-30))
        if self.scrambled:
            signs = np.random.default_rng(0).choice([-1.0, 1.0], hidden.shape[-1])
            pull = pull * torch.from_numpy(signs).to(hidden)
        return pull

    def forward(self, weights: Parameters, inputs: Tensor) -> Tensor:
        """Outputs (N, M)."""
        hidden = self.hidden(weights, inputs)
        return F.linear(
            _Pulled.apply(hidden, self.pull(hidden.detach()), self.strength), weights[self.readout]
        )
