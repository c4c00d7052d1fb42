"""Claims of the predecessor on its family of maps and on distances (Gu 2024, section 4, App. F)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import sympy
import xarray as xr
from scipy.linalg import null_space

from grokbook.claims import Finding, Runs, claim, found, judge
from grokbook.claims.finding import UNDECIDED
from grokbook.experiments.gu2025 import fig5
from grokbook.measures import circle_med, med
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import diameter

BEFORE = "The predecessor's family of maps"


def region_map(x: np.ndarray, same: bool, root: bool = False) -> np.ndarray:
    """One of the paper's maps to [0, 1] in the plane, at points x (n, 2): from Urysohn's lemma, written out.

    A is the closed half plane y >= x with 0 on its edge (the complement of a cone), B the disc of radius 1/2 about
    (2, 0). The map is d(x, A) / (d(x, A) + d(x, B)): 0 on A, 1 on B; for `same` = False one minus it, as the paper
    has it for an output that is not the answer. `root` takes its root, another function with the same values on A, B.

    Example:
        >>> region_map(np.array([[2.0, 0.0], [-1.0, 0.0]]), same=True).tolist()
        [1.0, 0.0]
    """
    to_a = np.maximum(x[:, 0] - x[:, 1], 0) / np.sqrt(2)
    to_b = np.maximum(np.linalg.norm(x - [2, 0], axis=1) - 0.5, 0)
    value = to_a / (to_a + to_b)
    value = np.sqrt(value) if root else value
    return value if same else 1 - value


@claim("P03", "gu2024", "Definition 4", section=BEFORE, kind="theorem", shown_by="counterexample",
       says=("F(x)/|x| at |x| = 1e-{power} is {at[s not c]:.0e} for the maps of s not c, which are 1 at 0, {at[its ",
             "root]:.0e} for another choice of F with s = c and {at[s = c]:.1f} for the simplest one; and without an ",
             "absolute value -F has {minus:.1f}"))  # fmt: skip
def supremum_is_a_norm(decades: int = 12) -> Finding:
    """sup F(x) / |x| is a norm of the maps F.

    The quotient along rays to 0, for the paper's own maps, and for minus such a map.
    """
    radii = 10.0 ** -np.arange(decades)
    rays = np.stack([radii, -radii], axis=1) / np.sqrt(2)
    kinds = {"s = c": (True, False), "its root": (True, True), "s not c": (False, False)}
    quotient = {name: region_map(rays, *kind) / radii for name, kind in kinds.items()}
    grows = sum(q[-1] > 1e3 * q[0] for q in quotient.values())
    minus = float((-quotient["s = c"]).max())
    return judge(grows == 0 and minus >= 0, value=float(grows), low=0, high=0, power=decades - 1, minus=minus,
                 at={name: q[-1] for name, q in quotient.items()})  # fmt: skip


@claim("P04", "gu2024", "Theorem 3", section=BEFORE, kind="theorem", shown_by="count",
       says=("{value:.0f} shifts with d1 + d2 dividing p change the class (p = {p}: those with d1 + d2 = 1); with p ",
             "dividing d1 + d2 {reversed} do, and the maps are then one and the same by construction"))  # fmt: skip
def divisibility(primes: tuple[int, ...] = (5, 7, 11)) -> Finding:
    """If d1 + d2 divides p, the maps of (i, j) and (i + d1, j + d2) are equal.

    Which shifts (d1, d2) keep the class of (i, j), against "d1 + d2 divides p" and "p divides d1 + d2".
    """
    printed = mended = 0
    for p in primes:
        label = np.add.outer(np.arange(p), np.arange(p)) % p
        for d1, d2 in np.ndindex(p, p):
            keeps = np.array_equal(np.roll(label, (-d1, -d2), (0, 1)), label)
            printed += d1 + d2 in sympy.divisors(p) and not keeps
            mended += ((d1 + d2) % p == 0) != keeps
    verdict = "holds" if not printed else "fails" if mended else "holds with correction"
    return found(verdict, float(printed), 0, 0, p=", ".join(map(str, primes)), reversed=mended)


@claim("P06", "gu2024", "Assumption 2, Eq. 11", section=BEFORE, kind="formula", shown_by="proof",
       says=("with d(p) = 0, Theorem 3 for d1 = p, d2 = 0, the equations d(t) = t epsilon for t = 1 to p have ",
             "{value:.0f} non-zero solutions at p = {p}: p epsilon = 0; a distance that is nearly linear for small t ",
             "and 0 at p, such as 2 sin(pi t/p), agrees with Theorem 3"))  # fmt: skip
def linear_distance(p: int = 97, theorem: bool = True) -> Finding:
    """Once all systems are learnt, the distance of the maps of (i, j) and (i + t, j) is t epsilon.

    The paper's own Theorem 3, in the same case and for d1 = p, d2 = 0, makes the maps at t = p equal.
    """
    equations = np.hstack([np.eye(p), -np.arange(1, p + 1)[:, None]])
    if theorem:
        equations = np.vstack([equations, np.eye(p + 1)[p - 1]])
    solutions = null_space(equations).shape[1]
    return judge(solutions > 0, value=float(solutions), low=1, high=1, p=p)


def late_and_best(dataset: xr.Dataset) -> pd.DataFrame:
    """One row a seed: the largest MED of the last 20 logged steps (late) and the largest test accuracy (best)."""
    late, best = dataset.med.isel(step=slice(-20, None)).max("step"), dataset.test_accuracy.max("step")
    return pd.DataFrame({"late": late.values, "best": best.values})


@claim("P08", "gu2024", "Property 1", section=BEFORE, seconds=3,
       runs=lambda: {p: fig5(p) for p in (47, 97)}, through=late_and_best,
       says=("e exists in {learned[0]} of {learned[1]} runs that generalise and in {others[0]} of {others[1]} that do ",
             "not (late MED up to {most:.2f}): it says nothing of a limit of generalisation, and e is an upper bound, ",
             "not the 'lower bound' of the text"))  # fmt: skip
def bounded_in_the_end(runs: Runs) -> Finding:
    """From some step on MED stays below some number e (and oscillates), and that marks the limit of generalisation.

    A bound e of MED after some step, in runs that generalise and in runs that do not.
    """
    table = pd.concat(runs.values())
    learned, bounded = table.best >= 0.95, np.isfinite(table.late)
    tells = bounded[learned].all() and not bounded[~learned].any() and (~learned).any()
    verdict = "holds" if tells else "vacuous" if bounded.all() else "fails"
    return found(verdict if runs.complete(1) else UNDECIDED, float(bounded.mean()), 0, 1, most=table.late.max(),
                 learned=(bounded[learned].sum(), learned.sum()),
                 others=(bounded[~learned].sum(), (~learned).sum()))  # fmt: skip


@claim("P14", "gu2024", "appendix F", section="Weight decay does not know the names", shown_by="counterexample",
       says=("the circle of frequency {k} has neighbours at {value:.3f} of its diameter (p = {p}); over all ",
             "frequencies the ratio runs from {low:.2f} to {high:.2f} with mean {mean:.2f}, so one half rejects no ",
             "circle; it does reject the one in the natural order (frequency 1: {first:.2f})"))
def half_the_diameter(p: int = 97) -> Finding:
    """Neighbours at about half the diameter indicate that the embedding is not aligned with a circle.

    Is there a circle, of a prime modulus p, on which neighbours are half the diameter apart?
    """
    ratios = np.array([circle_med(p, [k]) / (2 * np.cos(np.pi / (2 * p))) for k in range(1, p // 2 + 1)])
    nearest = int(np.argmin(np.abs(ratios - 0.5))) + 1
    wheel = circle(p, nearest)
    measured = med(wheel) / diameter(wheel)
    return judge(abs(measured - 0.5) >= 0.05, value=measured, low=ratios.min(), high=ratios.max(), k=nearest, p=p,
                 mean=ratios.mean(), first=ratios[0])  # fmt: skip
