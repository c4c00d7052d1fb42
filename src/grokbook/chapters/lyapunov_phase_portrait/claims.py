"""Claims on the flow of three numbers: what rests, what is stable, whether V falls, and where the cube goes."""

from __future__ import annotations

import numpy as np
import torch

from grokbook.claims import Finding, claim, judge
from grokbook.theory.cube_limits import cube_limits, largest_distance
from grokbook.theory.triple_product import flow, limit_point, velocity
from grokbook.theory.triple_stability import (
    eigenvalues,
    identities,
    leading_principal_minors,
    lyapunov,
    lyapunov_rate,
    printed_v,
    printed_v_rate,
    rising_point,
    surface_lyapunov,
    v_rate,
)

PRINTED, GROKKING = "The printed argument", "What this says about grokking"


@claim("G43", "gu2025", "proof of Theorem C.8; Gu 2024, appendix B.1", section=GROKKING, kind="theorem",
       published="1 (all)", shown_by="counterexample", part_of="EG",
       says=("(1, 1, 1) is at rest (speed {right:g}); of {n} random points (0, w, u) of the cube {value:.0%} are ",
             "(there x' = w u, up to {most:.2f}), of those with w = 0 as well {both:.0%}"))  # fmt: skip
def wrong_answers_rest(n: int = 1000) -> Finding:
    """x = w = u = 1 for a right answer and x = 0 for a wrong one satisfies the three-variable system.

    Does every (0, w, u) rest, as the proof of Theorem C.8 says, or only those with another zero? The proof has uwx, wx
    and x equal to 0, which leaves w and u open: a second zero may be chosen.
    """
    points = np.random.default_rng(0).random((n, 3)) * [0, 1, 1]
    speed, other = (np.linalg.norm(velocity(points * mask), axis=1) for mask in ([1, 1, 1], [1, 0, 1]))
    resting, right = float((speed == 0).mean()), float(np.abs(velocity([1.0, 1.0, 1.0])).max())
    return judge(resting == 1, right == 0, corrected=not other.any() and right == 0, value=resting,
                 right=right, n=n, most=speed.max(), both=(other == 0).mean())  # fmt: skip


@claim("G57", "gu2025", "proof of Theorem C.8; Gu 2024, appendix B.1", section="From matrices to three numbers",
       kind="theorem", published="exist", shown_by="proof", says=(
    "the functions of the proof are constant, 0, as long as the answer is wrong, and 1 in the end; but of {n} paths ",
    "with x w u = 0 at the start {resting} rest and the product of the others is at least {value:.1e} by time 0.1: ",
    "none stays at 0 and goes to 1 later, so none of these functions follows a sample that is learned"))  # fmt: skip
def urysohn_follows(n: int = 60) -> Finding:
    """Functions by Urysohn's lemma, 0 where the answer is wrong and 1 on the trained outputs, are the maps of Theorem
    C.8: their product f(W_U W x) = uwx follows the equations.

    The proof compares the two values with the equations and nothing in between. Is there a path of the system whose
    product stays 0 for a time and is 1 in the end? Where it is 0 it grows by |g|^2, so it is left at once, or g = 0 and
    nothing ever moves.
    """
    starts = np.random.default_rng(0).normal(size=(n, 3)) * (np.arange(3) >= 1 + np.arange(n)[:, None] % 2)
    products = np.array([flow(start, [0, 0.1, 200]).prod(axis=1) for start in starts])
    late, moving = (np.abs(products[:, 1]) < 1e-12) & (products[:, 2] > 0.99), velocity(starts).any(axis=1)
    return judge(bool(late.any()), value=float(products[moving, 1].min()), n=n,
                 resting=int((~moving).sum()))  # fmt: skip


def nearby_moves(point: np.ndarray, radius: float, n: int = 200, target: float = 1.0) -> float:
    """The farthest limit from the point, in radii, of starts at this distance from it."""
    step = np.random.default_rng(0).normal(size=(n, 3))
    starts = point + radius * step / np.linalg.norm(step, axis=1, keepdims=True)
    return float(np.linalg.norm(limit_point(starts, target=target) - point, axis=1).max() / radius)


# Points with x w u = 1, and points of an axis.
SURFACE, AXIS = [np.array([1.0, 1, 1]), np.array([2.0, 1, 0.5])], [np.array([0.0, 0, v]) for v in (0.5, 1.0)]
FAR = 100  # radii from which on a limit counts as not near


