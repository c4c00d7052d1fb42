"""Claims about the dynamical system of Gu et al. (matrix flow, x w u flow, Lyapunov argument) and their checks."""

from __future__ import annotations

import numpy as np
import torch

from grokbook.claims.finding import Finding
from grokbook.claims.legacy import Claim
from grokbook.theory.cube_limits import cube_limits, largest_distance
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
from grokbook.theory.triple_product import flow, limit_point, velocity
from grokbook.theory.triple_stability import (
    eigenvalues,
    identities,
    leading_principal_minors,
    lyapunov,
    lyapunov_rate,
    printed_v_rate,
    rising_point,
    surface_lyapunov,
    v_rate,
)

SIZES = {"p": 5, "d": 4, "n": 6}
EXACT = 1e-9


def some_state(seed: int = 0) -> MatrixState:
    """A random state of the matrix flow: p = 5 classes, d = 4, n = 6."""
    rng = np.random.default_rng(seed)
    p, d, n = SIZES.values()
    return matrix_state(*(0.6 * rng.normal(size=shape) for shape in ((p, d), (d, n), (n,))))


def one_hot(i: int) -> np.ndarray:
    """The target vector of class i."""
    return np.eye(SIZES["p"])[i]


def decided(*cases: tuple[bool, str]) -> str:
    """The verdict of the first case whose condition is true; the last is for all the rest."""
    return next(verdict for true, verdict in cases if true)


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
    pairs = zip((first.W_U, first.W, first.x), (second.W_U, second.W, second.x), strict=True)
    return float(max(np.abs(a - b).max() for a, b in pairs))


def drift(path: MatrixState) -> float:
    """How far the two matrix invariants move along a trajectory."""
    return float(max(np.abs(matrix - matrix[0]).max() for matrix in invariants(path)))


def matrix_equations() -> Finding:
    """G40: are Equations 8-10 the gradient flow of the network of Equations 1-2?"""
    state, c = some_state(), one_hot(2)
    printed = matrix_velocity(state, c)
    squared = gap(printed, descent(state, c, soft=False))
    network = gap(printed, descent(state, c, soft=True, bias=1.0))
    mended = gap(matrix_velocity(state, c, loss="cross_entropy"), descent(state, c, soft=True))
    moved = drift(matrix_flow(state, c, np.linspace(0, 4, 9)))
    verdict = decided((network < EXACT, "holds"), (squared < EXACT, "holds with correction"), (True, "fails"))
    evidence = (
        f"the printed right-hand sides are minus the gradient of |c - W_U W x|^2 / 2 (largest difference {squared:.0e})"
        f", not that of the network with bias and softmax ({network:.2f}); with gamma = c - softmax(W_U W x) they are "
        f"that of cross-entropy without bias ({mended:.0e}); W_U^T W_U - W W^T and W^T W - x x^T are conserved (drift "
        f"{moved:.0e})"
    )
    return Finding(verdict, evidence, squared, 0, EXACT)


def equilibria_with_error() -> Finding:
    """G41: is there an equilibrium of the matrix flow, not the origin, at which gamma is not 0?"""
    state, c = idle_equilibrium(**SIZES), one_hot(1)
    still = gap(matrix_velocity(state, c), MatrixState(*(0 * part for part in (state.W_U, state.W, state.x))))
    error = float(np.linalg.norm(residual(state, c)))
    path = matrix_flow(rank_one([1, 1, 1], c, np.eye(4)[0], np.eye(6)[0]), c, [0.0, 1000.0], loss="cross_entropy")
    left = float(np.linalg.norm(residual(path[1], c, loss="cross_entropy")))
    trivial = not (state.W_U.any() or state.W.any() or state.x.any())
    found = still == 0 and error > 0 and not trivial
    evidence = (
        f"at W_U = 0, W x = 0 with W, x not 0 nothing moves (speed {still:g}) and |gamma| = {error:g}; with "
        f"cross-entropy gamma never vanishes (|gamma| = {left:.1e} at t = 1000)"
    )
    return Finding("fails" if found else "holds", evidence, error, 0, 0, "0")


def reduction_error(target: float = 1.0) -> float:
    """The largest distance between the aligned matrix flow and the three-variable flow, over nine times."""
    rng, times = np.random.default_rng(1), np.linspace(0, 4, 9)
    a, b, e = (rng.normal(size=size) for size in SIZES.values())
    start = [-0.3, 0.8, 1.1]
    path = matrix_flow(rank_one(start, a, b, e), target * a / np.linalg.norm(a), times)
    points, rest = coordinates(path, a, b, e)
    return float(max(np.abs(points - flow(start, times, target=target)).max(), rest.max()))


