"""Chapter 11: the effective theory of Liu et al. 2022: parallelograms, the critical size, the flow to a line."""

from __future__ import annotations

from collections.abc import Mapping

from grokbook.claims.report import summary
from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.theory.parallelograms import all_samples, nullity
from grokbook.topics.effective_theory.lines import training_set


def plan(p: int, samples: int, seed: int) -> dict[str, Experiment]:
    """Nothing is trained; a training set larger than the table, or one that forces no line, is refused.

    Raises ParameterError.

    Example:
        >>> plan(10, 45, 0)
        {}
    """
    most = len(all_samples(p))
    if samples > most:
        raise ParameterError(f"samples = {samples} must be at most {most}, the number of pairs at p = {p}.")
    if (left := nullity(training_set(p, samples, seed), p)) > 2:
        raise ParameterError(
            f"samples = {samples} of seed {seed} leave {left} degrees of freedom at p = {p}; the page follows a "
            f"training set that forces a line (2). From about {round(2.5 * p)} samples on most sets do."
        )
    return {}


_LINE = {"holds": "equal sums do force parallelograms, and enough of them a line"}
_SIZE = {
    "holds": "half of random training sets do so at 40 % of the pairs, whatever p is",
    "holds with correction": "half of random sets do so at 40 % of the pairs for p = 10, and at less for larger p",
}
_GENERAL = {
    "holds": "A forced line means perfect generalisation",
    "fails": "A forced line decides no pair whose sum was never seen, so it is not perfect generalisation",
}
_FLOW = {
    "holds": "and the solved flow is that of the printed loss",
    "fails": "and the flow that is solved is not that of the printed loss, whose exact solution is given here",
}


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of its rows of the ledger by id: claimed, found, how sure.

    Example:
        >>> answer({"L03": "holds", "L10": "fails", "L14": "fails", "L15": "holds"}).split(". ")[-1]
        'Verdicts rest on proofs, counts and draws (4 claims: 2 hold, 2 fail).'
    """
    claimed = "The paper says that training pairs of equal sum force the embeddings onto a line from about 40 % of the"
    claimed += " pairs on, at a rate that an eigenvalue gives, and that this is why networks generalise"
    size = _SIZE.get(verdicts["L15"], "the share at which half of random sets do so is not 40 %")
    found = f"Under the paper's assumptions {_LINE.get(verdicts['L03'], 'equal sums force no line')}, and {size}"
    limits = f"{_GENERAL[verdicts['L14']]}, {_FLOW[verdicts['L10']]}"
    counted = summary(dict(verdicts).values()).rstrip(".")
    sure = f"Verdicts rest on proofs, counts and draws ({counted})."
    return f"> **Answer.** {claimed}. {found}. {limits}. {sure}"