@claim("G44", "gu2025", "Theorem C.9; Gu 2024, Theorem 2", section="Equilibria and what is stable", kind="theorem",
       shown_by="proof",
       says=("with target 1 the points of x w u = 1 are stable (starts at distance r end within {value:.1f} r; ",
             "eigenvalues at (1, 1, 1): {at_one[0]:g}, 0, 0) but none attracts, and the axes are not stable (some ",
             "starts end more than {left:.0f} r away; eigenvalues at (0, 0, 1): {at_axis[0]:g}, 0, {at_axis[2]:g}); ",
             "with target 0 all are, the axes and the origin too (within {zero:.1f} r)"))
def stable_equilibria() -> Finding:
    """The "non-trivial attractors (equilibrium points)" of the three-variable system "are all stable".

    How far starts at a small distance from points of the surface, and from points of the axes, end away, with both
    targets of the theorem. As in G41, trivial must be more than the origin: two zeros, where no gradient is left.
    """
    radii = (1e-3, 1e-6)
    kept = max(nearby_moves(point, radius) for point in SURFACE for radius in radii)
    left = min(nearby_moves(point, radius) for point in AXIS for radius in radii)
    resting = [*AXIS, np.zeros(3), np.array([0.0, 1, 0.5])]
    zero = max(nearby_moves(point, radius, target=0.0) for point in resting for radius in radii)
    stable = max(kept, zero) < FAR
    return judge(stable and left < FAR, corrected=stable, value=kept, low=1, high=FAR, left=left, zero=zero,
                 at_one=eigenvalues(SURFACE[0]), at_axis=eigenvalues(AXIS[1]))  # fmt: skip


@claim("G45", "gu2025", "Eq. 18; Gu 2024, Eq. 23", section=PRINTED, kind="formula", published="1", shown_by="proof",
       part_of="EG",
       says=("the true derivative is {high:.6g} times the printed one at {n} random points; symbolically it {twice} ",
             "twice the printed one; at (1/2, 1/2, 1/2): {true:g} against {printed:g}"))  # fmt: skip
def printed_derivative(n: int = 1000) -> Finding:
    """The derivative of V along the flow is (3xwu - wu - xu - xw)(1 - xwu)."""
    points = np.random.default_rng(0).random((n, 3))
    ratio = v_rate(points) / printed_v_rate(points)
    low, high = float(ratio.min()), float(ratio.max())
    proportional = high - low < 1e-6 * abs(high)
    twice = "is" if identities()["dV"] == 0 else "is not"
    return judge(proportional and abs(high - 1) < 1e-6, corrected=proportional, value=float(np.median(ratio)), low=low,
                 high=high, n=n, twice=twice, true=v_rate([0.5] * 3), printed=printed_v_rate([0.5] * 3))  # fmt: skip


@claim("G58", "gu2025", "before Eq. 18; Gu 2024, appendix B.2", section=PRINTED, kind="theorem", published="0 or more",
       shown_by="counterexample", part_of="EG",
       says=("at (1/2, 1/2, 1/2) it is {value:g}: a slip for negative, as the next sentence of the paper has it; V ",
             "does not grow at {kept} of {n} points of the cube"))
def v_rate_is_positive(n: int = 1000) -> Finding:
    """To be verified is that the derivative of V "is semi-positive definite within the unit cube"."""
    inside, middle = v_rate(np.random.default_rng(0).random((n, 3))), float(v_rate([0.5] * 3))
    return judge(bool(inside.min() >= 0), corrected=bool(inside.max() <= 0), value=middle,
                 kept=int((inside <= 0).sum()), n=n)  # fmt: skip


@claim("G46", "gu2025", "after Eq. 18; Gu 2024, appendix B.2", section=PRINTED, kind="theorem", shown_by="proof",
       says=("V does not grow at {kept} of {n} points of x, w, u >= 0, x w u <= 1 (largest rate {value:.0e}), and no ",
             "path leaves that region, so V proves (1, 1, 1) stable for starts in it. The printed reason does not: ",
             "diag(-1, 1, 1) {has} all leading minors <= 0 and is indefinite. And the region is no neighbourhood: V ",
             "grows at {rising} of {of} points that approach (1, 1, 1) from outside ({last:.0e} at {near:.4f}); there ",
             "the point is stable by another function (G44)"))  # fmt: skip
