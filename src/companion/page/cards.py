"""Claims as cards: rows of the ledger on any page, the claims of a data sheet, and the whole ledger
with filters and downloads."""

from __future__ import annotations

import html
import json
import textwrap
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from companion.claims import VERDICTS, carrying, choose, moved
from companion.claims.export import NAME
from companion.claims.ledger import FOUR, GATHERED, WAYS, named
from companion.claims.verdicts import settled
from companion.page.links import section_address
from companion.page.sources import load_all
from companion.page.tables import script, verdict
from companion.page.typeset import typeset
from companion.project import current
from grokbook.files import no_formula
from grokbook.paths import project_root

SHEETS = "data"
"""The folder of the site that has a data sheet a chapter."""
LINE = 50
"""Characters of a statement that stand on the line of its claim."""


def ledger_html(frame: pd.DataFrame) -> str:
    """The whole ledger: a line a claim, which leads to the claim's data sheet; its id is the
    anchor; filters by a script; CSV and JSON.

    `frame` is what `companion.claims.ledger` gives. Without scripts nothing is hidden.
    """
    rows = frame.to_dict("records")
    made = [_indexed(row) for row in rows]
    filters = html.escape(json.dumps(_filters(rows)))
    data = b64encode(csv(frame).encode()).decode()
    table = f"data:text/csv;charset=utf-8;base64,{data}"
    links = f'<a download="{current().name}-ledger.csv" href="{table}">CSV</a>'
    links += f' · <a href="../{NAME}">JSON</a>'
    caption = "Every claim that was checked for this page; a line leads to its data sheet."
    mount = 'GrokbookLedger.mount(document.querySelector(".gb-ledger"));'
    return (
        f'<div class="gb-ledger" data-filters="{filters}">\n'
        f'<p class="gb-downloads">All {len(rows)} claims as a file: {links}</p>\n'
        f"{_listed(made, caption)}\n</div>\n"
        f"<script>\n{script('ledger')}{mount}\n</script>"
    )


def sheet_html(entries: Sequence[Mapping[str, Any]], caption: str) -> str:
    """Claims of a ledger's document, each with all that its verdict rests on; its id is the anchor.

    Example:
        >>> from companion.claims import choose, export
        >>> made = sheet_html(export.document(choose(["G36"]))["claims"], "One.")
        >>> 'id="G36"' in made, "<dt>Again</dt>" in made
        (True, True)
    """
    return _listed([_sheet_entry(entry) for entry in entries], caption)


def verdict_bars(papers: Iterable[str]) -> str:
    """How many claims that carry each paper have each settled verdict, as a bar and in words."""
    known = settled()
    made = []
    for paper in papers:
        all_of_it = Counter(known.get(claim.id) for claim in carrying(choose(paper=paper)))
        counts = {word: all_of_it[word] for word in VERDICTS if all_of_it[word]}
        words = ", ".join(f"{size} {word}" for word, size in counts.items())
        parts = "".join(
            f'<span data-look="{word}" style="flex-grow:{n}"></span>' for word, n in counts.items()
        )
        name = f'<a href="#paper={paper}">{html.escape(named(paper))}</a>'
        made.append(f"<p>{name}, {sum(counts.values())} claims: {words}.</p>")
        made.append(f'<div class="gb-bar" aria-hidden="true">{parts}</div>')
    return f'<div class="gb-bars">{"".join(made)}</div>'


def _listed(made: Iterable[str], caption: str) -> str:
    said = html.escape(caption)
    inner = "\n".join(made)
    return (
        f'<p class="gb-caption">{said}</p>\n<ul class="gb-claims"'
        f' aria-label="{said}">\n{inner}\n</ul>'
    )


def _item(parts: Iterable[str], anchor: str = "", data: Mapping[str, str] | None = None) -> str:
    marks = {"id": anchor, **{f"data-{name}": value for name, value in (data or {}).items()}}
    said = "".join(f' {name}="{html.escape(value)}"' for name, value in marks.items() if value)
    return f'<li class="gb-claim"{said}>\n' + "\n".join(parts) + "\n</li>"


def _stands(row: Mapping[str, Any]) -> str:
    """Whose sentence a claim is and where it stands, as HTML; empty where the row does not say."""
    paper = named(row["paper"]) if row.get("paper") else ""
    whose = f"ours, on {paper}" if row.get("origin") == "ours" else paper
    return html.escape(", ".join(filter(None, (whose, row.get("place", "")))))


def _number(value: Any) -> str:
    """The number that a verdict rests on in three digits; nothing where there is none.

    >>> _number(0.12345), _number(12.0), _number(None)
    ('0.123', '12', '')
    """
    return "" if value is None or value != value else typeset(f"{value:.3g}")


def kind_of_evidence(row: Mapping[str, Any]) -> str:
    """What a claim's verdict rests on, with the number of recorded runs where runs decide.

    >>> (
    ...     kind_of_evidence({"shown_by": "runs", "runs": 3}),
    ...     kind_of_evidence({"shown_by": "count", "runs": 0}),
    ... )
    ('runs: 3', 'exact count')
    """
    if row["shown_by"] != "runs":
        return WAYS.get(row["shown_by"], "none needed")
    return f"runs: {row['runs']}" if row["runs"] else "runs: not made yet"


def _marks(row: Mapping[str, Any]) -> dict[str, str]:
    """What the lists to choose from compare a claim by: attributes `data-NAME` of its line."""
    return {
        "paper": row["paper"],
        "chapter": row["page"].partition(":")[0],
        "verdict": row["verdict"],
        "kind": row["kind"],
        "list": place_of(row),
        "evidence": row["shown_by"] or "none",
    }


