"""How exactly two ways of computing the one-layer model agree: logits and the gradient of the
loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.models.networks import Parameters
from grokbook.models.transformer import Shape, cls_logits, initialise, plain_logits


@dataclass(frozen=True)
class Deviation:
    """Largest absolute deviations: of the logits, and of the gradient over every parameter."""

    logits: float
    gradient: float


def _results(
    model: Callable[[Parameters, Tensor, Shape], Tensor],
    shape: Shape,
    tokens: Tensor,
    labels: Tensor,
    seed: int,
    dtype: torch.dtype,
) -> tuple[Tensor, tuple[Tensor, ...]]:
    weights = {name: w.to(dtype).requires_grad_() for name, w in initialise(shape, seed).items()}
    z = model(weights, tokens, shape)
    return z, torch.autograd.grad(F.cross_entropy(z, labels), list(weights.values()))


def rewriting_deviation(
    shape: Shape,
    tokens: Tensor,
    labels: Tensor,
    *,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
) -> Deviation:
    """Largest deviation between the exact rewriting and the plain full-sequence model at initial
    weights.

    Args:
        shape: sizes of a one-layer model.
        tokens, labels: samples (N, 3) and their labels (N,).
        seed: of the weights.
        dtype: floating-point type of both computations; the deviation is rounding error of that
            type.
    """
    plain, plain_gradient = _results(plain_logits, shape, tokens, labels, seed, dtype)
    ours, gradient = _results(cls_logits, shape, tokens, labels, seed, dtype)
    apart = [(a - b).abs().max() for a, b in zip(plain_gradient, gradient, strict=True)]
    return Deviation((plain - ours).abs().max().item(), max(apart).item())
