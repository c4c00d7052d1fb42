"""What chapter 11 draws and tabulates: training sets, starts, sizes, and steps of the flow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiments
from grokbook.theory.effective_flow import quadratic_form
from grokbook.theory.linear_probability import crossing, linear_probability
from grokbook.theory.parallelograms import (
    Sample,
    all_samples,
    gram,
    ideal_model,
    nullity,
    permissible_set,
)


def training_set(p: int, samples: int, seed: int = 0) -> list[Sample]:
    """A random training set of this size, sorted.

    Example:
        >>> training_set(3, 2), len(training_set(10, 45))
        ([(0, 2), (1, 1)], 45)
    """
    every = all_samples(p)
    order = np.random.default_rng(seed).permutation(len(every))
    return sorted(every[k] for k in order[:samples])


def plan(p: int, samples: int, seed: int) -> Experiments:
    """Nothing is trained; a training set larger than the table, or one without any parallelogram,
    is refused.

    Raises ParameterError.
    """
    most = len(all_samples(p))
    if samples > most:
        raise ParameterError(
            f"samples = {samples} must be at most {most}, the number of pairs at p = {p}."
        )
    if not permissible_set(training_set(p, samples, seed)):
        raise ParameterError(
            f"samples = {samples} of seed {seed} are all of different labels at p = {p}, so that no"
            " number moves; take more, or another seed."
        )
    return {}


def slowest_rate(pairs: Sequence[Sample], p: int) -> float:
    r"""The rate of the slowest deviation that decays, times $Z_0$: the least eigenvalue of $H$ that
    is not 0.

    That is $\lambda_3 Z_0$, `grokking_rate`, where the pairs force a line.

    Example:
        >>> round(slowest_rate(all_samples(4), 4), 9), round(slowest_rate([(0, 2), (1, 1)], 4), 9)
        (4.0, 12.0)
    """
    free = nullity(pairs, p)
    return float(np.linalg.eigvalsh(gram(pairs, p))[free]) * 2 / len(permissible_set(pairs))


def start(p: int, seed: int = 0, d: int | None = None) -> np.ndarray:
    """Random normal embeddings, (p,) or (p, d), each column moved and stretched to mean 0 and mean
    square 1.

    Example:
        >>> bool(np.isclose((start(10) ** 2).sum(), 10)), start(4, d=2).shape
        (True, (4, 2))
    """
    drawn = np.random.default_rng(seed).normal(size=p if d is None else (p, d))
    return (drawn - drawn.mean(axis=0)) / drawn.std(axis=0)


def descent(
    first: np.ndarray, pairs: Sequence[Sample], times: Sequence[float], size: float
) -> np.ndarray:
    """Numbers under gradient descent on the effective loss, in steps of `size` from `first`, at
    some times (multiples of it), shape (times, p).

    Example:
        >>> descent(np.array([1.0, 0.0, -1.0]), all_samples(3), [0.1, 5.0], 0.1).shape
        (2, 3)
    """
    form = quadratic_form(pairs, len(first))
    now = first
    done = 0
    seen = []
    for time in times:
        steps = round(time / size)
        for _ in range(steps - done):
            pulled = form @ now
            z0 = now @ now
            gradient = 2 * (pulled - (now @ pulled) / z0 * now) / z0
            now = now - size * gradient
        done = steps
        seen.append(now)
    return np.array(seen)


def sizes_at_one_half(moduli: Sequence[int], orders: int) -> pd.DataFrame:
    """At how many samples half of the random orders force a line, a row a number of symbols p.

    `size`, with `low` and `high` two standard errors of the share away; `share` of all samples.
    """
    rows = []
    for p in moduli:
        total = len(all_samples(p))
        curve = linear_probability(p, orders)
        error = 1 / np.sqrt(orders)
        share = crossing(curve, 0.5)
        row = {
            "p": p,
            "share": share,
            "size": share * total,
            "low": crossing(curve, 0.5 - error) * total,
            "high": crossing(curve, 0.5 + error) * total,
        }
        rows.append(row)
    return pd.DataFrame(rows)


def ideal_models(p: int, sets: int) -> pd.DataFrame:
    """What training sets of every third size decide, `sets` random ones a size: columns `share` of
    all samples, and `rqi` and `accuracy` of an ideal model."""
    total = len(all_samples(p))
    rows = []
    for size in range(4, total + 1, 3):
        for seed in range(sets):
            rows.append({"share": size / total, **ideal_model(training_set(p, size, seed), p)})
    return pd.DataFrame(rows)
