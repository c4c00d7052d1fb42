"""Gu et al. 2025 ("Beyond Progress Measures") and its 2024 predecessor: experiments and chapter
plans.

Settings: one layer, d 128, 4 heads, full-batch AdamW with weight decay 1 on every parameter,
learning rate 1e-3, betas (0.9, 0.98), ten warm-up steps, cross entropy, no LayerNorm.
"""

from __future__ import annotations

import dataclasses

from grokbook.models.transformer import Shape
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.tasks.arithmetic import ModularTask
from grokbook.training.config import RunConfig
from grokbook.training.optim import AdamW
from grokbook.training.schedule import Schedule

FIG5_STEPS = {47: 20_000, 97: 10_000, 211: 3_000, 379: 1_500}
"""Optimiser steps that we chose for Fig. 5 by modulus; the paper does not state them."""

LONGER = 60_000
"""Steps to which the runs of p = 47 are continued, three times those of Fig. 5: none had
generalised by then."""

OPERATIONS = {
    "fig12": ("subtract", 0.3, 128),
    "fig13": ("multiply", 0.3, 128),
    "fig14": ("x2_plus_y2", 0.2, 256),
    "fig15": ("x3_plus_y3", 0.2, 128),
    "fig16": ("x2_plus_xy_plus_y2", 0.3, 128),
    "fig17": ("x2_plus_xy_plus_y2", 0.3, 256),
    "fig18": ("x2_plus_xy_plus_y2", 0.4, 256),
    "fig19": ("x3_plus_xy_plus_y3", 0.5, 256),
}
"""Figs 12 to 19: operation, training fraction and width; p = 97, a random split, one layer."""


def modular_run(
    p: int,
    train_fraction: float,
    *,
    d_model: int = 128,
    steps: int = 10_000,
    operation: str = "add",
    split: str = "random",
    hole: int | None = None,
    rule: str = "code",
    shift: int = 0,
    weight_decay: float = 1.0,
) -> RunConfig:
    """One run of the paper's model on an operation modulo p, the paper's settings where nothing is
    said."""
    task = ModularTask(p, operation, train_fraction, split=split, hole=hole, shift=shift, rule=rule)
    model = Shape(p, d_model=d_model, shift=shift)
    return RunConfig(task, model, AdamW(weight_decay=weight_decay), steps=steps)


def fig5(p: int, *, n_seeds: int = 5, steps: int | None = None) -> Experiment:
    """Fig. 5 of Gu et al. 2025 (Fig. 4 of Gu 2024): addition modulo p, 30 % random training
    cells."""
    usual = FIG5_STEPS.get(p, 10_000)
    config = modular_run(p, 0.3, steps=steps or usual)
    longer = "" if config.steps == usual else f", steps={config.steps}"
    return Experiment(f"gu2025/fig5[p={p}{longer}]", config).with_seeds(n_seeds)


def fresh_fig5() -> Experiment:
    """Fig. 5 at p = 97 from nine seeds that were run after the rules which ask for them had been
    written.

    Example:
        >>> fresh_fig5().seeds
        (10, 11, 12, 13, 14, 15, 16, 17, 18)
    """
    return dataclasses.replace(fig5(97), seeds=tuple(range(10, 19)))


SHOWN = 1
"""The seed that is shown in motion: of the five runs of Fig. 5 at p = 97 the one that generalises
first."""


def often() -> Experiments:
    """The run `SHOWN` of `fig5(97)`, step for step, with its embedding kept every 200 steps.

    Example:
        >>> often()["run"].name, often()["run"].seeds
        ('gu2025/fig5[p=97, 51 snapshots]', (1,))
    """
    config = dataclasses.replace(fig5(97).config, snapshots=51)
    return {"run": Experiment("gu2025/fig5[p=97, 51 snapshots]", config, seeds=(SHOWN,))}


def operations() -> Experiments:
    """Figs 12 to 19: other operations modulo 97, by name; three seeds, the number of steps and
    d_mlp = 4 d are ours."""
    named = {}
    for figure, (operation, fraction, width) in OPERATIONS.items():
        name = f"gu2025/{figure}"
        config = modular_run(97, fraction, d_model=width, operation=operation)
        named[name] = Experiment(name, config)
    return named


def live_run(
    p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int, *, split: str = "random"
) -> Experiment:
    """A run small enough to be trained while a page is built: the paper's model at other sizes."""
    config = modular_run(p, train_fraction, d_model=d_model, steps=steps, split=split)
    config = dataclasses.replace(config, log=Schedule(points=200))
    name = f"live/addition[p={p}, {split}, {train_fraction:g}]"
    return Experiment(name, config).with_seeds(n_seeds)
