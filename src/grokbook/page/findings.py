"""The central claims, and what the book itself found, as cards of the last chapter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from grokbook.claims.ledger import PAPERS, Outcome, choose
from grokbook.page.cards import LEDGER, kind_of_evidence
from grokbook.page.links import section_address
from grokbook.page.tables import verdict
from grokbook.page.typeset import typeset
from grokbook.paths import project_root

Card = tuple[str, str, list[str]]
"""What `page.listed` shows: an anchor, a head and paragraphs."""


def central_cards(
    found: Iterable[Outcome], central: Iterable[Any], sentences: Callable[[Any, Outcome], Iterable[str]]
) -> Iterator[Card]:
    """Central claims (id, quote), of those that were checked: the paper's words, then the sentences of the outcome."""
    known = {outcome.claim.id: outcome for outcome in found}
    for entry in central:
        if outcome := known.get(entry.id):
            claim = outcome.claim
            place = typeset(f"{PAPERS[claim.paper]}, {claim.place}")
            head = f'<a class="gb-id" href="#{claim.id}">{claim.id}</a> {verdict(outcome.finding.verdict)}'
            quote = f"<blockquote><p>“{entry.quote}”</p></blockquote>"
            said = [quote, *(f"<p>{typeset(text)}</p>" for text in sentences(entry, outcome))]
            yield "", f'{head} <span class="gb-place">{place}</span>', said


def new_cards(stood: Iterable[tuple[Any, Mapping[str, Any]]]) -> Iterator[Card]:
    """Findings that stand their checks, with their numbers: each an anchor, what shows it, and a link to where."""
    for finding, numbers in stood:
        way = kind_of_evidence({"shown_by": finding.shown_by, "runs": numbers.get("recorded", 0)})
        head = f'<a class="gb-id" href="#new-{finding.slug}">{typeset(finding.title)}</a>'
        note = f'<p class="gb-note">Shown by: {way}. <a href="{shown_at(finding.label)}">Where it is shown</a>.</p>'
        yield f"new-{finding.slug}", head, [f"<p>{typeset(finding.says.format(**numbers))}</p>", note]


def shown_at(label: str) -> str | None:
    """The address of a labelled statement, or of the section that shows a claim; None where there is none.

    >>> shown_at("thm-limit")
    '08_lyapunov_phase_portrait.html#thm-limit'
    """
    for path in sorted((project_root() / "notebooks").glob("*.md")):
        if re.search(rf"^:label: {re.escape(label)}$", path.read_text(encoding="utf-8"), re.MULTILINE):
            return f"{path.stem}.html#{label}"
    known = [] if label.startswith(("thm-", "prop-")) else choose([label])
    return section_address(project_root(), known[0].page, LEDGER) if known else None
