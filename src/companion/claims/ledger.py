"""The claim ledger: what the papers say, a check that can come out either way, and what came
out."""

from __future__ import annotations

import inspect
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache, partial
from operator import attrgetter
from types import ModuleType
from typing import Any

import pandas as pd

from companion.announced import chapter_of, chapters, folder_of
from companion.claims.finding import UNDECIDED, Finding, Says
from companion.claims.runs import (
    Look,
    Runs,
    Wanted,
    left_open,
    load,
    made_after,
    older,
    outdated,
    since,
)
from companion.claims.shared import once_a_build
from grokbook.errors import GrokbookError, ParameterError, checked_call, nearest, shown

PAPERS = {
    "gu2025": "Gu et al. 2025",
    "gu2024": "Gu 2024",
    "liu2022": "Liu et al. 2022",
    "tian2025": "Tian 2025",
    "nanda2023": "Nanda et al. 2023",
    "zhong2023": "Zhong et al. 2023",
    "liu2023omnigrok": "Liu et al. 2023",
    "varma2023": "Varma et al. 2023",
    "kumar2024": "Kumar et al. 2024",
    "prieto2025": "Prieto et al. 2025",
    "chou2026": "Chou et al. 2026",
    "arxiv2603.13331": "arXiv:2603.13331",
    "arxiv2606.13753": "arXiv:2606.13753",
    "arxiv2606.18465": "arXiv:2606.18465",
    "arxiv2606.32000": "arXiv:2606.32000",
}
"""The papers that may have claims, with how they are named, in the order in which the ledger shows
them."""


@checked_call
@dataclass(frozen=True)
class Paper:
    """A paper that this book's ledger does not have, for claims of your own: a short key, and how
    it is named.

    Raises ParameterError for a key that is no identifier or is taken by a paper of `PAPERS`, and
    for no name.

    Example:
        >>> Paper("me2026", "Me 2026").key
        'me2026'
    """

    key: str
    name: str

    def __post_init__(self) -> None:
        if not self.key.isidentifier() or self.key in PAPERS:
            free = "must be a word such as 'me2026' that is no paper of this book"
            raise ParameterError(f"key = {shown(self.key)} {free} ({', '.join(PAPERS)}).")
        if not self.name.strip():
            raise ParameterError(
                f"name = {shown(self.name)} must be the words that name the paper, such as 'Me"
                " 2026'."
            )


KINDS = ("theorem", "formula", "number", "observation")
WAYS = {
    "counterexample": "counterexample",
    "proof": "proof",
    "count": "exact count",
    "draws": "random draws",
    "runs": "runs",
}
"""What may show a claim, in words: an example against it, a proof whose steps are checked, exact
counting, random draws with their error, or trained networks."""
ORIGINS = ("paper", "ours")
"""Whose sentence a claim is."""
OPEN = ("undecided", "not run")
GATHERED = {
    "EG": "Misprints of Gu et al. 2025 and Gu 2024",
    "EL": "Misprints of Liu et al. 2022",
    "ET": "Misprints of Tian 2024 and 2025",
    "XG25": "Textbook facts of Gu et al. 2025",
    "XG24": "Textbook facts of Gu 2024",
    "XL": "Textbook facts of Liu et al. 2022",
    "XT": "Textbook facts of Tian 2024 and 2025",
}
"""Lists whose lines carry nothing alone, each counted as one entry of the ledger."""
FOUR = ("gu2025", "gu2024", "liu2022", "tian2025")
"""The papers that the ledger is about; claims of others, and of this book, are its appendix."""


class CheckError(GrokbookError, RuntimeError):
    """A check of the ledger ended in an error instead of a verdict."""


