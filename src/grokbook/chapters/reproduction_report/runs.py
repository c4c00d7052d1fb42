"""Ways to train: the same settings in other numbers and with another program, and how their grok steps compare."""

from __future__ import annotations

import dataclasses

from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5, modular_run
from grokbook.training.schedule import Schedule

BFLOAT16_SEEDS = {"p = 59": 5, "p = 97": 3}  # runs in bfloat16 that are compared with those in float32


def in_float32() -> dict[str, Experiment]:
    """Two settings that are recorded in float32: the small companion of chapter 09, and Fig. 5 at p = 97.

    Example:
        >>> list(in_float32())
        ['p = 59', 'p = 97']
    """
    small = dataclasses.replace(modular_run(59, 0.5, d_model=64, steps=4_000), log=Schedule(points=200))
    return {"p = 59": Experiment("small/fig20[start=normal, frac=0.5]", small, tuple(range(13))), "p = 97": fig5(97)}


def in_bfloat16() -> dict[str, Experiment]:
    """The same settings with products in bfloat16.

    Example:
        >>> [run.name for run in in_bfloat16().values()]
        ['small/bfloat16[p = 59]', 'small/bfloat16[p = 97]']
    """
    return {
        label: Experiment(
            f"small/bfloat16[{label}]",
            dataclasses.replace(run.config, dtype="bfloat16"),
            tuple(range(BFLOAT16_SEEDS[label])),
        )
        for label, run in in_float32().items()
    }


RUNS = (in_bfloat16,)


