"""A task of two arrays, inputs and targets, of which a part is drawn as the training set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from torch import Tensor

from grokbook.errors import ParameterError, check_integers, checked_call, shown


@dataclass(frozen=True, eq=False)
class TableTask:
    """Samples and answers in two arrays; round(train_fraction * N) of them, drawn by `seed`, are
    the training set.

    Made by `task`, which says what is refused.
    """

    inputs: np.ndarray
    targets: np.ndarray
    train_fraction: float
    seed: int = 0

    def sizes(self) -> tuple[int, int]:
        """Number of samples and of training samples."""
        return len(self.inputs), round(self.train_fraction * len(self.inputs))

    @cached_property
    def train_index(self) -> np.ndarray:
        """Numbers of the training samples, sorted."""
        samples, n = self.sizes()
        return np.sort(np.random.default_rng(self.seed).permutation(samples)[:n])

    def groups(self) -> dict[str, np.ndarray]:
        """No parts of the test set have names."""
        return {}


@checked_call
def task(inputs: Any, targets: Any, train_fraction: float, *, seed: int = 0) -> TableTask:
    """A task from two arrays: what is learned is targets[n] from inputs[n].

    Args:
        inputs: (N, ...), whole numbers (tokens) or real ones.
        targets: (N,) labels 0, 1, ..., or (N, k) real answers, which are learned with
            loss="squared_error".
        train_fraction: share of the samples that is trained on; all others are the test set.
        seed: draws the training set. `train` gives each run the split of its own seed; with its
            `split_seed` all runs have the one that this draws, and differ in their start alone.

    Raises ParameterError for arrays of different lengths, numbers that are not finite, negative
    labels, and a fraction that leaves one of both sets empty.

    Example:
        >>> bits = np.arange(64)[:, None] >> np.arange(6) & 1
        >>> parity = task(bits.astype(float), bits[:, :3].sum(1) % 2, train_fraction=0.5)
        >>> parity.inputs.shape, parity.train_index.size
        ((64, 6), 32)
    """
    x = _numbers("inputs", inputs)
    y = _numbers("targets", targets)
    if len(x) != len(y):
        raise ParameterError(f"targets are {len(y)}, but must be as many as inputs, {len(x)}.")
    if y.dtype == np.int64 and (y.ndim != 1 or y.min() < 0):
        what = f"shape {y.shape}" if y.ndim != 1 else f"{y.min()} among them"
        raise ParameterError(
            f"targets have {what}, but labels are whole numbers of 0 or more, one for each sample."
        )
    if y.dtype != np.int64 and y.ndim == 1:
        y = y[:, None]
    if isinstance(train_fraction, bool) or not isinstance(train_fraction, int | float | np.number):
        raise ParameterError(
            f"train_fraction = {shown(train_fraction)} must be a share of the samples, such as 0.5."
        )
    checked = TableTask(x, y, float(train_fraction), seed)
    check_integers(checked, seed=0)
    if not 0 < (n := checked.sizes()[1] if math.isfinite(train_fraction) else 0) < len(x):
        raise ParameterError(
            f"train_fraction = {train_fraction} leaves {n} of {len(x)} samples; both sets need one."
        )
    return checked


def _numbers(name: str, value: Any) -> np.ndarray:
    """An array of int64 or float64, the task's own."""
    try:
        table = np.array(value.detach().cpu() if isinstance(value, Tensor) else value)
    except (ValueError, TypeError) as error:
        raise ParameterError(f"{name} are no array of numbers: {error}.") from None
    if not table.ndim or not len(table) or table.dtype.kind not in "biuf":
        raise ParameterError(
            f"{name} = {shown(value)} must be an array of numbers, one row a sample."
        )
    if not np.isfinite(table).all():
        raise ParameterError(f"{name} have numbers that are not finite, but all must be.")
    return table.astype(np.float64 if table.dtype.kind == "f" else np.int64)
