"""One function a measure, on weights, embeddings and logits.

Arrays may be numpy or torch (detached here; measuring never takes part in a gradient). One number
comes back as a float, coordinates as the kind of array that went in, spectra (`fourier_power`,
`explained_variance`) as numpy.
"""

import sys
from types import ModuleType
from typing import Any

import pandas as pd

from grokbook.errors import checked_call
from grokbook.measures.embedding_difference import (
    MED_DEFINITIONS,
    MedDefinition,
    circle_med,
    expected_initial_med,
    least_med,
    med,
    med_as,
    med_bound,
    med_diameter_bound,
    med_spectral_bound,
    normalised_med,
    operand_distance,
)
from grokbook.measures.fourier import (
    circle_projection,
    dominant_frequencies,
    energy_share,
    fourier_power,
    inverse_participation_ratio,
)
from grokbook.measures.geometry import diameter, effective_dimension, explained_variance
from grokbook.measures.logged import embedding_measures
from grokbook.measures.norms import mean_norm, weight_norm
from grokbook.measures.registry import Measure, definition_table, measure_table, registry

__all__ = [
    "MED_DEFINITIONS",
    "Measure",
    "MedDefinition",
    "circle_med",
    "circle_projection",
    "definition_table",
    "diameter",
    "dominant_frequencies",
    "effective_dimension",
    "embedding_measures",
    "energy_share",
    "expected_initial_med",
    "explained_variance",
    "fourier_power",
    "inverse_participation_ratio",
    "least_med",
    "mean_norm",
    "med",
    "med_as",
    "med_bound",
    "med_diameter_bound",
    "med_spectral_bound",
    "normalised_med",
    "operand_distance",
    "registry",
    "weight_norm",
]


@checked_call
def measures() -> pd.DataFrame:
    """The table of all measures."""
    return pd.DataFrame(measure_table())


class _Listing(ModuleType):
    """The room of a name that is a function too: `grokbook.measures()` is the table of all
    measures."""

    def __call__(self, *given: Any, **named: Any) -> pd.DataFrame:
        return measures(*given, **named)


sys.modules[__name__].__class__ = _Listing
