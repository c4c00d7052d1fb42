"""The embedding measures that a training run logs at each logged step."""

from __future__ import annotations

from grokbook.measures.embedding_difference import med, med_as, normalised_med
from grokbook.measures.fourier import inverse_participation_ratio
from grokbook.measures.geometry import effective_dimension
from grokbook.measures.inputs import Array, rows
from grokbook.measures.norms import mean_norm


def embedding_measures(first: Array, second: Array | None = None) -> dict[str, float]:
    """Every embedding measure of the registry at once: what a training run logs at each logged step.

    `first` and `second`, shape (p, d), are the word embeddings of the two operands' tokens, without
    positions; without `second` both operands share `first`. `med_gu2024` and `med_code_base` use both, all
    others `first`.

    Raises ParameterError if a table is not a finite (p, d) array with p >= 3 or its rows are all equal.

    >>> import numpy as np
    >>> sorted(embedding_measures(np.eye(5)))[:3]
    ['effective_dimension', 'embedding_norm', 'fourier_ipr']
    """
    phi = rows(first, least=3, name="first")
    other = phi if second is None else rows(second, least=3, name="second")
    return {
        "med": med(phi),
        "med_gu2024": med_as("gu2024_eq_12", phi, other),
        "med_code_base": med_as("code_base", phi, other),
        "normalised_med": normalised_med(phi),
        "embedding_norm": mean_norm(phi),
        "fourier_ipr": inverse_participation_ratio(phi),
        "effective_dimension": effective_dimension(phi),
    }
