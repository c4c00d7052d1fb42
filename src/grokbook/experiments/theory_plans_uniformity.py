"""Plan of chapter 03."""

from __future__ import annotations

import sympy

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5


def uniformity(p: int, p_recorded: int, p_other: int, d: int, n_random: int, n_seeds: int) -> dict[str, Experiment]:
    """Plan of chapter 03: the runs of Fig. 5 at two moduli, from the records; the theory itself trains nothing.

    Raises ParameterError for a modulus that is no odd prime, a width that leaves Lemma B.1 without any map, or two
    equal moduli.

    Example:
        >>> list(uniformity(13, 97, 47, 32, 10, 1))
        ['p_recorded', 'p_other']
    """
    for name, value in {"p": p, "p_recorded": p_recorded, "p_other": p_other}.items():
        if value < 5 or not sympy.isprime(value):
            raise ParameterError(f"{name} = {value} must be a prime of 5 or more; the next one is {_next(value)}.")
    if p // 2 + 1 > d:
        raise ParameterError(f"d = {d} is too small for p = {p}: Lemma B.1 needs p // 2 + 1 = {p // 2 + 1} or more.")
    if p_recorded == p_other:
        raise ParameterError(f"p_recorded = p_other = {p_other} must be two different moduli; take 47 and 97.")
    if n_random < 1:
        raise ParameterError(f"n_random = {n_random} must be 1 or more.")
    runs = {"p_recorded": p_recorded, "p_other": p_other}
    return {name: fig5(modulus).with_seeds(n_seeds) for name, modulus in runs.items()}


def _next(value: int) -> int:
    return int(sympy.nextprime(max(value, 4)))
