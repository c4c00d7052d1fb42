"""Liu et al.'s addition with the answers and the split that their own program draws from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grokbook.tasks.addition import AdditionTask


@dataclass(frozen=True)
class ReplayedAddition(AdditionTask):
    """`AdditionTask` whose `seed` is that of the program behind Fig. 6: its stream of numpy's legacy generator.

    The program draws, in this order, p vectors that it never uses, as wide as an answer, a vector for each sum (not for
    labels), and the training pairs, `n` of them without replacement.

    Raises ParameterError as `AdditionTask` does.

    Example:
        >>> ReplayedAddition(seed=58).vectors(19).round(3)[0, :3].tolist()
        [-0.955, 0.168, 0.69]

    Source: the programs of Liu et al. 2022, phase_diagram_plot; seed 58 is that of Fig. 6a and 6b, 6 that of 6c.
    """

    @cached_property
    def _drawn(self) -> tuple[np.ndarray | None, np.ndarray]:
        stream, wide = np.random.RandomState(self.seed), self.outputs
        stream.normal(size=(self.p, wide))
        answers = None if self.answers == "labels" else stream.normal(size=(2 * self.p - 1, wide))
        samples, n = self.sizes()
        return answers, np.sort(stream.choice(samples, n, replace=False))

    @property
    def train_index(self) -> np.ndarray:
        """Numbers of the training pairs, sorted."""
        return self._drawn[1]

    def vectors(self, count: int) -> np.ndarray:
        """The random answers of `count` results, float64 of shape (count, width)."""
        return self._drawn[0][:count]