def maps_exist() -> Finding:
    """G42: a constant map satisfies the statement, so it says nothing; a map that is not constant exists too."""
    constant = float(np.abs(velocity([1.0, 1.0, 1.0])).max())
    exact = reduction_error()
    verdict = decided((constant == 0, "vacuous"), (exact < 1e-7, "holds"), (True, "fails"))
    evidence = (
        f"the constant map to (1, 1, 1) satisfies the equations (speed {constant:g}), so existence says nothing; the "
        f"map (e.x, b^T W e, a^T W_U b) on W_U = u a b^T, W = w b e^T, x e is exact (difference {exact:.0e})"
    )
    return Finding(verdict, evidence, exact, 0, 1e-7)


def wrong_answers_rest(n: int = 1000) -> Finding:
    """G43: is every (0, w, u) an equilibrium, as the proof of Theorem C.8 needs?"""
    points = np.random.default_rng(0).random((n, 3)) * [0, 1, 1]
    speed = np.linalg.norm(velocity(points), axis=1)
    resting, right = float((speed == 0).mean()), float(np.abs(velocity([1.0, 1.0, 1.0])).max())
    evidence = (
        f"(1, 1, 1) is at rest (speed {right:g}), but of {n} random points (0, w, u) of the cube {resting:.0%} are; "
        f"there x' = w u, up to {speed.max():.2f}"
    )
    return Finding("holds" if resting == 1 and right == 0 else "fails", evidence, resting, 1, 1, "1 (all)")


def nearby_moves(point: np.ndarray, radius: float, n: int = 200) -> float:
    """The farthest limit from the point, in radii, of starts at this distance from it."""
    step = np.random.default_rng(0).normal(size=(n, 3))
    starts = point + radius * step / np.linalg.norm(step, axis=1, keepdims=True)
    return float(np.linalg.norm(limit_point(starts) - point, axis=1).max() / radius)


def stable_equilibria() -> Finding:
    """G44: surface points against points of the axes: how far starts at a small distance end away, and eigenvalues."""
    surface, axis = [np.array([1.0, 1, 1]), np.array([2.0, 1, 0.5])], [np.array([0.0, 0, v]) for v in (0.5, 1.0)]
    kept = max(nearby_moves(point, radius) for point in surface for radius in (1e-3, 1e-6))
    left = min(nearby_moves(point, radius) for point in axis for radius in (1e-3, 1e-6))
    at_one, at_axis = eigenvalues(surface[0]), eigenvalues(axis[1])
    verdict = decided((kept > 100, "fails"), (left > 100, "holds with correction"), (True, "holds"))
    evidence = (
        f"the points of x w u = 1 are stable (starts at distance r end within {kept:.1f} r; eigenvalues at (1, 1, 1): "
        f"{at_one[0]:g}, 0, 0) but none attracts; the other equilibria, the axes, are not stable (some starts end more "
        f"than {left:.0f} r away; eigenvalues at (0, 0, 1): {at_axis[0]:g}, 0, {at_axis[2]:g})"
    )
    return Finding(verdict, evidence, kept, 1, 100)


def printed_derivative(n: int = 1000) -> Finding:
    """G45: the printed derivative of V against the true one, symbolically and at random points."""
    points = np.random.default_rng(0).random((n, 3))
    ratio = v_rate(points) / printed_v_rate(points)
    low, high = float(ratio.min()), float(ratio.max())
    proportional = high - low < 1e-6 * abs(high)
    symbolic = identities()["dV"] == 0
    same = proportional and abs(high - 1) < 1e-6
    verdict = decided((same, "holds"), (proportional, "holds with correction"), (True, "fails"))
    evidence = (
        f"the true derivative is {high:.6g} times the printed one at {n} random points; symbolically it "
        f"{'is' if symbolic else 'is not'} twice the printed one; at (1/2, 1/2, 1/2): {v_rate([0.5] * 3):g} against "
        f"{printed_v_rate([0.5] * 3):g}"
    )
    return Finding(verdict, evidence, float(np.median(ratio)), low, high, "1")


def minors_and_stability(n: int = 20000) -> Finding:
    """G46: does V fall in a neighbourhood of (1, 1, 1), and do leading minors <= 0 show that a form is <= 0?"""
    near = [(r, v_rate(rising_point(r))) for r in (0.1, 0.01, 0.001)]
    rising = sum(rate > 0 for _, rate in near)
    indefinite = np.diag([-1.0, 1.0, 1.0])
    misled = max(leading_principal_minors(indefinite)) <= 0 < np.linalg.eigvalsh(indefinite).max()
    cube = np.random.default_rng(0).random((n, 3))
    inside = float(np.max(v_rate(cube)))
    distance = float(np.linalg.norm(rising_point(0.001) - 1))
    evidence = (
        f"V grows at {rising} of {len(near)} points that approach (1, 1, 1): rate {near[0][1]:.1e} at distance "
        f"{np.linalg.norm(rising_point(0.1) - 1):.2f}, {near[-1][1]:.0e} at {distance:.4f}; diag(-1, 1, 1) "
        f"{'has' if misled else 'has not'} all leading minors <= 0 and is indefinite. Inside the cube V does fall "
        f"(largest rate {inside:.0e} at {n} points), but the cube is no neighbourhood of its corner; (1, 1, 1) is "
        "stable for another reason (G44)"
    )
    return Finding("fails" if rising and misled else "holds", evidence, near[0][1], 0, 0)


