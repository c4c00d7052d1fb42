"""The parts of the front page in HTML: answers with a bar and links, the verdicts of a paper, the chapters."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from grokbook.book import page
from grokbook.book.cards import LEDGER
from grokbook.book.chapters import FRONT, load_all, page_of
from grokbook.book.links import section_address
from grokbook.claims import VERDICTS, choose

LEDGER_PAGE = f"{page_of(LEDGER)}.html"


def bar(parts: Iterable[tuple[str, float, str]], told: str = "") -> str:
    """Parts of a whole (words, size, look) as a bar; a part of no size is left out. `told` is its alternative text.

    >>> bar([("right", 3, "holds"), ("wrong", 0, "fails")]).count("<span")
    1
    """
    shown = [(words, size, look) for words, size, look in parts if size > 0]
    said = html.escape(told or ", ".join(f"{words}: {_size(size)}" for words, size, _ in shown))
    spans = "".join(
        f'<span data-look="{html.escape(look)}" style="flex-grow:{size:g}" title="{html.escape(words)}"></span>'
        for words, size, look in shown
    )
    return f'<div class="gb-bar" role="img" aria-label="{said}">{spans}</div>' if shown else ""


def _size(size: float) -> str:
    return f"{size:.0%}" if 0 < size < 1 else f"{size:,.0f}"


def answers(root: Path, found: Sequence[Any]) -> None:
    """Show the answers of the topic as cards: kind, number, bar, sentence, links to section and entries."""
    cards = "\n".join(_card(root, answer) for answer in found)
    plain = "\n".join(f"{answer.kind}: {answer.sentence}" for answer in found)
    page._display({"text/html": f'<div class="gb-answers">\n{cards}\n</div>', "text/plain": plain})


def _card(root: Path, answer: Any) -> str:
    chapter = answer.place.partition("_")[0].lstrip("0")
    links = [_link(address, f"chapter {chapter}") for address in [_section(root, answer.place)] if address]
    links += [_link(f"{LEDGER_PAGE}#{claim.id}", f"entry {claim.id}") for claim in choose(answer.ids)]
    return (
        f'<section class="gb-answer"><p class="gb-kind">{html.escape(answer.kind)}</p>'
        f'<p class="gb-number">{html.escape(answer.number)}</p>{bar(answer.parts)}'
        f'<p>{html.escape(answer.sentence)}</p><p class="gb-more">{" · ".join(links)}</p></section>'
    )


def _section(root: Path, place: str) -> str | None:
    address = section_address(root, place)
    return address and f"chapters/{address}"


def _link(address: str, words: str) -> str:
    return f'<a class="reference internal" href="{html.escape(address)}">{html.escape(words)}</a>'


def verdicts(counts: Mapping[str, int], paper: str, named: str) -> None:
    """Show how many claims of a paper, `named` in words, have each verdict: a bar, counts, a link to its ledger."""
    parts = [(verdict, counts[verdict], verdict) for verdict in VERDICTS if counts.get(verdict)]
    said = [f'<span class="gb-verdict" data-verdict="{look}">{size} {look}</span>' for _, size, look in parts]
    told = f"{sum(size for _, size, _ in parts)} claims: " + ", ".join(f"{size} {words}" for words, size, _ in parts)
    more = _link(f"{LEDGER_PAGE}#paper={paper}", f"the entries of {named}")
    text = f'<div class="gb-paper">{bar(parts, told)}<p class="gb-counts">{" ".join(said)}</p><p>{more}</p></div>'
    page._display({"text/html": text, "text/plain": told})


def contents(root: Path) -> None:
    """Show the chapters: number, title as a link, question, all read from their sources."""
    found = [chapter for chapter in load_all(root) if chapter.name != FRONT]
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("nr", "chapter", "question"))
    rows = [
        f"<tr><td>{chapter.number.lstrip('0')}</td><td>{_link(f'{page_of(chapter.name)}.html', chapter.title)}</td>"
        f"<td>{html.escape(chapter.question)}</td></tr>"
        for chapter in found
    ]
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    plain = "\n".join(f"{chapter.number} {chapter.title}: {chapter.question}" for chapter in found)
    page._display({"text/html": f'<div class="gb-table gb-contents">{table}</div>', "text/plain": plain})
