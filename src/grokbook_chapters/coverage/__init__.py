"""Chapter 04a: which cells a random training set covers, and what that does not say about the class
of a cell."""

from __future__ import annotations

from grokbook.measures.inputs import whole
from grokbook.runs.experiment import Experiment as Experiment
from grokbook.runs.experiment import Experiments
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.coverage import distance_to_training as distance_to_training
from grokbook.theory.coverage import same_class_distance as same_class_distance
from grokbook.theory.grid_inputs import side_and_radius
from grokbook_chapters.coverage.coverage_probability import enumerate_coverage as enumerate_coverage
from grokbook_chapters.coverage.figures import coverage as coverage
from grokbook_chapters.coverage.figures import covered_by as covered_by
from grokbook_chapters.coverage.figures import discs as discs
from grokbook_chapters.coverage.figures import uncovered as uncovered
from grokbook_chapters.coverage.numbers import farthest_cells as farthest_cells
from grokbook_chapters.coverage.numbers import numbers as numbers
from grokbook_chapters.coverage.numbers import simulated as simulated
from grokbook_chapters.coverage.numbers import thresholds as thresholds


def plan(p: int, k: int, train_fraction: float, draws: int) -> Experiments:
    """Plan of chapter 04a: nothing to train; grid, discs and draws must exist."""
    side_and_radius(p, k, torus=True)
    whole(draws, "draws")
    ModularTask(p, train_fraction=train_fraction)
    return {}
