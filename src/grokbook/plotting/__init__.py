"""Figures from datasets, in one style."""

from grokbook.plotting.grids import splits as splits
from grokbook.plotting.style import COLOURS as COLOURS
from grokbook.plotting.training import curves_by_setting as curves_by_setting
from grokbook.plotting.training import learning_curves as learning_curves
from grokbook.plotting.training import measure_curves as measure_curves
from grokbook.plotting.training import mirrored_accuracy as mirrored_accuracy
