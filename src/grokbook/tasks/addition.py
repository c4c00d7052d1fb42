"""Addition of symbols without a modulus: the toy of Liu et al. 2022, whose answers are real
numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grokbook.errors import check_integers, checked_call
from grokbook.tasks.pairs import PairTask


@checked_call
@dataclass(frozen=True)
class AdditionTask(PairTask):
    r"""Pairs i <= j of p symbols -> the sum i + j: as a fixed random vector for each sum, a label,
    or a number.

    `answers` is "vectors": each of the 2p - 1 sums has a vector $Y_{i+j} \sim \mathcal N(0, 1)$ in
    `width` dimensions, (N, width), drawn by `seed`; "labels": i + j, (N,); "number": i + j moved to
    mean 0 and variance 1 over all pairs, (N, 1). The nearest whole number to train_fraction * p (p
    + 1) / 2 of the pairs, drawn by `seed`, are the training set.

    Raises ParameterError for fewer than two symbols, unknown answers, or a fraction that leaves one
    of both sets empty.

    Example:
        >>> task = AdditionTask(10)
        >>> task.sizes(), task.targets.shape
        ((55, 45), (55, 30))

    Source: Liu et al. 2022, section 3: p = 10, 45 of 55 pairs, vectors of 30 dimensions.
    """

    kinds = ("vectors", "labels", "number")
    p: int = 10
    train_fraction: float = 45 / 55
    answers: str = "vectors"
    width: int = 30
    seed: int = 0

    def __post_init__(self) -> None:
        check_integers(self, p=2, width=1, seed=0)
        self.check()

    @property
    def samples(self) -> int:
        """Number of pairs."""
        return self.p * (self.p + 1) // 2

    @property
    def outputs(self) -> int:
        """Length of an answer, or number of labels."""
        return {"vectors": self.width, "labels": 2 * self.p - 1, "number": 1}[self.answers]

    @cached_property
    def inputs(self) -> np.ndarray:
        """The pairs (i, j), i <= j, int64 of shape (p (p + 1) / 2, 2)."""
        return np.stack(np.triu_indices(self.p), axis=1).astype(np.int64)

    @cached_property
    def targets(self) -> np.ndarray:
        """The answers: float64 of shape (N, width) or (N, 1), or int64 of shape (N,)."""
        sums = self.inputs.sum(axis=1)
        if self.answers == "labels":
            return sums
        if self.answers == "vectors":
            return self.vectors(2 * self.p - 1)[sums]
        return ((sums - sums.mean()) / sums.std())[:, None]
