"""How much a curve that should rise falls: the size of one fall, and of all falls together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.inputs import Array, to_numpy


@dataclass(frozen=True)
class Falls:
    """Downward movement of a curve: `largest` fall below an earlier value, `total` of all falls, in
    its own units.

    For an accuracy `largest` lies in [0, 1]; `total` has no upper bound and grows with the number
    of logged steps.
    """

    largest: float
    total: float


def falls(values: Array) -> Falls:
    r"""The falls of a curve $g_0, \dots, g_n$ of raw, unsmoothed values in the order of their
    steps.

    .. math:: \text{largest} = \max_{i \le j} (g_i - g_j), \qquad
              \text{total} = \sum_i \max(g_i - g_{i+1}, 0)

    `values` (n,) finite. Both are 0 for a curve that never falls, total >= largest, and total is
    half the total variation of a curve that ends where it began. Neither changes when the curve is
    stretched in time.

    Raises ParameterError for no values, another shape, or values that are not finite.

    >>> falls([0.1, 0.75, 0.25, 1.0, 0.75])
    Falls(largest=0.5, total=0.75)

    Source: this book's; Gu et al. 2025, Fig. 2, speaks of violent fluctuation without a measure of
    it.
    """
    curve = to_numpy(values).astype(float)
    if curve.ndim != 1 or not curve.size or not np.isfinite(curve).all():
        shape = f"values has shape {curve.shape}"
        raise ParameterError(f"{shape}, but must be finite numbers in a row.")
    largest = float((np.maximum.accumulate(curve) - curve).max())
    return Falls(largest, float(np.maximum(-np.diff(curve), 0).sum()))
