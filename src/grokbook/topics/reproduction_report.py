"""Chapter 18, which trains nothing: it runs the checks of the claim ledger."""

from __future__ import annotations

from difflib import get_close_matches

from grokbook.claims.ledger import PAPERS
from grokbook.errors import ParameterError
from grokbook.experiments.base import Experiment


def plan(paper: str, slow: bool) -> dict[str, Experiment]:
    """Plan of chapter 18: nothing is trained.

    Args:
        paper: one of `PAPERS`, or "all".
        slow: whether checks that take seconds are run too.

    Raises ParameterError for another paper.

    Example:
        >>> plan("all", True)
        {}
    """
    choices = ("all", *PAPERS)
    if paper not in choices:
        near = get_close_matches(paper, choices, n=1, cutoff=0)[0]
        raise ParameterError(f"paper = {paper!r} has no claims; the nearest is {near!r}, of {', '.join(choices)}.")
    return {}
