"""An optimiser of a reader's own, in one file: signs of the momentum, as in Chen et al. 2023
(Lion)."""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Lion:
    """Settings of w <- (1 - lr wd) w - lr sign(b1 m + (1 - b1) g), m <- b2 m + (1 - b2) g."""

    learning_rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.99
    weight_decay: float = 0.0

    def init(self, weights, shapes):
        """The momentum."""
        return {"momentum": torch.zeros_like(weights)}

    def numbers(self, step):
        """What the update needs of these settings."""
        return vars(self)

    def update(self, weights, gradient, state, numbers, shapes):
        """One update of all rows in place."""
        n, m = numbers, state["momentum"]
        direction = torch.sign(n["beta1"] * m + (1 - n["beta1"]) * gradient)
        weights.mul_(1 - n["learning_rate"] * n["weight_decay"]).sub_(
            n["learning_rate"] * direction
        )
        m.mul_(n["beta2"]).add_((1 - n["beta2"]) * gradient)
