"""Ways to train: the same settings in other numbers and with another program, and how their grok
steps compare."""

from __future__ import annotations

import dataclasses

from grokbook.runs.experiment import Experiment, Experiments
from grokbook.training.schedule import Schedule
from grokbook_chapters.gu2025 import fig5, modular_run

# Seeds of both formats that decide: fixed when seeds 0 to 4 had been seen, before these were made.
PAIRS = range(5, 23)
# runs in bfloat16, compared with those in float32
SEEDS = {"p = 59": tuple(range(PAIRS.stop)), "p = 97": (0, 1, 2)}
MARGIN = 1.1  # grok steps within a tenth of each other are called the same


def in_float32() -> Experiments:
    """Two settings that are recorded in float32, all seeds: the small companion of chapter 09, and
    Fig. 5 at p = 97.

    Example:
        >>> list(in_float32())
        ['p = 59', 'p = 97']
    """
    config = modular_run(59, 0.5, d_model=64, steps=4_000)
    config = dataclasses.replace(config, log=Schedule(points=200))
    companion = Experiment("small/fig20[start=normal, frac=0.5]", config).with_seeds(25)
    return {"p = 59": companion, "p = 97": fig5(97, n_seeds=19)}


def in_bfloat16() -> Experiments:
    """The same settings with products in bfloat16.

    Example:
        >>> [run.name for run in in_bfloat16().values()]
        ['small/bfloat16[p = 59]', 'small/bfloat16[p = 97]']
    """
    experiments = {}
    for label, run in in_float32().items():
        config = dataclasses.replace(run.config, dtype="bfloat16")
        experiments[label] = Experiment(f"small/bfloat16[{label}]", config, SEEDS[label])
    return experiments


RUNS = (in_bfloat16,)
