"""The smallest ball around a finite set of points, exactly, with a certificate that it is the
smallest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grokbook.errors import ParameterError
from grokbook.theory.vectors import Rows, vectors

# squared distances closer than this share of the points' largest squared spread count as equal
TOLERANCE = 1e-11
MOST_PIVOTS = 10_000


@dataclass(frozen=True)
class Ball:
    """A ball and why it is smallest: its centre is the mean of points on its sphere with these
    weights.

    `centre` has shape (d,); `weights`, shape (n,), are not negative, add up to one and vanish
    inside the ball.
    """

    centre: np.ndarray
    radius: float
    weights: np.ndarray


def smallest_ball(points: Rows) -> Ball:
    r"""The smallest ball that holds all points.

    A ball with centre $c$ and radius $\rho$ that holds $x_1, \dots, x_n$ (= `points`, shape (n, d))
    is the smallest one if and only if $c = \sum_i \lambda_i x_i$ with $\lambda_i \ge 0$, $\sum_i
    \lambda_i = 1$ and $\lambda_i = 0$ wherever $\lVert x_i - c\rVert < \rho$: for any other centre
    $c'$, $\sum_i \lambda_i \lVert x_i - c'\rVert^2 = \rho^2 + \lVert c - c'\rVert^2$, so some point
    is farther than $\rho$.

    An active-set search: the farthest point joins the set, the weights move towards the centre of
    the sphere through the set, and a point whose weight would become negative leaves it. The radius
    grows at every step, so it ends.

    Raises ParameterError unless `points` are finite rows.

    Source: Fischer and Gaertner, "The smallest enclosing ball of balls" (2004), for balls of radius
    zero.
    """
    table = vectors(points, "points")
    x = table - table.mean(axis=0)
    if x.shape[1] > len(x):  # n coordinates do: distances and weights stay as they are
        x = np.linalg.qr(x.T, mode="r").T  # type: ignore[attr-defined]  # numpy says: Q, R
    spread = float(np.einsum("ij,ij->i", x, x).max())
    weights = np.zeros(len(x))
    weights[np.argmax(np.einsum("ij,ij->i", x, x))] = 1
    for _ in range(MOST_PIVOTS):
        centre = weights @ x
        squares = np.einsum("ij,ij->i", x - centre, x - centre)
        farthest = int(np.argmax(squares))
        on_sphere = squares[weights > 0].max()
        if squares[farthest] <= on_sphere + TOLERANCE * spread:
            return Ball(weights @ table, float(np.sqrt(squares[farthest])), weights)
        weights = _enlarge(x, weights, farthest)
    raise ParameterError(
        f"the smallest ball of {len(x)} points was not found in {MOST_PIVOTS} steps; scale them."
    )


def _enlarge(x: np.ndarray, weights: np.ndarray, farthest: int) -> np.ndarray:
    """Let the farthest point join the active set and move the weights to the centre of a larger
    ball."""
    active = np.append(np.flatnonzero(weights), farthest)
    share = weights[active]
    while True:
        step, bounded = _towards_circumcentre(x[active], share)
        blocked = step < -1e-14
        limits = np.where(blocked, -share / np.where(blocked, step, -1), np.inf)
        reach = float(limits.min())
        if bounded and reach >= 1:
            grown = np.zeros(len(x))
            grown[active] = np.maximum(share + step, 0)
            return grown / grown.sum()
        leaves = int(np.argmin(limits))
        share = np.delete(share + reach * step, leaves)
        active = np.delete(active, leaves)


def _towards_circumcentre(x: np.ndarray, share: np.ndarray) -> tuple[np.ndarray, bool]:
    """The move of the weights (adding up to 0) to the centre of the sphere through the points x.

    When the points are affinely dependent there may be no such sphere: then a move that leaves the
    centre where it is and enlarges the weighted mean square, without bound (False).
    """
    edges = x[1:] - x[0]
    centre = share @ x
    slope = 0.5 * np.einsum("ij,ij->i", x - centre, x - centre)
    u, sizes, _ = np.linalg.svd(edges, full_matrices=True)
    rank = int((sizes > 1e-10 * sizes[0]).sum())
    rise = slope[1:] - slope[0]
    free = u[:, rank:].T @ rise
    if rank < len(edges) and np.abs(free).max() > 1e-12 * np.abs(slope).max():
        move = u[:, rank:] @ free
        return np.append(-move.sum(), move), False
    move = u[:, :rank] @ ((u[:, :rank].T @ rise) / sizes[:rank] ** 2)
    return np.append(-move.sum(), move), True
