"""The experiments on how the training data lie (Gu et al. 2025, Table 1 and Fig. 4) and the plan of chapter 04."""

from __future__ import annotations

from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import modular_run
from grokbook.experiments.published import TABLE_1
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.grid_inputs import side_and_radius, whole

TABLE_1_STEPS = 6_000
"""Optimiser steps of a run of Table 1: our choice, 1.7 times its latest GO-Epoch; the paper states none."""

LONG_STEPS = 12_000
"""Optimiser steps of a longer run of a row of Table 1."""

FIG_4_STEPS = 4_000
"""Optimiser steps of a run of Fig. 4: our choice."""

FIG_4_FRACTIONS = (0.3, 0.4, 0.5, 0.6, 0.7)
"""Training fractions at which x^2 + xy + y^2 is trained; the text of the paper discusses the last three."""


def table_1_run(
    split: str, hole: int, *, rule: str = "code", shift: int = 0, steps: int = TABLE_1_STEPS, n_seeds: int = 3
) -> Experiment:
    """One row of Table 1: addition modulo 97 with a hole of the training set, 30 % trained by one of the two rules.

    `shift` is the offset of the second operand's tokens (60 in the authors' program for STRIP; the paper names none).

    Example:
        >>> row = table_1_run("strip", 67)
        >>> row.name, row.config.n_train
        ('gu2025/table1[strip, t=67]', 2813)
        >>> table_1_run("square", 40, rule="text", steps=12_000).name
        'gu2025/table1[square, k=40, text, steps=12000]'
    """
    config = modular_run(97, 0.3, split=split, hole=hole, rule=rule, shift=shift, steps=steps)
    apart = [f"{'k' if split == 'square' else 't'}={hole}"]
    changed = {rule: rule != "code", f"shift={shift}": shift != 0, f"steps={steps}": steps != TABLE_1_STEPS}
    apart += [name for name, differs in changed.items() if differs]
    return Experiment(
        f"gu2025/table1[{', '.join([split, *apart])}]",
        config,
        seeds=tuple(range(n_seeds)),
        statement="The upper limit of the test accuracy is set by where the training cells lie.",
        source="Gu et al. 2025, Table 1",
    )


def table_1_variants(*, n_seeds: int = 1) -> dict[str, Experiment]:
    """The rows of Table 1 that differ most, run again with one thing changed: steps, rule or offset; by name.

    In the order of what they tell: longer runs of the rows that had not generalised by the end, the offset of the
    authors' STRIP program, the text's rule.

    Example:
        >>> list(table_1_variants())[0]
        'gu2025/table1[square, k=40, steps=12000]'
    """
    rows = [
        table_1_run("square", 40, steps=LONG_STEPS, n_seeds=n_seeds),
        table_1_run("strip", 50, steps=LONG_STEPS, n_seeds=n_seeds),
        table_1_run("strip", 50, shift=60, n_seeds=n_seeds),
        table_1_run("square", 30, steps=LONG_STEPS, n_seeds=n_seeds),
        table_1_run("strip", 50, rule="text", n_seeds=n_seeds),
        table_1_run("strip", 60, shift=60, n_seeds=n_seeds),
        table_1_run("square", 40, rule="text", n_seeds=n_seeds),
    ]
    return {row.name: row for row in rows}


def fig_4_run(train_fraction: float, *, n_seeds: int = 3) -> Experiment:
    """Fig. 4 of Gu et al. 2025: x^2 + xy + y^2 modulo 97 at one training fraction, a random split.

    Example:
        >>> fig_4_run(0.5).config.task.operation
        'x2_plus_xy_plus_y2'
    """
    config = modular_run(97, train_fraction, operation="x2_plus_xy_plus_y2", steps=FIG_4_STEPS)
    return Experiment(
        f"gu2025/fig4[frac={train_fraction:g}]",
        config,
        seeds=tuple(range(n_seeds)),
        statement="Test accuracy times test share is constant: more data do not generalise further.",
        source="Gu et al. 2025, Fig. 4",
    )


def all_runs(*, rule: str = "code", n_seeds: int = 3) -> dict[str, Experiment]:
    """Every experiment of Table 1 and Fig. 4 by name.

    Example:
        >>> len(all_runs())
        16
    """
    rows = [table_1_run(split, hole, rule=rule, n_seeds=n_seeds) for split, hole, *_ in TABLE_1]
    runs = rows + [fig_4_run(fraction, n_seeds=n_seeds) for fraction in FIG_4_FRACTIONS]
    return {run.name: run for run in runs}


def data_distribution(p: int, k: int, train_fraction: float, draws: int, example: int) -> dict[str, Experiment]:
    """Plan of chapter 04, theory half: nothing is trained; the grid, the discs and the draws must exist."""
    side_and_radius(p, k, torus=True)
    side_and_radius(example, 3, torus=True)
    whole(draws, "draws")
    ModularTask(p, train_fraction=train_fraction)
    return {}
