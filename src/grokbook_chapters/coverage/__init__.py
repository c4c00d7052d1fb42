"""Chapter 04a: which cells a random training set covers, and what that does not say about the class
of a cell."""

from __future__ import annotations

from grokbook.measures.inputs import whole
from grokbook.runs.experiment import Experiment
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.grid_inputs import side_and_radius


def plan(p: int, k: int, train_fraction: float, draws: int, example: int) -> dict[str, Experiment]:
    """Plan of chapter 04a: nothing to train; grid, discs and draws must exist."""
    side_and_radius(p, k, torus=True)
    side_and_radius(example, 3, torus=True)
    whole(draws, "draws")
    ModularTask(p, train_fraction=train_fraction)
    return {}
