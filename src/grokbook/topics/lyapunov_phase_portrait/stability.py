"""Claims on the flow of three numbers: what rests, what is stable, whether V falls, and where the cube goes."""

from __future__ import annotations

import numpy as np

from grokbook.claims import Finding, claim, found, judge
from grokbook.theory.cube_limits import cube_limits, largest_distance
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

PRINTED, GROKKING = "The printed argument and what is wrong with it", "What this says about grokking"


@claim("G43", "gu2025", "proof of Theorem C.8; Gu 2024, appendix B.1", section=GROKKING, kind="theorem",
       published="1 (all)",
       says=("(1, 1, 1) is at rest (speed {right:g}), but of {n} random points (0, w, u) of the cube {value:.0%} are; ",
             "there x' = w u, up to {most:.2f}"))  # fmt: skip
def wrong_answers_rest(n: int = 1000) -> Finding:
    """x = w = u = 1 for a right answer and x = 0 for a wrong one satisfies the three-variable system.

    The proof of Theorem C.8 needs every (0, w, u) to be an equilibrium.
    """
    points = np.random.default_rng(0).random((n, 3)) * [0, 1, 1]
    speed = np.linalg.norm(velocity(points), axis=1)
    resting, right = float((speed == 0).mean()), float(np.abs(velocity([1.0, 1.0, 1.0])).max())
    return judge(resting == 1 and right == 0, value=resting, low=1, high=1, right=right, n=n, most=speed.max())


def nearby_moves(point: np.ndarray, radius: float, n: int = 200) -> float:
    """The farthest limit from the point, in radii, of starts at this distance from it."""
    step = np.random.default_rng(0).normal(size=(n, 3))
    starts = point + radius * step / np.linalg.norm(step, axis=1, keepdims=True)
    return float(np.linalg.norm(limit_point(starts) - point, axis=1).max() / radius)


@claim("G44", "gu2025", "Theorem C.9; Gu 2024, Theorem 2", section="Equilibria and what is stable", kind="theorem",
       says=("the points of x w u = 1 are stable (starts at distance r end within {value:.1f} r; eigenvalues at ",
             "(1, 1, 1): {at_one[0]:g}, 0, 0) but none attracts; the other equilibria, the axes, are not stable (some ",
             "starts end more than {left:.0f} r away; eigenvalues at (0, 0, 1): {at_axis[0]:g}, 0, {at_axis[2]:g})"))
def stable_equilibria() -> Finding:
    """All non-trivial attractors (equilibrium points) of the three-variable system are stable.

    How far starts at a small distance from points of the surface, and from points of the axes, end away.
    """
    surface, axis = [np.array([1.0, 1, 1]), np.array([2.0, 1, 0.5])], [np.array([0.0, 0, v]) for v in (0.5, 1.0)]
    kept = max(nearby_moves(point, radius) for point in surface for radius in (1e-3, 1e-6))
    left = min(nearby_moves(point, radius) for point in axis for radius in (1e-3, 1e-6))
    verdict = "fails" if kept > 100 else "holds with correction" if left > 100 else "holds"
    return found(verdict, kept, 1, 100, left=left, at_one=eigenvalues(surface[0]), at_axis=eigenvalues(axis[1]))


@claim("G45", "gu2025", "Eq. 18; Gu 2024, Eq. 23", section=PRINTED, kind="formula", published="1",
       says=("the true derivative is {high:.6g} times the printed one at {n} random points; symbolically it {twice} ",
             "twice the printed one; at (1/2, 1/2, 1/2): {true:g} against {printed:g}"))  # fmt: skip
def printed_derivative(n: int = 1000) -> Finding:
    """The derivative of V along the flow is (3xwu - wu - xu - xw)(1 - xwu)."""
    points = np.random.default_rng(0).random((n, 3))
    ratio = v_rate(points) / printed_v_rate(points)
    low, high = float(ratio.min()), float(ratio.max())
    proportional = high - low < 1e-6 * abs(high)
    same = proportional and abs(high - 1) < 1e-6
    verdict = "holds" if same else "holds with correction" if proportional else "fails"
    twice = "is" if identities()["dV"] == 0 else "is not"
    return found(verdict, float(np.median(ratio)), low, high, n=n, twice=twice,
                 true=v_rate([0.5] * 3), printed=printed_v_rate([0.5] * 3))  # fmt: skip


