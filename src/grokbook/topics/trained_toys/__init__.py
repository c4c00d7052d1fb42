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


_ALIGNED = {
    "holds": "The embedding does tell how many pairs are answered",
    "fails": "The embedding does not tell how many pairs are answered",
}
_SHARE = {
    "holds": "Half of the runs form a line from about 40 % of the pairs on",
    "fails": "Half of the runs form a line from another share of the pairs on than the 40 % at which half of the "
    "training sets force one",
}
_SHAPE = {
    "holds": "With two numbers a symbol, runs that close more parallelograms answer more",
    "fails": "With two numbers a symbol, runs that close more parallelograms do not answer more",
}
_PATH = {
    "holds": "they are those of the theory, and reached by its way",
    "holds with correction": "they are those of the theory, though the path to them is no nearer to the theory's than "
    "to a null's",
    "fails": "they are not those of the theory",
}


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of its rows of the ledger by id: claimed, found, how sure.

    Example:
        >>> made = {"LF1": "holds", "LF3": "holds", "LF4": "fails", "LF5": "holds with correction"}
        >>> answer(made).split(". ")[-1]
        'Verdicts rest on recorded runs (4 claims: 2 hold, 1 holds with correction, 1 fails).'
    """
    claimed = "The paper says that the embeddings of trained toys explain their answers, form a line from 40 % of the"
    claimed += " pairs on, and move as the effective theory says"
    found = f"{_ALIGNED.get(verdicts['LF3'], 'Whether the embedding tells the answers is open')}. "
    found += _SHARE.get(verdicts["LF4"], "At which share of the pairs lines form is not settled")
    found += f"; {_PATH.get(verdicts['LF5'], 'whether they are those of the theory is open')}"
    found += f". {_SHAPE.get(verdicts['LF1'], 'Whether a better shape goes with more answers is open')}"
    counted = summary(dict(verdicts).values()).rstrip(".")
    return f"> **Answer.** {claimed}. {found}. Verdicts rest on recorded runs ({counted})."
