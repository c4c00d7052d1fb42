"""Separability of finite point sets after Gu et al. 2025, Definition 5.1: decided, with a
certificate either way.

One linear programme finds the widest slab between two sets. By duality its optimum is half the L1
distance of their convex hulls, so the same solution gives a separating hyperplane where there is
one and a common point of the hulls where there is none. Where only the answer is asked for, a plane
or a common point found by least squares proves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.optimize import OptimizeResult, linprog, nnls
from scipy.spatial.distance import cdist

from grokbook.errors import GrokbookError, ParameterError
from grokbook.measures.inputs import Array, class_labels, rows, whole

TOLERANCE = 1e-6
"""Hulls count as disjoint when their distance exceeds this share of the points' size (the solver's
own is 1e-7)."""

SOLVERS = (
    {"method": "highs"},
    {"method": "highs-ds", "options": {"presolve": False}},
    {"method": "highs-ipm"},
)
"""Tried in turn: close to an optimum of 0 the first now and then ends without a verdict."""


@dataclass(frozen=True)
class Separation:
    """Whether the convex hulls of two sets are disjoint, with the evidence for it.

    `gap` is the L1 distance of the hulls and `scale` the largest absolute coordinate about the
    common centre; `separable` means gap > TOLERANCE * scale. `normal` (d,), with largest absolute
    entry 1, and `offset` are a slab: normal . a >= offset + gap/2 on the first set, normal . b <=
    offset - gap/2 on the second. `nearest` holds the two nearest points of the hulls, `weights` the
    convex weights that make them; without a gap they are a common point.
    """

    separable: bool
    gap: float
    scale: float
    normal: np.ndarray
    offset: float
    nearest: tuple[np.ndarray, np.ndarray]
    weights: tuple[np.ndarray, np.ndarray]


def _two_sets(first: Array, second: Array) -> tuple[np.ndarray, np.ndarray]:
    a = rows(first, least=1, name="first")
    b = rows(second, least=1, name="second")
    if a.shape[1] != b.shape[1]:
        raise ParameterError(
            f"first has dimension {a.shape[1]} and second {b.shape[1]}, but they must be equal."
        )
    return a, b


def topologically_separable(first: Array, second: Array, *, tolerance: float = 0.0) -> bool:
    """Whether the sets have no point in common: the first notion of Definition 5.1.

    `first` (m, d) and `second` (n, d). Two points count as one when their Euclidean distance is at
    most `tolerance` (0: exactly equal coordinates).

    Raises ParameterError for an empty set, unequal dimensions, values that are not finite, a
    negative tolerance.

    >>> (
    ...     topologically_separable([[0.0], [2.0]], [[1.0]]),
    ...     topologically_separable([[0.0], [1.0]], [[1.0]]),
    ... )
    (True, False)

    Source: Gu et al. 2025, Definition 5.1.
    """
    a, b = _two_sets(first, second)
    if not 0 <= tolerance < np.inf:
        raise ParameterError(f"tolerance = {tolerance} must be a finite number of 0 or more.")
    return bool(cdist(a, b).min() > tolerance)


def separate(first: Array, second: Array) -> Separation:
    r"""The widest slab between two finite sets, or a common point of their hulls, by one linear
    programme.

    .. math:: \max t \quad \text{subject to} \quad n \cdot a_i - c \ge t, \quad n \cdot b_j - c \le
              -t, \quad \lVert n \rVert_\infty \le 1 .

    Its dual is to find the nearest points of the hulls, $\min \lVert \sum_i \lambda_i a_i - \sum_j
    \mu_j b_j \rVert_1$ over convex weights, and the optimum is $2t$. `first` (m, d), `second` (n,
    d).

    Raises ParameterError for an empty set, unequal dimensions, values that are not finite.

    >>> found = separate([[0.0, 0.0], [0.0, 1.0]], [[3.0, 0.0], [4.0, 5.0]])
    >>> found.separable, round(found.gap, 9), found.normal.round(9).tolist()[0]
    (True, 3.0, -1.0)

    Source: Gu et al. 2025, Definition 5.1 (2); the programme and its dual are this book's.
    """
    a, b = _two_sets(first, second)
    centre, scale = _centre_and_scale(a, b)
    unit = scale or 1.0
    slab = _widest_slab((a - centre) / unit, (b - centre) / unit)
    gap = 2 * slab.half_width * unit
    return Separation(
        separable=gap > TOLERANCE * scale,
        gap=gap,
        scale=scale,
        normal=slab.normal,
        offset=float(slab.offset * unit + slab.normal @ centre),
        nearest=(slab.weights[0] @ a, slab.weights[1] @ b),
        weights=slab.weights,
    )


def _centre_and_scale(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, float]:
    """The mean of all points, and the largest absolute coordinate about it."""
    centre = np.concatenate([a, b]).mean(axis=0)
    return centre, float(max(np.abs(a - centre).max(), np.abs(b - centre).max()))


class Slab(NamedTuple):
    """Points x with |normal . x - offset| < half_width, and the convex weights of the dual, of
    either set."""

    half_width: float
    normal: np.ndarray
    offset: float
    weights: tuple[np.ndarray, np.ndarray]


def _widest_slab(a: np.ndarray, b: np.ndarray) -> Slab:
    """The widest slab between centred, scaled sets."""
    m, d = a.shape
    above = np.hstack([-a, np.ones((m, 1)), np.ones((m, 1))])
    below = np.hstack([b, -np.ones((len(b), 1)), np.ones((len(b), 1))])
    cost = np.zeros(d + 2)
    cost[-1] = -1
    limits = [(-1, 1)] * d + [(None, None), (0, None)]
    solved = _solved(cost, np.vstack([above, below]), limits)
    dual = np.maximum(-solved.ineqlin.marginals, 0)
    weights = (dual[:m] / dual[:m].sum(), dual[m:] / dual[m:].sum())
    half_width = max(float(solved.x[-1]), 0.0)
    return Slab(half_width, solved.x[:d], float(solved.x[d]), weights)


def _solved(
    cost: np.ndarray, table: np.ndarray, limits: Sequence[tuple[float | None, float | None]]
) -> OptimizeResult:
    """The optimum of cost . x subject to table x <= 0 and limits, by the first solver that reaches
    it."""
    for settings in SOLVERS:
        found = linprog(cost, A_ub=table, b_ub=np.zeros(len(table)), bounds=limits, **settings)
        if found.success:
            return found
    raise GrokbookError(
        f"the linear programme of {len(table)} points was not solved: {found.message}"
    )


def convexly_separable(first: Array, second: Array) -> bool:
    """Whether the convex hulls of the sets are disjoint: the second notion of Definition 5.1.

    `first` (m, d), `second` (n, d); see `separate` for the tolerance, and for a certificate that is
    optimal too.

    Raises ParameterError as `separate` does.

    >>> convexly_separable([[0.0], [2.0]], [[1.0]]), convexly_separable([[0.0], [1.0]], [[2.0]])
    (False, True)

    Source: Gu et al. 2025, Definition 5.1.
    """
    a, b = _two_sets(first, second)
    centre, scale = _centre_and_scale(a, b)
    unit = scale or 1.0
    certain = _certain((a - centre) / unit, (b - centre) / unit)
    return separate(a, b).separable if certain is None else certain


def _certain(a: np.ndarray, b: np.ndarray) -> bool | None:
    r"""Whether centred, scaled sets are separable, with a proof in hand and no linear programme;
    None without one.

    Least squares with weights that are not negative look for $\sum_i \lambda_i a_i = \sum_j \mu_j
    b_j$, both weights with sum 1. Convex weights bound the gap from above by the L1 distance of the
    two means. By the conditions of Karush, Kuhn and Tucker the residual has no positive product
    with a column, so where it is not zero it is the normal of a plane between the sets, and every
    normal with largest entry 1 bounds the gap from below.
    """
    m, d = a.shape
    table = np.zeros((d + 2, m + len(b)))
    table[:d] = np.vstack([a, -b]).T
    table[d, :m] = 1
    table[d + 1, m:] = 1
    target = np.append(np.zeros(d), [1.0, 1.0])
    try:
        weights, _ = nnls(table, target)
    except RuntimeError:  # too many iterations
        return None
    of_a = weights[:m]
    of_b = weights[m:]
    if of_a.any() and of_b.any():
        apart = of_a @ a / of_a.sum() - of_b @ b / of_b.sum()
        if np.abs(apart).sum() <= TOLERANCE:
            return False
    normal = (table @ weights - target)[:d]
    if (a @ normal).min() - (b @ normal).max() > TOLERANCE * np.abs(normal).max():
        return True
    return None


def convexly_separable_on(first: Array, second: Array, directions: Array) -> bool:
    """Whether the projections on the span of `directions` are convexly separable: the third notion.

    `first` (m, d), `second` (n, d), `directions` (r, d), not all zero; they need not be orthogonal.

    Raises ParameterError as `separate` does, and when the directions are all zero or have another
    dimension.

    >>> a, b = [[0.0, 0.0]], [[0.0, 1.0]]
    >>> (
    ...     convexly_separable(a, b),
    ...     convexly_separable_on(a, b, [[1.0, 0.0]]),
    ...     convexly_separable_on(a, b, [[0.0, 2.0]]),
    ... )
    (True, False, True)

    Source: Gu et al. 2025, Definition 5.1, which calls it weaker than convex separability; it is
    stronger.
    """
    a, b = _two_sets(first, second)
    basis = subspace(directions, a.shape[1])
    centre = np.concatenate([a, b]).mean(axis=0)
    a = a - centre
    b = b - centre
    size = float(max(np.abs(a).max(), np.abs(b).max()))
    projected = separate(a @ basis.T, b @ basis.T)
    return projected.separable and projected.gap > TOLERANCE * size


def subspace(directions: Array, d: int) -> np.ndarray:
    """An orthonormal basis (rank, d) of the span of the rows of `directions`, from its singular
    vectors.

    Raises ParameterError for another dimension than d, values that are not finite, or rows that are
    all zero.
    """
    table = rows(directions, least=1, name="directions")
    if table.shape[1] != d:
        raise ParameterError(f"directions has dimension {table.shape[1]}, but the points have {d}.")
    _, values, right = np.linalg.svd(table, full_matrices=False)
    if values[0] == 0:
        raise ParameterError(
            "directions are all zero, but must span a subspace of dimension 1 or more."
        )
    return right[values > 1e-12 * values[0]]


@dataclass(frozen=True)
class ClassSeparability:
    """How many pairs of classes are convexly separable: `apart`, one truth value for each of
    `pairs` (n, 2).

    `share` is the share of pairs that are; `standard_error` is 0 when every pair was looked at.
    """

    share: float
    standard_error: float
    apart: np.ndarray
    pairs: np.ndarray


def class_separability(
    points: Array, labels: Array, *, pairs: int | None = None, seed: int = 0
) -> ClassSeparability:
    """Share of the pairs of classes whose points are convexly separable from each other.

    Args:
        points: (n, d), one row a sample.
        labels: (n,), the class of each row; two classes or more.
        pairs: number of pairs drawn at random without repetition (seeded); None or more than there
            are: all.
        seed: of the draw.

    Raises ParameterError for one class only, another number of labels, and as `separate` does.

    >>> class_separability([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).share
    1.0
    """
    table = rows(points, name="points")
    label = class_labels(labels, len(points))
    chosen = np.array(list(combinations(np.unique(label), 2)))
    complete = pairs is None or whole(pairs, "pairs", least=1) >= len(chosen)
    if not complete:
        drawn = np.random.default_rng([seed, 0]).choice(len(chosen), pairs, replace=False)
        chosen = chosen[drawn]
    apart = np.array([convexly_separable(table[label == r], table[label == s]) for r, s in chosen])
    share = float(apart.mean())
    error = 0.0 if complete else float(np.sqrt(share * (1 - share) / len(apart)))
    return ClassSeparability(share, error, apart, chosen)


def shuffled_share(
    points: Array, labels: Array, *, pairs: int | None = None, seed: int = 0
) -> ClassSeparability:
    """The null of `class_separability`: the same points and class sizes, the labels dealt out at
    random (seeded).

    Any m + n points in general position in m + n - 1 dimensions or more are convexly separable
    however they are labelled, so a share says something only beside this one.

    Raises ParameterError as `class_separability` does.

    >>> shuffled_share(np.eye(4), [0, 0, 1, 1]).share
    1.0
    """
    label = class_labels(labels, len(points))
    mixed = np.random.default_rng([seed, 1]).permutation(label)
    return class_separability(points, mixed, pairs=pairs, seed=seed)
