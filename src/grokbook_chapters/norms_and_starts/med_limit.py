"""The largest MED that classes within given radii allow."""

from __future__ import annotations

import numpy as np

from grokbook.errors import ParameterError
from grokbook.theory.vectors import Rows, vectors


def med_limit(deltas: Rows, *, shared: bool = True) -> float:
    r"""The largest MED that classes within these radii allow, for an odd modulus.

    With V the variance of a table and $\bar\delta$ the root mean square of `deltas` = $\delta_r$,
    shape (p,): the variances of the classes average to $V_1 + V_2$ and none is above $\delta_r^2$,
    so $V_1 + V_2 \le \bar\delta^2$; and $\mathrm{MED} \le 2\cos(\pi/2p)\sqrt V$. For two tables the
    root mean square of both MEDs is therefore at most $\sqrt2\cos(\pi/2p)\,\bar\delta$, attained by
    circles of frequency (p-1)/2 in two planes at right angles. With one `shared` table the cells
    (i, i) give $\frac94 V \le \bar\delta^2$, hence $\frac43\cos(\pi/2p)\,\bar\delta$, attained at p
    = 3.

    Raises ParameterError for an even modulus and for radii that are not finite.

    Source: this book; sharpens what Gu et al. 2025 conclude in Theorem 3.8.
    """
    radii = vectors(np.atleast_2d(deltas), "deltas")[0]
    if radii.size % 2 == 0:
        raise ParameterError(f"p = {radii.size} is even, but the bound needs an odd modulus.")
    constant = 4 / 3 if shared else np.sqrt(2)
    return float(constant * np.cos(np.pi / (2 * radii.size)) * np.sqrt(np.mean(radii**2)))
