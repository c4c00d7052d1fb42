"""What happens to a start of the flow of x, w and u, in words."""

from __future__ import annotations

import numpy as np

from grokbook.errors import ParameterError
from grokbook.theory.triple_product import cases, finite_target, triples
from grokbook_chapters.lyapunov_phase_portrait.triple_stability import Point

NAMES = np.array(["x", "w", "u"])
REST = "where nothing moves, so the limit is the start itself"


def explain(start: Point, *, target: float = 1.0) -> str:
    """What happens to this start, in one sentence.

    Raises ParameterError for a start that is not three finite numbers.

    Source: the cases of `grokbook.theory.triple_product.limit_point`.
    """
    values = triples(start, "start")
    delta = finite_target(target)
    if values.ndim != 1:
        raise ParameterError(
            f"start has shape {values.shape}, but explain takes one start of shape (3,)."
        )
    size = np.abs(values)
    surface = f"the surface x w u = {delta:g}"
    zeros = NAMES[size == 0].tolist()
    least = NAMES[size == size.min()].tolist()
    others = NAMES[size > size.min()].tolist()
    listed = " and ".join(filter(None, [", ".join(least[:-1]), least[-1]]))
    _, saddle, crosses = (bool(mask[0]) for mask in cases(values[None], delta))
    if len(zeros) >= 2:
        where = f"lies on the {others[0]}-axis" if others else "is the origin"
        return f"{' = '.join(zeros)} = 0: the start {where}, {REST}."
    if delta == 0 and zeros:
        return f"{zeros[0]} = 0: the product is 0, the target, so the limit is the start itself."
    if delta == 0 and len(least) == 1:
        return (
            f"{least[0]} has the smallest magnitude: it falls to 0, and its square is taken from"
            " all three."
        )
    if delta == 0:
        return (
            f"{listed} share the smallest magnitude: they fall to 0 together, slower than any"
            " exponential."
        )
    if saddle:
        place = f"the {others[0]}-axis" if others else "the origin"
        return (
            f"x w u and the target have opposite signs and {listed} share the smallest magnitude:"
            f" the start is drawn to {place}, a saddle, and never reaches x w u = {delta:g}."
        )
    if crosses:
        return (
            f"x w u and the target have opposite signs: {least[0]}, the smallest, goes through 0"
            f" and changes its sign, then {surface} is reached."
        )
    if zeros:
        return f"{zeros[0]} = 0: it leaves 0 at once, and the start reaches {surface}."
    if values.prod() == delta:
        return f"the start lies on {surface}, {REST}."
    return f"the start reaches {surface}; no coordinate changes its sign."
