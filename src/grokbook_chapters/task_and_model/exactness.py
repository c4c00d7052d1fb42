"""How exactly two ways of computing the one-layer model agree: logits and the gradient of the
loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

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


class Results(NamedTuple):
    """Logits of some samples, and the gradient of their loss by all parameters as one vector."""

    logits: Tensor
    gradient: Tensor


def _results(
    model: Callable[[Parameters, Tensor, Shape], Tensor],
    shape: Shape,
    tokens: Tensor,
    labels: Tensor,
    seed: int,
    dtype: torch.dtype,
) -> Results:
    weights = {name: w.to(dtype).requires_grad_() for name, w in initialise(shape, seed).items()}
    logits = model(weights, tokens, shape)
    gradients = torch.autograd.grad(F.cross_entropy(logits, labels), list(weights.values()))
    return Results(logits, torch.cat([part.ravel() for part in gradients]))


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
    plain = _results(plain_logits, shape, *samples, seed, dtype)
    ours = _results(cls_logits, shape, *samples, seed, dtype)
    logits = (plain.logits - ours.logits).abs().max().item()
    gradient = (plain.gradient - ours.gradient).abs().max().item()
    return Deviation(logits, gradient)