def minors_and_stability(n: int = 20000) -> Finding:
    """V falls within the unit cube, since all leading principal minors are non-positive, so (1, 1, 1) is stable.

    Does V fall where x, w, u >= 0 and x w u <= 1, and all around (1, 1, 1)? Do leading minors <= 0 show that?
    Inequality and conclusion may stand by another reason.
    """
    points = [rising_point(r) for r in (0.1, 0.01, 0.001)]
    rates, near = [v_rate(point) for point in points], np.linalg.norm(points[-1] - 1)
    rising = sum(rate > 0 for rate in rates)
    indefinite = np.diag([-1.0, 1.0, 1.0])
    misled = max(leading_principal_minors(indefinite)) <= 0 < np.linalg.eigvalsh(indefinite).max()
    box = 2 * np.random.default_rng(0).random((4 * n, 3))  # most points outside the cube [0, 1]^3
    inside = v_rate(box[box.prod(axis=1) <= 1][:n])
    falls, stable = bool(inside.max() <= 0), nearby_moves(SURFACE[0], 1e-6) < FAR
    return judge(falls, not misled, rising == 0, corrected=falls and stable, value=float(inside.max()),
                 rising=rising, of=len(points), near=near, last=rates[-1], has="has" if misled else "has not", n=n,
                 kept=int((inside <= 0).sum()))  # fmt: skip


@claim("G47", "gu2025", "Fig. 8; Gu 2024, Fig. 8", section="Figure 8 redrawn: paths end beside the point",
       shown_by="proof", published="towards (1, 1, 1)",
       says=("on {closer} of {paths} paths from the cube the distance to (1, 1, 1) falls all the way. Towards is not ",
             "to: of {n} starts {share:.0%} end there and {outside:.0%} outside the cube, at a mean distance of ",
             "{value:.4f} +- {error:.4f} (at most {most:.5f}; {before:.4f} at the start); only starts with x = w = u ",
             "get there (error {diagonal:.0e})"))  # fmt: skip
def cube_moves_to_one(n: int = 20000, paths: int = 30) -> Finding:
    """The figure shows "points within the unit cube moving towards the equilibrium point (1,1,1)".

    Does the distance to (1, 1, 1) fall along paths from the cube? That they end there is not said.
    """
    limits = cube_limits(n)
    mean, error = limits.mean_distance
    distances = np.sqrt([printed_v(flow(start, np.linspace(0, 4, 30))) for start in limits.starts[:paths]])
    closer = int((np.diff(distances, axis=1) < 0).all(axis=1).sum())
    diagonal = np.abs(limit_point(np.full((9, 3), np.linspace(0.1, 0.9, 9)[:, None])) - 1).max()
    return judge(closer == paths, value=mean, low=mean - 2 * error, high=mean + 2 * error, n=n, error=error,
                 share=float((limits.distance < 1e-6).mean()), closer=closer, paths=paths, diagonal=diagonal,
                 outside=limits.share_outside, most=largest_distance(),
                 before=np.linalg.norm(limits.starts - 1, axis=1).mean())  # fmt: skip


@claim("G48", "gu2025", "Theorem C.12; Gu 2024, Theorem 5", section="The loss itself is a function that works",
       kind="theorem", shown_by="proof", part_of="XG25", says=(
    "checked on two points of x w u = 1 with (1 - x w u)^2 / 2 plus the squared changes of the invariants: its rate ",
    "is at most {worst:.0e}; {value:.0f} of {tried} starts below its least value at {epsilon:g} get that far"))
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


@claim("P13", "gu2024", "appendix C.2, Definition 12", section=GROKKING, kind="theorem", published="every trajectory",
       shown_by="counterexample",
       says=("under the gradient flow of L = (1 - x w u)^2 / 2, the paper's own system, {value:.0f} of {n} paths ",
             "cross a level of L a second time (a level is a section; L never rises); under AdamW, even with decay ",
             "off, {adam} of {n} do: that training returns has to be assumed"))  # fmt: skip
def poincare_sections(n: int = 40) -> Finding:
    """Poincare sections, which every trajectory from nearby crosses again, show how training ends in generalisation.

    Do paths cross a level set of L a second time, as Definition 12 (2) asks: under the flow, and under AdamW?
    """
    starts, times = np.random.default_rng(0).normal(size=(n, 3)), np.linspace(0, 10, 60)
    paths = np.stack([flow(start, times, rtol=1e-8) for start in starts])
    back, adam = (int((np.diff(lyapunov(p), axis=1).max(axis=1) > 1e-9).sum()) for p in (paths, adamw_paths(starts)))
    return judge(back == n, assumed=adam == n, value=float(back), n=n, adam=adam)


def adamw_paths(starts: np.ndarray, steps: int = 500, learning_rate: float = 0.01) -> np.ndarray:
    """Paths (n, steps, 3) of AdamW on L = (1 - x w u)^2 / 2 from starts (n, 3); the book's betas, no decay."""
    point, path = torch.tensor(starts, requires_grad=True), []
    optimiser = torch.optim.AdamW([point], learning_rate, betas=(0.9, 0.98), weight_decay=0)
    for _ in range(steps):
        path.append(point.detach().numpy().copy())
        optimiser.zero_grad()
        ((1 - point.prod(dim=1)) ** 2 / 2).sum().backward()
        optimiser.step()
    return np.stack(path, axis=1)
