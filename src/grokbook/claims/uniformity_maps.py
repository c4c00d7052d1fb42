"""Checks of the predecessor's claims on its family of maps and on distances (Gu 2024, section 4, App. F)."""

from __future__ import annotations

import numpy as np
import sympy
import xarray as xr
from scipy.linalg import null_space

from grokbook.claims.finding import Finding
from grokbook.claims.tracking import recorded_fig5
from grokbook.measures import circle_med, med
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import diameter

MODULI = (47, 97)


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


def supremum_is_a_norm(decades: int = 12) -> Finding:
    """P03: sup F(x) / |x| along rays to 0, for the paper's own maps, and for minus such a map."""
    radii = 10.0 ** -np.arange(decades)
    rays = np.stack([radii, -radii], axis=1) / np.sqrt(2)
    kinds = {"s = c": (True, False), "its root": (True, True), "s not c": (False, False)}
    quotient = {name: (region_map(rays, *kind) / radii) for name, kind in kinds.items()}
    grows = {name: q[-1] > 1e3 * q[0] for name, q in quotient.items()}
    minus = float((-region_map(rays, True) / radii).max())
    evidence = (
        f"F(x)/|x| at |x| = 1e-{decades - 1} is {quotient['s not c'][-1]:.0e} for the maps of s not c, which are 1 at "
        f"0, {quotient['its root'][-1]:.0e} for another choice of F with s = c and {quotient['s = c'][-1]:.1f} for the "
        f"simplest one; and without an absolute value -F has {minus:.1f}"
    )
    fails = any(grows.values()) or minus < 0
    return Finding("fails" if fails else "holds", evidence, float(sum(grows.values())), 0, 0)


def divisibility(primes: tuple[int, ...] = (5, 7, 11)) -> Finding:
    """P04: which shifts (d1, d2) keep the class of (i, j), against "d1 + d2 divides p" and "p divides d1 + d2"."""
    wrong = {"printed": 0, "reversed": 0}
    for p in primes:
        label = np.add.outer(np.arange(p), np.arange(p)) % p
        for d1, d2 in np.ndindex(p, p):
            keeps = np.array_equal(np.roll(label, (-d1, -d2), (0, 1)), label)
            wrong["printed"] += d1 + d2 in sympy.divisors(p) and not keeps
            wrong["reversed"] += ((d1 + d2) % p == 0) != keeps
    verdict = "holds" if not wrong["printed"] else "holds with correction" if not wrong["reversed"] else "fails"
    evidence = (
        f"{wrong['printed']} shifts with d1 + d2 dividing p change the class (p = {', '.join(map(str, primes))}: those "
        f"with d1 + d2 = 1); with p dividing d1 + d2 {wrong['reversed']} do, and the maps are then one and the same by "
        "construction"
    )
    return Finding(verdict, evidence, float(wrong["printed"]), 0, 0)


def linear_distance(p: int = 97, cyclic: bool = True) -> Finding:
    """P06: distances |F_i - F_(i+t)| = t epsilon for t = 1 .. p - 1; on a ring the distance at t is that at p - t."""
    t = np.arange(1, p)
    equations = np.hstack([np.eye(p - 1), -t[:, None]])
    if cyclic:
        ring = np.eye(p - 1) - np.eye(p - 1)[::-1]
        equations = np.vstack([equations, np.hstack([ring, np.zeros((p - 1, 1))])])
    solutions = null_space(equations).shape[1]
    evidence = (
        f"with d(t) = d(p - t) the equations d(t) = t epsilon have {solutions} non-zero solutions at p = {p}: epsilon "
        "is 0, since t = 1 and t = p - 1 are the same distance; a circle has 2 sin(pi t/p)"
    )
    return Finding("fails" if solutions == 0 else "holds", evidence, float(solutions), 1, 1)


def bounded_in_the_end(datasets: list[xr.Dataset] | None = None) -> Finding:
    """P08: a bound e of MED after some step, in runs that generalise and in runs that do not."""
    given = [recorded_fig5(p) for p in MODULI] if datasets is None else datasets
    if any(dataset is None for dataset in given):
        return Finding("not run", "the records of p = 47 and 97 are not complete")
    late = [float(d.med.sel(seed=s)[-20:].max()) for d in given for s in d.seed.values]
    best = [float(d.test_accuracy.sel(seed=s).max()) for d in given for s in d.seed.values]
    learned = np.array(best) >= 0.95
    bounded = np.isfinite(late)
    evidence = (
        f"e exists in {bounded[learned].sum()} of {learned.sum()} runs that generalise and in "
        f"{bounded[~learned].sum()} of {(~learned).sum()} that do not (late MED up to {max(late):.2f}): it "
        "says nothing of a limit of generalisation, and e is an upper bound, not the 'lower bound' of the text"
    )
    tells = bounded[learned].all() and not bounded[~learned].any() and (~learned).any()
    return Finding("holds" if tells else "vacuous" if bounded.all() else "fails", evidence, float(bounded.mean()), 0, 1)


def half_the_diameter(p: int = 97) -> Finding:
    """P14: is there a circle on which neighbours are half the diameter apart?"""
    if not sympy.isprime(p):
        p = int(sympy.prevprime(p))
    ratios = np.array([circle_med(p, [k]) / (2 * np.cos(np.pi / (2 * p))) for k in range(1, p // 2 + 1)])
    nearest = int(np.argmin(np.abs(ratios - 0.5))) + 1
    wheel = circle(p, nearest)
    measured = med(wheel) / diameter(wheel)
    evidence = (
        f"the circle of frequency {nearest} has neighbours at {measured:.3f} of its diameter (p = {p}); over all "
        f"frequencies the ratio runs from {ratios.min():.2f} to {ratios.max():.2f} with mean {ratios.mean():.2f}, so "
        "one half rejects no circle"
    )
    return Finding("fails" if abs(measured - 0.5) < 0.05 else "holds", evidence, measured, ratios.min(), ratios.max())
