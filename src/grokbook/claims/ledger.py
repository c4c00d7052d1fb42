"""The claim ledger: what the papers say, a check that can come out either way, and what came out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from importlib import import_module
from os.path import commonprefix

import pandas as pd

from grokbook.errors import GrokbookError, ParameterError
from grokbook.experiments.reproduction import PAPERS

ROOMS = (
    "gu2025",
    "gu2024",
    "uniformity",
    "coverage",
    "distribution",
    "triple_product",
    "separability",
    "depth",
    "operations",
    "progress",
    "width",
)
"""The modules of `grokbook.claims` whose `CLAIMS` make up the ledger."""

VERDICTS = (
    "holds",
    "holds with correction",
    "needs an assumption",
    "vacuous",
    "fails",
    "informal",
    "not run",
)
KINDS = ("theorem", "formula", "number", "observation")
SLOW = 2.0
"""Seconds from which a check counts as slow."""


class CheckError(GrokbookError, RuntimeError):
    """A check of the ledger ended in an error instead of a verdict."""


@dataclass(frozen=True)
class Finding:
    """What a check found: a verdict, our number with its band, and the evidence in a sentence.

    `value` is the number the verdict rests on (None for "not run"), `low` and `high` its band (the range over
    seeds, or a tolerance), `published` the paper's number where there is one.
    """

    verdict: str
    evidence: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    published: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ParameterError(f"verdict = {self.verdict!r} is unknown; choose one of {', '.join(VERDICTS)}.")


@dataclass(frozen=True)
class Claim:
    """One claim of one paper: where it stands, in our words, how it is checked and where it is shown.

    `check` computes a `Finding`. A claim without one says in `reason` why: it is informal, nothing in it can be
    checked; or, where `awaits` names the experiment that would settle it and where that will be shown, it is not run.
    `seconds` is what the check takes; `page` is the chapter and section that shows it, `NN_name: words of a heading`.

    Raises ParameterError for an unknown paper or kind, a page of another form, a claim with neither check nor reason,
    and a claim that awaits an experiment although it has a check.

    Example:
        >>> Claim("X1", "gu2025", "p. 3", "It works.", "observation", "01_a: B", reason="No number is given.").verdict
        'informal'
    """

    id: str
    paper: str
    place: str
    statement: str
    kind: str
    page: str
    check: Callable[[], Finding] | None = None
    reason: str = ""
    seconds: float = 1.0
    awaits: str = ""

    def __post_init__(self) -> None:
        if self.paper not in PAPERS:
            raise ParameterError(f"paper = {self.paper!r} is unknown; choose one of {', '.join(PAPERS)}.")
        if self.kind not in KINDS:
            raise ParameterError(f"kind = {self.kind!r} is unknown; choose one of {', '.join(KINDS)}.")
        if not all(self.page.partition(": ")):
            raise ParameterError(f"the page of claim {self.id}, {self.page!r}, is not of the form 'NN_name: heading'.")
        if self.check is None and not self.reason:
            raise ParameterError(f"claim {self.id} has neither a check nor a reason why it cannot be checked.")
        if self.check is not None and self.awaits:
            raise ParameterError(f"claim {self.id} has a check, so it awaits no experiment.")

    @property
    def verdict(self) -> str | None:
        """What is known without computing: "informal", "not run", or None where a check decides."""
        return None if self.check else "not run" if self.awaits else "informal"

    def finding(self) -> Finding:
        """Run the check; without one, the reason.

        Raises CheckError, which names the claim, when the check ends in an error.
        """
        if self.check is None:
            return Finding(self.verdict or "", " ".join(filter(None, [self.reason, self.awaits])))
        try:
            return self.check()
        except Exception as error:
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise CheckError(f"the check of claim {self.id} ended in an error, not in a verdict ({said}).") from error


@dataclass(frozen=True)
class Outcome:
    """A claim, what its check found, and the seconds that took."""

    claim: Claim
    finding: Finding
    seconds: float


@lru_cache(maxsize=1)
def claims() -> tuple[Claim, ...]:
    """Every claim of the ledger, in the order of `PAPERS` and then of the ids.

    Raises ParameterError when two claims have the same id.
    """
    rooms = [import_module(f"grokbook.claims.{name}") for name in ROOMS]
    found = sorted((claim for room in rooms for claim in room.CLAIMS), key=_order)
    ids = [claim.id for claim in found]
    repeated = {i for i in ids if ids.count(i) > 1}
    if repeated:
        raise ParameterError(f"claim ids occur twice: {', '.join(sorted(repeated))}.")
    return tuple(found)


def _order(claim: Claim) -> tuple[int, bool, str]:
    """By paper, then by id; ids such as P5.1a after the numbered ones."""
    return PAPERS.index(claim.paper), "." in claim.id, claim.id


def _refuse_unknown(what: str, name: str, known: Iterable[str]) -> None:
    there = list(known)
    if name not in there:
        raise ParameterError(f"the ledger has no {what} {name!r}; the nearest is {_nearest(name, there)}.")


def _nearest(name: str, there: list[str]) -> str:
    """The most similar of these names, capitals aside; of equally similar ones the one that begins like it."""

    def likeness(other: str) -> tuple[float, int]:
        pair = name.lower(), other.lower()
        return SequenceMatcher(None, *pair).ratio(), len(commonprefix(pair))

    return max(there, key=likeness)


def choose(
    ids: Iterable[str] | None = None,
    paper: str | None = None,
    *,
    kind: str | None = None,
    below: float | None = None,
) -> list[Claim]:
    """The claims with these ids (in that order), or of one paper, or all; what is left out stays as it is.

    Args:
        ids: ids such as "G12".
        paper: one of the papers that have claims.
        kind: one of `KINDS`.
        below: only claims whose check is said to take fewer seconds.

    Raises ParameterError for an id, a paper or a kind that the ledger does not have.

    Example:
        >>> [claim.id for claim in choose(["G36", "P02"], paper="gu2025")]
        ['G36']
    """
    known = {claim.id: claim for claim in claims()}
    wanted = list(known) if ids is None else list(ids)
    for name in wanted:
        _refuse_unknown("claim", name, known)
    if paper is not None:
        _refuse_unknown("paper", paper, dict.fromkeys(claim.paper for claim in known.values()))
    if kind is not None:
        _refuse_unknown("kind", kind, KINDS)
    return [
        claim
        for claim in map(known.__getitem__, wanted)
        if paper in (None, claim.paper)
        and kind in (None, claim.kind)
        and (below is None or claim.check is None or claim.seconds < below)
    ]


def outcomes(chosen: Iterable[Claim]) -> Iterator[Outcome]:
    """Run the checks of these claims one after the other and give each result as it comes.

    Raises CheckError at the first check that ends in an error.
    """
    for claim in chosen:
        start = time.perf_counter()
        found = claim.finding()
        yield Outcome(claim, found, time.perf_counter() - start)


def as_table(found: Iterable[Outcome]) -> pd.DataFrame:
    """Outcomes as the table that `ledger` gives."""
    said = ("id", "paper", "place", "statement", "kind")
    judged = ("verdict", "value", "low", "high", "published", "evidence")
    rows = [
        [getattr(o.claim, n) for n in said] + [getattr(o.finding, n) for n in judged] + [o.claim.page] for o in found
    ]
    return pd.DataFrame(rows, columns=[*said, *judged, "page"])


def ledger(
    ids: Iterable[str] | None = None,
    paper: str | None = None,
    *,
    kind: str | None = None,
    below: float | None = None,
) -> pd.DataFrame:
    """The ledger as a table, every check run: one row a claim. Arguments as in `choose`.

    Columns: id, paper, place, statement, kind, verdict, value, low, high, published, evidence, page.

    Raises CheckError, which names the claim, when a check ends in an error: there is no half table.

    Example:
        >>> ledger(["G36"]).verdict.tolist()
        ['holds']
    """
    return as_table(outcomes(choose(ids, paper, kind=kind, below=below)))
