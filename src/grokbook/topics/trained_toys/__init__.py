"""Chapter 11a: trained toys beside the effective theory of Liu et al. 2022, with the authors' own draws."""

from __future__ import annotations

from collections.abc import Mapping

from grokbook.claims.report import summary
from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.topics.trained_toys.runs import config
from grokbook.training.schedule import Schedule

EVERY = 5
"""Updates between the logged steps of the run that the page trains."""


def plan(samples: int, seed: int, steps: int) -> dict[str, Experiment]:
    """The run that the page trains: by default that of the paper's Fig. 4d.

    Raises ParameterError for no pair, or no test pair.

    Example:
        >>> plan(45, 58, 100)["live"].config.n_train
        45
    """
    if not 1 <= samples <= 54:
        raise ParameterError(f"samples = {samples} must be 1 to 54: of the 55 pairs one has to be left to test.")
    run = config(samples, steps, Schedule(dense_until=steps, dense_every=EVERY))
    return {"live": Experiment("small/toy", run, (seed,))}


WORDED = {"L25": "fails", "LF1": "holds", "LF3": "holds", "LF4": "undecided", "LF5": "holds with correction",
          "LF7": "holds"}  # fmt: skip
"""The verdicts for which the chapter's answer is worded."""


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from verdicts by id; where one is not the one it is worded for, that is said.

    Example:
        >>> answer(WORDED | {"LF7": "fails"}).split(". ")[-1]
        'This answer was worded before LF7 came out otherwise.'
    """
    if moved := [name for name, verdict in WORDED.items() if verdicts[name] != verdict]:
        return f"> **Answer.** This answer was worded before {', '.join(moved)} came out otherwise."
    counted = summary(verdict for name, verdict in verdicts.items() if name != "LF10").rstrip(".")
    return (
        "> **Answer.** The paper says that the embeddings of trained toys explain their answers, form a line from "
        "40 % of the pairs on, and move as the effective theory says. The embedding does tell how many pairs are "
        "answered; put in place as a ladder it is enough, and the same numbers shuffled are not. Half of our runs form a "
        "line only from a larger share of the pairs on, which leaves the paper's figure open: its settings are not known. "
        "Their lines are the theory's, the path to them is no nearer to the theory's than to a null's. Verdicts rest "
        f"on recorded runs ({counted})."
    )
