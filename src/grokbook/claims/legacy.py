"""For the time of the move: claims of modules that are not topics yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from grokbook.claims.finding import Finding
from grokbook.claims.ledger import Claim as Entry

ROOMS = ()


def Claim(
    id: str,
    paper: str,
    place: str,
    statement: str,
    kind: str,
    page: str,
    check: Callable[[], Finding] | None = None,
    reason: str = "",
    seconds: float = 1.0,
) -> Entry:
    """A claim as the modules wrote it before the topics."""
    chapter, _, section = page.partition(": ")
    return Entry(id, paper, place, statement, kind, chapter[3:], section, check, reason, seconds)


def claims() -> Iterator[Entry]:
    """Every claim of the modules that are left."""
    for name in ROOMS:
        yield from import_module(f"grokbook.claims.{name}").CLAIMS
