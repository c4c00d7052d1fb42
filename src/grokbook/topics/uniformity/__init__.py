"""Chapter 03: what weight decay and correct outputs do and do not imply for an embedding."""

from __future__ import annotations

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5


def plan(p: int, p_recorded: int, p_other: int, d: int, n_seeds: int) -> dict[str, Experiment]:
    """The runs of Fig. 5 at two moduli, from the records; the theory itself trains nothing.

    Raises ParameterError for a width that leaves Lemma B.1 without any map, and for two equal moduli.

    Example:
        >>> list(plan(13, 97, 47, 32, 1))
        ['p_recorded', 'p_other']
    """
    if p // 2 + 1 > d:
        raise ParameterError(f"d = {d} is too small for p = {p}: Lemma B.1 needs p // 2 + 1 = {p // 2 + 1} or more.")
    if p_recorded == p_other:
        raise ParameterError(f"p_recorded = p_other = {p_other} must be two different moduli; take 47 and 97.")
    runs = {"p_recorded": p_recorded, "p_other": p_other}
    return {name: fig5(modulus).with_seeds(n_seeds) for name, modulus in runs.items()}
