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


WORDED = {"L03": "holds", "L10": "holds with correction", "L14": "fails", "L15": "holds", "LF10": "holds"}
"""The verdicts for which the chapter's answer is worded."""


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from verdicts by id; where one is not the one it is worded for, that is said.

    Example:
        >>> answer(WORDED | {"LF10": "fails"}).split(". ")[-1]
        'This answer was worded before LF10 came out otherwise.'
    """
    if moved := [name for name, verdict in WORDED.items() if verdicts[name] != verdict]:
        return f"> **Answer.** This answer was worded before {', '.join(moved)} came out otherwise."
    counted = summary(verdict for name, verdict in verdicts.items() if name != "LF10").rstrip(".")
    return (
        "> **Answer.** The paper says that training pairs of equal sum force the embeddings onto a line, and that this "
        "is why networks generalise. Under its assumptions they do: at $p = 10$ half of the random sets of 22 of 55 "
        "pairs force a line, and larger $p$ needs a smaller share. A forced line decides no pair whose sum was never "
        "seen, so it is not perfect generalisation; the flow to it, solved here exactly, takes the paper's directions. "
        "The theory is not one of delay: in nearly all trained toys that get to a line, it is there before the "
        f"training set is fitted. Verdicts rest on proofs, counts and draws ({counted})."
    )
