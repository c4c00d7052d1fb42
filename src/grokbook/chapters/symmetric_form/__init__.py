"""Chapter 04c: a symmetric form, Fig. 4 of Gu et al. 2025 and the networks of section 6.1."""

from __future__ import annotations

import pandas as pd

from grokbook.chapters.symmetric_form.claims import beyond_the_swap, network_runs
from grokbook.runs.experiment import Experiment

__all__ = ["answer", "plan"]


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> dict[str, Experiment]:
    """Plan of chapter 04c: three networks on both operations; Fig. 4 is shown as far as it is recorded."""
    return network_runs(p=p, train_fraction=train_fraction, d_model=d_model, steps=steps, n_seeds=n_seeds)


_SWAP = (
    "either way it decides nothing, as a memoriser that swaps the operands has a nearly constant one too, and so can a "
    "network that learns more and more"
)


def answer(said: pd.DataFrame, counted: pd.DataFrame) -> str:
    """The chapter's answer in a box, from the ledger's row GF04 (index id) and the table `by_fraction`.

    Example:
        >>> print(answer(pd.DataFrame({"verdict": ["not run"]}, index=["GF04"]), pd.DataFrame()).split(". ")[-1])
        Whether a transformer does more than swap is not measured here yet.
    """
    claimed = "Gu et al. read a constant product of test accuracy and test share as no gain in generalisation"
    nearly = "In our runs that product is nearly constant"
    found = nearly if said.verdict["GF04"] == "holds" else "Whether that product is constant is open here"
    return f"> **Answer.** {claimed}. {found}; {_SWAP}. {beyond_the_swap(counted)}"
