"""What chapter 11 draws and tabulates: training sets, starts, sizes, rates, and steps of the
flow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment
from grokbook.theory.parallelograms import (
    CONVENTIONS,
    Sample,
    all_samples,
    gram,
    grokking_rate,
    nullity,
    permissible_set,
)
from grokbook_chapters.liu2022 import STEP


def training_set(p: int, samples: int, seed: int = 0) -> list[Sample]:
    """A random training set of this size, sorted.

    Example:
        >>> training_set(3, 2), len(training_set(10, 45))
        ([(0, 2), (1, 1)], 45)
    """
    every = all_samples(p)
    return sorted(every[k] for k in np.random.default_rng(seed).permutation(len(every))[:samples])


def plan(p: int, samples: int, seed: int) -> dict[str, Experiment]:
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


def rates(p: int, sizes: Sequence[int], draws: int, seed: int = 0) -> pd.DataFrame:
    """lambda_3 Z_0 of random training sets, a row a set: samples, and a column for each
    convention."""
    rows = []
    for size in sizes:
        for k in range(draws):
            pairs = training_set(p, size, seed + k)
            paper = grokking_rate(pairs, p)
            code = paper * len(permissible_set(pairs))
            rows.append((size, paper, code, code / 2))
    return pd.DataFrame(rows, columns=["samples", *CONVENTIONS])


def conventions(pairs: Sequence[Sample], p: int, z0: float) -> pd.DataFrame:
    """lambda_3 of a training set under each convention, and the steps 3 n_h that it predicts at the
    paper's step.

    Example:
        >>> conventions(all_samples(10), 10, 9.0).steps.round(0).astype(int).to_dict()
        {'paper': 31500, 'code': 450, 'printed': 900}
    """
    said = {
        "paper": "loss as printed (Eq. 5 and 8), and this book",
        "code": "authors' code: not divided by the number of parallelograms",
        "printed": "eigenvalue as printed: the squared singular value, over Z_0",
    }
    found = {name: grokking_rate(pairs, p, convention=name) / z0 for name in CONVENTIONS}
    rows = [
        (said[name], rate, 3 / (rate * STEP) if rate else np.inf) for name, rate in found.items()
    ]
    return pd.DataFrame(rows, columns=["convention", "rate", "steps"], index=[*found])


def pull(first: np.ndarray, pairs: Sequence[Sample], targets: Sequence[float]) -> np.ndarray:
    """The velocity of ten (or p) numbers under the squared losses of some pairs, for a decoder x ->
    x at rest, (p,).

    Each pair moves both of its symbols: E_i and E_j go down the gradient of (E_i + E_j - y)^2 / 2.
    """
    basis = np.eye(len(first))
    rows = np.array([basis[i] + basis[j] for i, j in pairs])
    return rows.T @ (np.asarray(targets) - rows @ first)
