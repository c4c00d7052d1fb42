"""Where the starts of the unit cube end under the x w u flow with target 1: their distribution and
its extremes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from grokbook.measures.inputs import to_numpy, whole
from grokbook.theory.triple_product import limit_point


class Mean(NamedTuple):
    """A mean over draws, and its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class CubeLimits:
    """Uniform starts of the unit cube, their limits, and the distances of the limits from (1, 1,
    1).

    `starts` and `limits` have shape (n, 3), `distance` has shape (n,).
    """

    starts: np.ndarray
    limits: np.ndarray

    @property
    def distance(self) -> np.ndarray:
        """Euclidean distance of each limit from (1, 1, 1)."""
        return np.linalg.norm(self.limits - 1, axis=1)

    @property
    def mean_distance(self) -> Mean:
        """The mean of `distance`."""
        d = self.distance
        return Mean(float(d.mean()), float(d.std(ddof=1) / np.sqrt(len(d))))

    def share_within(self, radius: float) -> Mean:
        """The share of limits within this distance of (1, 1, 1)."""
        share = float((self.distance <= radius).mean())
        return Mean(share, float(np.sqrt(share * (1 - share) / len(self.limits))))

    @property
    def share_outside(self) -> float:
        """The share of limits with a coordinate above 1: outside the cube."""
        return float((self.limits.max(axis=1) > 1).mean())


def cube_limits(n: int = 20000, seed: int = 0) -> CubeLimits:
    """The limits of n uniform random starts of the unit cube, target 1.

    Raises ParameterError unless n >= 2.

    Source: this book. Gu et al. 2025, Figure 8, draws every start moving to (1, 1, 1).
    """
    starts = np.random.default_rng(seed).random((whole(n, "n", least=2), 3))
    return CubeLimits(starts, to_numpy(limit_point(starts)))


def largest_distance() -> float:
    r"""The largest distance of a limit from (1, 1, 1) over the starts of the closed cube: that of
    the start (0, 1, 1).

    With d_1 = d_2 = 1 the smallest coordinate m solves m (m^2 + 1) = 1 and the others are the root
    of m^2 + 1: distance^2 = (1 - m)^2 + 2 (sqrt(m^2 + 1) - 1)^2. That no other gaps give more is
    seen on a grid of all gaps.

    Source: this book.
    """
    m = brentq(lambda v: v**3 + v - 1, 0.0, 1.0, xtol=1e-15, rtol=1e-15)
    return float(np.sqrt((1 - m) ** 2 + 2 * (np.sqrt(m * m + 1) - 1) ** 2))
