"""Checks of the claims that sums of embeddings come close within a class (Gu et al. 2025, section 3.2, App. B)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grokbook.claims.finding import Finding
from grokbook.measures import circle_med, med, med_bound
from grokbook.theory.enclosing_ball import smallest_ball
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import (
    additive_share,
    circle_delta,
    class_gap,
    class_sums,
    closeness,
    common_point,
)


def residues(p: int) -> np.ndarray:
    """The class of each cell of addition modulo p, shape (p, p)."""
    return np.add.outer(np.arange(p), np.arange(p)) % p


def embeddings(p: int, draws: int = 20, seed: int = 0) -> Iterator[np.ndarray]:
    """Embeddings of many shapes: a line, every circle, random ones of 1 to 16 dimensions, and mixtures with a line."""
    line = np.arange(p)[:, None] / p
    yield line
    yield from (circle(p, k) for k in range(1, p // 2 + 1))
    rng = np.random.default_rng(seed)
    for n in range(draws):
        noise = rng.normal(size=(p, 2 ** (n % 5)))
        yield noise
        yield line + rng.exponential(0.3) * noise


def outputs_in_balls(p: int = 13) -> Finding:
    """G02: does "each class of outputs lies in a ball" need correct outputs, and is the ball small when they are?"""
    rng = np.random.default_rng(0)
    wrong = rng.normal(size=(p, p, p))
    margins = rng.lognormal(0, 3, size=(p, p, 1))
    correct = np.eye(p)[residues(p)] * margins
    radii = {"wrong": _ball_radii(wrong), "correct": _ball_radii(correct)}
    same = bool(np.isfinite(radii["wrong"]).all() and np.isfinite(radii["correct"]).all())
    evidence = (
        f"balls exist for {np.isfinite(radii['wrong']).sum()} of {p} classes of random outputs, right or wrong; "
        f"correct outputs may be stretched at will: with margins from {margins.min():.3f} to {margins.max():.0f} the "
        f"largest ball has radius {radii['correct'].max():.0f}, so correct does not mean close"
    )
    return Finding("vacuous" if same else "holds", evidence, float(radii["correct"].max()))


def _ball_radii(outputs: np.ndarray) -> np.ndarray:
    """Radius of the smallest ball of each class of outputs, shape (p,)."""
    label = residues(len(outputs))
    return np.array([smallest_ball(outputs[label == r]).radius for r in range(len(outputs))])


def sums_in_balls(p: int = 13) -> Finding:
    """G05: is there an embedding whose class sums lie in no ball, so that mastery would have something to add?"""
    found = [closeness(phi).delta for phi in embeddings(p)]
    finite = int(np.isfinite(found).sum())
    evidence = (
        f"k_r and delta_r exist for {finite} of {len(found)} embeddings that no training has touched: any finite set "
        "lies in some ball"
    )
    return Finding("vacuous" if finite == len(found) else "holds", evidence, float(finite), 0, float(len(found)))


def sums_in_small_balls(p: int = 97, small: int = 13) -> Finding:
    """G06: with the closeness that the argument uses, delta below the embedding's own radius, nothing is left."""
    circle_ratio = closeness(circle(small, 1)).relative
    known = circle_delta(p)
    ratios = [closeness(phi).relative for phi in embeddings(small)]
    shared = max(np.abs(class_sums(phi).mean(axis=1) - common_point(phi)).max() for phi in embeddings(small))
    smallest = float(min(ratios))
    evidence = (
        f"the means of all classes agree to {shared:.0e}; over {len(ratios)} embeddings the mean radius of a class is "
        f"never below {smallest:.2f} times that of the embedding; the unit circle, which solves the task, needs "
        f"{known:.5f} at p = {p} ({circle_ratio:.2f} at p = {small})"
    )
    return Finding("fails" if smallest > 1 - 1e-9 and known > 1 else "holds", evidence, known, smallest, 2.0, "small")


def balls_shrink_with_data(p: int = 23, seed: int = 0) -> Finding:
    """G07: radii of the balls of the class sums on A x B for growing A = B of one embedding."""
    rng = np.random.default_rng(seed)
    phi, order = rng.normal(size=(p, 8)), rng.permutation(p)
    sizes = range(3, p + 1, 4)
    radii = np.array([radii_on(phi, order[:n], order[:n]) for n in sizes])
    falls = int((np.diff(radii, axis=0) < -1e-9).sum())
    evidence = (
        f"from {sizes[0]} to {sizes[-1]} symbols on each side, {falls} of {np.diff(radii, axis=0).size} radii shrink; "
        f"their mean grows from {radii[0].mean():.2f} to {radii[-1].mean():.2f}"
    )
    return Finding("holds" if falls == np.diff(radii, axis=0).size else "fails", evidence, float(falls), 0, 0)


