r"""How often a quadratic form in two unknowns takes each value modulo a prime, in closed form."""

from __future__ import annotations

import numpy as np
import sympy

from grokbook.errors import ParameterError
from grokbook.theory.vectors import odd_prime


def quadratic_class_sizes(p: int, a: int = 1, b: int = 1, c: int = 1) -> np.ndarray:
    r"""Number of cells (x, y) with a x^2 + b xy + c y^2 = r mod p for each residue r, int64 of
    shape (p,).

    With the discriminant D = b^2 - 4ac, not divisible by the odd prime p, and its Legendre symbol s
    = (D/p),

    .. math:: n_0 = 1 + (1 + s)(p - 1), \qquad n_r = p - s \quad (r \ne 0).

    So class 0 has 2p - 1 cells and the others p - 1 when D is a square modulo p (s = 1), and class
    0 has one cell and the others p + 1 when it is not. For the default x^2 + xy + y^2, D = -3 is a
    square exactly for p = 1 mod 3.

    Raises ParameterError unless p is an odd prime that does not divide D.

    Source: classical. Gu et al. 2025, section 6.1, take x^2 + xy + y^2 as a task without a closed
    form.
    """
    p = odd_prime(p, "the squares modulo p are counted by its Legendre symbol")
    discriminant = b * b - 4 * a * c
    if discriminant % p == 0:
        raise ParameterError(
            f"p = {p} divides the discriminant {discriminant} of the form; choose another prime."
        )
    s = int(sympy.legendre_symbol(discriminant, p))
    sizes = np.full(p, p - s, dtype=np.int64)
    sizes[0] = 1 + (1 + s) * (p - 1)
    return sizes
