"""Addition of symbols with a training set that is chosen instead of drawn."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grokbook.errors import ParameterError, check_integers, checked_call, shown
from grokbook.tasks.addition import AdditionTask


@checked_call
@dataclass(frozen=True)
class ChosenAddition(AdditionTask):
    """`AdditionTask` whose training set is `trained`, pairs (i, j) in either order; `seed` draws
    the answers alone.

    `train_fraction` is what the chosen pairs make it; a value that is given is not used.

    Raises ParameterError for a pair that is not of two symbols, a repeated one, or where one of
    both sets is empty.

    Example:
        >>> task = ChosenAddition(4, trained=[(0, 2), (1, 1), (3, 0)])
        >>> task.inputs[task.train_index].tolist(), task.train_fraction
        ([[0, 2], [0, 3], [1, 1]], 0.3)
        >>> ChosenAddition(4, trained=[(0, 2), (2, 0)])
        Traceback (most recent call last):
        grokbook.errors.ParameterError: the pair (0, 2) is chosen more than once.

    Source: Liu et al. 2022, Eq. 21: the training set of Fig. 12.
    """

    trained: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        check_integers(self, p=2)
        try:
            pairs = sorted(tuple(sorted(map(operator.index, pair))) for pair in self.trained)
        except TypeError:
            raise ParameterError(
                f"trained = {shown(self.trained)} must be pairs of whole numbers."
            ) from None
        for pair in pairs:
            if len(pair) != 2 or not 0 <= pair[0] <= pair[1] < self.p:
                raise ParameterError(
                    f"{pair} must be a pair of two of the symbols 0 to {self.p - 1}."
                )
        for pair, after in zip(pairs, pairs[1:], strict=False):
            if pair == after:
                raise ParameterError(f"the pair {pair} is chosen more than once.")
        object.__setattr__(self, "trained", tuple(pairs))
        object.__setattr__(self, "train_fraction", len(pairs) / self.samples)
        super().__post_init__()

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training pairs, sorted."""
        i, j = np.array(self.trained).T
        return np.sort(i * self.p - i * (i - 1) // 2 + j - i)