@dataclass(frozen=True)
class Claim:
    """One claim of one paper: where it stands, what it says, how it is checked and where that is
    shown.

    `check` gives a `Finding`; with `runs`, a function that names the experiments it asks for, it is
    given what is recorded of them (`Runs`, each looked at `through` a function of the dataset);
    runs `beside` these are shown to it too, and are not counted among what is missing. `says` is
    the sentence of its evidence, see `Finding.told`; `published` the paper's number, where the
    finding has none. A claim without a check is informal and says in `reason` why. `seconds` is
    what the check takes. `shown_by` is one of `WAYS`; a counterexample is checked to be one, so
    that its check fails to speak, rather than agreeing with the paper, where it is none. Without
    runs and without a word it is a count.

    `paper` is a key of `PAPERS`, or a `Paper` for one of your own; `named` is how that one is
    named.

    `origin` is "paper", or "ours" for a sentence of this book, which no paper's count includes.
    `bars` are other bars: a keyword argument of the check -> values at which it is asked again; the
    sentence has the verdicts as `{bars}`. Where one of them changes the word, the claim hangs on a
    bar that is ours, and is "undecided". `rule_changed` is date and commit of the last change of
    the check or its bar. Where runs decide and the rule is the younger one, only runs that are
    younger still decide; without them the verdict is "undecided".

    `also` are ids of entries that were merged into this one or dropped in its favour: they stay
    addresses of it. `part_of` is a key of `GATHERED` where the claim is a line of a list
    (misprints, textbook facts) and carries nothing alone. `rule` is how the sentence was read, and
    by which rule it is decided, in words.

    Raises ParameterError for an unknown paper, kind, way or list, and for a claim with neither
    check nor reason.

    Example:
        >>> Claim(
        ...     "X1",
        ...     "gu2025",
        ...     "p. 3",
        ...     "It works.",
        ...     "observation",
        ...     "a",
        ...     "B",
        ...     reason="No number is given.",
        ... ).finding().verdict
        'informal'
    """

    id: str
    paper: str | Paper
    place: str
    statement: str
    kind: str
    topic: str
    section: str
    check: Callable[..., Finding] | None = None
    reason: str = ""
    seconds: float = 1.0
    says: Says = ""
    runs: Wanted | None = None
    through: Look | None = None
    beside: Wanted | None = None
    published: str = ""
    shown_by: str = ""
    origin: str = "paper"
    bars: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    rule_changed: str = ""
    named: str = ""
    also: tuple[str, ...] = ()
    part_of: str = ""
    rule: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.paper, Paper):
            object.__setattr__(self, "named", self.paper.name)
            object.__setattr__(self, "paper", self.paper.key)
        if not self.shown_by and self.check:
            object.__setattr__(self, "shown_by", "runs" if self.runs else "count")
        if not self.named:
            _refuse_unknown("paper", str(self.paper), PAPERS)
        _refuse_unknown("kind", self.kind, KINDS)
        _refuse_unknown("origin", self.origin, ORIGINS)
        _refuse_unknown("way", self.shown_by, ("", *WAYS))
        _refuse_unknown("list", self.part_of, ("", *GATHERED))
        since(self.rule_changed)
        if self.check is None and not self.reason:
            raise ParameterError(
                f"claim {self.id} has neither a check nor a reason why it cannot be checked."
            )

    @property
    def page(self) -> str:
        """The chapter and the section that show it, `NN_name: words of a heading`."""
        return f"{chapter_of(self.topic)}: {self.section}"

    def __call__(self, *args: Any, **kwargs: Any) -> Finding:
        """The check itself, on runs or numbers of the caller's choice, also at the other bars; its
        sentence filled."""
        finding = self.check(*args, **kwargs)
        at = {}
        for name, bars in self.bars.items():
            if name in kwargs:
                continue
            for bar in bars:
                at[said(bar)] = self.check(*args, **kwargs, **{name: bar}).verdict
        published = finding.published or self.published
        told = replace(finding, published=published, at=at).told(self.says)
        sides = {_side(finding.verdict), *map(_side, at.values())}
        hangs_on_bar = finding.verdict not in OPEN and len(sides) > 1
        return replace(told, verdict=UNDECIDED) if hangs_on_bar else told

    def finding(self) -> Finding:
        """Load what is recorded, run the check on it, say what is missing; without a check, the
        reason.

        Raises CheckError, which names the claim, when the check ends in an error.
        """
        if self.check is None:
            return Finding("informal", self.reason)
        try:
            return self._on_records() if self.runs else self()
        except Exception as error:
            said = " ".join(f"{type(error).__name__}: {error}".split())
            raise CheckError(
                f"the check of claim {self.id} ended in an error, not in a verdict ({said})."
            ) from error

    def _on_records(self) -> Finding:
        rule = since(self.rule_changed)
        found, runs = self._on_runs()
        if rule and any(older(e, rule) for e in runs.experiments.values()):
            younger, young = self._on_runs(rule)
            if younger.verdict not in OPEN or young.complete():
                return replace(younger, runs=_count(young, rule))
            found = outdated(found, self.rule_changed)
        return replace(found, runs=_count(runs))

    def _on_runs(self, after: datetime | None = None) -> tuple[Finding, Runs]:
        """What the check finds on the recorded runs, or on those of them that were made `after` a
        time."""
        runs = load(self.runs(), self.through, after)
        if self.beside:
            runs.update(load(self.beside(), self.through))
        found = self(runs) if runs else Finding("not run", published=self.published)
        return left_open(runs, found), runs


