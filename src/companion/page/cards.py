"""Claims as cards: the whole ledger with filters and downloads, the claims of a data sheet,
verdicts as bars."""

from __future__ import annotations

import json
import textwrap
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import pandas as pd

from companion.claims import VERDICTS, carrying, choose, moved
from companion.claims.export import NAME, Entry
from companion.claims.ledger import FOUR, GATHERED, WAYS, named
from companion.claims.verdicts import settled
from companion.page.links import section_address
from companion.page.markup import rendered
from companion.page.sources import load_all
from companion.page.tables import script
from companion.project import current
from grokbook.files import no_formula
from grokbook.paths import project_root

SHEETS = "data"
"""The folder of the site that has a data sheet a chapter."""
LINE = 50
"""Characters of a statement that stand on the line of its claim."""

_FILTERS = {
    "paper": "Paper",
    "chapter": "Chapter",
    "verdict": "Verdict",
    "kind": "Kind",
    "list": "Part of the ledger",
    "evidence": "Evidence",
}
"""The lists to choose from, with their labels."""
_WORDS = {
    **WAYS,
    **GATHERED,
    "none": "none needed",
    "carries": "claims that carry the papers",
    "appendix": "appendix: this book, other papers",
}
"""What stands in these lists for the marks of a claim."""


def ledger_html(frame: pd.DataFrame) -> str:
    """The whole ledger: a line a claim, which leads to the claim's data sheet; its id is the
    anchor; filters by a script; CSV and JSON.

    `frame` is what `companion.claims.ledger` gives. Without scripts nothing is hidden.
    """
    former: dict[str, list[str]] = {}
    for name, entry in moved().items():
        former.setdefault(entry, []).append(name)
    claims = []
    for row in frame.to_dict("records"):
        marks = _marks(row)
        line = {
            "row": row,
            "marks": {**marks, "words": f"{row['place']} {row['statement']}".lower()},
            "former": former.get(row["id"], []),
            "sheet": f"../{page_of_sheet(marks['chapter'])}.html#{row['id']}",
            "begun": textwrap.shorten(row["statement"], LINE, placeholder="…"),
        }
        claims.append(line)
    return rendered(
        "ledger",
        claims=claims,
        filters=json.dumps(_filters([claim["marks"] for claim in claims])),
        name=current().name,
        csv=b64encode(csv(frame).encode()).decode(),
        json=NAME,
        caption="Every claim that was checked for this page; a line leads to its data sheet.",
        script=script("ledger"),
    )


def _marks(row: Entry) -> dict[str, str]:
    """What the lists to choose from compare a claim by: attributes `data-NAME` of its line."""
    return {
        "paper": row["paper"],
        "chapter": row["page"].partition(":")[0],
        "verdict": row["verdict"],
        "kind": row["kind"],
        "list": place_of(row),
        "evidence": row["shown_by"] or "none",
    }


def _filters(marks: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """The lists to choose from: name, label, and what stands in the lines with the words for it."""
    words = dict(_WORDS)
    for chapter in load_all(project_root()):
        title = f"{chapter.number.lstrip('0')} {chapter.title}"
        words[chapter.name] = textwrap.shorten(title, 44, placeholder="…")
    lists = []
    for name, label in _FILTERS.items():
        values = []
        for value in sorted(set(map(itemgetter(name), marks))):
            word = named(value) if name == "paper" else words.get(value, value)
            values.append((value, word))
        lists.append({"name": name, "label": label, "values": values})
    return lists


def sheet_html(entries: Sequence[Entry], caption: str) -> str:
    """Claims of a ledger's document, each with all that its verdict rests on; its id is the anchor.

    Example:
        >>> from companion.claims import choose, export
        >>> made = sheet_html(export.document(choose(["G36"]))["claims"], "One.")
        >>> 'id="G36"' in made, "<dt>Again</dt>" in made
        (True, True)
    """
    shown = []
    for claim in entries:
        about = {
            "claim": claim,
            "stands": _stands(claim),
            "section": section_address(project_root(), f"{claim['chapter']}: {claim['section']}"),
            "bars": "; ".join(f"{bar}: {word}" for bar, word in claim["bars"].items()),
            "rests_on": _rests_on(claim),
        }
        shown.append(about)
    return rendered("sheet", entries=shown, caption=caption)


def _stands(claim: Entry) -> str:
    """Whose sentence a claim is and where it stands."""
    paper = named(claim["paper"])
    whose = f"ours, on {paper}" if claim["origin"] == "ours" else paper
    return f"{whose}, {claim['place']}"


def _rests_on(claim: Entry) -> str:
    way = WAYS.get(claim["shown_by"], "none needed")
    if claim["computed"] and claim["shown_by"] == "runs":
        way += f": {claim['runs'] or 'not made yet'}"
    parts = [way]
    if claim["records"]:
        parts.append(f"{len(claim['records'])} records")
    if claim["not_recorded"]:
        parts.append(f"not recorded: {', '.join(claim['not_recorded'])}")
    return "; ".join(parts)


def verdict_bars(papers: Iterable[str]) -> str:
    """How many claims that carry each paper have each settled verdict, as a bar and in words."""
    known = settled()
    shown = []
    for paper in papers:
        every = Counter(known.get(claim.id) for claim in carrying(choose(paper=paper)))
        counts = {}
        for word in VERDICTS:
            if every[word]:
                counts[word] = every[word]
        about = {
            "key": paper,
            "name": named(paper),
            "counts": counts,
            "total": sum(counts.values()),
            "words": ", ".join(f"{count} {word}" for word, count in counts.items()),
        }
        shown.append(about)
    return rendered("bars", papers=shown)


def page_of_sheet(chapter: str) -> str:
    """The page of the site that a chapter's data sheet is."""
    return f"{SHEETS}/{chapter}"


def place_of(row: Entry) -> str:
    """The part of the ledger that a claim is in: those that carry the four papers, a list, or the
    appendix."""
    if row["part_of"]:
        return str(row["part_of"])
    return "carries" if row["paper"] in FOUR and row["origin"] == "paper" else "appendix"


def csv(frame: pd.DataFrame) -> str:
    """The ledger as a file of comma-separated values, a row a claim, with its anchor in the last
    column.
    """
    anchors = f"chapters/{current().ledger}.html#" + frame.id
    return frame.assign(anchor=anchors).map(no_formula).to_csv(index=False)
