"""Claims on the matrix flow: whose gradient it is, its reduction to three numbers, and other samples."""

from __future__ import annotations

import numpy as np
import torch

from grokbook.claims import Finding, claim, judge
from grokbook.theory.matrix_flow import (
    MatrixState,
    coordinates,
    idle_equilibrium,
    invariants,
    matrix_flow,
    matrix_state,
    matrix_velocity,
    other_sample_loss,
    rank_one,
    residual,
    softmax,
)
from grokbook.theory.triple_product import flow, velocity
from grokbook.theory.triple_stability import lyapunov

SYSTEM, GROKKING = "The paper's system, from the matrices down", "What this says about grokking"
SIZES = {"p": 5, "d": 4, "n": 6}
EXACT = 1e-9
ONE_HOT = np.eye(SIZES["p"])  # the target vector of each class


def some_state(seed: int = 0) -> MatrixState:
    """A random state of the matrix flow: p = 5 classes, d = 4, n = 6."""
    rng = np.random.default_rng(seed)
    p, d, n = SIZES.values()
    return matrix_state(*(0.6 * rng.normal(size=shape) for shape in ((p, d), (d, n), (n,))))


def descent(state: MatrixState, c: np.ndarray, *, soft: bool, bias: float = 0.0) -> MatrixState:
    """Minus the gradient of the loss by automatic differentiation, b = (bias, ..., bias).

    With soft the cross-entropy of softmax(W_U (W x + b)), otherwise |c - W_U (W x + b)|^2 / 2.
    """
    parts = [torch.tensor(part, requires_grad=True) for part in (state.W_U, state.W, state.x)]
    target, logits = torch.tensor(c), parts[0] @ (parts[1] @ parts[2] + bias)
    loss = -(target * logits.log_softmax(0)).sum() if soft else ((target - logits) ** 2).sum() / 2
    return MatrixState(*(-g.numpy() for g in torch.autograd.grad(loss, parts)))


def gap(first: MatrixState, second: MatrixState) -> float:
    """The largest difference of any entry of two states."""
    return float(max(np.abs(a - b).max() for a, b in zip(vars(first).values(), vars(second).values(), strict=True)))


@claim("G40", "gu2025", "appendix C, Eqs 8-10; Gu 2024, Eqs 4-6", section=SYSTEM, kind="formula", shown_by="proof",
       says=("the printed right-hand sides are minus the gradient of |c - W_U W x|^2 / 2 (largest difference ",
             "{value:.0e}), not that of the network with bias and softmax ({network:.2f}); with gamma = c - ",
             "softmax(W_U W x) they are that of cross-entropy without bias ({mended:.0e}); W_U^T W_U - W W^T and W^T ",
             "W - x x^T are conserved (drift {drift:.0e})"))  # fmt: skip
def matrix_equations() -> Finding:
    """Training on one sample moves W_U, W and x by the printed equations."""
    state, c = some_state(), ONE_HOT[2]
    printed = matrix_velocity(state, c)
    squared = gap(printed, descent(state, c, soft=False))
    network = gap(printed, descent(state, c, soft=True, bias=1.0))
    mended = gap(matrix_velocity(state, c, loss="cross_entropy"), descent(state, c, soft=True))
    kept = invariants(matrix_flow(state, c, np.linspace(0, 4, 9)))
    drift = max(np.abs(matrix - matrix[0]).max() for matrix in kept)
    return judge(network < EXACT, corrected=squared < EXACT, value=squared, low=0, high=EXACT, network=network,
                 mended=mended, drift=drift)  # fmt: skip


@claim("G41", "gu2025", "Eqs 8-10; Gu 2024, section 4.2", section=GROKKING, kind="theorem", published="0",
       shown_by="counterexample",
       says=("at W_U = 0, W x = 0 with W, x not 0 nothing moves (speed {speed:g}) and |gamma| = {value:g}; {leave} of ",
             "{n} starts at distance {radius:g} from it leave for |gamma| below {after:.0e}: of the stable equilibria ",
             "it is true; with cross-entropy gamma never vanishes (|gamma| = {left:.1e} at t = 1000)"))  # fmt: skip
