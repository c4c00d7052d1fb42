"""How exactly two ways of computing the one-layer model agree: logits and the gradient of the
loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.measures.inputs import Array
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


def logits_of_cell(shape: Shape, weights: Parameters, tokens: Array) -> np.ndarray:
    """The logits (p,) that the book's own network gives for one cell, three tokens."""
    with torch.no_grad():
        return shape.forward(weights, torch.as_tensor(tokens)[None])[0].numpy()


def rewriting_deviation(
    shape: Shape,
    tokens: Array,
    labels: Array,
    *,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
) -> Deviation:
    """Largest deviation between the exact rewriting and the plain full-sequence model at initial
    weights.

    Args:
        shape: sizes of a one-layer model.
        tokens, labels: samples (N, 3) and their labels (N,), arrays or tensors of integers.
        seed: of the weights.
        dtype: floating-point type of both computations; the deviation is rounding error of that
            type.
    """
    samples = (torch.as_tensor(tokens), torch.as_tensor(labels))
    plain, plain_gradient = _results(plain_logits, shape, *samples, seed, dtype)
    ours, gradient = _results(cls_logits, shape, *samples, seed, dtype)
    apart = [(a - b).abs().max() for a, b in zip(plain_gradient, gradient, strict=True)]
    return Deviation((plain - ours).abs().max().item(), max(apart).item())
