"""Chapter 04c: a symmetric form, Fig. 4 of Gu et al. 2025 and the networks of section 6.1."""

from __future__ import annotations

import pandas as pd

from grokbook.experiments.base import Experiment
from grokbook.topics.symmetric_form.claims import beyond_the_swap, network_runs

__all__ = ["answer", "plan"]


def plan(p: int, train_fraction: float, d_model: int, steps: int, n_seeds: int) -> dict[str, Experiment]:
    """Plan of chapter 04c: three networks on both operations; Fig. 4 is shown as far as it is recorded."""
    return network_runs(p=p, train_fraction=train_fraction, d_model=d_model, steps=steps, n_seeds=n_seeds)


_MEASURED = {
    "holds": "In our runs that product is nearly constant",
    "fails": "In our runs that product is not constant",
    "undecided": "Our runs do not decide yet whether that product is constant",
}
_NOT_RUN = "Whether that product is constant is not measured here yet"
_SWAP = {
    "needs an assumption": "either way it decides nothing, as a memoriser that swaps the operands has a nearly "
    "constant one too, and so can a network that learns more and more",
}
_SOUND = "and a constant one would bear the conclusion"


def answer(said: pd.DataFrame, counted: pd.DataFrame) -> str:
    """The chapter's answer in a box, from the ledger's rows GF04 and G38 (index id) and the table `by_fraction`.

    Example:
        >>> said = pd.DataFrame({"verdict": ["not run", "needs an assumption"]}, index=["GF04", "G38"])
        >>> print(answer(said, pd.DataFrame()).split(". ")[-1])
        Whether a transformer does more than swap is not measured here yet.
    """
    claimed = "Gu et al. read a constant product of test accuracy and test share as no gain in generalisation"
    found = _MEASURED.get(said.verdict["GF04"], _NOT_RUN)
    sound = _SWAP.get(said.verdict["G38"], _SOUND)
    return f"> **Answer.** {claimed}. {found}; {sound}. {beyond_the_swap(counted)}"
