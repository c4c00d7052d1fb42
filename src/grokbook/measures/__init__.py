"""One function a measure, on weights, embeddings and accuracy curves.

Arrays may be numpy or torch (detached here; measuring never takes part in a gradient). One number comes back
as a float, coordinates as the kind of array that went in, spectra (`fourier_power`, `explained_variance`) as
numpy.
"""

# fmt: off
# isort: off
from grokbook.measures.delay import (
    GrokTime, delay_summary, describe_delays, grok_time, grok_times, median_delay, median_step,
)
from grokbook.measures.embedding_difference import (
    MED_DEFINITIONS, MedDefinition, circle_med, expected_initial_med, least_med, linear_med, med, med_as, med_bound,
    med_diameter_bound, med_spectral_bound, normalised_med, operand_distance,
)
from grokbook.measures.fourier import (
    circle_projection, dominant_frequencies, energy_share, fourier_power, inverse_participation_ratio,
)
from grokbook.measures.geometry import diameter, effective_dimension, explained_variance
from grokbook.measures.limits import LimitRule, Limits, limits_table, onset
from grokbook.measures.logged import embedding_measures
from grokbook.measures.norms import mean_norm, weight_norm
from grokbook.measures.registry import Measure, definition_table, registry
from grokbook.measures.separability import (
    ClassSeparability, Separation, class_separability, convexly_separable, convexly_separable_on, linear_probe,
    separate, shuffled_share, topologically_separable,
)
from grokbook.measures.tracking import (
    ShiftTest, detrended_increments, end_of_decline, first_below, shift_test, sign_agreement,
)

__all__ = [
    "MED_DEFINITIONS", "ClassSeparability", "GrokTime", "LimitRule", "Limits", "Measure", "MedDefinition",
    "Separation", "ShiftTest", "circle_med", "circle_projection", "class_separability", "convexly_separable",
    "convexly_separable_on", "definition_table", "delay_summary", "describe_delays", "detrended_increments",
    "diameter", "dominant_frequencies", "effective_dimension", "embedding_measures", "end_of_decline",
    "energy_share", "expected_initial_med", "explained_variance", "first_below", "fourier_power", "grok_time",
    "grok_times", "inverse_participation_ratio", "least_med", "limits_table", "linear_med", "linear_probe", "mean_norm",
    "med", "med_as", "med_bound", "med_diameter_bound", "med_spectral_bound", "median_delay", "median_step",
    "normalised_med", "onset", "operand_distance", "registry", "separate", "shift_test", "shuffled_share",
    "sign_agreement", "topologically_separable", "weight_norm",
]
