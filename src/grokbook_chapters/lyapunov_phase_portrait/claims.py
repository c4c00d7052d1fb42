"""Claims on the flow of three numbers: what rests, what is stable, whether V falls, and where the
cube goes."""

from __future__ import annotations

import numpy as np

from companion.claims import Finding, claim, judge
from grokbook.theory.triple_product import flow, limit_point, velocity
from grokbook_chapters.lyapunov_phase_portrait.cube_limits import cube_limits, largest_distance
from grokbook_chapters.lyapunov_phase_portrait.triple_stability import (
    leading_principal_minors,
    lyapunov_rate,
    printed_v_rate,
    rising_point,
    v_rate,
)

PRINTED = "The printed argument"
GROKKING = "What this says about grokking"
CUBE = np.random.default_rng(0).random((1000, 3))  # random points of the unit cube

# Points with x w u = 1, and points of an axis.
SURFACE = [np.array([1.0, 1, 1]), np.array([2.0, 1, 0.5])]
AXIS = [np.array([0.0, 0, 0.5]), np.array([0.0, 0, 1])]
RADIUS = 1e-4  # distance of starts from a point
FAR = 100  # radii from which on a limit counts as not near


@claim(
    "G43",
    "gu2025",
    "proof of Theorem C.8; Gu 2024, appendix B.1",
    section=GROKKING,
    kind="theorem",
    published="0",
    shown_by="counterexample",
    part_of="EG",
    says=(
        "the speed is {right:g} at (1, 1, 1) and {value:g} at (0, 1, 1), so that is no solution; "
        "at (0, 1, 0), with a second zero, it is {mended:g}"
    ),
)
def wrong_answers_rest() -> Finding:
    """x = w = u = 1 for a right answer and x = 0 for a wrong one satisfies the three-variable
    system.

    The proof has uwx, wx and x equal to 0, which leaves w and u open: a second zero may be chosen.
    """
    right = np.linalg.norm(velocity([1.0, 1, 1]))
    wrong = np.linalg.norm(velocity([0.0, 1, 1]))
    mended = np.linalg.norm(velocity([0.0, 1, 0]))
    return judge(
        right == 0,
        wrong == 0,
        corrected=right == mended == 0,
        value=wrong,
        right=right,
        mended=mended,
    )


@claim(
    "G45",
    "gu2025",
    "Eq. 18; Gu 2024, Eq. 23",
    section=PRINTED,
    kind="formula",
    published="1",
    shown_by="proof",
    part_of="EG",
    says="the true derivative is {value:.6g} times the printed one at 1,000 random points",
)
def printed_derivative() -> Finding:
    """The derivative of V along the flow is (3xwu - wu - xu - xw)(1 - xwu)."""
    factors = v_rate(CUBE) / printed_v_rate(CUBE)
    one_factor = np.ptp(factors) < 1e-6
    return judge(
        one_factor and abs(factors[0] - 1) < 1e-6,
        corrected=one_factor,
        value=np.median(factors),
    )


@claim(
    "G58",
    "gu2025",
    "before Eq. 18; Gu 2024, appendix B.2",
    section=PRINTED,
    kind="theorem",
    published="0 or more",
    shown_by="counterexample",
    part_of="EG",
    says="at 1,000 random points of the cube it is {value:.2g} at most: a slip for negative",
)
def v_rate_is_positive() -> Finding:
    """To be verified is that the derivative of V "is semi-positive definite within the unit cube".

    The next sentence of the paper has it negative.
    """
    rates = v_rate(CUBE)
    return judge(rates.min() >= 0, corrected=rates.max() <= 0, value=rates.max())


def starts_around(point: np.ndarray, radius: float, n: int) -> np.ndarray:
    """Random points at a distance from a point, (n, 3)."""
    step = np.random.default_rng(0).normal(size=(n, 3))
    return point + radius * step / np.linalg.norm(step, axis=1, keepdims=True)


def nearby_moves(point: np.ndarray) -> float:
    """The farthest limit from the point, in radii, of 200 starts at distance `RADIUS` from it."""
    away = limit_point(starts_around(point, RADIUS, 200)) - point
    return np.linalg.norm(away, axis=1).max() / RADIUS


