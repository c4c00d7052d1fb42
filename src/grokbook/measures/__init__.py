"""One function a measure, on weights, embeddings and accuracy curves.

Arrays may be numpy or torch (detached here; measuring never takes part in a gradient). One number comes back
as a float, coordinates as the kind of array that went in, spectra (`fourier_power`, `explained_variance`) as
numpy.
"""

from grokbook.measures.definitions import definition_table
from grokbook.measures.delay import GrokTime, delay_summary, describe_delays, grok_time, grok_times, median_delay
from grokbook.measures.embedding_difference import (
    MED_DEFINITIONS,
    MedDefinition,
    circle_med,
    expected_initial_med,
    least_med,
    linear_med,
    med,
    med_as,
    med_bound,
    med_diameter_bound,
    med_spectral_bound,
    normalised_med,
    operand_distance,
    relabelled,
)
from grokbook.measures.fourier import (
    circle_projection,
    dominant_frequencies,
    energy_share,
    fourier_power,
    inverse_participation_ratio,
)
from grokbook.measures.geometry import effective_dimension, explained_variance, principal_components
from grokbook.measures.limits import LimitRule, Limits, limits_table, onset
from grokbook.measures.logged import embedding_measures
from grokbook.measures.norms import mean_norm, weight_norm
from grokbook.measures.registry import Measure, registry
from grokbook.measures.separability import (
    ClassSeparability,
    Separation,
    class_separability,
    convexly_separable,
    convexly_separable_on,
    separate,
    shuffled_share,
    topologically_separable,
)
from grokbook.measures.tracking import (
    ShiftTest,
    detrended_increments,
    end_of_decline,
    first_below,
    shift_test,
    sign_agreement,
)

__all__ = [
    "MED_DEFINITIONS",
    "GrokTime",
    "LimitRule",
    "Limits",
    "Measure",
    "MedDefinition",
    "ClassSeparability",
    "Separation",
    "ShiftTest",
    "circle_med",
    "circle_projection",
    "detrended_increments",
    "definition_table",
    "delay_summary",
    "describe_delays",
    "class_separability",
    "convexly_separable",
    "convexly_separable_on",
    "dominant_frequencies",
    "effective_dimension",
    "embedding_measures",
    "end_of_decline",
    "energy_share",
    "expected_initial_med",
    "explained_variance",
    "first_below",
    "fourier_power",
    "grok_time",
    "grok_times",
    "inverse_participation_ratio",
    "least_med",
    "linear_med",
    "limits_table",
    "mean_norm",
    "med",
    "med_as",
    "med_bound",
    "med_diameter_bound",
    "med_spectral_bound",
    "median_delay",
    "normalised_med",
    "onset",
    "operand_distance",
    "principal_components",
    "registry",
    "relabelled",
    "separate",
    "shift_test",
    "shuffled_share",
    "sign_agreement",
    "topologically_separable",
    "weight_norm",
]
