"""What training asks of a task: samples and answers, and which of them are trained on."""

from __future__ import annotations

from dataclasses import Field
from typing import Any, ClassVar, Protocol

import numpy as np
from torch import Tensor


class Task(Protocol):
    """A frozen dataclass with these attributes; a field `seed`, where there is one, draws the
    training set alone.

    What a reader's own breaks of this is said when a run is made with it
    (`grokbook.training.contract`). It may also have `sizes()`, the numbers of samples and of
    training samples without drawing anything, and `show(inputs)`, which makes what the network
    reads of some inputs, as tensors, on the device where they are.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def inputs(self) -> np.ndarray:
        """Every sample, (N, ...): integers (tokens) or floats."""

    @property
    def targets(self) -> np.ndarray:
        """The answers, (N,) integer labels or (N, ...) floats."""

    @property
    def train_index(self) -> np.ndarray:
        """Different numbers of the training samples, (n,); all others are the test set."""

    def groups(self) -> dict[str, np.ndarray]:
        """Named parts of the test set: masks (N,) or numbers of samples."""


def what_is_read(task: Any, inputs: Tensor) -> Tensor:
    """What a network reads of the inputs of a task: what the task makes of them, or themselves."""
    return task.show(inputs) if hasattr(task, "show") else inputs
