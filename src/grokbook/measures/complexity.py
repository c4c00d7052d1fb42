"""Local complexity: how many hidden units switch within a small neighbourhood of a point."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grokbook.errors import ParameterError, shown
from grokbook.measures.inputs import Array, rows, to_numpy, whole

RADIUS = 0.1  # of a neighbourhood, relative to the root mean square length of the points
DIRECTIONS = 8  # of a neighbourhood: its cross-polytope has twice as many vertices


def cross_polytopes(points: Array, radius: float, directions: int, seed: int = 0) -> np.ndarray:
    r"""Vertices $x \pm r v_m$ of one random cross-polytope about each point, shape (n, 2 *
    directions, D).

    The $v_m$ are `directions` orthonormal vectors, drawn afresh for each of the `points` x (n, D);
    r = `radius`.

    Raises ParameterError for a radius that is not positive or more directions than D.
    """
    table = rows(points, least=1, name="points")
    if not radius > 0:
        raise ParameterError(f"radius = {shown(radius)} must be a positive number.")
    count = whole(directions, "directions", least=1, most=table.shape[1])
    draws = np.random.default_rng(seed).standard_normal((len(table), table.shape[1], count))
    frames = np.linalg.qr(draws)[0].transpose(0, 2, 1)
    return table[:, None, :] + radius * np.concatenate([frames, -frames], axis=1)


def local_complexity(
    units: Callable[[np.ndarray], Array],
    points: Array,
    radius: float,
    directions: int = DIRECTIONS,
    *,
    seed: int = 0,
) -> float:
    r"""Mean number of units whose sign is not the same on all vertices of a small cross-polytope
    about a point.

    .. math:: \frac1n \sum_x \#\{u : h_u \text{ takes both signs on } \{x \pm r v_1, \dots, x \pm r
        v_P\}\}

    `units` maps vectors (N, D) to the pre-activations h (N, m); `points` x have shape (n, D), r =
    `radius`, P = `directions` and the orthonormal $v_m$ are random (`seed`). A unit counts as
    active where h > 0. The result lies in [0, m]. It is 0 for a network without units that switch,
    such as a linear one.

    Raises ParameterError for bad points, radius or number of directions.

    >>> def hinge(x):
    ...     return np.stack([x[:, 0], x[:, 0] - 5, x[:, 1] + 5], axis=1)
    >>> local_complexity(hinge, np.zeros((4, 2)), radius=1.0, directions=2)
    1.0

    Source: Humayun et al. 2024, section 3, who take the input images as points, a radius fixed for
    the whole run, and the sum over all layers. Here (see `network_complexity`) the points are pairs
    of operand embeddings, which training moves, and the radius is a share of their size.
    """
    vertices = cross_polytopes(points, radius, directions, seed)
    n, corners, width = vertices.shape
    active = to_numpy(units(vertices.reshape(-1, width))).reshape(n, corners, -1) > 0
    return float((active.any(axis=1) & ~active.all(axis=1)).sum(axis=1).mean())


def network_complexity(
    units: Callable[[np.ndarray], Array],
    embedding: Array,
    pairs: Array,
    *,
    relative_radius: float = RADIUS,
    directions: int = DIRECTIONS,
    seed: int = 0,
) -> float:
    r"""Local complexity of a network about the embeddings $(\phi_i, \phi_j)$ of some operand pairs.

    The points are the rows of `embedding` (tokens, d) at both places of `pairs` (n, 2), side by
    side: (n, 2 d). The radius is `relative_radius` times their root mean square length, so that
    multiplying all vectors by a constant is not mistaken for a change of the network. `units` maps
    such points (N, 2 d) to the pre-activations. In the book these are the ReLUs of all layers at
    the read-out position; attention comes before them, so the surfaces on which they switch are
    curved.

    Raises ParameterError as `local_complexity`, and if the embeddings of the pairs are all zero.

    >>> table = [[1.0, 0.0], [9.0, 0.0]]
    >>> network_complexity(
    ...     lambda x: x[:, :1] - 1, table, [[0, 1], [1, 0]], relative_radius=0.01, directions=2
    ... )
    0.5

    Source: Humayun et al. 2024, section 3; differs as `local_complexity` says.
    """
    table = to_numpy(embedding)
    chosen = to_numpy(pairs).astype(np.int64)
    points = np.concatenate([table[chosen[:, 0]], table[chosen[:, 1]]], axis=1)
    size = float(np.sqrt((points**2).sum(axis=1).mean()))
    return local_complexity(units, points, relative_radius * size, directions, seed=seed)
