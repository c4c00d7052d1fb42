"""Losses by name, and what counts as a right answer for each kind of target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

MOST_CODES = 1000  # distinct real targets among which the nearest is looked for

BLOCK = 2**22
"""Differences of outputs and codes that are in memory at a time."""


@dataclass(frozen=True)
class Loss:
    """A loss as two functions of outputs (N, ...) and targets (N, ...): of each sample (N,), and
    their mean."""

    per_sample: Callable[[Tensor, Tensor], Tensor]
    mean: Callable[[Tensor, Tensor], Tensor]


def squared_errors(outputs: Tensor, targets: Tensor) -> Tensor:
    """Mean squared difference (N,) to real targets, or of logits to one-hot labels.

    Example:
        >>> squared_errors(torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 4.0]])).tolist()
        [2.0]
        >>> squared_errors(torch.tensor([[1.0, 2.0]]), torch.tensor([1])).tolist()
        [1.0]
    """
    wanted = targets
    if not targets.is_floating_point():  # one_hot would ask for its largest label
        classes = torch.arange(outputs.shape[-1], device=targets.device)
        wanted = (targets[..., None] == classes).to(outputs)
    return (outputs - wanted).square().flatten(1).mean(dim=-1)


def centred_squared_errors(outputs: Tensor, targets: Tensor) -> Tensor:
    r"""Squared distance (N,) of outputs and one-hot labels, both less their mean over the M
    classes; a sum, no mean.

    .. math:: |P o|^2 - 2 (P o)_y + 1 - 1/M, \quad P = I - \mathbf 1 \mathbf 1^\top / M

    Example:
        >>> centred_squared_errors(
        ...     torch.tensor([[3.0, 2.0], [7.0, 7.0]]), torch.tensor([0, 1])
        ... ).tolist()
        [0.0, 0.5]

    Source: Tian 2024, the loss of the authors' program.
    """
    centred = outputs - outputs.mean(dim=-1, keepdim=True)
    right = centred.gather(-1, targets[..., None])[..., 0]
    return centred.square().sum(dim=-1) - 2 * right + 1 - 1 / outputs.shape[-1]


LOSSES: dict[str, Loss] = {
    "cross_entropy": Loss(lambda z, y: F.cross_entropy(z, y, reduction="none"), F.cross_entropy),
    "squared_error": Loss(squared_errors, lambda z, y: squared_errors(z, y).mean()),
    "centred_squared_error": Loss(
        centred_squared_errors, lambda z, y: centred_squared_errors(z, y).mean()
    ),
}
"""The losses that a configuration can name."""

LABELS_ONLY = ("cross_entropy", "centred_squared_error")
"""The losses that need labels."""


def codes(targets: np.ndarray) -> np.ndarray | None:
    """The distinct values of real targets, (K, ...); None for labels and for more than `MOST_CODES`
    values.

    Example:
        >>> codes(np.array([[2.0], [1.0], [2.0]])).tolist()
        [[1.0], [2.0]]
    """
    if not np.issubdtype(targets.dtype, np.floating):
        return None
    distinct = np.unique(targets, axis=0)
    return distinct if len(distinct) <= MOST_CODES else None


def right(outputs: Tensor, targets: Tensor, known: Tensor | None) -> Tensor:
    """Which answers are right, bool (N,): the largest logit is the label's; an output is nearest to
    its own target.

    `known` are the targets that may be answered (`codes`). Where real targets have none, nothing is
    right.

    Source: the nearest target is the rule of Liu et al. 2022, section 3.
    """
    if not targets.is_floating_point():
        return outputs.argmax(dim=-1) == targets
    if known is None:
        return torch.zeros_like(targets.flatten(1)[:, 0], dtype=torch.bool)
    codes, size = known.flatten(1), max(1, BLOCK // known.numel())
    nearest = torch.cat([_nearest(part, codes) for part in outputs.flatten(1).split(size)])
    return (known[nearest] == targets).flatten(1).all(dim=-1)


def _nearest(outputs: Tensor, codes: Tensor) -> Tensor:
    """Numbers (N,) of the codes (K, k) nearest to outputs (N, k), the first of equally near
    ones."""
    return (outputs[:, None] - codes).square().sum(dim=-1).argmin(dim=-1)
