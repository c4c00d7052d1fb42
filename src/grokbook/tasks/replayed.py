"""Liu et al.'s addition with the answers and the split that their own programs draw from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from grokbook.errors import ParameterError, checked_call, shown
from grokbook.tasks.addition import AdditionTask


@checked_call
@dataclass(frozen=True)
class ReplayedAddition(AdditionTask):
    """`AdditionTask` whose `seed` is that of the program behind Fig. 6: its stream of numpy's
    legacy generator.

    The program draws, in this order, p vectors that it never uses, as wide as an answer, a vector
    for each sum (not for labels), and the training pairs, `n` of them without replacement.

    Raises ParameterError as `AdditionTask` does.

    Example:
        >>> ReplayedAddition(seed=58).vectors(19).round(3)[0, :3].tolist()
        [-0.955, 0.168, 0.69]

    Source: the programs of Liu et al. 2022, phase_diagram_plot; seed 58 is that of Fig. 6a and 6b,
    6 that of 6c.
    """

    unused: ClassVar[bool] = True

    @cached_property
    def _drawn(self) -> tuple[np.ndarray | None, np.ndarray]:
        stream = np.random.RandomState(self.seed)
        wide = self.outputs
        if self.unused:
            stream.normal(size=(self.p, wide))
        skipped = self.unused and self.answers == "labels"
        answers = None if skipped else stream.normal(size=(2 * self.p - 1, wide))
        samples, n = self.sizes()
        return answers, np.sort(stream.choice(samples, n, replace=False))

    @property
    def train_index(self) -> np.ndarray:
        """Numbers of the training pairs, sorted."""
        return self._drawn[1]

    def vectors(self, count: int) -> np.ndarray:
        """The random answers of `count` results, float64 of shape (count, width)."""
        answers = self._drawn[0]
        if answers is None:
            rule = "must be 'vectors': for labels the program draws none"
            raise ParameterError(f"answers = {shown(self.answers)} {rule}.")
        return answers[:count]


@checked_call
@dataclass(frozen=True)
class DrawnAddition(ReplayedAddition):
    """`AdditionTask` whose `seed` is that of the program behind Figs 3 to 5: vectors of the sums,
    then the split.

    Its first weights are those that `Toy` draws from the same seed: embeddings, then decoder.

    Example:
        >>> DrawnAddition(seed=58).vectors(19).round(3)[0, :3].tolist()
        [-0.76, -2.102, -0.81]

    Source: the program of Liu et al. 2022, toy/train_add.py; its default seed, that of Fig. 4c and
    4d, is 58.
    """

    unused: ClassVar[bool] = False
