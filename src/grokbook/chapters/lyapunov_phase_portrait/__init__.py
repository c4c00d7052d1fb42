"""Chapter 08: the x w u flow of Gu et al., where it ends, and what Lyapunov's argument shows; nothing is trained."""

from __future__ import annotations

from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment
from grokbook.theory.triple_product import explain, flow, limit_point, triples, velocity

# How long the page follows its first start, and how far the product may be from 1 after that.
DURATION, MISSED = 12, 1e-3


def plan(x0: float, w0: float, u0: float) -> dict[str, Experiment]:
    """Nothing is trained; a first start that rests, is drawn to a saddle or is slower than `DURATION` is refused.

    Raises ParameterError.
    """
    start = triples([x0, w0, u0], "the start (x0, w0, u0)")
    if not (velocity(start).any() and limit_point(start).all()):
        raise ParameterError(f"the first start of the page must move and reach the surface, but {explain(start)}")
    product = flow(start, [0, DURATION])[-1].prod()
    if abs(product - 1) > MISSED:
        raise ParameterError(
            f"the first start ({x0:g}, {w0:g}, {u0:g}) is too slow: after {DURATION} units of time its product is "
            f"{product:.2g}, but must be 1 to within {MISSED:g}."
        )
    return {}
