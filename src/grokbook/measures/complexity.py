"""Local complexity: how many hidden units switch within a small neighbourhood of a point."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array, rows, to_numpy, whole
from grokbook.models.transformer import Parameters, Shape, mlp, self_attention

RADIUS = 0.1  # of a neighbourhood, relative to the root mean square length of the points
DIRECTIONS = 8  # of a neighbourhood: its cross-polytope has twice as many vertices


def preactivations(weights: Parameters, shape: Shape, first: Tensor, second: Tensor) -> Tensor:
    """Inputs of every ReLU at the read-out position, (N, n_layers * d_mlp), for operand vectors (N, d) each.

    `first` and `second` stand where the word embeddings of the operands do; positions and the cls row are the
    model's. A unit is active where its number is positive.

    Raises ParameterError if the two are not (N, d) alike.
    """
    if first.shape != second.shape or first.ndim != 2 or first.shape[1] != shape.d_model:
        raise ParameterError(
            f"operand vectors have shapes {tuple(first.shape)} and {tuple(second.shape)}; both must be "
            f"(N, {shape.d_model})."
        )
    cls = weights["W_E"][-1].expand_as(first)
    x = torch.stack([first, second, cls], dim=1)
    if shape.positional:
        x = x + weights["W_pos"]
    found = []
    for l in range(shape.n_layers):
        x = self_attention(weights, l, x, shape)
        found.append(F.linear(x[:, -1], weights[f"W_in.{l}"], weights[f"b_in.{l}"]))
        x = mlp(weights, l, x)
    return torch.cat(found, dim=1)


def cross_polytopes(points: Array, radius: float, directions: int, seed: int = 0) -> np.ndarray:
    r"""Vertices $x \pm r v_m$ of one random cross-polytope about each point, shape (n, 2 * directions, D).

    The $v_m$ are `directions` orthonormal vectors, drawn afresh for each of the `points` x (n, D); r = `radius`.

    Raises ParameterError for a radius that is not positive or more directions than D.
    """
    table = rows(points, least=1, name="points")
    if not radius > 0:
        raise ParameterError(f"radius = {radius!r} must be a positive number.")
    count = whole(directions, "directions", least=1, most=table.shape[1])
    draws = np.random.default_rng(seed).standard_normal((len(table), table.shape[1], count))
    frames = np.linalg.qr(draws)[0].transpose(0, 2, 1)
    return table[:, None, :] + radius * np.concatenate([frames, -frames], axis=1)


def local_complexity(
    units: Callable[[np.ndarray], Array], points: Array, radius: float, directions: int = DIRECTIONS, *, seed: int = 0
) -> float:
    r"""Mean number of units whose sign is not the same on all vertices of a small cross-polytope about a point.

    .. math:: \frac1n \sum_x \#\{u : h_u \text{ takes both signs on } \{x \pm r v_1, \dots, x \pm r v_P\}\}

    `units` maps vectors (N, D) to the pre-activations h (N, m); `points` x have shape (n, D), r = `radius`, P =
    `directions` and the orthonormal $v_m$ are random (`seed`). A unit counts as active where h > 0. The result
    lies in [0, m]. It is 0 for a network without units that switch, such as a linear one.

    Raises ParameterError for bad points, radius or number of directions.

    >>> def hinge(x):
    ...     return np.stack([x[:, 0], x[:, 0] - 5, x[:, 1] + 5], axis=1)
    >>> local_complexity(hinge, np.zeros((4, 2)), radius=1.0, directions=2)
    1.0

    Source: Humayun et al. 2024, section 3, who take the input images as points, a radius fixed for the whole run,
    and the sum over all layers. Here (see `network_complexity`) the points are pairs of operand embeddings, which
    training moves, and the radius is a share of their size.
    """
    vertices = cross_polytopes(points, radius, directions, seed)
    n, corners, width = vertices.shape
    active = to_numpy(units(vertices.reshape(-1, width))).reshape(n, corners, -1) > 0
    return float((active.any(axis=1) & ~active.all(axis=1)).sum(axis=1).mean())


def network_complexity(
    weights: Parameters,
    shape: Shape,
    pairs: Array,
    *,
    relative_radius: float = RADIUS,
    directions: int = DIRECTIONS,
    seed: int = 0,
) -> float:
    r"""Local complexity of a transformer about the embeddings $(\phi_i, \phi_j)$ of some operand pairs.

    The points are the concatenated word embeddings (n, 2 d) of `pairs` (n, 2), the second operand's token already
    shifted, and the radius is `relative_radius` times their root mean square length, so that multiplying all word
    and position vectors by a constant is not mistaken for a change of the network. Units: the ReLUs of all layers
    at the read-out position; attention comes before them, so the surfaces on which they switch are curved.

    Raises ParameterError as `local_complexity`, and if the embeddings of the pairs are all zero.

    >>> from grokbook.models.transformer import initialise
    >>> shape = Shape(5, d_model=8)
    >>> 0 < network_complexity(initialise(shape, 0), shape, [[0, 1], [2, 3]]) < 32
    True

    Source: Humayun et al. 2024, section 3; differs as `local_complexity` says.
    """
    table = to_numpy(weights["W_E"])
    chosen = to_numpy(pairs).astype(np.int64)
    points = np.concatenate([table[chosen[:, 0]], table[chosen[:, 1]]], axis=1)
    size = float(np.sqrt((points**2).sum(axis=1).mean()))

    def units(x: np.ndarray) -> Tensor:
        halves = torch.as_tensor(x, dtype=weights["W_E"].dtype).split(shape.d_model, dim=1)
        with torch.no_grad():
            return preactivations(weights, shape, *halves)

    return local_complexity(units, points, relative_radius * size, directions, seed=seed)
