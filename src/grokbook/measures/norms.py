"""Sizes of weights: of everything that is trained, and of an embedding's rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite, sqrt

import numpy as np

from grokbook.errors import ParameterError, checked_call
from grokbook.measures.inputs import Array, rows, to_numpy


@checked_call
def weight_norm(parameters: Mapping[str, Array] | Iterable[Array]) -> float:
    r"""Euclidean norm of all weights together, $\lVert\theta\rVert =
    \sqrt{\sum_t\sum_j\theta_{t,j}^2}$.

    `parameters` is a mapping from names to tensors, or an iterable of tensors
    (`model.parameters()`), of any shapes, numpy or torch.

    Raises ParameterError if there is no tensor or a value is not finite.

    >>> weight_norm({"W": np.ones((3, 4)), "b": np.array([2.0])})
    4.0
    """
    tensors = list(parameters.values() if isinstance(parameters, Mapping) else parameters)
    if not tensors:
        raise ParameterError("parameters is empty, but the norm needs at least one tensor.")
    square = sum(float(np.sum(to_numpy(tensor) ** 2)) for tensor in tensors)
    if not isfinite(square):
        raise ParameterError(
            "parameters hold a value that is not finite, but every value must be finite."
        )
    return sqrt(square)


def mean_norm(embedding: Array) -> float:
    r"""Mean row norm, $\frac1p\sum_i\lVert\phi_i\rVert$, `embedding` = $\phi$ of shape (p, d).

    Raises ParameterError if the table is not a finite (p, d) array.

    >>> mean_norm(np.array([[3.0, 4.0], [0.0, 0.0]]))
    2.5
    """
    return float(np.linalg.norm(rows(embedding, least=1), axis=1).mean())
