"""Entries of the ledger as plain text, for the terminal: readable at 80 columns and when piped,
nothing cut off."""

from __future__ import annotations

import inspect
import textwrap
from collections import Counter
from collections.abc import Iterable
from functools import partial

from companion.claims.finding import VERDICTS, Finding
from companion.claims.ledger import Claim, Outcome

_INDENT = " " * 7
_COUNTED = {
    "holds": "hold",
    "holds with correction": "hold with correction",
    "needs an assumption": "need an assumption",
    "fails": "fail",
}


def entry(claim: Claim, verdict: str | None, width: int = 80, full: bool = False) -> str:
    """A claim as it is written, with its settled verdict; nothing is computed.

    Example:
        >>> from companion.claims import choose
        >>> print(entry(choose(["G36"])[0], "holds").splitlines()[0])
        G36    holds
    """
    head = f"{claim.id:<6} {verdict or 'not settled'}"
    lines = [head, *_body(f"{claim.paper}, {claim.place} ({claim.kind}). {claim.statement}", width)]
    lines += _body(f"Shown in {claim.page}", width)
    return "\n".join([*lines, *(_body(how(claim), width) if full else [])])


def result(outcome: Outcome, settled: str | None, width: int = 80, full: bool = False) -> str:
    """What a check found: verdict, seconds, place, evidence, number, band; a verdict not the
    settled one is marked."""
    claim, found = outcome.claim, outcome.finding
    head = f"{claim.id:<6} {found.verdict:<22} {outcome.seconds:6.1f} s"
    lines = [head]
    if found.verdict != settled:
        lines += _body(f"DIFFERS from the settled verdict (settled: {settled or 'none'}).", width)
    lines += _body(f"{claim.paper}, {claim.place} ({claim.kind}). {claim.statement}", width)
    lines += _body(f"Found: {found.evidence}", width)
    if numbers(found):
        lines += _body(numbers(found), width)
    extra = [f"Shown in {claim.page}", how(claim)] if full else []
    return "\n".join([*lines, *(line for text in extra for line in _body(text, width))])


def numbers(found: Finding) -> str:
    """Our number, its band and the published one."""
    ours = "" if found.value is None else f"Ours: {found.value:.4g}"
    if ours and found.low is not None and found.high is not None:
        ours += f", band {found.low:.4g} to {found.high:.4g}"
    theirs = f"Published: {found.published}" if found.published else ""
    return " ".join(f"{part}." for part in (ours, theirs) if part)


def how(claim: Claim) -> str:
    """How a claim is checked: the function, the seconds, and how it reads the statement; or why it
    is not."""
    if claim.check is None:
        return f"No check: {claim.reason}"
    check = claim.check
    while isinstance(check, partial):
        check = next((part for part in check.args if callable(part)), check.func)
    name = f"{getattr(check, '__module__', '')}.{getattr(check, '__qualname__', 'check')}"
    paragraphs = (" ".join(part.split()) for part in (inspect.getdoc(check) or "").split("\n\n"))
    said = next((part for part in paragraphs if part != claim.statement), "")
    way = f"{claim.shown_by}, " if claim.shown_by else ""
    return f"Checked by {name} ({way}about {claim.seconds:g} s): {said}".rstrip(": ")


def summary(verdicts: Iterable[str | None]) -> str:
    """How many claims hold, fail and so on, in one line."""
    counts = Counter(verdict or "not settled" for verdict in verdicts)
    named = _COUNTED | {v: v for v in counts if counts[v] == 1}
    parts = [f"{counts[v]} {named.get(v, v)}" for v in (*VERDICTS, "not settled") if counts[v]]
    total = sum(counts.values())
    return f"{total} claim{'' if total == 1 else 's'}: {', '.join(parts) or 'none'}."


def _body(text: str, width: int) -> list[str]:
    return paragraph(text, width, _INDENT).splitlines()


def paragraph(text: str, width: int = 80, indent: str = "") -> str:
    """Text in lines of this width; words stay whole.

    Example:
        >>> print(paragraph("some words", 5))
        some
        words
    """
    whole = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent, **whole)
