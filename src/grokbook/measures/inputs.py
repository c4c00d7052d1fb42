"""What every measure asks of its input: a finite (p, d) table, numpy or torch, and a known
option."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from grokbook.errors import ParameterError, line, shown

Array = np.ndarray | torch.Tensor


def to_numpy(values: Any) -> np.ndarray:
    """Values as a float64 numpy array on the CPU, detached from any gradient.

    Raises ParameterError if they are not real numbers.
    """
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu()
        values = (
            values.resolve_conj().numpy()
            if values.is_complex()
            else values.to(torch.float64).numpy()
        )
    try:
        if np.iscomplexobj(values):
            raise TypeError("complex numbers have an imaginary part, which would be lost")
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ParameterError(
            f"Expected an array of real numbers, got {type(values).__name__}: {line(error)[:200]}."
        ) from error


def rows(
    embedding: Array | Sequence[Any], *, least: int = 2, name: str = "embedding"
) -> np.ndarray:
    """The table as float64 rows, one a token, after checking that it is (p, d), p >= least, and
    finite.

    Raises ParameterError otherwise.
    """
    table = to_numpy(embedding)
    if table.ndim != 2 or table.shape[1] < 1:
        raise ParameterError(
            f"{name} has shape {table.shape}, but must be (p, d): one row a token."
        )
    if table.shape[0] < least:
        raise ParameterError(
            f"{name} has p = {table.shape[0]} rows, but this measure needs at least {least}."
        )
    if not np.isfinite(table).all():
        bad = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise ParameterError(
            f"{name} has a value that is not finite in row {bad}, but every value must be finite."
        )
    return table


def class_labels(labels: Array | Sequence[Any], n: int) -> np.ndarray:
    """The classes of n points, float64 (n,).

    Raises ParameterError for another number of them, or one class only.
    """
    label = to_numpy(labels).ravel()
    if len(label) != n:
        raise ParameterError(f"labels has {len(label)} entries, but there are {n} points.")
    if np.unique(label).size < 2:
        raise ParameterError("labels has one class only, but must have two or more.")
    return label


def like(result: np.ndarray, embedding: object) -> Array:
    """The result as the kind of array that came in: torch (same device and dtype) for torch, else
    numpy."""
    if not isinstance(embedding, torch.Tensor):
        return result
    dtype = embedding.dtype if embedding.dtype.is_floating_point else torch.float64
    return torch.as_tensor(result, dtype=dtype, device=embedding.device)


def whole(value: object, name: str, *, least: int = 1, most: int | None = None) -> int:
    """The value if it is a whole number in [least, most]; raises ParameterError otherwise."""
    number = None
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        number = int(value)
    if number is None or number < least or (most is not None and number > most):
        limits = f"at least {least}" if most is None else f"between {least} and {most}"
        raise ParameterError(f"{name} is {shown(value)}, but must be a whole number {limits}.")
    return number
