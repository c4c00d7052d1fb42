"""The 1,797 handwritten digits of 8 x 8 pixels that scikit-learn ships: a small task for mini-batches."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from grokbook.errors import ParameterError, check_integers

SAMPLES = 1797


@lru_cache(maxsize=1)
def _digits() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    found = load_digits()
    return found.data / 16, found.target.astype(np.int64)


@dataclass(frozen=True)
class DigitsTask:
    """Images (64 numbers in [0, 1]) -> the digit; `n_train` of them, drawn by `seed`, are the training set.

    Raises ParameterError when `n_train` leaves nothing to test.

    Example:
        >>> task = DigitsTask(200)
        >>> task.inputs.shape, task.train_index.size
        ((1797, 64), 200)

    Source: Alpaydin & Kaynak 1998, UCI repository, as in sklearn.datasets.load_digits.
    """

    n_train: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        check_integers(self, n_train=1, seed=0)
        if self.n_train >= SAMPLES:
            raise ParameterError(f"n_train = {self.n_train} must be less than the {SAMPLES} digits that there are.")

    def sizes(self) -> tuple[int, int]:
        """Number of images and of training images."""
        return SAMPLES, self.n_train

    @property
    def inputs(self) -> np.ndarray:
        """The images, float64 of shape (1797, 64)."""
        return _digits()[0]

    @property
    def targets(self) -> np.ndarray:
        """The digits, int64 of shape (1797,)."""
        return _digits()[1]

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training images, sorted."""
        return np.sort(np.random.default_rng(self.seed).permutation(SAMPLES)[: self.n_train])

    def groups(self) -> dict[str, np.ndarray]:
        """No parts of the test set have names."""
        return {}
