"""A network of one frequency that adds modulo p exactly: circle in, product in the middle, circle
out.

It stands for what trained networks are found to do (Nanda et al. 2023). Its loss and all its norms
are the same for every frequency; the distance of neighbouring embeddings is not.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from grokbook.theory.vectors import odd_prime

REASON = "every frequency must reach every symbol"


def circle(p: int, k: int, radius: float = 1.0) -> np.ndarray:
    r"""The circle of frequency k: row i is $A(\cos, \sin)(2\pi k i/p)$ with A = `radius`, shape (p,
    2).

    Raises ParameterError unless p is an odd prime.
    """
    angle = 2 * np.pi * k * np.arange(odd_prime(p, REASON)) / p
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def products(plane: np.ndarray) -> np.ndarray:
    r"""The product features $(x_i x_j - y_i y_j,\; x_i y_j + y_i x_j)$ of all cells, shape (p, p,
    2).

    `plane`, shape (p, 2), holds $(x_i, y_i)$. On a circle this is the sum of the angles:
    $\cos a\cos b - \sin a\sin b = \cos(a + b)$.
    """
    x, y = plane.T
    cosine = np.outer(x, x) - np.outer(y, y)
    sine = np.outer(x, y) + np.outer(y, x)
    return np.stack([cosine, sine], axis=2)


def logits(p: int, k: int, scale: float = 1.0) -> np.ndarray:
    r"""The logits of the one-frequency network, $A \cos(2\pi k(i + j - r)/p)$, shape (p, p, p),
    last axis r.

    The embedding is `circle(p, k)`, the features are `products`, the output map is A times the
    circle again, A = `scale`. For a prime p the largest logit is at $r = i + j$ modulo p, whatever
    k is.

    Raises ParameterError unless p is an odd prime.
    """
    wheel = circle(p, k)
    return scale * products(wheel) @ wheel.T


def full_loss(p: int, k: int, scale: float = 1.0) -> float:
    r"""Mean cross entropy over all cells of the one-frequency network, in nats.

    Renaming the symbols by c turns frequency k into ck and permutes cells and outputs, so the loss
    is the same for every k: $\log\sum_s e^{A\cos(2\pi s/p)} - A$. Here it is summed over all cells
    all the same. A = `scale`.

    Raises ParameterError unless p is an odd prime.
    """
    table = logits(p, k, scale)
    i, j = np.indices((p, p))
    right = table[i, j, (i + j) % p]
    return float((logsumexp(table, axis=2) - right).mean())
