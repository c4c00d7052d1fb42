"""Claims on the matrix flow: whose gradient it is, its reduction to three numbers, and other
samples."""

from __future__ import annotations

import numpy as np
import torch

from companion.claims import Finding, claim, judge
from grokbook.theory.triple_product import flow, velocity
from grokbook_chapters.lyapunov_phase_portrait.matrix_flow import (
    MatrixState,
    coordinates,
    invariants,
    matrix_flow,
    matrix_state,
    matrix_velocity,
    other_sample_loss,
    rank_one,
)
from grokbook_chapters.lyapunov_phase_portrait.triple_stability import lyapunov

SYSTEM = "The paper's system, from the matrices down"
GROKKING = "What this says about grokking"
SIZES = {"p": 5, "d": 4, "n": 6}
EXACT = 1e-9
ONE_HOT = np.eye(SIZES["p"])  # the target vector of each class


def some_state() -> MatrixState:
    """A random state of the matrix flow: p = 5 classes, d = 4, n = 6."""
    rng = np.random.default_rng(0)
    p, d, n = SIZES.values()
    W_U = 0.6 * rng.normal(size=(p, d))
    W = 0.6 * rng.normal(size=(d, n))
    x = 0.6 * rng.normal(size=n)
    return matrix_state(W_U, W, x)


def descent(state: MatrixState, c: np.ndarray, *, soft: bool, bias: float = 0.0) -> MatrixState:
    """Minus the gradient of the loss by automatic differentiation, b = (bias, ..., bias).

    With soft the cross-entropy of softmax(W_U (W x + b)), otherwise |c - W_U (W x + b)|^2 / 2.
    """
    W_U = torch.tensor(state.W_U, requires_grad=True)
    W = torch.tensor(state.W, requires_grad=True)
    x = torch.tensor(state.x, requires_grad=True)
    target = torch.tensor(c)
    logits = W_U @ (W @ x + bias)
    loss = ((target - logits) ** 2).sum() / 2
    if soft:
        loss = -(target * logits.log_softmax(0)).sum()
    loss.backward()
    return MatrixState(-W_U.grad.numpy(), -W.grad.numpy(), -x.grad.numpy())


def gap(first: MatrixState, second: MatrixState) -> float:
    """The largest difference of any entry of two states."""
    of_W_U = np.abs(first.W_U - second.W_U).max()
    of_W = np.abs(first.W - second.W).max()
    return float(max(of_W_U, of_W, np.abs(first.x - second.x).max()))


@claim(
    "G40",
    "gu2025",
    "appendix C, Eqs 8-10; Gu 2024, Eqs 4-6",
    section=SYSTEM,
    kind="formula",
    shown_by="proof",
    also=("P01",),
    says=(
        "the printed right-hand sides are minus the gradient of |c - W_U W x|^2 / 2 (largest "
        "difference {value:.0e}), not that of the network with bias and softmax ({network:.2f}); "
        "with gamma = c - softmax(W_U W x) they are that of cross-entropy without bias "
        "({mended:.0e}); W_U^T W_U - W W^T and W^T W - x x^T are conserved (drift {drift:.0e})"
    ),
)
def matrix_equations() -> Finding:
    """Training on one sample moves W_U, W and x by the printed equations.

    The network of Gu 2024, Eqs 1 and 2, has a bias and a softmax; the error gamma = c - W_U W x of
    its Eq. 3 has neither, a slip.
    """
    state = some_state()
    c = ONE_HOT[2]
    printed = matrix_velocity(state, c)
    squared = gap(printed, descent(state, c, soft=False))
    network = gap(printed, descent(state, c, soft=True, bias=1.0))
    mended = gap(matrix_velocity(state, c, loss="cross_entropy"), descent(state, c, soft=True))
    conserved = invariants(matrix_flow(state, c, np.linspace(0, 4, 9)))
    drift = max(np.abs(matrix - matrix[0]).max() for matrix in conserved)
    return judge(
        network < EXACT,
        corrected=squared < EXACT,
        value=squared,
        low=0,
        high=EXACT,
        network=network,
        mended=mended,
        drift=drift,
    )


@claim(
    "G42",
    "gu2025",
    "Theorem C.8; Gu 2024, Theorem 1",
    section="From matrices to three numbers",
    kind="theorem",
    shown_by="counterexample",
    also=("G57",),
    says=(
        "the constant map to (1, 1, 1) satisfies the equations (speed {constant:g}), so existence "
        "says nothing; the map (e.x, b^T W e, a^T W_U b) on W_U = u a b^T, W = w b e^T, x e is "
        "exact (difference {value:.0e})"
    ),
)
def maps_exist() -> Finding:
    """There are maps of W_U, W, x to three numbers x, w, u that follow the three-variable system.

    A constant map satisfies the statement, so it says nothing; a map that is not constant exists
    too: the aligned matrix flow and the three-variable flow at nine times, the largest distance
    between them. It is none of the proof's functions by Urysohn's lemma, 0 on wrong answers and 1
    on trained outputs: where x w u = 0 it is left at once, or nothing ever moves.
    """
    rng = np.random.default_rng(1)
    times = np.linspace(0, 4, 9)
    start = [-0.3, 0.8, 1.1]
    a, b, e = (rng.normal(size=size) for size in SIZES.values())
    path = matrix_flow(rank_one(start, a, b, e), a / np.linalg.norm(a), times)
    points, rest = coordinates(path, a, b, e)
    apart = np.abs(points - flow(start, times, target=1.0))
    exact = float(max(apart.max(), rest.max()))
    constant = np.abs(velocity([1.0, 1.0, 1.0])).max()
    return judge(
        constant == 0 or exact < 1e-7,
        anything=constant == 0,
        value=exact,
        low=0,
        high=1e-7,
        constant=constant,
    )


@claim(
    "G49",
    "gu2025",
    "end of appendix C; Gu 2024, appendix C.2",
    section=GROKKING,
    kind="theorem",
    shown_by="counterexample",
    also=("P13",),
    says=(
        "the system has neither training nor test set: where a trained sample runs to x w u = 1 "
        "(loss {trained:.0e}) a held-out one with an orthogonal input keeps its loss, {first:g} at "
        "first and {value:g} at the end"
    ),
)
def guarantees_grokking(overlap: float = 0.0) -> Finding:
    """The stability theorem guarantees the existence of grokking.

    A trained sample that follows the system to the surface, beside one that is held out: overlap is
    the cosine between their inputs; they have the same class if it is 1. (Gu 2024 would read the
    end of training off Poincare sections, which every path from nearby crosses again: in a gradient
    flow none does.)
    """
    a = ONE_HOT[0]
    b = np.eye(4)[0]
    e, other = np.eye(6)[:2]
    held_input = overlap * e + np.sqrt(1 - overlap**2) * other
    path = matrix_flow(rank_one([0.5, 0.6, 0.7], a, b, e), a, [0.0, 10.0, 60.0])
    trained = lyapunov(coordinates(path, a, b, e).point)[-1]
    held = other_sample_loss(path, held_input, a if overlap == 1 else ONE_HOT[1])
    refuted = trained < 1e-6 and held[-1] > held[0] / 2
    return judge(not refuted, value=held[-1], trained=trained, first=held[0])