def equilibria_with_error(n: int = 8, radius: float = 1e-2) -> Finding:
    """"Apart from the trivial equilibrium point, all equilibrium points satisfy gamma_i = 0".

    The word left out is "stable", as in G44. An equilibrium with error has W x = 0 and W_U^T c at right angles to the
    range of W, so the loss |c|^2 / 2; arbitrarily near it is smaller, and a path from there cannot come to rest nearby,
    where all that rests has that loss.
    """
    state, c = idle_equilibrium(**SIZES), ONE_HOT[1]
    speed = max(np.abs(part).max() for part in vars(matrix_velocity(state, c)).values())
    error = float(np.linalg.norm(residual(state, c)))
    near = [MatrixState(*(p + radius * np.random.default_rng(s).normal(size=p.shape) for p in vars(state).values()))
            for s in range(n)]  # fmt: skip
    ends = np.array([np.linalg.norm(residual(matrix_flow(start, c, [0.0, 200.0])[1], c)) for start in near])
    path = matrix_flow(rank_one([1, 1, 1], c, np.eye(4)[0], np.eye(6)[0]), c, [0.0, 1000.0], loss="cross_entropy")
    left = float(np.linalg.norm(residual(path[1], c, loss="cross_entropy")))
    trivial, leave = not any(part.any() for part in vars(state).values()), int((ends < 1e-3).sum())
    return judge(trivial or speed > 0 or error == 0, corrected=leave == n, value=error, speed=speed,
                 left=left, leave=leave, n=n, radius=radius, after=ends.max())  # fmt: skip


@claim("G42", "gu2025", "Theorem C.8; Gu 2024, Theorem 1", section="From matrices to three numbers", kind="theorem",
       shown_by="counterexample",
       says=("the constant map to (1, 1, 1) satisfies the equations (speed {constant:g}), so existence says nothing; ",
             "the map (e.x, b^T W e, a^T W_U b) on W_U = u a b^T, W = w b e^T, x e is exact (difference {value:.0e})"))
def maps_exist() -> Finding:
    """There are maps of W_U, W, x to three numbers x, w, u that follow the three-variable system.

    A constant map satisfies the statement, so it says nothing; a map that is not constant exists too: the aligned
    matrix flow and the three-variable flow at nine times, the largest distance between them.
    """
    rng, times, start = np.random.default_rng(1), np.linspace(0, 4, 9), [-0.3, 0.8, 1.1]
    a, b, e = (rng.normal(size=size) for size in SIZES.values())
    path = matrix_flow(rank_one(start, a, b, e), a / np.linalg.norm(a), times)
    points, rest = coordinates(path, a, b, e)
    exact = float(max(np.abs(points - flow(start, times, target=1.0)).max(), rest.max()))
    constant = float(np.abs(velocity([1.0, 1.0, 1.0])).max())
    return judge(constant == 0 or exact < 1e-7, anything=constant == 0, value=exact, low=0, high=1e-7,
                 constant=constant)  # fmt: skip


@claim("G49", "gu2025", "end of appendix C", section=GROKKING, kind="theorem", shown_by="counterexample", says=(
    "the system has neither training nor test set: where a trained sample runs to x w u = 1 (loss {trained:.0e}) a ",
    "held-out one with an orthogonal input keeps its loss, {first:g} at first and {value:g} at the end"))  # fmt: skip
def guarantees_grokking(overlap: float = 0.0) -> Finding:
    """The stability theorem guarantees the existence of grokking.

    A trained sample that follows the system to the surface, beside one that is held out: overlap is the cosine
    between their inputs; they have the same class if it is 1.
    """
    a, b, e, other = ONE_HOT[0], np.eye(4)[0], np.eye(6)[0], np.eye(6)[1]
    held_input = overlap * e + np.sqrt(1 - overlap**2) * other
    path = matrix_flow(rank_one([0.5, 0.6, 0.7], a, b, e), a, [0.0, 10.0, 60.0])
    trained = float(lyapunov(coordinates(path, a, b, e)[0])[-1])
    held = other_sample_loss(path, held_input, a if overlap == 1 else ONE_HOT[1])
    refuted = trained < 1e-6 and held[-1] > held[0] / 2
    return judge(not refuted, value=float(held[-1]), trained=trained, first=held[0])


@claim("P01", "gu2024", "Eqs 1-3", section=SYSTEM, kind="formula", shown_by="counterexample", says=(
    "on a random network the printed gamma differs from c - softmax(W_U (W x + b)), the error of the printed network, ",
    "by up to {value:.2f}; it is the error without softmax and b (difference {without:.0e}), the slip of G40"))
def three_definitions() -> Finding:
    """The network is y = W x + b with logits softmax(W_U y), and its error is gamma = c - W_U W x."""
    state, c = some_state(3), ONE_HOT[4]
    network, linear = c - softmax(state.W_U @ (state.hidden + 1)), c - state.W_U @ state.hidden
    with_softmax, without = (float(np.abs(residual(state, c) - other).max()) for other in (network, linear))
    return judge(with_softmax < EXACT, corrected=without < EXACT, value=with_softmax, without=without)
