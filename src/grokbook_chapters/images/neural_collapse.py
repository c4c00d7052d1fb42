r"""Neural collapse: how far the features of a class are from one point, and the means from a
regular simplex."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from grokbook.errors import ParameterError
from grokbook.measures.fourier import NEGLIGIBLE
from grokbook.measures.inputs import rows, to_numpy


class ClassParts(NamedTuple):
    """Of each sample the mean of its class (n, d), its deviation from it (n, d), and the size of
    its class (n,)."""

    means: np.ndarray
    deviations: np.ndarray
    sizes: np.ndarray


def class_parts(features: ArrayLike, labels: ArrayLike) -> ClassParts:
    """The parts of features (n, d) by their classes.

    Raises ParameterError for features that are not (n, d) finite numbers, or labels that are not
    one whole number a sample.
    """
    f = to_numpy(features)
    given = np.asarray(labels)
    if f.ndim != 2 or given.shape != f.shape[:1] or not np.issubdtype(given.dtype, np.integer):
        raise ParameterError(
            f"features of shape {f.shape} and labels of shape {given.shape} must be (n, d) and n"
            " whole numbers."
        )
    rows(f, least=1, name="features")
    _, place, counts = np.unique(given, return_inverse=True, return_counts=True)
    sums = np.zeros((len(counts), f.shape[1]))
    np.add.at(sums, place, f)
    means = (sums / counts[:, None])[place]
    return ClassParts(means, f - means, counts[place])


def class_means(features: ArrayLike, labels: ArrayLike) -> np.ndarray:
    """The mean of each class (C, d), in the order of the labels."""
    _, first = np.unique(labels, return_index=True)
    return class_parts(features, labels).means[first]


def within_class_share(features: ArrayLike, labels: ArrayLike) -> float:
    r"""Share of the variance of features (n, d) that lies within the classes: 0 at full collapse, 1
    without classes.

    .. math:: \sum_x |f - \mu_c|^2 \Big/ \sum_x |f - \bar f|^2

    Raises ParameterError for features that are all equal, and as `class_parts`.

    Example:
        >>> within_class_share([[0.0], [0.0], [1.0], [1.0]], [0, 0, 1, 1])
        0.0

    Source: Papyan, Han & Donoho 2020, NC1, with the trace of both covariances in place of their
    quotient.
    """
    f = to_numpy(features)
    within = (class_parts(f, labels).deviations ** 2).sum()
    shifted = f - f[0]
    total = float(((shifted - shifted.mean(axis=0)) ** 2).sum())
    if total <= NEGLIGIBLE * (f**2).sum():
        raise ParameterError("features that are all equal have no variance to divide.")
    return float(within / total)


def simplex_distance(features: ArrayLike, labels: ArrayLike) -> float:
    r"""How far the C class means are from an equiangular tight frame: mean of $|\cos_{cc'} +
    1/(C-1)|$ over pairs.

    Cosines are those of the means less the mean of all means. It is 0 for a regular simplex.

    Raises ParameterError for fewer than two classes, and for a mean that is the mean of all means.

    Example:
        >>> round(simplex_distance(np.eye(4), [0, 1, 2, 3]), 12)
        0.0

    Source: Papyan, Han & Donoho 2020, NC2 (maximal angles).
    """
    f = to_numpy(features)
    given = np.asarray(labels)
    class_parts(f, given)  # which refuses what is none
    means = np.array([f[given == c].mean(axis=0) for c in np.unique(given)])
    if len(means) < 2:
        raise ParameterError(f"labels have {len(means)} class, but angles need two or more.")
    apart = means - means.mean(axis=0)
    lengths = np.linalg.norm(apart, axis=1)
    if (lengths**2 <= NEGLIGIBLE * (f**2).sum()).any():
        raise ParameterError("a class mean that is the mean of all of them has no direction.")
    cosines = (apart / lengths[:, None]) @ (apart / lengths[:, None]).T
    pairs = cosines[np.triu_indices(len(means), 1)]
    return float(np.abs(pairs + 1 / (len(means) - 1)).mean())