def cube_moves_to_one(n: int = 20000) -> Finding:
    """G47: the share of starts of the cube whose limit is (1, 1, 1), and how far the limits are from it."""
    limits = cube_limits(n)
    share = float((limits.distance < 1e-6).mean())
    (mean, error), (close, close_error) = limits.mean_distance, limits.share_within(0.1)
    diagonal = float(np.abs(limit_point(np.full((9, 3), np.linspace(0.1, 0.9, 9)[:, None])) - 1).max())
    evidence = (
        f"of {n} random starts {share:.0%} end at (1, 1, 1) and {limits.share_outside:.0%} outside the cube; mean "
        f"distance {mean:.4f} +- {error:.4f} (at most {largest_distance():.5f}), within 0.1: {close:.3f} +- "
        f"{close_error:.3f}; only starts with x = w = u get there (error {diagonal:.0e})"
    )
    verdict = "holds" if share == 1 else "fails"
    return Finding(verdict, evidence, mean, mean - 2 * error, mean + 2 * error, "0 (all at (1, 1, 1))")


def lyapunov_theorem(n: int = 30) -> Finding:
    """G48: hypotheses and conclusion of the theorem on an instance that it covers, with a function that works.

    For points of the surface and `surface_lyapunov`: with m its least value at distance epsilon, starts nearer than
    epsilon whose value is below m must stay nearer than epsilon.
    """
    rng, epsilon, left, tried, worst = np.random.default_rng(0), 0.1, 0, 0, -np.inf
    for point in ([1.0, 1.0, 1.0], [2.0, 1.0, 0.5]):
        direction = rng.normal(size=(4000, 3))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        least = surface_lyapunov(point + epsilon * direction, point).min()
        starts = point + epsilon * rng.random((4000, 1)) * direction
        starts = starts[surface_lyapunov(starts, point) < 0.9 * least][:n]
        worst = max(worst, float(np.max(lyapunov_rate(starts))))
        paths = [flow(start, np.linspace(0, 5, 40)) for start in starts]
        left += sum(np.linalg.norm(path - point, axis=1).max() >= epsilon for path in paths)
        tried += len(starts)
    evidence = (
        f"a standard theorem, checked on two points of x w u = 1 with (1 - x w u)^2 / 2 plus the squared changes of the"
        f" invariants: its rate is at most {worst:.0e}, and {left} of {tried} starts below its least value at distance "
        f"{epsilon:g} ever get that far"
    )
    return Finding("holds" if left == 0 and worst <= 0 else "fails", evidence, float(left), 0, 0)


def guarantees_grokking(overlap: float = 0.0) -> Finding:
    """G49: a trained sample that follows the system to the surface, beside one that is held out.

    overlap is the cosine between the inputs of the two samples; they have the same class if it is 1.
    """
    a, b, e, other = one_hot(0), np.eye(4)[0], np.eye(6)[0], np.eye(6)[1]
    held_input = overlap * e + np.sqrt(1 - overlap**2) * other
    held_class = a if overlap == 1 else one_hot(1)
    path = matrix_flow(rank_one([0.5, 0.6, 0.7], a, b, e), a, [0.0, 10.0, 60.0])
    trained = float(lyapunov(coordinates(path, a, b, e)[0])[-1])
    held = other_sample_loss(path, held_input, held_class)
    evidence = (
        f"the system has neither training nor test set: where a trained sample runs to x w u = 1 (loss {trained:.0e}) a"
        f" held-out one with an orthogonal input keeps its loss, {held[0]:g} at first and {held[-1]:g} at the end"
    )
    return Finding("fails" if trained < 1e-6 and held[-1] > held[0] / 2 else "holds", evidence, float(held[-1]), 0, 0)


def three_definitions() -> Finding:
    """P01: is gamma = c - W_U W x the error of logit = softmax(W_U (W x + b))?"""
    state, c = some_state(3), one_hot(4)
    printed = residual(state, c)
    network = c - softmax(state.W_U @ (state.hidden + 1))
    linear = c - state.W_U @ state.hidden
    with_softmax, without = (float(np.abs(printed - other).max()) for other in (network, linear))
    verdict = decided((with_softmax < EXACT, "holds"), (without < EXACT, "needs an assumption"), (True, "fails"))
    evidence = (
        f"on a random network the printed gamma differs from c - softmax(W_U (W x + b)), the error of the printed "
        f"network, by up to {with_softmax:.2f}; it is the error without softmax and b (difference {without:.0e})"
    )
    return Finding(verdict, evidence, with_softmax, 0, EXACT)