def radii_on(phi: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Radius of the ball of each class of phi(i) + phi(j), i in `rows`, j in `columns`; 0 for an empty class.

    Example:
        >>> radii_on(np.arange(3.0)[:, None], [0, 1, 2], [0, 1, 2]).tolist()
        [1.5, 1.5, 0.0]
    """
    p = len(phi)
    i, j = (grid.ravel() for grid in np.meshgrid(rows, columns, indexing="ij"))
    label = (i + j) % p
    inside = [(phi[i] + phi[j])[label == r] for r in range(p)]
    return np.array([smallest_ball(s).radius if len(s) else 0.0 for s in inside])


def close_exactly_if_equivalent(p: int = 13, modular: bool = True) -> Finding:
    """G08: is there an embedding with all sums of one class closer than any two of different classes?"""
    label = residues(p) if modular else np.add.outer(np.arange(p), np.arange(p))
    gaps = [class_gap(phi, label) for phi in embeddings(p)]
    ratios = np.array([other / same if same else np.inf for same, other in gaps])
    bound = 1 - 1 / p
    evidence = (
        f"for an equivalence, the nearest sums of different classes would have to be farther apart than the farthest "
        f"of one class; over {len(gaps)} embeddings they reach {ratios.max():.3f} of that, and never more than "
        f"1 - 1/p = {bound:.3f}, as proved; Liu et al. state their propositions for training pairs without a modulus"
    )
    return Finding("fails" if ratios.max() <= bound + 1e-9 else "holds", evidence, float(ratios.max()), 0, bound, "> 1")


def bound_on_med(p: int = 97) -> Finding:
    """G09: a number above MED exists for any weights; the sharp bound by the norm of the embedding, and equality."""
    rng = np.random.default_rng(0)
    tables = [circle(p, k) for k in range(1, p // 2 + 1)] + [rng.normal(size=(p, d)) for d in (1, 8, 128)]
    finite = all(np.isfinite(med(t)) for t in tables)
    kept = max(med(t) / med_bound(t) for t in tables)
    top = circle_med(p, [p // 2])
    evidence = (
        f"some delta above MED exists for all {len(tables)} embeddings, trained or not; what can be said is MED <= "
        f"2 cos(pi/2p) sqrt(|E|_F^2/p), which is {top:.4f} for rows of length 1 at p = {p} and is attained "
        f"(largest ratio {kept:.6f})"
    )
    verdict = "vacuous" if finite and kept <= 1 + 1e-12 else "holds"
    return Finding(verdict, evidence, top, top, top, "some delta")


def neighbours_by_averaging(p: int = 13) -> Finding:
    """G10: MED <= 2 delta (1 - 1/p) by averaging over the second operand, and the same for every other distance."""
    tables = list(embeddings(p))
    found = [closeness(phi) for phi in tables]
    steps = max(med(phi) / c.bound for phi, c in zip(tables, found, strict=True))
    every = max(c.diameter / c.bound for c in found)
    evidence = (
        f"MED is at most {steps:.3f} times 2 delta (1 - 1/p) over {len(tables)} embeddings, and the diameter at most "
        f"{every:.3f} times: the bound holds for every pair of symbols, so it says collapse, not neighbourhood"
    )
    verdict = "holds with correction" if max(steps, every) <= 1 + 1e-9 else "fails"
    return Finding(verdict, evidence, steps, 0, 1)


def additive_targets(p: int = 97, targets: np.ndarray | None = None) -> Finding:
    """G11: how much of the targets c_r of all classes can any l'(phi(i)) + l''(phi(j)) explain? One-hot by default."""
    wanted = np.eye(p)[residues(p)] if targets is None else targets
    share = additive_share(wanted)
    evidence = (
        f"the best additive map explains {share:.1%} of the variance of the targets over all cells: it sends every "
        "class to one common mean, so the constraints can be met only if all c_r lie within their tolerance of one "
        "point"
    )
    return Finding("fails" if share < 1e-9 else "holds", evidence, share, 0, 1, "feasible")
