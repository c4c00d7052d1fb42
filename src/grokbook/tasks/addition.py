"""Addition of symbols without a modulus: the toy of Liu et al. 2022, whose answers are real numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grokbook.errors import ParameterError, check_integers


@dataclass(frozen=True)
class AdditionTask:
    r"""Pairs i <= j of p symbols -> the sum i + j, as a real number or as a fixed random vector for each sum.

    With `width` = 0 the target of a pair is i + j itself, (N, 1), moved to mean 0 and variance 1 over all pairs. With
    `width` > 0 each of the 2p - 1 sums has a vector $Y_{i+j} \sim \mathcal N(0, 1)$ in that many dimensions, the same
    for every seed. floor(train_fraction * p (p + 1) / 2) of the pairs, drawn by `seed`, are the training set.

    Raises ParameterError for fewer than two symbols or a fraction that leaves one of both sets empty.

    Example:
        >>> task = AdditionTask(10, train_fraction=45 / 55)
        >>> task.sizes(), task.targets.shape
        ((55, 45), (55, 1))

    Source: Liu et al. 2022, section 3: p = 10, 45 of 55 pairs, vectors of 30 dimensions.
    """

    p: int = 10
    train_fraction: float = 0.8
    width: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        check_integers(self, p=2, width=0, seed=0)
        samples, n = self.sizes()
        if not 0 < n < samples:
            raise ParameterError(
                f"train_fraction = {self.train_fraction} leaves {n} of {samples} pairs; both sets need at least one."
            )

    def sizes(self) -> tuple[int, int]:
        """Number of pairs and of training pairs."""
        samples = self.p * (self.p + 1) // 2
        return samples, int(self.train_fraction * samples)

    @cached_property
    def inputs(self) -> np.ndarray:
        """The pairs (i, j), i <= j, int64 of shape (p (p + 1) / 2, 2)."""
        return np.stack(np.triu_indices(self.p), axis=1).astype(np.int64)

    @cached_property
    def targets(self) -> np.ndarray:
        """The answers, float64 of shape (N, 1) or (N, width)."""
        sums = self.inputs.sum(axis=1)
        if self.width:
            return np.random.default_rng(0).standard_normal((2 * self.p - 1, self.width))[sums]
        return ((sums - sums.mean()) / sums.std())[:, None]

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training pairs, sorted."""
        samples, n = self.sizes()
        return np.sort(np.random.default_rng(self.seed).permutation(samples)[:n])

    def groups(self) -> dict[str, np.ndarray]:
        """No parts of the test set have names."""
        return {}