def poincare_sections(n: int = 40) -> Finding:
    """P13: does any trajectory of the paper's own system come back to a section, as Definition 12 (2) asks?

    The sections are the level sets of L, transverse to the flow wherever it moves: a return needs an equal L.
    """
    starts = np.random.default_rng(0).normal(size=(n, 3))
    times = np.linspace(0, 10, 60)
    back, risen = 0, -np.inf
    for start in starts:
        loss = lyapunov(flow(start, times, rtol=1e-8))
        back += bool((loss[1:] >= loss[0]).any())
        risen = max(risen, float(np.diff(loss).max()))
    evidence = (
        f"{back} of {n} trajectories come back to the level of L = (1 - x w u)^2 / 2 they start on (largest rise of L "
        f"between two times {risen:.0e}): every path runs to a point of rest, so no closed section is "
        "crossed again by all"
    )
    return Finding("fails" if back == 0 else "holds", evidence, float(back), n, n, "all")


PAGE = "08_lyapunov_phase_portrait: "
MATRICES, NUMBERS = PAGE + "The paper's system, from the matrices down", PAGE + "From matrices to three numbers"
STABLE, PRINTED = PAGE + "Equilibria and what is stable", PAGE + "The printed argument and what is wrong with it"
WORKS, CUBE = PAGE + "A function that works", PAGE + "Figure 8, redrawn"
GROKKING = PAGE + "What this says about grokking"

CLAIMS: tuple[Claim, ...] = (
    Claim(
        "G40",
        "gu2025",
        "appendix C, Eqs 8-10; Gu 2024, Eqs 4-6",
        "Training on one sample moves W_U, W and x by the printed equations.",
        "formula",
        MATRICES,
        matrix_equations,
    ),
    Claim(
        "G41",
        "gu2025",
        "Eqs 8-10; Gu 2024, section 4.2",
        "Every equilibrium of the matrix flow but the trivial one has gamma = 0.",
        "theorem",
        GROKKING,
        equilibria_with_error,
    ),
    Claim(
        "G42",
        "gu2025",
        "Theorem C.8; Gu 2024, Theorem 1",
        "There are maps of W_U, W, x to three numbers x, w, u that follow the three-variable system.",
        "theorem",
        NUMBERS,
        maps_exist,
    ),
    Claim(
        "G43",
        "gu2025",
        "proof of Theorem C.8; Gu 2024, appendix B.1",
        "x = w = u = 1 for a right answer and x = 0 for a wrong one satisfies the three-variable system.",
        "theorem",
        GROKKING,
        wrong_answers_rest,
    ),
    Claim(
        "G44",
        "gu2025",
        "Theorem C.9; Gu 2024, Theorem 2",
        "All non-trivial attractors (equilibrium points) of the three-variable system are stable.",
        "theorem",
        STABLE,
        stable_equilibria,
    ),
    Claim(
        "G45",
        "gu2025",
        "Eq. 18; Gu 2024, Eq. 23",
        "The derivative of V along the flow is (3xwu - wu - xu - xw)(1 - xwu).",
        "formula",
        PRINTED,
        printed_derivative,
    ),
    Claim(
        "G46",
        "gu2025",
        "after Eq. 18; Gu 2024, appendix B.2",
        "All leading principal minors are non-positive, hence V falls along the flow and (1, 1, 1) is stable.",
        "theorem",
        PRINTED,
        minors_and_stability,
    ),
    Claim(
        "G47",
        "gu2025",
        "Fig. 8; Gu 2024, Fig. 8",
        "The points of the unit cube move to the equilibrium (1, 1, 1).",
        "observation",
        CUBE,
        cube_moves_to_one,
    ),
    Claim(
        "G48",
        "gu2025",
        "Theorem C.12; Gu 2024, Theorem 5",
        "Lyapunov's theorem: a positive definite function that never grows along the flow makes an equilibrium stable.",
        "theorem",
        WORKS,
        lyapunov_theorem,
    ),
    Claim(
        "G49",
        "gu2025",
        "end of appendix C",
        "The stability theorem guarantees the existence of grokking.",
        "theorem",
        GROKKING,
        guarantees_grokking,
    ),
    Claim(
        "P01",
        "gu2024",
        "Eqs 1-3",
        "The network is y = W x + b with logits softmax(W_U y), and its error is gamma = c - W_U W x.",
        "formula",
        MATRICES,
        three_definitions,
    ),
    Claim(
        "P13",
        "gu2024",
        "appendix C.2, Definition 12",
        "Poincare sections, which trajectories cross again and again, describe how training ends in generalisation.",
        "theorem",
        GROKKING,
        poincare_sections,
    ),
)
