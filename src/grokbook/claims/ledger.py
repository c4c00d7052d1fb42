"""The claim ledger: what the papers say, a check that can come out either way, and what came out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

import pandas as pd

from grokbook.errors import ParameterError

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

    `check` computes a `Finding`; an informal claim has none and says in `reason` why it cannot be checked.
    `seconds` is what the check takes; `page` is the chapter and section that shows it.
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

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParameterError(f"kind = {self.kind!r} is unknown; choose one of {', '.join(KINDS)}.")
        if self.check is None and not self.reason:
            raise ParameterError(f"claim {self.id} has neither a check nor a reason why it cannot be checked.")

    def finding(self) -> Finding:
        """Run the check (informal claims: the reason)."""
        return self.check() if self.check else Finding("informal", self.reason)


@lru_cache(maxsize=1)
def claims() -> tuple[Claim, ...]:
    """Every claim of the ledger, in the order of the papers."""
    from grokbook.claims import coverage, gu2024, gu2025, separability, triple_product, uniformity

    rooms = (gu2025, gu2024, uniformity, coverage, triple_product, separability)
    found = sorted((claim for room in rooms for claim in room.CLAIMS), key=_order)
    ids = [claim.id for claim in found]
    repeated = {i for i in ids if ids.count(i) > 1}
    if repeated:
        raise ParameterError(f"claim ids occur twice: {', '.join(sorted(repeated))}.")
    return tuple(found)


def _order(claim: Claim) -> tuple[bool, str]:
    """By paper, Gu et al. 2025 before its predecessor, then by id; ids such as P5.1a after the numbered ones."""
    return claim.paper != "gu2025", claim.id.replace("P5", "P9")


def choose(ids: Iterable[str] | None = None, paper: str | None = None) -> list[Claim]:
    """The claims with these ids (in that order), or of one paper, or all.

    Raises ParameterError for an id or a paper that the ledger does not have.

    Example:
        >>> [claim.id for claim in choose(["G36"])]
        ['G36']
    """
    known = {claim.id: claim for claim in claims()}
    for name in ids or ():
        if name not in known:
            near = get_close_matches(name, known, n=1) or [next(iter(known))]
            raise ParameterError(f"the ledger has no claim {name!r}; the nearest is {near[0]}.")
    papers = sorted({claim.paper for claim in known.values()})
    if paper is not None and paper not in papers:
        raise ParameterError(f"the ledger has no paper {paper!r}; it has {', '.join(papers)}.")
    chosen = [known[name] for name in ids] if ids is not None else list(known.values())
    return [claim for claim in chosen if paper in (None, claim.paper)]


def ledger(ids: Iterable[str] | None = None, paper: str | None = None) -> pd.DataFrame:
    """The ledger as a table, every check run: one row a claim.

    Columns: id, paper, place, statement, kind, verdict, value, low, high, published, evidence, page.

    Example:
        >>> ledger(["G36"]).verdict.tolist()
        ['holds']
    """
    rows = []
    for claim in choose(ids, paper):
        found = claim.finding()
        rows.append(
            {name: getattr(claim, name) for name in ("id", "paper", "place", "statement", "kind")}
            | {name: getattr(found, name) for name in ("verdict", "value", "low", "high", "published", "evidence")}
            | {"page": claim.page}
        )
    return pd.DataFrame(rows)
