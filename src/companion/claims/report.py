"""Entries of the ledger as plain text, for the terminal: readable at 80 columns and when piped,
nothing cut off."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable

from companion.claims.finding import VERDICTS
from companion.claims.ledger import Claim, Outcome


def entry(
    claim: Claim, settled: str | None, outcome: Outcome | None = None, width: int = 80
) -> str:
    """A claim with its settled verdict; where its check was run, what that found, and a mark where
    its verdict is not the settled one.

    Example:
        >>> from companion.claims import choose
        >>> print(entry(choose(["G36"])[0], "holds").splitlines()[0])
        G36    holds
    """
    head = f"{claim.id:<6} {settled or 'not settled'}"
    texts = [f"{claim.paper}, {claim.place} ({claim.kind}). {claim.statement}"]
    if outcome is not None:
        found = outcome.finding
        head = f"{claim.id:<6} {found.verdict:<22} {outcome.seconds:6.1f} s"
        if found.verdict != settled:
            texts.insert(0, f"DIFFERS from the settled verdict (settled: {settled or 'none'}).")
        texts.append(f"Found: {found.evidence}")
        if found.value is not None:
            ours = f"Ours: {found.value:.4g}"
            has_band = found.low is not None and found.high is not None
            texts.append(f"{ours}, band {found.low:.4g} to {found.high:.4g}" if has_band else ours)
        if found.published:
            texts.append(f"Published: {found.published}")
    way = f"shown by {claim.shown_by}" if claim.check else f"no check: {claim.reason}"
    texts.append(f"In {claim.page} ({way})")
    return "\n".join([head, *(paragraph(text, width, " " * 7) for text in texts)])


def summary(verdicts: Iterable[str | None]) -> str:
    """How many claims have each verdict, in one line."""
    counts = Counter(verdicts)
    parts = []
    for word in (*VERDICTS, None):
        if counts[word]:
            parts.append(f"{counts[word]} {word or 'not settled'}")
    claims = "1 claim" if counts.total() == 1 else f"{counts.total()} claims"
    return f"{claims}: {', '.join(parts) or 'none'}."


def paragraph(text: str, width: int = 80, indent: str = "") -> str:
    """Text in lines of this width; words stay whole.

    Example:
        >>> print(paragraph("some words", 5))
        some
        words
    """
    whole = {"break_long_words": False, "break_on_hyphens": False}
    return textwrap.fill(text, width, initial_indent=indent, subsequent_indent=indent, **whole)