def _count(runs: Runs, after: datetime | None = None) -> int:
    return sum(len(made_after(e, after)) for e in runs.experiments.values())


def _side(verdict: str) -> str:
    """The word that counts when two bars are compared: a correction keeps the conclusion."""
    return "holds" if verdict == "holds with correction" else verdict


def said(bar: Any) -> str:
    """A bar as words: numbers short, several of them joined."""
    if isinstance(bar, tuple | list):
        return " and ".join(map(said, bar))
    return f"{bar:g}" if isinstance(bar, float) else str(bar)


@checked_call
def claim(
    id: str,
    paper: str | Paper,
    place: str,
    *,
    section: str = "",
    kind: str = "observation",
    statement: str = "",
    **rest: Any,
) -> Callable[[Callable[..., Finding]], Claim]:
    """Make a function that returns a finding into a `Claim`; its docstring's first paragraph is the
    statement, what follows is the rule.

    `statement` replaces what is read off the function; `rest` are the other fields of `Claim`:
    says, runs, through, beside, published, seconds, shown_by, origin, bars, rule_changed. The claim
    can be called as the function could.

    Example:
        >>> @claim(
        ...     "X1",
        ...     "gu2025",
        ...     "p. 3",
        ...     section="B",
        ...     kind="number",
        ...     says="{value} of 2 are even",
        ... )
        ... def evens():
        ...     "One of the first two numbers is even."
        ...     return Finding("holds", value=1)
        >>> evens.statement, evens().evidence
        ('One of the first two numbers is even.', '1 of 2 are even')
    """

    def made(check: Callable[..., Finding]) -> Claim:
        function = check.func if isinstance(check, partial) else check
        told, _, rule = (inspect.getdoc(function) or "").partition("\n\n")
        topic = folder_of(function.__module__)
        sentence = statement or " ".join(told.split())
        return Claim(
            id, paper, place, sentence, kind, topic, section, check, rule=rule.strip(), **rest
        )

    return made


@dataclass(frozen=True)
class Outcome:
    """A claim, what its check found, and the seconds that took."""

    claim: Claim
    finding: Finding
    seconds: float


@lru_cache(maxsize=1)
def claims() -> tuple[Claim, ...]:
    """Every claim that the chapters announce, in the order of `PAPERS` and then of the ids.

    Raises ParameterError when two claims have the same id.
    """
    return announced_by(chapters())


def named(paper: str) -> str:
    """How a paper is named, by `PAPERS` or by the claims of the project that have a paper of their
    own.

    >>> named("gu2025"), named("nobody1900")
    ('Gu et al. 2025', 'nobody1900')
    """
    for entry in claims() if paper not in PAPERS else ():
        if entry.named and entry.paper == paper:
            return entry.named
    return PAPERS.get(paper, paper)


def announced_by(places: Iterable[ModuleType | Claim]) -> tuple[Claim, ...]:
    """The claims of some modules, and claims given themselves: by paper, those of this book first,
    then by id.

    Raises ParameterError for anything else, and when two claims have the same id.
    """
    values: list[Any] = []
    for place in places:
        if not isinstance(place, ModuleType | Claim):
            raise ParameterError(
                f"among has {shown(place)}, which is neither a claim nor a module that holds"
                " claims."
            )
        values += vars(place).values() if isinstance(place, ModuleType) else [place]
    for value in list(values):
        if isinstance(value, list | tuple):
            values += value
    announced = {id(value): value for value in values if isinstance(value, Claim)}  # each once
    found = sorted(announced.values(), key=_rank)
    lists = {entry.part_of for entry in found}
    ids = Counter(filter(None, lists))
    for entry in found:
        ids.update([entry.id, *entry.also])
    if repeated := sorted((ids - Counter(list(ids))).keys()):
        raise ParameterError(f"claim ids occur twice: {', '.join(repeated)}.")
    return tuple(found)


