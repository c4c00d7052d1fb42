"""What the theorems on embeddings ask of their input: finite rows, and an odd prime modulus where one is needed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import sympy
import torch

from grokbook.errors import ParameterError

Rows = np.ndarray | torch.Tensor | Sequence


def vectors(values: Rows, name: str = "embedding", *, least: int = 1) -> np.ndarray:
    """The values as float64 rows (n, d), one a vector; numpy, torch or lists.

    Raises ParameterError unless they are n >= least rows of one length of 1 or more, all finite.

    >>> vectors([[0, 1], [1, 0]]).shape
    (2, 2)
    """
    if isinstance(values, torch.Tensor):
        values = values.detach().cpu().to(torch.float64).numpy()
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be an array of real numbers with rows of one length.") from None
    if table.ndim != 2 or table.shape[1] < 1 or table.shape[0] < least:
        raise ParameterError(f"{name} has shape {table.shape}, but must have {least} or more rows, one a vector.")
    if not np.isfinite(table).all():
        bad = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise ParameterError(f"{name} has a value that is not finite in row {bad}, but every value must be finite.")
    return table


def pair(first: Rows, second: Rows | None) -> tuple[np.ndarray, np.ndarray]:
    """The embeddings of the first and the second operand, which share one table when `second` is None.

    Raises ParameterError for a bad table or tables of unequal shape.

    >>> one, two = pair([[0.0], [1.0]], None)
    >>> one is two
    True
    """
    one = vectors(first, "the first embedding")
    two = one if second is None else vectors(second, "the second embedding")
    if one.shape != two.shape:
        raise ParameterError(f"the embeddings have shapes {one.shape} and {two.shape}, but must have the same.")
    return one, two


def odd_prime(p: object, why: str) -> int:
    """The modulus p as an int, refused with the reason `why` and the nearest valid choice unless an odd prime.

    >>> odd_prime(97, "renaming the symbols needs it")
    97
    """
    whole = isinstance(p, int | np.integer) and not isinstance(p, bool)
    if whole and p > 2 and sympy.isprime(int(p)):
        return int(p)
    number = int(p) if whole else 3
    choices = (sympy.prevprime(number) if number > 3 else 3, sympy.nextprime(max(number, 2)))
    nearest = min(choices, key=lambda q: abs(q - number))
    raise ParameterError(f"p = {p!r} must be an odd prime, because {why}; the nearest is {nearest}.")
