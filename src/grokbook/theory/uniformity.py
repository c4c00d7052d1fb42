"""Classes of i + j have one common mean in any sum of embeddings, and what follows for closeness
and uniformity.

Nothing here needs a prime modulus except the closed form for circles, which needs an odd one and a
frequency that shares no divisor with it; we ask for an odd prime there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.geometry import diameter
from grokbook.theory.enclosing_ball import smallest_ball
from grokbook.theory.vectors import Rows, pair


def class_sums(first: Rows, second: Rows | None = None) -> np.ndarray:
    r"""All sums $\phi_1(i) + \phi_2(j)$ sorted by class: entry [r, i] is the sum at the cell $(i, r
    - i)$.

    `first` = $\phi_1$ and `second` = $\phi_2$ (by default the same) have shape (p, d); the result
    (p, p, d).

    Raises ParameterError for a table that is not finite rows or two tables of unequal shape.
    """
    a, b = pair(first, second)
    i = np.arange(len(a))
    return a[None] + b[(i[:, None] - i[None, :]) % len(a)]


def common_point(first: Rows, second: Rows | None = None) -> np.ndarray:
    r"""The point that is the mean of every class, $\bar\phi_1 + \bar\phi_2$, shape (d,).

    For each r, $\frac1p \sum_i \phi_1(i) + \phi_2(r - i) = \bar\phi_1 + \bar\phi_2$, since $r - i$
    runs through all symbols when i does. It holds for every modulus, prime or not. `first`,
    `second`: as for `class_sums`.

    Raises ParameterError for bad tables.

    Source: this book. It contradicts the use that Gu et al. 2025 make of their Theorem 3.5.
    """
    a, b = pair(first, second)
    return a.mean(axis=0) + b.mean(axis=0)


@dataclass(frozen=True)
class Closeness:
    """How close the sums of each class are, and what that says about the embedding.

    `deltas`, shape (p,): radius of the smallest ball of each class. `diameter` and `radius` belong
    to the first embedding. `bound` is what the largest delta implies for the diameter.
    """

    deltas: np.ndarray
    diameter: float
    radius: float
    bound: float

    @property
    def delta(self) -> float:
        """The largest radius that a class needs."""
        return float(self.deltas.max())

    @property
    def relative(self) -> float:
        """Mean radius of a class over the radius of the embedding: never below 1, and at most 2 for
        one table."""
        return float(self.deltas.mean() / self.radius)


def closeness(first: Rows, second: Rows | None = None) -> Closeness:
    r"""The ball that each class of $\phi_1(i) + \phi_2(j)$ needs, beside the size of $\phi_1$
    itself.

    With $\delta = \max_r \delta_r$: $\mathrm{diam}\,\phi \le 2\delta(1 - \frac1p)$ when both
    operands share a table, $\mathrm{diam}\,\phi_1 \le 2\delta$ otherwise, and the radius of
    $\phi_1$ is at most the mean of the $\delta_r$.

    `first`, `second`: as for `class_sums`, p of 2 or more. Raises ParameterError for bad tables.

    Source: this book; corrects what follows Theorem 3.5 of Gu et al. 2025.
    """
    a, b = pair(first, second)
    if len(a) < 2:
        raise ParameterError(
            "the embedding has p = 1 row, but classes need a modulus of 2 or more."
        )
    sums = class_sums(a, b)
    deltas = np.array([smallest_ball(np.unique(s, axis=0)).radius for s in sums])
    factor = 2 * (1 - 1 / len(a)) if second is None else 2.0
    return Closeness(deltas, diameter(a), smallest_ball(a).radius, factor * float(deltas.max()))
