"""What the theorems on embeddings ask of their input: finite rows, and an odd prime modulus where
one is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy

from grokbook.errors import ParameterError, shown
from grokbook.measures.inputs import Array, rows

Rows = Array | Sequence[Any]


def vectors(values: Rows, name: str = "embedding") -> np.ndarray:
    """The values as float64 rows (n, d), one a vector; numpy, torch or lists.

    Raises ParameterError unless they are one or more rows of one length of 1 or more, all finite.
    """
    return rows(values, least=1, name=name)


def pair(first: Rows, second: Rows | None) -> tuple[np.ndarray, np.ndarray]:
    """The embeddings of the first and the second operand, which share one table when `second` is
    None.

    Raises ParameterError for a bad table or tables of unequal shape.
    """
    a = vectors(first, "the first embedding")
    b = a if second is None else vectors(second, "the second embedding")
    if a.shape != b.shape:
        raise ParameterError(
            f"the embeddings have shapes {a.shape} and {b.shape}, but must have the same."
        )
    return a, b


def odd_prime(p: object, why: str) -> int:
    """The modulus p as an int, refused with the reason `why` and the nearest valid choice unless an
    odd prime."""
    number = 3
    if isinstance(p, int | np.integer) and not isinstance(p, bool):
        number = int(p)
        if number > 2 and sympy.isprime(number):
            return number
    choices = (sympy.prevprime(max(number, 4)), sympy.nextprime(max(number, 2)))
    nearest = min(choices, key=lambda q: abs(q - number))
    raise ParameterError(
        f"p = {shown(p)} must be an odd prime, because {why}; the nearest is {nearest}."
    )
