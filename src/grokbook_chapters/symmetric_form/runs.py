"""The runs of chapter 04c: Fig. 4 of Gu et al. 2025, and the three networks of section 6.1 on two
operations."""

from __future__ import annotations

import dataclasses
from typing import Any

from grokbook.models.mlp import EmbeddingMLP, QuadraticMLP
from grokbook.models.transformer import Shape
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.training.schedule import Schedule
from grokbook_chapters.gu2025 import modular_run

FORM = "x2_plus_xy_plus_y2"
P = 97  # the paper's modulus
STEPS = 4_000  # optimiser steps of a run of Fig. 4: our choice

PAPER = (0.5, 0.6, 0.7)
# Training fractions at which the paper compares Acc (1 - frac), and all at which x^2 + xy + y^2 is
# trained here.
FRACTIONS = (0.3, 0.4, *PAPER)

# The networks of section 6.1: the transformer, the DNN of the authors' programs, and Gromov's,
# which it cites.
NETWORKS = ("transformer", "embedding DNN", "quadratic DNN")

# The two operations on which the networks are compared: the paper's quadratic form and a linear
# one.
FORMS = {FORM: "x^2 + xy + y^2", "add": "x + y"}

# Size of the companions on which the page compares the networks.
SMALL = {"p": 23, "train_fraction": 0.6, "d_model": 32, "steps": 6_000, "n_seeds": 3}


def fig_4(fractions: tuple[float, ...] = FRACTIONS) -> Experiments:
    """Fig. 4 of Gu et al. 2025: x^2 + xy + y^2 modulo 97 on random splits, training fraction ->
    experiment."""
    experiments = {}
    for fraction in fractions:
        config = modular_run(P, fraction, operation=FORM, steps=STEPS)
        experiments[fraction] = Experiment(f"gu2025/fig4[frac={fraction:g}]", config)
    return experiments


def network_run(
    network: str,
    operation: str,
    *,
    p: int = P,
    train_fraction: float = PAPER[0],
    steps: int = 30_000,
    d_model: int = 128,
    n_seeds: int = 1,
) -> Experiment:
    """One of `NETWORKS` on an operation modulo p: cross entropy, and the squared error for the
    quadratic network.

    Hidden layers are 4 d wide (512 at the authors' d = 128); 30,000 steps are those of the authors'
    program.

    Example:
        >>> run = network_run("quadratic DNN", "add", p=7, d_model=4)
        >>> run.name, run.config.model.width, run.config.loss
        ('small/network[quadratic DNN, x + y, p=7, frac=0.5]', 16, 'squared_error')

    Source: Gu et al. 2025, section 6.1 ("2-layer DNN"), and its programs, which are another network
    than the one cited.
    """
    models = {
        "transformer": Shape(p, d_model=d_model),
        "embedding DNN": EmbeddingMLP(p, d_model=d_model, width=4 * d_model),
        "quadratic DNN": QuadraticMLP(p, width=4 * d_model),
    }
    plain = modular_run(p, train_fraction, operation=operation, d_model=d_model, steps=steps)
    config = dataclasses.replace(
        plain,
        model=models[network],
        loss="squared_error" if network == "quadratic DNN" else "cross_entropy",
        log=Schedule(points=200),
        snapshots=2,
    )
    folder = "gu2025" if p == P else "small"
    name = f"{folder}/network[{network}, {FORMS[operation]}, p={p}, frac={train_fraction:g}]"
    return Experiment(name, config).with_seeds(n_seeds)


def networks(
    names: tuple[str, ...] = NETWORKS, forms: tuple[str, ...] = tuple(FORMS), **settings: Any
) -> Experiments:
    """Networks on both forms, by network and form; `settings` as in `network_run`."""
    planned = {}
    for form in forms:
        for name in names:
            planned[name, FORMS[form]] = network_run(name, form, **settings)
    return planned


def dnns() -> Experiments:
    """The two DNNs at the paper's size: three runs on its form, as many as bear a statement out,
    and one on x + y."""
    return networks(NETWORKS[1:], (FORM,), n_seeds=3) | networks(NETWORKS[1:], ("add",))


def recorded_networks() -> Experiments:
    """The two DNNs on both forms at the paper's size, and the companions of all three networks."""
    return {run.name: run for run in (*dnns().values(), *networks(**SMALL).values())}


RUNS = (fig_4, recorded_networks)


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> Experiments:
    """Plan of chapter 04c: three networks on both operations; Fig. 4 is shown as far as it is
    recorded."""
    return networks(
        p=p, train_fraction=train_fraction, d_model=d_model, steps=steps, n_seeds=n_seeds
    )