def _rank(entry: Claim) -> tuple[Any, ...]:
    order = list(PAPERS)
    position = order.index(entry.paper) if entry.paper in order else len(order)
    return position, entry.paper, "." in entry.id, entry.id  # P5.1a after numbered ones


def _refuse_unknown(what: str, name: str, known: Iterable[str]) -> None:
    there = list(known)
    if name not in there:
        raise ParameterError(
            f"the ledger has no {what} {shown(name)}; the nearest is {nearest(name, there, 0)}."
        )


def moved() -> dict[str, str]:
    """Former ids of the ledger, each with the id of the entry that it leads to."""
    entries: dict[str, str] = {}
    for entry in claims():
        entries |= dict.fromkeys(entry.also, entry.id)
    return entries


def carrying(entries: Iterable[Claim]) -> list[Claim]:
    """Those of the entries that carry one of the four papers: none of a list, of another paper or
    of this book."""
    return [e for e in entries if e.origin == "paper" and e.paper in FOUR and not e.part_of]


def choose(
    ids: Iterable[str] | None = None,
    paper: str | None = None,
    *,
    among: Iterable[ModuleType | Claim] | None = None,
) -> list[Claim]:
    """The claims with these ids (in that order), or of one paper, or all; what is left out stays as
    it is.

    Args:
        ids: ids such as "G12"; a former id leads to its entry, the key of a list of `GATHERED` that
            has lines to these, and an entry is given once.
        paper: one of the papers that have claims.
        among: your own claims, or modules that hold some; default: those of this book.

    Raises ParameterError for an id or a paper that the ledger does not have.
    """
    known = {}
    addresses: dict[str, list[str]] = {}
    for entry in claims() if among is None else announced_by(among):
        known[entry.id] = entry
        for name in filter(None, (entry.id, *entry.also, entry.part_of)):
            addresses.setdefault(name, []).append(entry.id)
    wanted: dict[str, None] = {}
    for name in known if ids is None else ids:
        _refuse_unknown("claim", name, addresses)
        wanted |= dict.fromkeys(addresses[name])
    chosen = [known[name] for name in wanted]
    if paper is None:
        return chosen
    papers = dict.fromkeys(entry.paper for entry in known.values())
    _refuse_unknown("paper", paper, papers)
    return [entry for entry in chosen if entry.paper == paper]


def outcomes(chosen: Iterable[Claim]) -> Iterator[Outcome]:
    """Run the checks of these claims one after the other and give each result as it comes; in a
    build each once.

    Raises CheckError at the first check that ends in an error.
    """
    for claim in chosen:
        finding, seconds = once_a_build(f"finding-{claim.id}", partial(_timed, claim))
        yield Outcome(claim, finding, seconds)


def _timed(claim: Claim) -> tuple[Finding, float]:
    start = time.perf_counter()
    return claim.finding(), time.perf_counter() - start


_COLUMNS = (
    "claim.id",
    "claim.paper",
    "claim.place",
    "claim.statement",
    "claim.kind",
    "finding.verdict",
    "finding.value",
    "finding.low",
    "finding.high",
    "finding.published",
    "finding.evidence",
    "finding.runs",
    "claim.shown_by",
    "claim.page",
    "claim.origin",
    "claim.rule_changed",
    "claim.part_of",
)


def as_table(found: Iterable[Outcome]) -> pd.DataFrame:
    """Outcomes as the table that `ledger` gives."""
    names = [column.partition(".")[2] for column in _COLUMNS]
    return pd.DataFrame(map(attrgetter(*_COLUMNS), found), columns=names)


@checked_call
def ledger(
    ids: Iterable[str] | None = None,
    paper: str | None = None,
    *,
    among: Iterable[ModuleType | Claim] | None = None,
) -> pd.DataFrame:
    """The ledger as a table, every check run: one row a claim. Arguments as in `choose`.

    With `among`, that of your own claims: `ledger(among=[my_module])`.

    Columns: id, paper, place, statement, kind, verdict, value, low, high, published, evidence,
    runs, shown_by, page, origin, rule_changed, part_of.

    Raises CheckError, which names the claim, when a check ends in an error: there is no half table.

    Example:
        >>> ledger(["G36"]).verdict.tolist()
        ['holds']
    """
    return as_table(outcomes(choose(ids, paper, among=among)))
