"""The experiments of chapter 12: Figs 6 and 12 to 15, and the small diagram that the page trains
itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grokbook.models.nudged import NudgedToy
from grokbook.models.replayed import ReplayedToy
from grokbook.models.toy import Toy
from grokbook.runs.experiment import Experiment, Experiments
from grokbook.runs.sweep import Axis, Sweep, spaced
from grokbook.tasks.chosen import ChosenAddition
from grokbook.tasks.groups import GroupTask
from grokbook.tasks.replayed import ReplayedAddition
from grokbook.training.config import RunConfig, StopRule
from grokbook.training.schedule import Schedule
from grokbook_chapters.liu2022 import addition, rates

FINE = spaced(1e-5, 1e-2, 16)
"""Learning rates of the decoder in Fig. 6b to 6d."""

COARSE = spaced(1e-5, 1e-2, 13)
"""Learning rates of embeddings and decoder in Fig. 6a."""

SHORT = spaced(1e-4, 1e-2, 10)
"""Learning rates of the decoder in Figs 13 to 15."""

# Weight decays of the decoder in Fig. 6b, and in 6d.
DECAYS = tuple(map(float, range(11)))
S3_DECAYS = (0.0, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0, 100.0, 200.0)

# What varies beside the rate of the decoder in Figs 13 to 15; the paper prints no values, and these
# are ours.
MORE = {
    "13": {"batch_size": (5.0, 9.0, 14.0, 18.0, 23.0, 27.0, 32.0, 36.0, 41.0, 45.0)},
    "14": {"spread": spaced(0.1, 10, 10)},
    "15": {"encoder_weight_decay": tuple(map(float, range(10)))},
}

TASKS = {"regression": "vectors", "classification": "labels"}

# The seeds of the published panels of addition, in the authors' programs.
THEIR_SEEDS = {"b": 58, "c": 6, "a": 58}

SEEDS = 5
"""Seeds of the cells that ask how much of a diagram is its seed."""

SHORTER = 20_000
"""Their steps."""


def sweep(
    name: str, config: RunConfig, seeds: tuple[int, ...] = (0, 1, 2), **axes: tuple[float, ...]
) -> Sweep:
    """A diagram of the toy: every combination of the values of its axes, with each seed."""
    return Sweep(name, config, seeds, axes=tuple(Axis(*side) for side in axes.items()))


def fig6() -> Experiments:
    """Fig. 6 of Liu et al. 2022: addition (a to c), and permutations of three things by 3x3
    matrices (d)."""
    matrices = replace(addition(), task=GroupTask("S3"), model=Toy(6, 9, product=True, spread=0.1))
    labels = addition(answers="labels")
    decays_of_labels = tuple(2 * decay for decay in DECAYS)

    def by_decay(panel: str, config: RunConfig, decays: tuple[float, ...]) -> Sweep:
        name = f"liu2022/fig6{panel}"
        return sweep(name, config, decoder_lr=FINE, decoder_weight_decay=decays)

    return {
        "b": by_decay("b", addition(), DECAYS),
        "d": by_decay("d", matrices, S3_DECAYS),
        "a": sweep("liu2022/fig6a", addition(), encoder_lr=COARSE, decoder_lr=COARSE),
        "c": by_decay("c", labels, decays_of_labels),
    }


def until_fit() -> Experiments:
    """Panels 6b and 6c again, each run until it fits its training set."""
    stop = StopRule("train_accuracy", 0.9, hold=4)
    found = {}
    for panel in "bc":
        own = fig6()[panel]
        config = replace(own.config, stop=stop)
        found[f"6{panel}"] = replace(own, name=f"{own.name}[until fit]", config=config)
    return found


def replayed() -> Experiments:
    """Panels 6a to 6c with the answers, the split and the first weights of the published runs, by
    panel."""
    found = {}
    for panel, seed in THEIR_SEEDS.items():
        own = fig6()[panel]
        drawn = own.config.task
        task = ReplayedAddition(train_fraction=drawn.train_fraction, answers=drawn.answers)
        model = ReplayedToy(10, outputs=own.config.model.outputs)
        config = replace(own.config, task=task, model=model)
        found[panel] = replace(own, name=f"{own.name}[their draws]", config=config, seeds=(seed,))
    return found


def thinned(own: Sweep) -> dict[str, tuple[float, ...]]:
    """Every other value of each axis of a diagram."""
    return {axis.name: axis.values[::2] for axis in own.axes}


def in_part() -> Experiments:
    """Every other rate and decay of 6c, and every other rate of both in 6a, with seeds that the
    panels do not have."""
    found = {}
    for panel, seeds in (("c", (1, 2)), ("a", (1, 2, 3))):
        own = fig6()[panel]
        found[panel] = sweep(f"{own.name}[in part]", own.config, seeds, **thinned(own))
    return found


def nudged() -> Experiments:
    """Every other rate and decay of panels 6b and 6c, their draws, each cell from three starts a
    millionth apart."""
    found = {}
    for panel in "bc":
        own = replayed()[panel]
        config = replace(own.config, model=NudgedToy(10, outputs=own.config.model.outputs))
        axes = {**thinned(own), "twin": (0, 1, 2)}
        found[panel] = sweep(f"liu2022/fig6{panel}[nudged]", config, own.seeds, **axes)
    return found


def more() -> Experiments:
    """Figs 13 to 15 of Liu et al. 2022, each for regression and classification, by "13 regression"
    and so on."""
    found = {}
    for figure, axis in MORE.items():
        for task, answers in TASKS.items():
            name = f"liu2022/fig{figure}[{task}]"
            config = addition(answers=answers)
            found[f"{figure} {task}"] = sweep(name, config, decoder_lr=SHORT, **axis)
    return found


# Seeds that ask where Fig. 13 groks: the three of the figure's own were seen when the question was
# put.
CORNERED = tuple(range(3, 9))


def cornered() -> Experiments:
    """Fig. 13 for regression with fresh seeds, for the steps in which 25 of the 27 runs that grok
    in it generalise."""
    own = more()["13 regression"]
    config = replace(own.config, steps=SHORTER)
    return {
        "regression": replace(own, name="small/fig13[regression]", config=config, seeds=CORNERED)
    }


def by_seed() -> Experiments:
    """Twelve cells of Fig. 6b, every third rate from 1e-4 and every fourth decay, with five seeds
    each."""
    axes = {"decoder_lr": FINE[5::3], "decoder_weight_decay": DECAYS[:9:4]}
    return {"cells": sweep("small/fig6b", addition(steps=SHORTER), tuple(range(SEEDS)), **axes)}


# Seeds of both sizes after the first five. With the mean gap of those (0.13, SD 0.22) LP12 fails in
# 88 of 100 cases;
# with no gap it holds in 54 and fails in 5.
STARTS = 30


def started() -> Experiments:
    """Twelve cells of Fig. 6d from matrices of two sizes: the paper does not print their size."""
    axes = {
        "decoder_lr": FINE[::5],
        "decoder_weight_decay": (0.0, 10.0, 50.0),
        "spread": (0.1, 1.0),
    }
    config = replace(fig6()["d"].config, steps=SHORTER)
    return {"cells": sweep("small/fig6d", config, tuple(range(SEEDS + STARTS)), **axes)}


# The training set of Eq. 21: it has all three parallelograms of four symbols.
TRAINED = ((0, 2), (1, 1), (0, 3), (1, 2), (1, 3), (2, 2))
# Rates of embeddings and decoder, (eta_1, eta_2) in Fig. 12.
SPEEDS = {"fast decoder": (1e-3, 1e-2), "slow decoder": (1e-2, 1e-3)}
FOUR_STEPS = 2_000
FOUR_SEEDS = 40


def fig12() -> Experiments:
    """The runs of Fig. 12, four symbols with one number each, by the speed of the decoder."""
    found = {}
    for name, (encoder, decoder) in SPEEDS.items():
        optimizer = rates(decoder, encoder_lr=encoder)
        config = addition(4, 6, steps=FOUR_STEPS, stop=None, optimizer=optimizer)
        log = Schedule(dense_until=FOUR_STEPS, dense_every=100)
        config = replace(config, task=ChosenAddition(4, trained=TRAINED), log=log, snapshots=3)
        found[name] = Experiment(f"liu2022/fig12[{name}]", config).with_seeds(FOUR_SEEDS)
    return found


RUNS = (fig6, replayed, nudged, in_part, until_fit, more, cornered, by_seed, started, fig12)


def plan(rates: int, decays: int, steps: int, seed: int) -> Experiments:
    """Plan of chapter 12: the small diagram that the page trains.

    `rates` learning rates of the decoder from 1e-4 to 1e-2 (those of Fig. 6b, where there are 16)
    and `decays` weight decays from 0 to 5 (from 0 to 10, where there are 11), each run `steps` long
    with this `seed`.

    Example:
        >>> plan(4, 3, 3_000, 1)["live"].shape
        {'decoder_lr': 4, 'decoder_weight_decay': 3}
    """
    low = 1e-5 if rates == len(FINE) else 1e-4
    most = 10 if decays == len(DECAYS) else 5
    strengths = tuple(np.linspace(0, most, decays).tolist())
    axes = {"decoder_lr": spaced(low, 1e-2, rates), "decoder_weight_decay": strengths}
    return {"live": sweep("small/phases", addition(steps=steps), (seed,), **axes)}
