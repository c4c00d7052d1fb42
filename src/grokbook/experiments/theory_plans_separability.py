"""Plan of chapter 07: small networks, narrow enough for separability of classes to say something."""

from __future__ import annotations

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import live_run


def separability_and_depth(
    p: int, train_fraction: float, d_model: int, early: int, steps: int, n_seeds: int
) -> dict[str, Experiment]:
    """Plan of chapter 07: the same networks after `early` and after all `steps`, addition modulo p.

    Two classes of the full grid have 2p points, and by Cover's count more than half of the ways to label n points in
    general position in d dimensions are separable as soon as n < 2(d + 1). So d_model must be below p - 1.

    Raises ParameterError for a wider network, or an early stage that is not before the last.

    Example:
        >>> list(separability_and_depth(31, 0.5, 16, 10, 20, 1))
        ['early', 'late']

    Source: Gu et al. 2025, section 5; Cover's count of 1965 is the reason for the width.
    """
    if d_model >= p - 1:
        raise ParameterError(
            f"d_model = {d_model} must be below p - 1 = {p - 1}: in more dimensions shuffled classes are separable too."
        )
    if not 0 < early < steps:
        raise ParameterError(f"early = {early} must be between 1 and steps - 1 = {steps - 1}.")
    lengths = {"early": early, "late": steps}
    return {name: live_run(p, train_fraction, d_model, length, n_seeds) for name, length in lengths.items()}
