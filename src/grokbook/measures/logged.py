"""The embedding measures that a training run logs at each logged step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from grokbook.errors import ParameterError
from grokbook.measures.embedding_difference import med, med_as, normalised_med
from grokbook.measures.fourier import inverse_participation_ratio
from grokbook.measures.geometry import effective_dimension
from grokbook.measures.inputs import Array, rows
from grokbook.measures.norms import mean_norm


def _value(measure: Callable[..., float], *tables: np.ndarray) -> float:
    """The measure, or NaN where it is not defined (a collapsed table has no spectrum, two rows no
    code form)."""
    try:
        return measure(*tables)
    except ParameterError:
        return float("nan")


def embedding_measures(first: Array, second: Array | None = None) -> dict[str, float]:
    """Every embedding measure of the registry at once: what a training run logs at each logged
    step.

    `first` and `second`, shape (p, d), are the word embeddings of the two operands' tokens, without
    positions; without `second` both operands share `first`. `med_gu2024` and `med_code_base` use
    both, all others `first`. A measure that is not defined on a table is NaN: the scale-free ones
    when all rows are equal (a run must not end because weight decay has collapsed its embedding).

    Raises ParameterError if a table is not a finite (p, d) array with p >= 2 or the two differ in
    shape.

    >>> import numpy as np
    >>> sorted(embedding_measures(np.eye(5)))[:3]
    ['effective_dimension', 'embedding_norm', 'fourier_ipr']
    >>> embedding_measures(np.zeros((5, 2)))["fourier_ipr"]
    nan
    """
    phi = rows(first, name="first")
    other = phi if second is None else rows(second, name="second")
    if other.shape != phi.shape:
        raise ParameterError(
            f"second has shape {other.shape}, but must have the first's, {phi.shape}."
        )
    return {
        "med": _value(med, phi),
        "med_gu2024": _value(partial(med_as, "gu2024_eq_12"), phi, other),
        "med_code_base": _value(partial(med_as, "code_base"), phi, other),
        "normalised_med": _value(normalised_med, phi),
        "embedding_norm": mean_norm(phi),
        "fourier_ipr": _value(inverse_participation_ratio, phi),
        "effective_dimension": _value(effective_dimension, phi),
    }
