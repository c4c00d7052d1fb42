"""The experiments on how the training data lie (Gu et al. 2025, Table 1 and Fig. 4) and the plan of chapter 04."""

from __future__ import annotations

import dataclasses

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import modular_run
from grokbook.experiments.published import TABLE_1
from grokbook.models.mlp import EmbeddingMLP, QuadraticMLP
from grokbook.models.transformer import Shape
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.grid_inputs import side_and_radius, whole
from grokbook.training.schedule import Schedule

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
        choices=f"{steps} steps; one layer; {rule} rule; U-Acc, L-Acc, GO-Epoch as in grokbook.measures.limits",
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
        choices=f"{FIG_4_STEPS} steps; one layer; fractions 0.3 and 0.4 beside the three of the paper",
    )


NETWORKS = ("transformer", "embedding DNN", "quadratic DNN")
"""The networks of section 6.1: the transformer, the DNN of the authors' programs, and Gromov's, which it cites."""

FORMS = {"x2_plus_xy_plus_y2": "x^2 + xy + y^2", "add": "x + y"}
"""The two operations on which the networks are compared: the paper's quadratic form and a linear one."""

NETWORK_STEPS = 30_000
"""Optimiser steps of a run of the DNNs: those of the authors' program."""


def network_run(
    network: str,
    operation: str,
    *,
    p: int = 97,
    train_fraction: float = 0.3,
    steps: int = NETWORK_STEPS,
    d_model: int = 128,
    n_seeds: int = 1,
) -> Experiment:
    """One of `NETWORKS` on an operation modulo p: cross entropy, and the squared error for the quadratic network.

    Hidden layers are 4 d wide (512 at the authors' d = 128). Raises ParameterError for an unknown network.

    Example:
        >>> run = network_run("quadratic DNN", "add", p=7, d_model=4)
        >>> run.name, run.config.model.width, run.config.loss
        ('small/network[quadratic DNN, x + y, p=7, frac=0.3]', 16, 'squared_error')

    Source: Gu et al. 2025, section 6.1 ("2-layer DNN"), and its programs, which are another network than the one cited.
    """
    models = {
        "transformer": Shape(p, d_model=d_model),
        "embedding DNN": EmbeddingMLP(p, d_model=d_model, width=4 * d_model),
        "quadratic DNN": QuadraticMLP(p, width=4 * d_model),
    }
    if network not in models:
        raise ParameterError(f"network = {network!r} is unknown; choose one of {', '.join(NETWORKS)}.")
    plain = modular_run(p, train_fraction, operation=operation, d_model=d_model, steps=steps)
    loss = "squared_error" if network == "quadratic DNN" else "cross_entropy"
    where = "gu2025" if p == 97 else "small"
    return Experiment(
        f"{where}/network[{network}, {FORMS.get(operation, operation)}, p={p}, frac={train_fraction:g}]",
        dataclasses.replace(plain, model=models[network], loss=loss, log=Schedule(points=200), snapshots=2),
        seeds=tuple(range(n_seeds)),
        statement="A 2-layer DNN stays at a test accuracy of 0.01 on x^2 + xy + y^2; linear forms it can learn.",
        source="Gu et al. 2025, section 6.1",
        choices=f"{steps} steps; hidden layers of width {4 * d_model}; weight decay 1 for every network",
    )


def network_runs(**settings: int | float) -> dict[str, Experiment]:
    """Every network on both forms, by "network, form"; `settings` as in `network_run`.

    Example:
        >>> list(network_runs(p=7))[3]
        'transformer, x + y'
    """
    pairs = [(network, form) for form in FORMS for network in NETWORKS]
    return {f"{network}, {FORMS[form]}": network_run(network, form, **settings) for network, form in pairs}


SMALL = {"p": 23, "train_fraction": 0.6, "d_model": 32, "steps": 6_000, "n_seeds": 3}
"""Size of the companions on which chapter 04 compares the networks."""


def all_runs(*, rule: str = "code", n_seeds: int = 3) -> dict[str, Experiment]:
    """Every experiment of Table 1 and Fig. 4 by name, the two DNNs on both forms (one seed, 30 %), and the companions.

    Example:
        >>> len(all_runs())
        26
    """
    rows = [table_1_run(split, hole, rule=rule, n_seeds=n_seeds) for split, hole, *_ in TABLE_1]
    runs = rows + [fig_4_run(fraction, n_seeds=n_seeds) for fraction in FIG_4_FRACTIONS]
    runs += [network_run(network, form) for network in NETWORKS[1:] for form in FORMS]
    runs += network_runs(**SMALL).values()
    return {run.name: run for run in runs}


def data_distribution(
    p: int,
    k: int,
    train_fraction: float,
    draws: int,
    example: int,
    p_small: int,
    fraction_small: float,
    d_small: int,
    steps_small: int,
    n_seeds: int,
) -> dict[str, Experiment]:
    """Plan of chapter 04: the three networks on both forms at a small modulus; grid, discs and draws must exist.

    Table 1 and Fig. 4 are not in the plan: they are shown as far as they are recorded, and never trained for a page.
    """
    side_and_radius(p, k, torus=True)
    side_and_radius(example, 3, torus=True)
    whole(draws, "draws")
    ModularTask(p, train_fraction=train_fraction)
    sizes = {"train_fraction": fraction_small, "d_model": d_small, "steps": steps_small, "n_seeds": n_seeds}
    return network_runs(p=p_small, **sizes)
