"""Figures from datasets, in one style."""

from grokbook.plotting.grids import splits
from grokbook.plotting.style import COLOURS
from grokbook.plotting.training import (
    curves_by_setting,
    learning_curves,
    measure_curves,
    mirrored_accuracy,
)

__all__ = [
    "COLOURS",
    "curves_by_setting",
    "learning_curves",
    "measure_curves",
    "mirrored_accuracy",
    "splits",
]
