"""Checks of the data of a reader's own task: arrays of numbers, the same at every look, and numbers
of samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from grokbook.errors import ParameterError, shown

SAME = "must be the same always; draw it with np.random.default_rng(seed)"


def tried(what: str, call: Callable[[], Any]) -> Any:
    """The value of a call to a part of a reader's own; its error as one sentence."""
    try:
        return call()
    except ParameterError:
        raise
    except Exception as error:  # whatever a reader's part raises
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ParameterError(f"{what} fails: {type(error).__name__}: {reason}.") from error


def array_of(config: Any, name: str) -> np.ndarray:
    """The array `name` of the task of a run, looked at twice: numbers, finite, the same."""
    what = f"{name} of {type(config.task).__name__}"
    value = tried(what, lambda: getattr(config.task, name))
    again = tried(what, lambda: getattr(config.task, name))
    if not isinstance(value, np.ndarray) or not value.ndim or value.dtype.kind not in "biuf":
        raise ParameterError(
            f"{what} is {shown(value)}, but must be an array of numbers (np.ndarray)."
        )
    if not np.isfinite(value).all():
        raise ParameterError(f"{what} has numbers that are not finite, but all must be.")
    if not np.array_equal(value, again):
        raise ParameterError(f"{what} is another array when it is asked for again, but {SAME}.")
    return value


def check_index(index: np.ndarray, samples: int, what: str) -> None:
    """Refuse what are no different numbers of so many samples."""
    rule = f"must be different numbers from 0 to {samples - 1}"
    if index.ndim != 1:
        raise ParameterError(f"{what} has shape {index.shape}, but {rule}.")
    if not np.issubdtype(index.dtype, np.signedinteger):
        raise ParameterError(
            f"{what} is {index.dtype}, but must be integers; of a mask it is np.flatnonzero(mask)."
        )
    if not index.size:
        return
    lowest, highest = index.min(), index.max()
    if lowest < 0 or highest >= samples:
        raise ParameterError(f"{what} has {lowest if lowest < 0 else highest}, but {rule}.")
    numbers, counts = np.unique(index, return_counts=True)
    if counts.max() > 1:
        raise ParameterError(
            f"{what} has {numbers[counts.argmax()]} {counts.max()} times, but {rule}."
        )


def check_groups(task: Any, samples: int, trained: np.ndarray) -> None:
    """Refuse named parts that are none of the test set: masks (N,), or different numbers of samples
    that are not trained on; the same at every look."""
    kind = type(task).__name__
    groups = tried(f"groups of {kind}", lambda: dict(task.groups()))
    again = tried(f"groups of {kind}", lambda: dict(task.groups()))
    for name, given in groups.items():
        what = f"the part {name!r} of groups of {kind}"
        part = np.asarray(given)
        if not np.array_equal(part, again.get(name)):
            raise ParameterError(f"{what} is another one when it is asked for again, but {SAME}.")
        if part.dtype == bool:
            if part.shape != (samples,):
                raise ParameterError(
                    f"{what} is a mask of shape {part.shape}, but must be ({samples},)."
                )
            part = np.flatnonzero(part)
        check_index(part, samples, what)
        both = np.intersect1d(part, trained)
        if both.size:
            raise ParameterError(
                f"{what} has the training sample {both[0]}, but parts are of the test set alone."
            )
