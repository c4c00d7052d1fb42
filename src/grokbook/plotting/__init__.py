"""Figures from datasets, in one style."""

from grokbook.plotting.coverage import (
    accuracy_against_shares,
    discs,
    expectation_and_probability,
    same_class_coverage,
    swapping_memoriser,
    uncovered_cells,
)
from grokbook.plotting.distribution import (
    accuracy_by_part,
    correct_cells,
    measured_against_shares,
    network_curves,
    table_1_measured,
)
from grokbook.plotting.grids import splits
from grokbook.plotting.style import COLOURS
from grokbook.plotting.theory import med_and_spectral_bound, med_by_frequency
from grokbook.plotting.training import (
    curves_by_setting,
    learning_curves,
    measure_curves,
    med_and_loss,
    mirrored_accuracy,
    relative_curves,
)

__all__ = [
    "COLOURS",
    "accuracy_against_shares",
    "accuracy_by_part",
    "correct_cells",
    "curves_by_setting",
    "discs",
    "expectation_and_probability",
    "learning_curves",
    "measure_curves",
    "measured_against_shares",
    "med_and_loss",
    "med_and_spectral_bound",
    "med_by_frequency",
    "mirrored_accuracy",
    "network_curves",
    "relative_curves",
    "same_class_coverage",
    "splits",
    "swapping_memoriser",
    "table_1_measured",
    "uncovered_cells",
]
