"""Chapter 08: the x w u flow of Gu et al., where it ends, and what Lyapunov's argument shows; nothing is trained."""

from __future__ import annotations

from collections.abc import Mapping

from grokbook.claims.report import summary
from grokbook.errors import ParameterError
from grokbook.runs.experiment import Experiment
from grokbook.theory.triple_product import explain, flow, limit_point, triples, velocity

DURATION, MISSED = 12, 1e-3
"""How long the page follows its first start, and how far the product may be from 1 after that."""


def plan(x0: float, w0: float, u0: float) -> dict[str, Experiment]:
    """Nothing is trained; a first start that rests, is drawn to a saddle or is slower than `DURATION` is refused.

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
    product = flow(start, [0, DURATION])[-1].prod()
    if abs(product - 1) > MISSED:
        raise ParameterError(
            f"the first start ({x0:g}, {w0:g}, {u0:g}) is too slow: after {DURATION} units of time its product is "
            f"{product:.2g}, but must be 1 to within {MISSED:g}."
        )
    return {}


_ENDS = {
    "holds": "the starts of the cube move towards it, and all but those with x = w = u end beside it",
    "fails": "not every start of the cube moves towards it",
}
_STABLE = {
    "holds": "it is stable, and so is every point of rest",
    "holds with correction": "it is stable, one point of a whole surface of stable points of which none attracts",
    "fails": "it is not stable",
}


def answer(verdicts: Mapping[str, str]) -> str:
    """The chapter's answer in a box, from the verdicts of its rows of the ledger by id: claimed, found, how sure.

    Example:
        >>> answer({"G44": "fails", "G47": "fails"}).split(". ")[-1]
        'Nothing here rests on runs, every verdict on a proof or a computation (2 claims: 2 fail).'
    """
    claimed = "The papers say that three numbers of a network go to (1, 1, 1), a stable point, so that it must grok"
    found = f"In their own system {_ENDS[verdicts['G47']]}; {_STABLE[verdicts['G44']]}. "
    found += "Of grokking the system says nothing: it has one sample, and no test set."
    counted = summary(dict(verdicts).values()).rstrip(".")
    sure = f"Nothing here rests on runs, every verdict on a proof or a computation ({counted})."
    return f"> **Answer.** {claimed}. {found} {sure}"
