"""Claims that sums of embeddings come close within a class (Gu et al. 2025, section 3.2, App. B)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np

from grokbook.claims import Finding, claim, judge
from grokbook.measures import circle_med, med, med_bound
from grokbook.tasks.arithmetic import ModularTask
from grokbook.tasks.groups import cyclic
from grokbook.theory.enclosing_ball import smallest_ball
from grokbook.theory.one_frequency import circle
from grokbook.theory.uniformity import (
    AdditiveFit,
    additive_fit,
    additive_share,
    circle_delta,
    class_gap,
    class_sums,
    closeness,
    common_point,
    diameter,
)

COLLAPSE = "Closeness of the classes forces collapse"


def embeddings(p: int, draws: int = 20) -> Iterator[np.ndarray]:
    """Embeddings of many shapes: a line, every circle, random ones of 1 to 16 dimensions, and mixtures with a line."""
    line = np.arange(p)[:, None] / p
    yield line
    yield from (circle(p, k) for k in range(1, p // 2 + 1))
    rng = np.random.default_rng(0)
    for n in range(draws):
        noise = rng.normal(size=(p, 2 ** (n % 5)))
        yield noise
        yield line + rng.exponential(0.3) * noise


def ball_radii(points: np.ndarray, label: np.ndarray, p: int) -> np.ndarray:
    """Radius of the smallest ball of the points of each class, shape (p,); 0 for an empty class.

    Example:
        >>> ball_radii(np.array([[0.0], [2.0], [5.0]]), np.array([1, 1, 0]), 3).tolist()
        [0.0, 1.0, 0.0]
    """
    return np.array([smallest_ball(points[label == r]).radius if (label == r).any() else 0.0 for r in range(p)])


@claim("G02", "gu2025", "Lemma 3.2", section="What can be saved", kind="theorem", shown_by="counterexample",
       says=("balls exist for {balls} of {p} classes of random outputs, right or wrong: without a scale the lemma is ",
             "true of all outputs. Correct outputs may be stretched at will: with margins from {margins[0]:.3f} to ",
             "{margins[1]:.0f} the largest ball has radius {value:.0f}, so any radius fixed in advance is refuted"))
def outputs_in_balls(p: int = 13) -> Finding:
    """If the outputs are correct, those of one class lie within a "relevant small positive number" of one vector.

    No scale is printed. Does "each class of outputs lies in a ball" need correct outputs, and is the ball small when
    they are?
    """
    rng, label = np.random.default_rng(0), cyclic(p)
    wrong = ball_radii(rng.normal(size=(p, p, p)), label, p)
    margins = rng.lognormal(0, 3, size=(p, p, 1))
    correct = ball_radii(np.eye(p)[label] * margins, label, p)
    return judge(np.isfinite(correct).all(), anything=bool(np.isfinite(wrong).all()), value=float(correct.max()),
                 balls=np.isfinite(wrong).sum(), p=p, margins=(margins.min(), margins.max()))  # fmt: skip


@claim("G05", "gu2025", "Theorem 3.5", section=COLLAPSE, kind="theorem", shown_by="counterexample",
       says=("k_r and delta_r exist for {value:.0f} of {high:.0f} embeddings that no training has touched: any finite ",
             "set lies in some ball"))  # fmt: skip
def sums_in_balls(p: int = 13) -> Finding:
    """If the model masters A x B, there are k_r and delta_r with |phi(i) + phi(j) - k_r| < delta_r.

    Is there an embedding whose class sums lie in no ball, so that mastery would have something to add?
    """
    finite = np.isfinite([closeness(phi).delta for phi in embeddings(p)])
    return judge(finite.any(), anything=bool(finite.all()), value=float(finite.sum()), low=0, high=float(finite.size))


@claim("G06", "gu2025", "Theorem 3.5 as used, appendix B.3", section=COLLAPSE, kind="theorem", published="small",
       shown_by="proof", bars={"close": (0.5, 1.5)},
       says=("the means of all classes agree to {shared:.0e}; over {of} embeddings the mean radius of a class is ",
             "never below {low:.2f} times that of the embedding: {near} are below our bar. The unit circle, which ",
             "solves the task, needs {value:.5f} at p = {p} ({wheel:.2f} at p = {small}); with other bars: {bars}"))
def sums_in_small_balls(p: int = 97, small: int = 13, *, close: float = 1.0) -> Finding:
    """Correct outputs 'directly imply' that phi(i) + phi(j) is close to one vector in each class.

    "Close" is our reading: a mean radius below `close` times the embedding's own. The circle answers right by its
    products, so it decides.
    """
    known, wheel = circle_delta(p), closeness(circle(small, 1)).relative
    ratios = np.array([closeness(phi).relative for phi in embeddings(small)])
    shared = max(np.abs(class_sums(phi).mean(axis=1) - common_point(phi)).max() for phi in embeddings(small))
    return judge(max(known, wheel) < close, value=known, low=ratios.min(), high=2.0, shared=shared, of=len(ratios), p=p,
                 wheel=wheel, small=small, near=int((ratios < close - 1e-9).sum()))  # fmt: skip


def radii_on(phi: np.ndarray, rows: Sequence[int], columns: Sequence[int]) -> np.ndarray:
    """Radius of the ball of each class of phi(i) + phi(j), i in `rows`, j in `columns`; 0 for an empty class.

    Example:
        >>> radii_on(np.arange(3.0)[:, None], [0, 1, 2], [0, 1, 2]).tolist()
        [1.5, 1.5, 0.0]
    """
    i, j = (grid.ravel() for grid in np.meshgrid(rows, columns, indexing="ij"))
    return ball_radii(phi[i] + phi[j], (i + j) % len(phi), len(phi))


def admissible(phi: np.ndarray, size: int, delta: float, tried: np.ndarray) -> np.ndarray:
    """Which vectors k are closer than delta to all sums of a class on the first `size` rows and columns: (p, n).

    `phi` has shape (p, d), `tried`, shape (n, d), holds the k; an empty class admits all of them.

    Example:
        >>> admissible(np.arange(3.0)[:, None], 3, 2.0, np.array([[1.5], [4.5]])).tolist()
        [[True, False], [False, False], [True, False]]
    """
    sums, label = phi[:size, None] + phi[None, :size], np.add.outer(range(size), range(size)) % len(phi)
    inside = np.linalg.norm(sums[:, :, None] - tried, axis=3) < delta
    return np.array([inside[label == r].all(axis=0) for r in range(len(phi))])


@claim("G07", "gu2025", "appendix B.3", section=COLLAPSE, kind="theorem", shown_by="proof", published="a single point",
       says=("with delta fixed at {times:g} times the radius that the whole grid needs, {first:.0%} of the vectors ",
             "tried are admissible for a class on {sizes[0]} x {sizes[0]} cells and {value:.0%} on all {sizes[1]} x ",
             "{sizes[1]}: more tightly constrained, as the paper concludes, and {left}. The least radius of a class ",
             "grows as cells are added to one embedding, {means[0]:.2f} to {means[1]:.2f} in the mean: the other way"))
def balls_shrink_with_data(p: int = 23, draws: int = 500, times: float = 1.1) -> Finding:
    """As A x B grows, "the set of admissible vectors {k_i} converges toward a single point, and the corresponding
    delta_i values shrink accordingly".

    The k_r that are admissible at one fixed delta, on a growing square of cells of one embedding of the plane, and the
    least radius that admits any. It would hold with correction if the radii shrank and only the single point were too
    much. The embeddings of networks that master more cells are others; they are not judged.
    """
    rng = np.random.default_rng(0)
    phi, sizes = rng.normal(size=(p, 2)), range(3, p + 1, 4)
    radii = np.array([radii_on(phi, range(n), range(n)) for n in sizes])
    delta, middle = times * radii[-1].max(), common_point(phi)
    tried = middle + rng.uniform(-delta, delta, size=(draws, 2))
    shares = np.array([admissible(phi, n, delta, tried).mean(axis=1) for n in sizes])
    point, shrink = bool(shares[-1].max() == 0), bool((np.diff(radii.mean(axis=1)) < 0).all())
    return judge(point, shrink, corrected=shrink and bool((np.diff(shares, axis=0) <= 0).all()),
                 value=float(shares[-1].mean()), times=times, first=shares[0].mean(), sizes=(sizes[0], sizes[-1]),
                 means=(radii[0].mean(), radii[-1].mean()),
                 left="at most a point" if point else "no single point")  # fmt: skip


@claim("G08", "gu2025", "Remark 3.6", section=COLLAPSE, kind="theorem", published="> 1", shown_by="proof", says=(
    "the nearest sums of different classes would have to be farther apart than the farthest of one class; over {of} ",
    "embeddings they reach {value:.3f} of that, and never more than 1 - 1/p = {high:.3f}, as proved"))  # fmt: skip
def close_exactly_if_equivalent(p: int = 13, modular: bool = True) -> Finding:
    """Liu et al. state: phi(i) + phi(j) and phi(i') + phi(j') are close exactly if the cells are equivalent.

    Is there an embedding with all sums of one class closer than any two of different classes?
    """
    label = cyclic(p) if modular else np.add.outer(np.arange(p), np.arange(p))
    gaps = [class_gap(phi, label) for phi in embeddings(p)]
    reached, bound = float(max(other / same if same else np.inf for same, other in gaps)), 1 - 1 / p
    return judge(reached > bound + 1e-9, value=reached, low=0, high=bound, of=len(gaps))


@claim("G09", "gu2025", "Theorem 3.8", section="Weight decay does not know the names", kind="theorem",
       published="some delta", shown_by="counterexample", says=(
    "some delta above MED exists for all {of} embeddings, trained or not; what can be said is MED <= 2 cos(pi/2p) ",
    "sqrt(|E|_F^2/p), which is {value:.4f} for rows of length 1 at p = {p} and is attained (largest ratio {most:.6f})"))
def bound_on_med(p: int = 97) -> Finding:
    """When the weight decay term is below E, there is a positive delta above MED.

    A number above MED exists for any weights; the sharp bound is by the norm of the embedding.
    """
    rng = np.random.default_rng(0)
    tables = [circle(p, k) for k in range(1, p // 2 + 1)] + [rng.normal(size=(p, d)) for d in (1, 8, 128)]
    most, top = max(med(t) / med_bound(t) for t in tables), circle_med(p, [p // 2])
    finite = np.isfinite([med(t) for t in tables])
    return judge(finite.any(), anything=bool(finite.all()), value=top, low=top, high=top, of=len(tables), p=p,
                 most=most)  # fmt: skip


@claim("P14", "gu2024", "appendix F", section="Weight decay does not know the names", shown_by="counterexample",
       bars={"near": (0.02, 0.1)},
       says=("true of the circle in the natural order, whose neighbours are at {first:.2f} of its diameter. The ",
             "circle of frequency {k} has them at {value:.3f} (p = {p}; over all frequencies {low:.2f} to {high:.2f}, ",
             "mean {mean:.2f}): uniformly distributed, and ordered once the symbols are renamed; half the diameter is ",
             "read to within {near:g} ({bars})"))
def half_the_diameter(p: int = 97, *, near: float = 0.05) -> Finding:
    """Neighbours at about half of the diameter indicate "that the embedding vectors cannot maintain a uniformly
    distributed ordered structure".

    Is there a circle, of a prime modulus p, on which neighbours are half the diameter apart? The words left out are "in
    the order of the symbols": with them the test rejects what it should.
    """
    ratios = np.array([circle_med(p, [k]) / (2 * np.cos(np.pi / (2 * p))) for k in range(1, p // 2 + 1)])
    nearest = int(np.argmin(np.abs(ratios - 0.5))) + 1
    wheel = circle(p, nearest)
    measured = med(wheel) / diameter(wheel)
    return judge(abs(measured - 0.5) >= near, corrected=bool(abs(ratios[0] - 0.5) >= near), value=measured,
                 low=ratios.min(), high=ratios.max(), k=nearest, p=p, mean=ratios.mean(), first=ratios[0],
                 near=near)  # fmt: skip


@claim("G10", "gu2025", "section 3.2", section=COLLAPSE, kind="theorem", shown_by="proof",
       says=("on the whole grid the inequalities of all j add up, the centres cancel and MED is at most twice the ",
             "mean radius (largest quotient over {of} embeddings {value:.2f}), as is every other distance ",
             "({every:.2f}): collapse. On a part of the grid it does not follow: on the line phi(i) = i with i, j up ",
             "to (p - 1)/2 all radii are {part:g} and MED is {line:.2f}"))
def neighbours_by_the_triangle_inequality(p: int = 13) -> Finding:
    """Theorem 3.8 follows from Theorem 3.5 by the triangle inequality.

    Theorem 3.5 speaks of any part A x B of the grid. Does MED follow from the radii on a part, and on the whole, which
    is where a network is that has generalised?
    """
    half, line = range((p + 1) // 2), np.arange(p, dtype=float)[:, None]
    part, steps = float(radii_on(line, half, half).max()), med(line)
    close = [(med(phi), closeness(phi)) for phi in embeddings(p)]
    quotients = [(value / (2 * c.deltas.mean()), c.diameter / (2 * c.deltas.mean())) for value, c in close]
    worst, every = np.max(quotients, axis=0)
    return judge(steps <= 2 * part + 1e-9, assumed=bool(max(worst, every) <= 1 + 1e-9), value=float(worst), low=0,
                 high=1, of=len(close), every=every, part=part, line=steps)  # fmt: skip


@cache
def splits_fitted(p: int, fraction: float = 0.3, seeds: int = 5, shuffled: bool = False) -> tuple[AdditiveFit, ...]:
    """The best F(i) + G(j) on random training sets of addition modulo p, seeds 0 .. seeds-1.

    `shuffled` deals the labels out anew among the trained cells, which leaves all but the rule as it is.

    Example:
        >>> [fit.trained for fit in splits_fitted(7, seeds=2)]
        [1.0, 1.0]
    """
    fits = []
    for task in (ModularTask(p, train_fraction=fraction, seed=seed) for seed in range(seeds)):
        labels, mask = task.labels.reshape(p, p).copy(), task.train_mask
        if shuffled:
            labels[mask] = np.random.default_rng(task.seed).permutation(labels[mask])
        fits.append(additive_fit(labels, mask))
    return tuple(fits)


@claim("G11", "gu2025", "appendix B.4", section="No additive network can add", kind="theorem", published="feasible",
       shown_by="proof", seconds=10,
       says=("over all cells the best additive map explains {value:.1%} of the variance of the targets: it sends ",
             "every class to one common mean, so the constraints can be met only if all c_r lie within their ",
             "tolerance of one point. On the trained cells alone, {fraction:.0%}, F(i) + G(j) gives the right labels ",
             "on {fits} random splits, with at best {unseen:.0%} of the other cells right"))
def additive_targets(
    p: int = 97, targets: np.ndarray | None = None, moduli: tuple[int, ...] = (13, 37, 97), fraction: float = 0.3
) -> Finding:
    """After fitting, training minimises the sum of operator norms while r' l'(phi(i)) + r'' l''(phi(j)) is close to the
    vector of its class, "for any element in I x J".

    The truncations r', r'' act on one operand each. How much of the targets c_r can any F(i) + G(j) explain? One-hot by
    default. And does any fit the training set, which asks for less?
    """
    share = additive_share(np.eye(p)[cyclic(p)] if targets is None else targets)
    fits = {q: splits_fitted(q, fraction) for q in moduli}
    told = (f"{sum(f.trained == 1 for f in fits[q])} of {len(fits[q])} (p = {q})" for q in moduli)
    unseen = max((f.unseen for q in moduli for f in fits[q]), default=np.nan)
    return judge(share >= 1e-9, value=share, low=0, high=1, fits=", ".join(told), fraction=fraction, unseen=unseen)
