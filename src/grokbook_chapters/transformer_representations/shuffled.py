"""The cells of an operation modulo p with their labels dealt out anew: a table that can be learned
by heart only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grokbook.errors import checked_call
from grokbook.tasks.arithmetic import ModularTask


@checked_call
@dataclass(frozen=True)
class ShuffledTask(ModularTask):
    """`ModularTask` with its labels permuted at random over all cells; how often each occurs stays
    as it was.

    The split and the permutation are drawn with the task's seed, one after the other from
    generators of their own.

    Example:
        >>> task = ShuffledTask(7)
        >>> bool((task.labels == ModularTask(7).labels).all()), task.class_sizes().tolist()
        (False, [7, 7, 7, 7, 7, 7, 7])
    """

    @cached_property
    def labels(self) -> np.ndarray:
        """A label for every cell, int64 of shape (p*p,)."""
        return np.random.default_rng((self.seed, self.p)).permutation(self._values())
