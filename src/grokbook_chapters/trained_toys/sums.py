"""Sums of two symbols as labels: with or without a modulus, with (i, j) and (j, i) as one sample or
as two."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grokbook.errors import ParameterError, check_integers, checked_call, shown
from grokbook.tasks.addition import AdditionTask


@checked_call
@dataclass(frozen=True)
class SumTask(AdditionTask):
    """Pairs of p symbols -> i + j, or its remainder modulo p with `modular`, as a label.

    With `ordered` all p^2 pairs are samples. Then a pair may be tested whose mirror image (j, i)
    was trained: a network that adds the two embeddings gives both one answer. `mirrored` tells
    these pairs of the test set from the others.

    Raises ParameterError as `AdditionTask` does, and for answers that are not labels.

    Example:
        >>> SumTask(11, 0.8, ordered=True).sizes(), SumTask(11, 0.8, modular=True).outputs
        ((121, 97), 11)

    Source: Liu et al. 2022, Fig. 2, and the programs of its authors.
    """

    answers: str = "labels"
    ordered: bool = False
    modular: bool = False

    def __post_init__(self) -> None:
        check_integers(self, p=2, width=1, seed=0)
        if self.answers != "labels":
            raise ParameterError(
                f"answers = {shown(self.answers)} must be 'labels': the sums of this task are"
                " labels."
            )
        self.check()

    @property
    def samples(self) -> int:
        """Number of pairs."""
        return self.p**2 if self.ordered else super().samples

    @property
    def outputs(self) -> int:
        """Number of labels."""
        return self.p if self.modular else super().outputs

    @cached_property
    def inputs(self) -> np.ndarray:
        """The pairs (i, j), int64 of shape (N, 2), i <= j unless `ordered`."""
        both = np.indices((self.p, self.p)).reshape(2, -1).T.astype(np.int64)
        return both if self.ordered else both[both[:, 0] <= both[:, 1]]

    @cached_property
    def targets(self) -> np.ndarray:
        """The labels, int64 of shape (N,)."""
        sums = self.inputs.sum(axis=1)
        return sums % self.p if self.modular else sums

    @cached_property
    def mirrored(self) -> np.ndarray:
        """Of every sample whether it is tested and its mirror image trained, (N,); none is unless
        `ordered`."""
        trained = np.zeros((self.p, self.p), dtype=bool)
        trained[tuple(self.inputs[self.train_index].T)] = True
        return trained[tuple(self.inputs[:, ::-1].T)] & ~trained[tuple(self.inputs.T)]
