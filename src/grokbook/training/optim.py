r"""AdamW on a stack of runs: the parameters of R runs are the rows of one matrix, each with its own rates."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from grokbook.errors import ParameterError


@dataclass(frozen=True)
class AdamW:
    """Settings of AdamW with linear warm-up, as in Gu et al. 2025: decay acts on every parameter.

    In step t = 1, 2, ... the learning rate is `learning_rate` * min((t - 1) / warmup, 1): the first step moves
    nothing, as in the authors' schedule. warmup = 0 switches it off.

    Raises ParameterError for a rate that is not positive, a negative decay, or a beta outside [0, 1).
    """

    learning_rate: float = 1e-3
    beta1: float = 0.9
    beta2: float = 0.98
    eps: float = 1e-8
    weight_decay: float = 1.0
    warmup: int = 10

    def __post_init__(self) -> None:
        rules = {
            "learning_rate": (0 < self.learning_rate < float("inf"), "a positive number"),
            "beta1": (0 <= self.beta1 < 1, "in [0, 1)"),
            "beta2": (0 <= self.beta2 < 1, "in [0, 1)"),
            "eps": (self.eps > 0, "a positive number"),
            "weight_decay": (0 <= self.weight_decay < float("inf"), "zero or more"),
            "warmup": (self.warmup >= 0, "zero or more"),
        }
        for name, (valid, rule) in rules.items():
            if not valid:
                raise ParameterError(f"{name} = {getattr(self, name)!r} must be {rule}.")

    def rate(self, step: int) -> float:
        """The learning rate of the update that follows `step` earlier ones."""
        return self.learning_rate * (min(step / self.warmup, 1.0) if self.warmup else 1.0)


def adamw_step(
    weights: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, settings: list[AdamW], step: int
) -> None:
    r"""One AdamW update of R runs in place, after `step` earlier updates.

    With g the gradient and per-run lr, wd, beta_1, beta_2, eps (a column each),

    .. math::
        m \leftarrow \beta_1 m + (1-\beta_1) g, \quad v \leftarrow \beta_2 v + (1-\beta_2) g^2, \quad
        w \leftarrow (1 - lr\,wd)\,w - lr\,\frac{m / (1-\beta_1^t)}{\sqrt{v / (1-\beta_2^t)} + \epsilon}.

    Args:
        weights, gradient, mean (m), square (v): float tensors of shape (R, P).
        settings: R settings, one for each row.
        step: t - 1.

    Source: Loshchilov & Hutter 2019, Algorithm 2; equal to torch.optim.AdamW, which has one rate for all rows.
    """
    t = step + 1

    def column(values: list[float]) -> Tensor | float:
        same = len(set(values)) == 1
        return values[0] if same else torch.tensor(values, dtype=weights.dtype, device=weights.device)[:, None]

    lr = column([s.rate(step) for s in settings])
    decay = column([1 - s.rate(step) * s.weight_decay for s in settings])
    beta1, beta2 = column([s.beta1 for s in settings]), column([s.beta2 for s in settings])
    correction1 = column([1 - s.beta1**t for s in settings])
    root2 = column([(1 - s.beta2**t) ** 0.5 for s in settings])
    eps = column([s.eps for s in settings])
    mean.lerp_(gradient, 1 - beta1)
    square.mul_(beta2).addcmul_(gradient, gradient * (1 - beta2))
    denominator = square.sqrt().div_(root2).add_(eps)
    weights.mul_(decay).addcdiv_(mean * (-lr / correction1), denominator)
