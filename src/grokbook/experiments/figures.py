"""Figs 12 to 19 of Gu et al. 2025 as named experiments; three seeds, the steps below and d_mlp = 4 d are ours."""

from __future__ import annotations

from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import modular_run
from grokbook.training.config import RunConfig

Runs = dict[str, Experiment]

OPERATIONS = {
    "fig12": ("subtract", 0.3, 128, "x - y generalises, and MED moves with the test loss."),
    "fig13": ("multiply", 0.3, 128, "x y generalises partly or not at all, and MED moves with the test loss."),
    "fig14": ("x2_plus_y2", 0.2, 256, "On x^2 + y^2 MED moves with the test loss."),
    "fig15": ("x3_plus_y3", 0.2, 128, "On x^3 + y^3 MED moves with the test loss."),
    "fig16": ("x2_plus_xy_plus_y2", 0.3, 128, "x^2 + xy + y^2 has a low ceiling, and MED moves with the test loss."),
    "fig17": ("x2_plus_xy_plus_y2", 0.3, 256, "Width 256: x^2 + xy + y^2 has a low ceiling, MED moves with the loss."),
    "fig18": ("x2_plus_xy_plus_y2", 0.4, 256, "At 40 % x^2 + xy + y^2 has a low ceiling, MED moves with the loss."),
    "fig19": ("x3_plus_xy_plus_y3", 0.5, 256, "x^3 + xy + y^3 generalises little or not, MED moves with the loss."),
}
"""Figs 12 to 19: operation, training fraction, width and what the paper says; p = 97, a random split, one layer."""

OPERATION_STEPS = 10_000


def _one(name: str, config: RunConfig, statement: str, source: str, choices: str, n_seeds: int) -> Experiment:
    return Experiment(name, config, tuple(range(n_seeds)), statement=statement, source=source, choices=choices)


def _named(*experiments: Experiment) -> Runs:
    return {experiment.name: experiment for experiment in experiments}


def operations(n_seeds: int = 3) -> Runs:
    """Figs 12 to 19: other operations modulo 97.

    Example:
        >>> operations()["gu2025/fig12"].config.task.operation
        'subtract'
    """
    runs = []
    for figure, (operation, fraction, width, statement) in OPERATIONS.items():
        config = modular_run(97, fraction, d_model=width, operation=operation, steps=OPERATION_STEPS)
        source = f"Gu et al. 2025, Fig. {figure[3:]}; Gu 2024, Fig. {int(figure[3:]) - 1}"
        choices = f"{OPERATION_STEPS} steps; d_mlp = 4 d; the operand tokens shared (k = 0)"
        runs.append(_one(f"gu2025/{figure}", config, statement, source, choices, n_seeds))
    return _named(*runs)
