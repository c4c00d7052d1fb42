"""The classes of an operation modulo p as elements of a cyclic group, where they are: by logarithms
for products."""

from __future__ import annotations

import numpy as np
import sympy

from grokbook.errors import ParameterError, shown
from grokbook.measures.fourier_losses import CyclicClasses
from grokbook.tasks.arithmetic import ModularTask
from grokbook.tasks.polynomials import parse_polynomial


def discrete_logarithms(p: int) -> np.ndarray:
    """Exponents e with g^e = r modulo a prime p, g the least primitive root, int64 (p,); -1 for r =
    0.

    Raises ParameterError if p is not a prime of 3 or more.
    """
    if not sympy.isprime(p) or p < 3:
        raise ParameterError(f"p = {p} must be a prime of 3 or more to have discrete logarithms.")
    logs = np.full(p, -1)
    power = 1
    root = int(sympy.primitive_root(p))
    for exponent in range(p - 1):
        logs[power] = exponent
        power = power * root % p
    return logs


def cyclic_classes(task: ModularTask) -> CyclicClasses:
    """The cyclic group that a task's classes form: Z_p for g(x) + h(y), the logarithms (order p -
    1) for x * y.

    A polynomial without mixed terms, such as x - y or x^2 + y^2, is a sum in Z_p of a function of x
    and one of y, so waves of its class are products of waves of the operands. The product of two
    operands other than zero is the sum of their discrete logarithms. For other operations, such as
    x^2 + xy + y^2, the papers define no waves.

    Raises ParameterError for such an operation.

    Source: Nanda et al. 2023, section 4, has addition alone; the other cases are this book's.
    """
    terms = dict(parse_polynomial(task.operation).terms())
    if all(0 in powers for powers in terms):
        return CyclicClasses(task.labels.astype(np.int64), task.p)
    if set(terms) == {(1, 1)} and terms[1, 1] % task.p == 1 and task.p > 2:
        return CyclicClasses(discrete_logarithms(task.p)[task.labels], task.p - 1)
    raise ParameterError(
        f"operation {shown(task.operation)} mixes x and y, so its classes have no frequencies;"
        " sums of a function of x and one of y have, such as 'x2_plus_y2', and so has 'multiply'."
    )
