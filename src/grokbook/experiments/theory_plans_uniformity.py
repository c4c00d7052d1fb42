"""Plan of chapter 03 and the runs that would decide its one claim about training."""

from __future__ import annotations

import sympy

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.experiments.gu2025 import fig5, modular_run

WIDTH_STEPS = 30_000
"""Optimiser steps of a width run: our choice, the length that the authors' main program has."""


def width_run(p: int, d_model: int, shift: int = 0, *, n_seeds: int = 3) -> Experiment:
    """A run of Fig. 9 or 10 of Gu et al. 2025: addition modulo p, 30 %, at one width.

    Example:
        >>> width_run(43, 512).name
        'gu2025/width[p=43, k=0, d=512]'
    """
    config = modular_run(p, 0.3, d_model=d_model, shift=shift, steps=WIDTH_STEPS)
    return Experiment(
        f"gu2025/width[p={p}, k={shift}, d={d_model}]",
        config,
        seeds=tuple(range(n_seeds)),
        statement="A wider embedding generalises earlier and further.",
        source="Gu et al. 2025, Figs. 9 and 10",
    )


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
