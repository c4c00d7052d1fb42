"""Chapter 11: the effective theory of Liu et al. 2022: parallelograms, the critical size, the flow to a line."""

from __future__ import annotations

from grokbook.chapters.effective_theory.lines import training_set
from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment
from grokbook.theory.parallelograms import all_samples, nullity


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
