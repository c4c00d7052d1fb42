"""The parts of the front page in HTML: the verdicts of a paper with a bar, the chapters."""

from __future__ import annotations

import html
from collections import Counter
from pathlib import Path

from grokbook import page
from grokbook.claims import VERDICTS, choose
from grokbook.claims.verdicts import settled
from grokbook.page.cards import LEDGER
from grokbook.page.sources import FRONT, load_all, page_of

LEDGER_PAGE = f"{page_of(LEDGER)}.html"


def _link(address: str, words: str) -> str:
    return f'<a class="reference internal" href="{html.escape(address)}">{html.escape(words)}</a>'


def verdicts(paper: str, named: str) -> None:
    """Show how many claims of a paper, `named` in words, have each settled verdict; ours about it are not counted."""
    known = settled()
    all_of_it = Counter(known.get(claim.id) for claim in choose(paper=paper) if claim.origin == "paper")
    counts = {verdict: all_of_it[verdict] for verdict in VERDICTS if all_of_it[verdict]}
    said = [f'<span class="gb-verdict" data-verdict="{word}">{size} {word}</span>' for word, size in counts.items()]
    told = f"{sum(counts.values())} claims: " + ", ".join(f"{size} {word}" for word, size in counts.items())
    parts = [f'<span data-look="{w}" style="flex-grow:{n}" title="{w}"></span>' for w, n in counts.items()]
    bar = f'<div class="gb-bar" role="img" aria-label="{told}">{"".join(parts)}</div>'
    more = _link(f"{LEDGER_PAGE}#paper={paper}", f"the entries of {named}")
    text = f'<div class="gb-paper">{bar}<p class="gb-counts">{" ".join(said)}</p><p>{more}</p></div>'
    page._display({"text/html": text, "text/plain": told})


def contents(root: Path) -> None:
    """Show the chapters in the groups of the table of contents: a picture, the title as a link, the question."""
    import yaml

    toc = yaml.safe_load((root / "book" / "_toc.yml").read_text(encoding="utf-8"))
    known = {f"chapters/{chapter.name}": chapter for chapter in load_all(root) if chapter.name != FRONT}
    groups, plain = [], []
    for part in toc["parts"]:
        found = [known[one["file"]] for one in part["chapters"] if one["file"] in known]
        cards = "".join(
            f'<div class="gb-card"><img src="cards/{one.name}.svg" alt="A figure of chapter {number}" loading="lazy"/>'
            f"<p>{_link(f'{page_of(one.name)}.html', f'{number}. {one.title}')}</p>"
            f"<p>{html.escape(one.question)}</p></div>"
            for one, number in ((one, one.number.lstrip("0")) for one in found)
        )
        plain += [f"{one.number} {one.title}: {one.question}" for one in found]
        groups += [f"<h3>{html.escape(part['caption'])}</h3><div class=\"gb-cards-row\">{cards}</div>"] * bool(found)
    page._display({"text/html": f'<div class="gb-contents">{"".join(groups)}</div>', "text/plain": "\n".join(plain)})
