"""Where the papers predict different things: training sets that cover the table, and training sets that force a line.

The toy of Liu et al. 2022 on the sums of two of ten symbols, with four chosen training sets of 42 of the 55 pairs.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from grokbook.claims import Finding, Runs, claim, judge
from grokbook.experiments.base import Experiment
from grokbook.experiments.liu2022 import addition
from grokbook.measures import med
from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.tasks.chosen import ChosenAddition
from grokbook.theory.coverage import distance_to_training
from grokbook.theory.parallelograms import (
    Sample,
    all_samples,
    grokking_rate,
    ideal_model,
    nullity,
    representation_quality_index,
)
from grokbook.training.schedule import Schedule

P, STEPS, SEEDS, TOLERANCE = 10, 3_000, 5, 0.1
"""Symbols, steps of a run, runs of a set, and the code's rule for a closed parallelogram on a line."""

_ROW = tuple((0, j) for j in range(2, P))
HELD_OUT: dict[str, tuple[Sample, ...]] = {
    "line, covered": ((0, 2), (0, 9), (1, 3), (1, 7), (2, 4), (2, 6), (2, 7), (2, 9), (3, 9), (4, 9), (5, 6), (5, 7),
                      (6, 8)),
    "line, hole": ((0, 7), (1, 6), (1, 7), (1, 8), (2, 5), (2, 6), (2, 7), (2, 8), (2, 9), (3, 6), (3, 7), (3, 8),
                   (4, 7)),
    "no line, covered": (*_ROW, (2, 3), (2, 6), (3, 5), (4, 6), (6, 8)),
    "no line, hole": (*_ROW, (1, 7), (1, 8), (1, 9), (2, 8), (2, 9)),
}  # fmt: skip
"""The 13 test pairs of each set. Without a line: symbol 0 stands in two training pairs, alone with their sums."""


def training_pairs(name: str) -> list[Sample]:
    """The 42 training pairs of a set.

    Example:
        >>> len(training_pairs("line, hole"))
        42
    """
    return [pair for pair in all_samples(P) if pair not in HELD_OUT[name]]


def contrast() -> dict[str, Experiment]:
    """The runs of the four sets: the toy with one number a symbol, as in Fig. 3 of Liu et al. 2022.

    Example:
        >>> [made.config.n_train for made in contrast().values()]
        [42, 42, 42, 42]
    """
    found = {}
    for name in HELD_OUT:
        config = dataclasses.replace(
            addition(steps=STEPS, stop=None), task=ChosenAddition(P, trained=training_pairs(name)),
            log=Schedule(dense_until=STEPS, dense_every=50), snapshots=31,
        )  # fmt: skip
        found[name] = Experiment(
            f"liu2022/contrast[{name}]", config, tuple(range(SEEDS)), source="Liu et al. 2022, section 3.2",
            statement="A training set that forces a line generalises, whether it covers the table or not.",
            choices="The four training sets and 3,000 steps are this book's; seeds draw answers and first weights.",
        )  # fmt: skip
    return found


RUNS = (contrast,)
