"""What tasks on the pairs of some symbols have in common: kinds of answers, and a training set
drawn at random."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from grokbook.errors import ParameterError, check_choice, check_share


class PairTask:
    """The nearest whole number to train_fraction * `samples` of the pairs, drawn by `seed`, are the
    training set.

    A task adds the fields `train_fraction`, `answers` (one of `kinds`), `width` and `seed`, and the
    number `samples`.
    """

    kinds: ClassVar[tuple[str, ...]] = ("vectors", "labels")
    train_fraction: float
    answers: str
    width: int
    seed: int

    @property
    def samples(self) -> int:
        """Number of pairs."""
        raise NotImplementedError

    def check(self) -> None:
        """Raise ParameterError for unknown answers, or a fraction that leaves one of both sets
        empty."""
        check_choice("answers", self.answers, self.kinds)
        check_share(self, "train_fraction")
        samples, n = self.sizes()
        if not 0 < n < samples:
            raise ParameterError(
                f"train_fraction = {self.train_fraction} leaves {n} of {samples} pairs; both sets"
                " need at least one."
            )

    def sizes(self) -> tuple[int, int]:
        """Number of pairs and of training pairs."""
        return self.samples, round(self.train_fraction * self.samples)

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training pairs, sorted."""
        samples, n = self.sizes()
        return np.sort(np.random.default_rng(self.seed).permutation(samples)[:n])

    def vectors(self, count: int) -> np.ndarray:
        """The random answers of `count` results, float64 of shape (count, width), drawn by
        `seed`."""
        return np.random.default_rng((self.seed, 1)).standard_normal((count, self.width))

    def groups(self) -> dict[str, np.ndarray]:
        """No parts of the test set have names."""
        return {}
