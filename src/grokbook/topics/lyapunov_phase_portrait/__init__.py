"""Chapter 08: the x w u flow of Gu et al., where it ends, and what Lyapunov's argument shows; nothing is trained."""

from __future__ import annotations

from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment
from grokbook.theory.triple_product import explain, limit_point, triples, velocity


def plan(x0: float, w0: float, u0: float) -> dict[str, Experiment]:
    """Nothing is trained; a first start where nothing moves, or that is drawn to a saddle, is refused.

    Raises ParameterError.

    Example:
        >>> plan(0.2, 0.5, 0.9)
        {}
    """
    start = triples([x0, w0, u0], "the start (x0, w0, u0)")
    if not velocity(start).any():
        raise ParameterError(f"the first start of the page must move, but {explain(start)}")
    if not limit_point(start).all():
        raise ParameterError(f"the first start of the page must reach the surface, but {explain(start)}")
    return {}
