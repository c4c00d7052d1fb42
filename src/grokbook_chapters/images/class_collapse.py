r"""Liu et al.'s effective loss for classes: features of one class attract each other, the scale is
divided out.

With features f(x) and classes of $n_c$ samples (Equation 32),

.. math:: \ell_{eff} = \ell / Z, \quad Z = \sum_x |f(x)|^2, \quad
          \ell = \sum_{(x, y)} |f(x) - f(y)|^2 = \sum_c n_c \sum_{x \in c} |f(x) - \mu_c|^2,

the first sum over the pairs of one class, $\mu_c$ the mean of a class. Each deviation $f - \mu_c$
shrinks on its own and all features grow by one common factor that keeps Z: the flow has a closed
form (`flow`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from grokbook.errors import ParameterError
from grokbook.measures.fourier import NEGLIGIBLE
from grokbook_chapters.images.neural_collapse import ClassParts, class_parts


def loss(features: ArrayLike, labels: ArrayLike) -> float:
    r"""$\ell_{eff} = \ell / Z$ of features (n, d), with unordered pairs of one class.

    Source: Liu et al. 2022, Equation 32.
    """
    return _attraction(class_parts(features, labels)) / _size(features)


def velocity(features: ArrayLike, labels: ArrayLike) -> np.ndarray:
    r"""The gradient flow of the effective loss, (n, d).

    .. math:: -\partial\ell_{eff} / \partial f = -\frac{2}{Z}\bigl(n_c (f - \mu_c) - \frac{\ell}{Z}
        f\bigr)

    Source: Liu et al. 2022, Equation 33, first line, with the sign that the flow needs.
    """
    parts = class_parts(features, labels)
    f = np.asarray(features, dtype=float)
    z = _size(features)
    pull = parts.sizes[:, None] * parts.deviations
    return -2 / z * (pull - _attraction(parts) / z * f)


def flow(features: ArrayLike, labels: ArrayLike, times: Sequence[float]) -> np.ndarray:
    r"""Features at `times` of 0 or more under the flow, (T, n, d); infinity is the limit.

    .. math:: f(t) &= g(t)\bigl(\mu_c + e^{-2 n_c t / Z}(f - \mu_c)\bigr), \\
              g(t)^2 &= Z \Big/ \sum_x \bigl|\mu_c + e^{-2 n_c t / Z}(f - \mu_c)\bigr|^2

    Means of classes keep their directions and their ratios: whatever the classes do, two means are
    never closer in relation to the largest than at the start. Raises ParameterError for negative
    times, for times at which nothing is left of classes whose means are all zero, and as
    `class_parts`.

    Source: derived here from Liu et al. 2022, Equations 32 and 33.
    """
    t = np.asarray(times, dtype=float)
    if t.ndim != 1 or np.isnan(t).any() or (t < 0).any():
        raise ParameterError(f"times = {times} must be a list of numbers of 0 or more.")
    means, apart, sizes = class_parts(features, labels)
    z = _size(features)
    if (means**2).sum() <= NEGLIGIBLE * z:
        apart = means + apart
        means = np.zeros_like(means)
    decay = np.exp(-2 * t[:, None] * sizes / z)
    path = means + decay[..., None] * apart
    left = (path**2).sum((1, 2))
    if not left.all():
        raise ParameterError(
            f"class means that are all zero have no limit: nothing is left at times = {times}."
        )
    return path * np.sqrt(z / left)[:, None, None]


def _attraction(parts: ClassParts) -> float:
    r"""The loss $\ell$ before it is divided by $Z$."""
    return float((parts.sizes[:, None] * parts.deviations**2).sum())


def _size(features: ArrayLike) -> float:
    size = float((np.asarray(features, dtype=float) ** 2).sum())
    if not size > 0:
        raise ParameterError("features that are all zero have no direction to keep: their Z is 0.")
    return size
