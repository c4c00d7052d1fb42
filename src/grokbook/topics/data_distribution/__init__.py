"""Chapter 04: where the training data lie. Coverage; holes of the training set (Table 1); a symmetric form (Fig. 4)."""

from __future__ import annotations

from grokbook.experiments.base import Experiment
from grokbook.measures.inputs import whole
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.grid_inputs import side_and_radius
from grokbook.topics.data_distribution.symmetric_form import network_runs

__all__ = ["plan"]


def plan(
    p: int, k: int, train_fraction: float, draws: int, example: int,
    p_small: int, fraction_small: float, d_small: int, steps_small: int, n_seeds: int,
) -> dict[str, Experiment]:  # fmt: skip
    """Plan of chapter 04: the three networks on both forms at a small modulus; grid, discs and draws must exist.

    Table 1 and Fig. 4 are not in the plan: they are shown as far as they are recorded, and never trained for a page.
    """
    side_and_radius(p, k, torus=True)
    side_and_radius(example, 3, torus=True)
    whole(draws, "draws")
    ModularTask(p, train_fraction=train_fraction)
    sizes = {"train_fraction": fraction_small, "d_model": d_small, "steps": steps_small, "n_seeds": n_seeds}
    return network_runs(p=p_small, **sizes)