@claim(
    "G46",
    "gu2025",
    "Theorem C.9, after Eq. 18, Fig. 8; Gu 2024, Theorem 2, Fig. 8",
    section=PRINTED,
    kind="theorem",
    shown_by="proof",
    also=("G41", "G44", "G47"),
    says=(
        "V, the squared distance from (1, 1, 1), does not grow at {kept} of {n} points of x, w, u "
        ">= 0, x w u <= 1 (largest rate {value:.0e}), and no path leaves that region: so starts in "
        "it move towards the point and stay near it. Towards is not to: of {n} starts of the cube "
        "{outside:.0%} end outside it, at a mean distance of {mean:.3f} from the point ({most:.5f} "
        "at most). The printed reason proves nothing: diag(-1, 1, 1) {has} all leading minors <= 0 "
        "and is indefinite. And outside the region V grows as near to the point as one likes "
        "({rise:.0e} at {near:.4f}). By another function the points of x w u = 1 are stable "
        "(starts at distance r end within {stays:.1f} r); the axes are not (some starts end more "
        "than {leaves:.0f} r away)"
    ),
)
def stable_equilibria(n: int = 20000) -> Finding:
    """The non-trivial equilibria are all stable: V falls within the unit cube, since all leading
    principal minors are non-positive, and points of the cube move "towards the equilibrium point
    (1,1,1)".

    Does V fall where x, w, u >= 0 and x w u <= 1, and all around (1, 1, 1)? Do leading minors <= 0
    show that? Do starts near points of the surface, and near points of an axis, end near them? With
    correction where V falls in that region and the points of the surface are stable: trivial has to
    be more than the origin. (Gu 2024, section 4.2, says of the matrices that all but a trivial
    equilibrium have no error; there too "stable" is left out.)
    """
    box = 2 * np.random.default_rng(0).random((4 * n, 3))  # most points outside the cube [0, 1]^3
    inside = v_rate(box[box.prod(axis=1) <= 1][:n])
    beside = rising_point(0.001)
    rise = v_rate(beside)
    indefinite = np.diag([-1.0, 1.0, 1.0])
    misled = max(leading_principal_minors(indefinite)) <= 0 < np.linalg.eigvalsh(indefinite).max()
    stays = max(map(nearby_moves, SURFACE))
    leaves = min(map(nearby_moves, AXIS))
    falls = inside.max() <= 0
    cube = cube_limits(n)
    return judge(
        falls,
        not misled,
        rise <= 0,
        stays < FAR,
        leaves < FAR,
        corrected=falls and stays < FAR,
        value=inside.max(),
        kept=(inside <= 0).sum(),
        n=n,
        has="has" if misled else "has not",
        rise=rise,
        near=np.linalg.norm(beside - 1),
        stays=stays,
        leaves=leaves,
        outside=cube.share_outside,
        mean=cube.mean_distance.value,
        most=largest_distance(),
    )


@claim(
    "G48",
    "gu2025",
    "Theorem C.12; Gu 2024, Theorem 5",
    section="The loss itself is a function that works",
    kind="theorem",
    shown_by="proof",
    part_of="XG25",
    says=(
        "an instance: near (2, 1, 1/2) the rate of (1 - x w u)^2 / 2 plus the squared changes of "
        "the invariants is at most {worst:.0e}, and of {n} starts at distance 0.01 from it none "
        "gets farther away than {value:.3f}"
    ),
)
def lyapunov_theorem(n: int = 30) -> Finding:
    """Lyapunov's theorem: a positive definite function that never grows along the flow makes an
    equilibrium stable."""
    point = SURFACE[1]
    starts = starts_around(point, 0.01, n)
    worst = np.max(lyapunov_rate(starts))
    paths = np.array([flow(start, np.linspace(0, 5, 40)) for start in starts])
    farthest = np.linalg.norm(paths - point, axis=2).max()
    return judge(worst <= 0, farthest < 0.1, value=farthest, worst=worst, n=n)