@claim("G46", "gu2025", "after Eq. 18; Gu 2024, appendix B.2", section=PRINTED, kind="theorem",
       says=("V grows at {rising} of {of} points that approach (1, 1, 1): rate {value:.1e} at distance {far:.2f}, ",
             "{last:.0e} at {near:.4f}; diag(-1, 1, 1) {has} all leading minors <= 0 and is indefinite. Inside the ",
             "cube V does fall (largest rate {inside:.0e} at {n} points), but the cube is no neighbourhood of its ",
             "corner; (1, 1, 1) is stable for another reason (G44)"))  # fmt: skip
def minors_and_stability(n: int = 20000) -> Finding:
    """All leading principal minors are non-positive, hence V falls along the flow and (1, 1, 1) is stable.

    Does V fall in a neighbourhood of (1, 1, 1), and do leading minors <= 0 show that a form is <= 0?
    """
    points = [rising_point(r) for r in (0.1, 0.01, 0.001)]
    rates, (far, *_, near) = [v_rate(point) for point in points], [np.linalg.norm(point - 1) for point in points]
    rising = sum(rate > 0 for rate in rates)
    indefinite = np.diag([-1.0, 1.0, 1.0])
    misled = max(leading_principal_minors(indefinite)) <= 0 < np.linalg.eigvalsh(indefinite).max()
    inside = np.max(v_rate(np.random.default_rng(0).random((n, 3))))
    return judge(not (rising and misled), value=rates[0], low=0, high=0, rising=rising, of=len(points), far=far,
                 near=near, last=rates[-1], has="has" if misled else "has not", inside=inside, n=n)  # fmt: skip


@claim("G47", "gu2025", "Fig. 8; Gu 2024, Fig. 8", section="Figure 8, redrawn", published="0 (all at (1, 1, 1))",
       says=("of {n} random starts {share:.0%} end at (1, 1, 1) and {outside:.0%} outside the cube; mean distance ",
             "{value:.4f} +- {error:.4f} (at most {most:.5f}), within 0.1: {close[0]:.3f} +- {close[1]:.3f}; only ",
             "starts with x = w = u get there (error {diagonal:.0e})"))  # fmt: skip
def cube_moves_to_one(n: int = 20000) -> Finding:
    """The points of the unit cube move to the equilibrium (1, 1, 1)."""
    limits = cube_limits(n)
    share = float((limits.distance < 1e-6).mean())
    mean, error = limits.mean_distance
    diagonal = np.abs(limit_point(np.full((9, 3), np.linspace(0.1, 0.9, 9)[:, None])) - 1).max()
    return judge(share == 1, value=mean, low=mean - 2 * error, high=mean + 2 * error, n=n, share=share, error=error,
                 outside=limits.share_outside, most=largest_distance(), close=limits.share_within(0.1),
                 diagonal=diagonal)  # fmt: skip


@claim("G48", "gu2025", "Theorem C.12; Gu 2024, Theorem 5", section="A function that works", kind="theorem",
       says=("a standard theorem, checked on two points of x w u = 1 with (1 - x w u)^2 / 2 plus the squared changes ",
             "of the invariants: its rate is at most {worst:.0e}, and {value:.0f} of {tried} starts below its least ",
             "value at distance {epsilon:g} ever get that far"))  # fmt: skip
def lyapunov_theorem(n: int = 30) -> Finding:
    """Lyapunov's theorem: a positive definite function that never grows along the flow makes an equilibrium stable.

    An instance that it covers: points of the surface and `surface_lyapunov`. With m its least value at distance
    epsilon, starts nearer than epsilon whose value is below m must stay nearer than epsilon.
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
    return judge(left == 0, worst <= 0, value=float(left), low=0, high=0, worst=worst, tried=tried, epsilon=epsilon)


@claim("P13", "gu2024", "appendix C.2, Definition 12", section=GROKKING, kind="theorem", published="all",
       says=("{value:.0f} of {n} trajectories come back to the level of L = (1 - x w u)^2 / 2 they start on (largest ",
             "rise of L between two times {risen:.0e}): every path runs to a point of rest, so no closed section is ",
             "crossed again by all"))  # fmt: skip
def poincare_sections(n: int = 40) -> Finding:
    """Poincare sections, which trajectories cross again and again, describe how training ends in generalisation.

    Does any trajectory come back to a section, as Definition 12 (2) asks? The sections are the level sets of L,
    transverse to the flow wherever it moves: a return needs an equal L.
    """
    starts, times = np.random.default_rng(0).normal(size=(n, 3)), np.linspace(0, 10, 60)
    losses = np.stack([lyapunov(flow(start, times, rtol=1e-8)) for start in starts])
    back = int((losses[:, 1:] >= losses[:, :1]).any(axis=1).sum())
    return judge(back > 0, value=float(back), low=n, high=n, n=n, risen=np.diff(losses).max())
