"""The experiments of chapter 12: Fig. 6a to 6d, Figs 13 to 15, and the small diagram that the page trains itself."""

from __future__ import annotations

import dataclasses

import numpy as np

from grokbook.errors import ParameterError
from grokbook.models.replayed import ReplayedToy
from grokbook.models.toy import Toy
from grokbook.runs.experiment import Experiment
from grokbook.runs.liu2022 import addition
from grokbook.runs.sweep import Axis, Sweep, spaced
from grokbook.tasks.groups import GroupTask
from grokbook.tasks.replayed import ReplayedAddition
from grokbook.training.config import RunConfig, StopRule

FINE = spaced(1e-5, 1e-2, 16)
"""Rates of the decoder in Fig. 6b to 6d."""

COARSE = spaced(1e-5, 1e-2, 13)
"""Rates of embeddings and decoder in Fig. 6a."""

SHORT = spaced(1e-4, 1e-2, 10)
"""Rates of the decoder in Figs 13 to 15; the number of them is our choice."""

DECAYS = tuple(map(float, range(11)))
"""Weight decays of the decoder in Fig. 6b."""

S3_DECAYS = (0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 200.0)
"""Weight decays of the decoder in Fig. 6d."""

MORE = {
    "13": Axis("batch_size", (5.0, 9.0, 14.0, 18.0, 23.0, 27.0, 32.0, 36.0, 41.0, 45.0)),
    "14": Axis("spread", spaced(0.1, 10, 10)),
    "15": Axis("encoder_weight_decay", tuple(map(float, range(10)))),
}
"""What varies beside the rate of the decoder in Figs 13 to 15; the paper prints no values."""

TASKS = {"regression": "vectors", "classification": "labels"}
OPEN = "Answers, split and first weights are drawn by our seeds; the published diagrams have one seed a panel."
OPEN_MORE = "Values of the y axis, their number, decay of the decoder (none), and 100,000 steps are our choice."


def fig6() -> dict[str, Experiment]:
    """Fig. 6 of Liu et al. 2022: addition (a to c), and permutations of three things by 3x3 matrices (d).

    Example:
        >>> [(name, tuple(sweep.shape.values())) for name, sweep in fig6().items()]
        [('b', (16, 11)), ('d', (16, 11)), ('a', (13, 13)), ('c', (16, 11))]
    """

    def axes(values: tuple[float, ...]) -> tuple[Axis, Axis]:
        return Axis("decoder_lr", FINE), Axis("decoder_weight_decay", values)

    matrices = Toy(6, 9, product=True, spread=0.1)
    permutations = dataclasses.replace(addition(), task=GroupTask("S3"), model=matrices)
    twice = tuple(2 * decay for decay in DECAYS)
    found = {
        "b": (addition(), axes(DECAYS), "addition, regression"),
        "d": (permutations, axes(S3_DECAYS), "permutations of three things, regression; no penalty on the matrices"),
        "a": (addition(), (Axis("encoder_lr", COARSE), Axis("decoder_lr", COARSE)), "addition, regression"),
        "c": (addition(answers="labels"), axes(twice), "addition, classification"),
    }
    return {
        panel: Sweep(
            f"liu2022/fig6{panel}", config, (0, 1, 2), axes=sides, source=f"Liu et al. 2022, Fig. 6{panel}",
            statement=f"Phases of the toy: {what}.", choices=OPEN,
        )
        for panel, (config, sides, what) in found.items()
    }  # fmt: skip


def until_fit() -> dict[str, Sweep]:
    """Panels 6b and 6c again, each run until it fits its training set: what follows where the test set is passed first.

    Example:
        >>> until_fit()["6c"].config.stop.variable
        'train_accuracy'
    """
    stop = StopRule("train_accuracy", 0.9, hold=4)
    panels = {f"6{name}": fig6()[name] for name in "bc"}
    return {
        name: Sweep(
            f"{panel.name}[until fit]", dataclasses.replace(panel.config, stop=stop), panel.seeds, axes=panel.axes,
            source=panel.source, statement=f"The runs of Fig. {name} until 90 % of the training set are right.",
            choices=OPEN,
        )
        for name, panel in panels.items()
    }  # fmt: skip


THEIR_SEEDS = {"b": 58, "c": 6, "a": 58}
"""The seeds of the published panels of addition, in the authors' programs."""


