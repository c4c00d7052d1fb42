"""The front page: the recorded run that moves under its slider."""

from __future__ import annotations

import dataclasses

from grokbook.runs.experiment import Experiment
from grokbook.runs.gu2025 import fig5

SHOWN = 1
"""The seed that is shown: of the five runs of Fig. 5 at p = 97 the one that generalises first."""


def often() -> dict[str, Experiment]:
    """One of the runs of `fig5(97)`, step for step, with its embedding kept every 200 steps.

    Example:
        >>> often()["run"].name, often()["run"].seeds
        ('gu2025/fig5[p=97, 51 snapshots]', (1,))
    """
    usual = fig5(97)
    config = dataclasses.replace(usual.config, snapshots=51)
    return {"run": dataclasses.replace(usual, name=f"{usual.name[:-1]}, 51 snapshots]", config=config, seeds=(SHOWN,))}


RUNS = (often,)
