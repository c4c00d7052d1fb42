"""The flow of the matrices W_U, W and the vector x of one sample, and its exact reduction to three
scalars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import softmax

from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array, to_numpy
from grokbook.theory.triple_product import increasing, triples
from grokbook_chapters.lyapunov_phase_portrait.triple_stability import Point


@dataclass(frozen=True)
class MatrixState:
    """A linear network on one sample: logits W_U W x. Arrays may have one leading time axis, the
    same for all.

    W_U has shape (p, d), W (d, n), x (n,): p classes, d hidden units, n inputs (three concatenated
    embeddings).
    """

    W_U: np.ndarray
    W: np.ndarray
    x: np.ndarray

    @property
    def hidden(self) -> np.ndarray:
        """W x, shape (d,)."""
        return np.einsum("...dn,...n->...d", self.W, self.x)

    @property
    def logits(self) -> np.ndarray:
        """W_U W x, shape (p,)."""
        return np.einsum("...pd,...d->...p", self.W_U, self.hidden)

    def __getitem__(self, i: int) -> MatrixState:
        """The state at the i-th time of a trajectory."""
        return MatrixState(self.W_U[i], self.W[i], self.x[i])


def matrix_state(W_U: Array, W: Array, x: Array) -> MatrixState:
    """A checked state; raises ParameterError if the shapes do not fit or a value is not finite."""
    first = to_numpy(W_U)
    second = to_numpy(W)
    vector = to_numpy(x)
    shapes = f"W_U {first.shape}, W {second.shape} and x {vector.shape}"
    matrices = first.ndim == second.ndim == 2
    if not matrices or second.shape != (*first.shape[1:], *vector.shape):
        raise ParameterError(f"{shapes} do not fit: they must be (p, d), (d, n) and (n,).")
    if not all(np.isfinite(part).all() for part in (first, second, vector)):
        raise ParameterError(f"{shapes} hold a value that is not finite.")
    return MatrixState(first, second, vector)


def residual(state: MatrixState, c: Array, *, loss: str = "squared") -> np.ndarray:
    r"""The vector gamma that drives the flow, shape (p,): minus the gradient of the loss by the
    logits.

    .. math:: \gamma = c - W_U W x \ \text{(squared error, as printed)}, \qquad
              \gamma = c - \mathrm{softmax}(W_U W x) \ \text{(cross-entropy)}.

    Raises ParameterError for another loss.

    Source: Gu 2024, Equation 3 (the softmax of Equation 2 is not in it).
    """
    if loss not in ("squared", "cross_entropy"):
        raise ParameterError(f"loss is {loss!r}, but must be 'squared' or 'cross_entropy'.")
    output = state.logits if loss == "squared" else softmax(state.logits, axis=-1)
    return to_numpy(c) - output


def matrix_velocity(state: MatrixState, c: Array, *, loss: str = "squared") -> MatrixState:
    r"""The right-hand sides of the matrix flow, a state of derivatives.

    .. math:: \dot W_U = \gamma\,(W x)^\top, \qquad \dot W = W_U^\top \gamma\, x^\top, \qquad
              \dot x = W^\top W_U^\top \gamma.

    The paper prints row vectors gamma W_U and gamma W_U W for the last two. They are minus the
    gradient of |c - W_U W x|^2 / 2 (or of the cross-entropy, with the other gamma of `residual`).

    Source: Gu et al. 2025, Equations 8-10; Gu 2024, Equations 4-6.
    """
    gamma = residual(state, c, loss=loss)
    back = state.W_U.T @ gamma
    return MatrixState(np.outer(gamma, state.hidden), np.outer(back, state.x), state.W.T @ back)


def matrix_flow(
    start: MatrixState,
    c: Array,
    times: Point,
    *,
    loss: str = "squared",
) -> MatrixState:
    """The trajectory of the matrices at increasing times, the first of which is the time of the
    start.

    c is the target vector, shape (p,), one-hot in the papers. Integrated by scipy's DOP853 with a
    relative tolerance of 1e-11. The result has a leading time axis.

    Raises ParameterError for a target of another length, times that do not increase and values that
    are not finite.

    Source: Gu et al. 2025, Equations 8-10.
    """
    state = matrix_state(start.W_U, start.W, start.x)
    moments = increasing(times)
    aim = to_numpy(c)
    if aim.shape != state.W_U.shape[:1] or not np.isfinite(aim).all():
        raise ParameterError(
            f"c has shape {aim.shape}, but must be {state.W_U.shape[:1]}: a finite value a class."
        )
    residual(state, aim, loss=loss)

    def right(_: float, y: np.ndarray) -> np.ndarray:
        return _flat(matrix_velocity(_shaped(y, state), aim, loss=loss))

    if len(moments) == 1:
        return _shaped(_flat(state)[None], state)
    span = (moments[0], moments[-1])
    settings = {"t_eval": moments, "rtol": 1e-11, "atol": 1e-13}
    solved = solve_ivp(right, span, _flat(state), "DOP853", **settings)
    return _shaped(solved.y.T, state)


def _flat(state: MatrixState) -> np.ndarray:
    return np.concatenate([state.W_U.ravel(), state.W.ravel(), state.x])


def _shaped(y: np.ndarray, like: MatrixState) -> MatrixState:
    parts = []
    start = 0
    for matrix in (like.W_U, like.W, like.x):
        part = y[..., start : start + matrix.size]
        parts.append(part.reshape(*y.shape[:-1], *matrix.shape))
        start += matrix.size
    return MatrixState(*parts)


def invariants(state: MatrixState) -> tuple[np.ndarray, np.ndarray]:
    r"""The two matrices that never change: W_U^T W_U - W W^T, shape (d, d), and W^T W - x x^T,
    shape (n, n).

    Both terms of each have the same derivative, for any gamma: they hold for squared error and
    cross-entropy. On the rank-one family of `rank_one` they are (u^2 - w^2) b b^T and (w^2 - x^2) e
    e^T.

    Source: this book; the papers name no invariant. Known for deep linear networks.
    """
    turned = np.swapaxes(state.W, -1, -2)
    first = np.swapaxes(state.W_U, -1, -2) @ state.W_U - state.W @ turned
    second = turned @ state.W - state.x[..., :, None] * state.x[..., None, :]
    return first, second


def _unit(vector: Point, name: str) -> np.ndarray:
    values = to_numpy(vector)
    if values.ndim != 1 or not np.isfinite(values).all() or not values.any():
        raise ParameterError(
            f"{name} must be a finite vector that is not 0; it has shape {values.shape}."
        )
    return values / np.linalg.norm(values)


def rank_one(point: Point, a: Array, b: Array, e: Array) -> MatrixState:
    r"""The aligned state of a point (x, w, u): W_U = u a b^T, W = w b e^T and the vector x e, for
    unit vectors.

    With target c = delta a the matrix flow never leaves this family, and (x, w, u) follow the
    three-variable system exactly. a, b, e are vectors of lengths p, d, n; they are divided by their
    lengths. For a one-hot c the target is delta = 1 and a must be c itself: along another class s
    the label pulls W_U out of the family, so that the system with delta = 0 is the flow of a target
    vector 0 and of no other class.

    Raises ParameterError for vectors of length 0 and for a point that is not three finite numbers.

    Source: this book; it takes the place of the maps of Gu et al. 2025, Theorem C.8.
    """
    x, w, u = triples(point)
    a = _unit(a, "a")
    b = _unit(b, "b")
    e = _unit(e, "e")
    return MatrixState(u * np.outer(a, b), w * np.outer(b, e), x * e)


class Coordinates(NamedTuple):
    """The point (x, w, u) of a state, (..., 3), and how far the state is from the family, (...)."""

    point: np.ndarray
    rest: np.ndarray


def coordinates(state: MatrixState, a: Array, b: Array, e: Array) -> Coordinates:
    """The coordinates of a state (or of each time) along a, b, e.

    They are x = e . x, w = b^T W e, u = a^T W_U b, and the Frobenius norm of what is left.

    Source: this book.
    """
    a = _unit(a, "a")
    b = _unit(b, "b")
    e = _unit(e, "e")
    u = np.einsum("p,...pd,d->...", a, state.W_U, b)
    w = np.einsum("d,...dn,n->...", b, state.W, e)
    x = state.x @ e
    of_W_U = state.W_U - u[..., None, None] * np.outer(a, b)
    of_W = state.W - w[..., None, None] * np.outer(b, e)
    of_x = state.x - x[..., None] * e
    squares = (of_W_U**2).sum(axis=(-2, -1)) + (of_W**2).sum(axis=(-2, -1))
    squares += (of_x**2).sum(axis=-1)
    return Coordinates(np.stack([x, w, u], axis=-1), np.sqrt(squares))


def other_sample_loss(path: MatrixState, x: Array, c: Array) -> np.ndarray:
    """The loss |c - W_U W x|^2 / 2 of another sample, whose own input x is not trained, along a
    trajectory: (T,).

    Raises ParameterError for lengths that do not fit.

    Source: this book.
    """
    vector = to_numpy(x)
    aim = to_numpy(c)
    if vector.shape != path.W.shape[-1:] or aim.shape != path.W_U.shape[-2:-1]:
        raise ParameterError(
            f"x {vector.shape} and c {aim.shape} must have lengths n = {path.W.shape[-1]} and "
            f"p = {path.W_U.shape[-2]}."
        )
    logits = np.einsum("...pd,...dn,n->...p", path.W_U, path.W, vector)
    return ((aim - logits) ** 2).sum(axis=-1) / 2