def _indexed(row: Mapping[str, Any]) -> str:
    """One claim of the ledger on a line: its id leads to its data sheet."""
    chapter = row["page"].partition(":")[0]
    former = [name for name, entry in moved().items() if entry == row["id"]]
    marks = {**_marks(row), "words": row["statement"].lower()}
    begun = textwrap.shorten(row["statement"], LINE, placeholder="…")
    line = f'<p class="gb-line">{_heading(row, sheet(chapter, row["id"]))} {_begun(begun)}</p>'
    return _item([_anchors(former) + line], row["id"], marks)


def _sheet_entry(entry: Mapping[str, Any]) -> str:
    """One claim of a data sheet: what is claimed and where, then what was found and how."""
    section = section_address(project_root(), f"{entry['chapter']}: {entry['section']}")
    shown = f' · <a href="../chapters/{html.escape(section)}">shown here</a>' if section else ""
    facts = "".join(
        f"<dt>{name}</dt><dd>{text}</dd>" for name, text in _facts(entry).items() if text
    )
    parts = [
        f'{_anchors(entry["also"])}<p class="gb-line">{_heading(entry)}</p>',
        f'<p class="gb-whole">{typeset(entry["statement"])}</p>',
        f'<p class="gb-place">{_stands(entry)}{shown}</p>',
        f'<dl class="gb-facts">{facts}</dl>',
    ]
    return _item(parts, entry["id"])


def _facts(entry: Mapping[str, Any]) -> dict[str, str]:
    """What a data sheet says of a claim, by name; nothing where there is nothing to say."""
    bars = "; ".join(f"{bar}: {word}" for bar, word in entry["bars"].items())
    way = WAYS.get(entry["shown_by"], "none needed")
    runs = [kind_of_evidence(entry) if entry["computed"] else way]
    if entry["records"]:
        runs.append(f"{len(entry['records'])} records")
    if entry["not_recorded"]:
        runs.append(f"not recorded: {', '.join(entry['not_recorded'])}")
    found = "" if entry["computed"] else "The settled verdict; the check was not run here. "
    command = f"<code>{html.escape(entry['command'])}</code>" if entry["command"] else ""
    return {
        "Published": typeset(entry["published"]),
        "Found": typeset(found + entry["evidence"]),
        "Rule": typeset(entry["rule"]),
        "Other bars": typeset(bars),
        "Rests on": typeset("; ".join(runs)),
        "Rule changed": html.escape(entry["rule_changed"]),
        "Also for": html.escape(", ".join(entry["also"])),
        "Again": command,
    }


def _heading(row: Mapping[str, Any], address: str = "") -> str:
    """Id, verdict and number of a claim; with an address the id leads there."""
    name = html.escape(row["id"])
    if address:
        name = f'<a href="{html.escape(address)}">{name}</a>'
    return (
        f'<span class="gb-id">{name}</span> {verdict(row["verdict"])} <span'
        f' class="gb-value">{_number(row.get("value"))}</span>'
    )


def _begun(text: str) -> str:
    return f'<span class="gb-statement">{typeset(text)}</span>'


def _anchors(names: Iterable[str]) -> str:
    """Former ids of a claim, which stay addresses of it."""
    return "".join(f'<span id="{html.escape(name)}"></span>' for name in names)


def page_of_sheet(chapter: str) -> str:
    """The page of the site that a chapter's data sheet is."""
    return f"{SHEETS}/{chapter}"


def sheet(chapter: str, claim: str = "") -> str:
    """The address of a chapter's data sheet, or of a claim on it, seen from a chapter.

    >>> sheet("12_phase_diagrams", "LP11")
    '../data/12_phase_diagrams.html#LP11'
    """
    return f"../{page_of_sheet(chapter)}.html" + (f"#{claim}" if claim else "")


def place_of(row: Mapping[str, Any]) -> str:
    """The part of the ledger that a claim is in: those that carry the four papers, a list, or the
    appendix."""
    if row.get("part_of"):
        return str(row["part_of"])
    return "carries" if row["paper"] in FOUR and row["origin"] == "paper" else "appendix"


_PLACES = (
    {"carries": "claims that carry the papers"}
    | GATHERED
    | {"appendix": "appendix: this book, other papers"}
)


_FILTERS = {
    "paper": "Paper",
    "chapter": "Chapter",
    "verdict": "Verdict",
    "kind": "Kind",
    "list": "Part of the ledger",
    "evidence": "Evidence",
}
"""The lists to choose from, with their labels."""


def _filters(rows: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The lists to choose from: name, label, and what stands in the rows with the words for it."""
    words = WAYS | {"none": "none needed"} | _PLACES
    for chapter in load_all(project_root()):
        title = f"{chapter.number.lstrip('0')} {chapter.title}"
        words[chapter.name] = textwrap.shorten(title, 44, placeholder="…")
    words |= {row["paper"]: named(row["paper"]) for row in rows}
    marks = [_marks(row) for row in rows]
    lists = []
    for name, label in _FILTERS.items():
        values = sorted({mark[name] for mark in marks})
        told = [(value, words.get(value, value)) for value in values]
        lists.append({"name": name, "label": label, "values": told})
    return lists


# ---------------------------------------------------------------------------------------- downloads


def csv(frame: pd.DataFrame) -> str:
    """The ledger as a file of comma-separated values, a row a claim, with its anchor in the last
    column.
    """
    page = f"chapters/{current().ledger}.html"
    return (
        frame.assign(anchor=[f"{page}#{name}" for name in frame.id])
        .map(no_formula)
        .to_csv(index=False)
    )
