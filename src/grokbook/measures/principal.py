r"""The principal axes of an embedding: its rows in their plane, and what is left of them on the
first n axes.

The axes may be those of another embedding `of`, for example those of the same run at its end.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grokbook.measures.fourier import energy_share
from grokbook.measures.inputs import Array, rows, whole


def principal_axes(embedding: Array, n: int) -> tuple[np.ndarray, np.ndarray]:
    """The mean row (d,) and the first n principal axes (d, n) of an embedding (p, d), of falling
    variance.

    Raises ParameterError for a bad table or n outside 1, ..., min(p, d).
    """
    table = rows(embedding)
    mean = table.mean(axis=0)
    n = whole(n, "n", least=1, most=min(table.shape))
    axes = np.linalg.svd(table - mean, full_matrices=False)[2][:n].T
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(n)])
    return mean, axes * signs


def on_axes(embedding: Array, n: int, of: Array | None = None) -> np.ndarray:
    """Coordinates (p, n) of the rows, less their own mean, on the first n principal axes of `of`
    (default: their own).

    Raises ParameterError as `principal_axes`.
    """
    table = rows(embedding)
    return (table - table.mean(axis=0)) @ principal_axes(table if of is None else of, n)[1]


def rebuilt(embedding: Array, n: int, of: Array | None = None) -> np.ndarray:
    """The embedding (p, d) projected on the first n principal axes of `of` through its mean, and
    back.

    Raises ParameterError as `principal_axes`.

    >>> rebuilt([[3.0, 0], [-3, 0], [0, 1], [0, -1]], 1).round(12).tolist()
    [[3.0, 0.0], [-3.0, 0.0], [0.0, 0.0], [0.0, 0.0]]

    Source: Liu et al. 2022, appendix K, Fig. 22: "projected onto and reconstructed from".
    """
    mean, axes = principal_axes(embedding if of is None else of, n)
    return mean + (rows(embedding) - mean) @ axes @ axes.T


def ring_share(embedding: Array, of: Array | None = None) -> float:
    r"""How much of what the plane of the first two principal axes shows is one turn or several
    about a ring, in (0, 1].

    It is the share of the strongest frequency over the tokens in the power of the rows' two
    coordinates (`on_axes`). 1 for a circle or an ellipse that is run through in equal steps of i,
    whatever the number of turns, and for a wave on a line: it says that one frequency rules the
    plane, not that the ring is round. `of` as there. Where the second and the third axis have one
    variance the plane is arbitrary, and its ring share with it.

    Raises ParameterError as `principal_axes`, and where the plane shows nothing.

    >>> i = 2 * np.pi * 3 * np.arange(11) / 11
    >>> round(ring_share(np.stack([2 * np.cos(i), np.sin(i), 0 * i], axis=1)), 9)
    1.0

    Source: this book, for "the PCA projecting the embeddings into a circle" (Liu et al. 2022,
    section 4.2).
    """
    return energy_share(on_axes(embedding, 2, of), 1)


def exceeded_by_chance(
    measure: Callable[[np.ndarray], float], shape: tuple[int, int], draws: int = 200
) -> float:
    """The value of a measure that 5 % of random normal tables of a shape exceed.

    Example:
        >>> few, many = (exceeded_by_chance(ring_share, (p, 64)) for p in (11, 97))
        >>> few > many
        True
    """
    rng = np.random.default_rng(0)
    values = [measure(rng.normal(size=shape)) for _ in range(draws)]
    return float(np.quantile(values, 0.95))
