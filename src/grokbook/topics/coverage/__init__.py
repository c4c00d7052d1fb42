"""Chapter 04a: which cells a random training set covers, and what that does not say about the class of a cell."""

from __future__ import annotations

import pandas as pd

from grokbook.experiments.base import Experiment
from grokbook.measures.inputs import whole
from grokbook.tasks.arithmetic import ModularTask
from grokbook.theory.grid_inputs import side_and_radius

__all__ = ["answer", "plan"]


def plan(p: int, k: int, train_fraction: float, draws: int, example: int) -> dict[str, Experiment]:
    """Plan of chapter 04a: nothing to train; grid, discs and draws must exist."""
    side_and_radius(p, k, torus=True)
    side_and_radius(example, 3, torus=True)
    whole(draws, "draws")
    ModularTask(p, train_fraction=train_fraction)
    return {}


_COUNTED = {
    "fails": "For coverage it is stated the wrong way round: without a border it suffices for at most one uncovered "
    "cell on average, and the certainty of the theorem needs nearly all cells; it also",
}
_CLASS = {
    "fails": "counts cells of every class, where their Theorem 3.10 asks for one of the same class, which is "
    "near everywhere only from radius {value:.0f} on and not at {low:.0f}",
}


def answer(said: pd.DataFrame) -> str:
    """The chapter's answer in a box, from the ledger's rows G23 and G24 (index id): what was claimed, what was found.

    Example:
        >>> rows = {"verdict": ["fails", "fails"], "value": [41.0, 35.0], "low": [0.0, 5.0]}
        >>> "only from radius 35 on and not at 5" in answer(pd.DataFrame(rows, index=["G23", "G24"]))
        True
    """
    claimed = r"Gu et al. require a training fraction of $2 \ln p / C$ for grokking, with the $C$ cells of a disc"
    counted = _COUNTED.get(said.verdict["G23"], "Where a grid is covered for certain, the fraction is that large; it")
    row = said.loc["G24"]
    own = _CLASS.get(row.verdict, "counts cells that are near and of the same class alike").format(**row)
    sure = (
        "The counts are proved, the radius is that of random splits; whether a network needs the fraction, or near "
        "cells at all, they do not say."
    )
    return f"> **Answer.** {claimed}. {counted} {own}. {sure}"
