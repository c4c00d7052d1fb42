"""What chapter 16 asks of trained networks: the loss without some nodes, and CoGO's table beside
ours."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from torch import Tensor


def layers(weights: Mapping[str, Tensor]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The layers a, b, c of a network's parameters, each (p, K), in float64."""
    first, second = (part.double().numpy() for part in weights["W_E"].chunk(2))
    return first, second, weights["W_U"].double().numpy()


def loss_of(answers: np.ndarray) -> tuple[float, float]:
    """The centred squared error, and the share of pairs answered rightly, of answers (p, p, p)
    without a class mean."""
    p = len(answers)
    label = np.add.outer(np.arange(p), np.arange(p)) % p
    wanted = np.eye(p)[label] - 1 / p
    right = answers.argmax(axis=2) == label
    return float(((answers - wanted) ** 2).sum(axis=2).mean()), float(right.mean())