def replayed() -> dict[str, Sweep]:
    """Panels 6a to 6c with the answers, the split and the first weights of the published runs, by panel.

    Example:
        >>> {panel: sweep.seeds for panel, sweep in replayed().items()}
        {'b': (58,), 'c': (6,), 'a': (58,)}
    """
    own, found = fig6(), {}
    for panel, seed in THEIR_SEEDS.items():
        ours = own[panel]
        task = ReplayedAddition(train_fraction=ours.config.task.train_fraction, answers=ours.config.task.answers)
        config = dataclasses.replace(ours.config, task=task, model=ReplayedToy(10, outputs=ours.config.model.outputs))
        found[panel] = Sweep(
            f"{ours.name}[their draws]", config, (seed,), axes=ours.axes, source=ours.source,
            statement=f"The runs of Fig. 6{panel} as the authors' program draws them.",
            choices="Everything that is drawn is drawn as in the published runs, with their seed.",
        )  # fmt: skip
    return found


def more() -> dict[str, Experiment]:
    """Figs 13 to 15 of Liu et al. 2022, each for regression and classification, by "13 regression" and so on.

    Example:
        >>> list(more())[0], more()["15 regression"].shape
        ('13 regression', {'decoder_lr': 10, 'encoder_weight_decay': 10})
    """
    return {
        f"{figure} {task}": Sweep(
            f"liu2022/fig{figure}[{task}]", addition(answers=answers), (0, 1, 2),
            axes=(Axis("decoder_lr", SHORT), axis), source=f"Liu et al. 2022, Fig. {figure}",
            statement=f"Phases of the toy on addition, {task}, by {axis.name.replace('_', ' ')}.",
            choices=f"{OPEN} {OPEN_MORE}",
        )
        for figure, axis in MORE.items()
        for task, answers in TASKS.items()
    }  # fmt: skip


SEEDS, SHORTER = 5, 20_000
"""Seeds and steps of the cells that ask how much of a diagram is its seed."""


def by_seed() -> dict[str, Sweep]:
    """Twelve cells of Fig. 6b, every third rate from 1e-4 and every fourth decay, with five seeds each.

    Example:
        >>> by_seed()["cells"].shape
        {'decoder_lr': 4, 'decoder_weight_decay': 3}
    """
    axes = Axis("decoder_lr", FINE[5::3]), Axis("decoder_weight_decay", DECAYS[:9:4])
    return {
        "cells": Sweep(
            "small/fig6b", addition(steps=SHORTER), tuple(range(SEEDS)), axes=axes, choices=f"{OPEN} 20,000 steps.",
            source="Liu et al. 2022, Fig. 6b", statement="How much of a cell's phase is its seed.",
        )
    }  # fmt: skip


def by_start() -> dict[str, Sweep]:
    """Twelve cells of Fig. 6d from matrices of two sizes, five seeds each: the paper does not print their size.

    Example:
        >>> by_start()["cells"].shape
        {'decoder_lr': 4, 'decoder_weight_decay': 3, 'spread': 2}
    """
    axes = Axis("decoder_lr", FINE[::5]), Axis("decoder_weight_decay", (0.0, 10.0, 50.0)), Axis("spread", (0.1, 1.0))
    return {
        "cells": Sweep(
            "small/fig6d", dataclasses.replace(fig6()["d"].config, steps=SHORTER), tuple(range(SEEDS)), axes=axes,
            source="Liu et al. 2022, Fig. 6d", choices=f"{OPEN} 20,000 steps.",
            statement="How much of a cell's phase is the size of the first matrices, and how much its seed.",
        )
    }  # fmt: skip


RUNS = (fig6, replayed, until_fit, more, by_seed, by_start)


def plan(rates: int, decays: int, steps: int, seed: int) -> dict[str, Experiment]:
    """Plan of chapter 12: the small diagram that the page trains; the paper's panels are shown as far as recorded.

    `rates` learning rates of the decoder from 1e-4 to 1e-2 (those of Fig. 6b, where there are 16) and `decays` weight
    decays from 0 to 5 (from 0 to 10, where there are 11), each run `steps` long with this `seed`.

    Raises ParameterError for a seed below 0.

    Example:
        >>> plan(4, 3, 3_000, 1)["live"].shape
        {'decoder_lr': 4, 'decoder_weight_decay': 3}
    """
    if seed < 0:
        raise ParameterError(f"seed = {seed} must be 0 or more.")
    low, most = 1e-5 if rates == len(FINE) else 1e-4, 10 if decays == len(DECAYS) else 5
    axes = (
        Axis("decoder_lr", spaced(low, 1e-2, rates)),
        Axis("decoder_weight_decay", tuple(np.linspace(0, most, decays).tolist())),
    )
    return {"live": Sweep("small/phases", _shorter(addition(), steps), (seed,), axes=axes)}


def _shorter(config: RunConfig, steps: int) -> RunConfig:
    return dataclasses.replace(config, steps=steps)
