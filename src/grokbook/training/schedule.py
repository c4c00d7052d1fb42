"""Which steps are logged, and at which of them the embedding is kept."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grokbook.errors import check_choice, check_integers, checked_call


@checked_call
@dataclass(frozen=True)
class Schedule:
    """Logged steps: every `dense_every` to `dense_until`, then about `points` more up to the last
    step.

    A step number counts optimiser updates made so far: step 0 is the initial state, and what is
    logged at step t belongs to the weights after t updates. The last step is always logged.
    `spacing` is "linear" or "log".

    Raises ParameterError for a value below its least one or an unknown spacing.

    Example:
        >>> Schedule(dense_until=20, points=4).steps(100).tolist()
        [0, 10, 20, 40, 60, 80, 100]
    """

    dense_until: int = 100
    dense_every: int = 10
    points: int = 400
    spacing: str = "linear"

    def __post_init__(self) -> None:
        check_integers(self, dense_until=0, dense_every=1, points=1)
        check_choice("spacing", self.spacing, ("linear", "log"))

    def steps(self, last: int) -> np.ndarray:
        """The logged steps of a run of `last` updates: sorted, without repeats, from 0 to `last`,
        int64."""
        dense = np.arange(0, min(self.dense_until, last) + 1, self.dense_every)
        start = int(dense[-1])
        if last <= self.dense_until:
            return np.union1d(dense, [last])
        if self.spacing == "linear":
            later = np.linspace(start, last, self.points + 1)[1:]
        else:
            later = np.geomspace(max(start, 1), last, self.points + 1)[1:]
        return np.union1d(dense, np.rint(later).astype(np.int64)).astype(np.int64)


def snapshot_steps(logged: np.ndarray, count: int) -> np.ndarray:
    """`count` of the logged steps, evenly spread over the run with both ends (all of them if there
    are fewer)."""
    if count < 1:
        return logged[:0]
    targets = np.linspace(logged[0], logged[-1], count) if count > 1 else logged[-1:]
    nearest = np.abs(logged[None, :] - np.asarray(targets)[:, None]).argmin(axis=1)
    return logged[np.unique(nearest)]
