"""Figures from datasets, in one style."""

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
    "curves_by_setting",
    "learning_curves",
    "measure_curves",
    "med_and_loss",
    "med_and_spectral_bound",
    "med_by_frequency",
    "mirrored_accuracy",
    "relative_curves",
    "splits",
]
