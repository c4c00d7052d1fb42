"""What a reader's own task gives: arrays of numbers, the same at every look, and numbers of
samples."""

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
        said = str(error).partition("\n")[0].rstrip(".")
        raise ParameterError(f"{what} fails: {type(error).__name__}: {said}.") from error


def array_of(config: Any, name: str) -> np.ndarray:
    """The array `name` of the task of a run, looked at twice: numbers, finite, the same."""
    kind = type(config.task).__name__
    value, again = [
        tried(f"{name} of {kind}", lambda: getattr(config.task, name)) for _ in range(2)
    ]
    if not isinstance(value, np.ndarray) or not value.ndim or value.dtype.kind not in "biuf":
        raise ParameterError(
            f"{name} of {kind} is {shown(value)}, but must be an array of numbers (np.ndarray)."
        )
    if not np.isfinite(value).all():
        raise ParameterError(f"{name} of {kind} has numbers that are not finite, but all must be.")
    if not np.array_equal(value, again):
        raise ParameterError(
            f"{name} of {kind} is another array when it is asked for again, but {SAME}."
        )
    return value


def check_index(index: np.ndarray, samples: int, said: str) -> None:
    """Refuse what are no different numbers of so many samples."""
    rule = f"must be different numbers from 0 to {samples - 1}"
    if index.ndim != 1:
        raise ParameterError(f"{said} has shape {index.shape}, but {rule}.")
    if not np.issubdtype(index.dtype, np.signedinteger):
        raise ParameterError(
            f"{said} is {index.dtype}, but must be integers; of a mask it is np.flatnonzero(mask)."
        )
    if not index.size:
        return
    if index.min() < 0 or index.max() >= samples:
        worst = index.min() if index.min() < 0 else index.max()
        raise ParameterError(f"{said} has {worst}, but {rule}.")
    numbers, counts = np.unique(index, return_counts=True)
    if counts.max() > 1:
        raise ParameterError(
            f"{said} has {numbers[counts.argmax()]} {counts.max()} times, but {rule}."
        )


def check_part(part: np.ndarray, samples: int, trained: np.ndarray, said: str) -> None:
    """Refuse what is no part of the test set: a mask (N,), or different numbers of samples that are
    not trained on."""
    if part.dtype == bool:
        if part.shape != (samples,):
            raise ParameterError(
                f"{said} is a mask of shape {part.shape}, but must be ({samples},)."
            )
        part = np.flatnonzero(part)
    check_index(part, samples, said)
    both = np.intersect1d(part, trained)
    if both.size:
        raise ParameterError(
            f"{said} has the training sample {both[0]}, but parts are of the test set alone."
        )
