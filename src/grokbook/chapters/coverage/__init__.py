"""Chapter 04a: which cells a random training set covers, and what that does not say about the class of a cell."""

from __future__ import annotations

from collections.abc import Mapping

from grokbook.errors import ParameterError
from grokbook.measures.inputs import whole
from grokbook.runs.experiment import Experiment
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


def answer(verdicts: Mapping[str, str], near: float, k: int) -> str:
    """The chapter's answer in a box, from the verdicts of its rows of the ledger by id: claimed, found, how sure.

    `near` is the radius from which on a cell of one's own class is near everywhere, `k` the least radius in use.

    Raises ParameterError where G23 is no longer a matter of its border: then the sentence has to be written anew.

    Example:
        >>> "only from radius 35 on and not at 5" in answer({"G23": "holds with correction"}, 35.0, 5)
        True
    """
    if verdicts["G23"] != "holds with correction":
        raise ParameterError(f"the answer of chapter 04a is for another verdict on G23 than {verdicts['G23']!r}.")
    claimed = r"Gu et al. require a training fraction of $2 \ln p / C$ for grokking, with the $C$ cells of a disc"
    counted = "For certain coverage it is necessary where it is at most 1, and says little: that takes nearly all cells"
    proved = "What its proof shows is that, without a border, it suffices for at most one uncovered cell on average"
    own = (
        "It counts cells of every class, where their Theorem 3.10 asks for one of the same class, which is near "
        f"everywhere only from radius {near:.0f} on and not at {k}"
    )
    sure = "The counts are proved, the radius is that of random splits; whether networks need near cells is open."
    return f"> **Answer.** {claimed}. {counted}. {proved}. {own}. {sure}"
