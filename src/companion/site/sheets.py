"""Data sheets: beside each chapter a page with what a referee asks for, made from the ledger, the
records and the front matter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from companion.announced import chapter_of
from companion.claims import choose, export
from companion.claims.export import Entry
from companion.claims.ledger import GATHERED
from companion.notebooks import Notebook, markdown_cell
from companion.page import cards
from companion.page.safe import words
from companion.page.sources import Chapter, page_of
from companion.site import outputs

PARTS = {
    "carries": ("What the papers claim", "Claims of the papers that this chapter settles."),
    "list": ("Misprints and textbook facts", "Lines of lists, which carry nothing alone."),
    "appendix": ("Claims of this book and of other papers", "Claims that no count has."),
}
"""The parts of a sheet: heading, and caption of its claims."""


def document(ledger: Notebook | None) -> dict[str, Any]:
    """The ledger as the page of all claims computed it; where that `ledger` page (an executed
    notebook) is not there, as it is settled."""
    computed = outputs.published(ledger) if ledger else {}
    claims = computed.get(export.NAME, {}).get("claims", [])
    return export.document(choose(), seen={claim["id"]: claim for claim in claims})


def of_claims() -> dict[str, str]:
    """The page of the data sheet that has each claim, by its id and its former ones."""
    pages = {}
    for claim in choose():
        for name in (claim.id, *claim.also):
            pages[name] = cards.page_of_sheet(chapter_of(claim.topic))
    return pages


def put(
    source: Path,
    chapters: Mapping[str, Chapter],
    notebooks: Mapping[str, Notebook],
    ledger: Mapping[str, Any],
) -> None:
    """Write the data sheet of every chapter where Sphinx reads it, as a notebook.

    Chapters and their executed notebooks are by name; `ledger` is a `document`.
    """
    import nbformat
    from nbformat.v4 import new_notebook

    folder = source / cards.SHEETS
    folder.mkdir()
    for name, chapter in chapters.items():
        claims = [claim for claim in ledger["claims"] if claim["chapter"] == name]
        text = markdown_cell(sheet(chapter, claims, notebooks[name]), "sheet")
        page = new_notebook(cells=[text], metadata={"orphan": True, "nosearch": True})
        nbformat.write(page, folder / f"{name}.ipynb")


def sheet(chapter: Chapter, claims: Iterable[Entry], notebook: Notebook) -> str:
    """The Markdown of a data sheet: its claims, its parameters, how its page was made."""
    title = words(chapter.title)
    blocks = [
        f"# Data sheet: {title}",
        f"What stands behind [{title}](../{page_of(chapter.name)}): its claims with rule, runs and"
        " evidence, its parameters, and how its page was made.",
    ]
    parts: dict[str, list[Entry]] = {part: [] for part in PARTS}
    for claim in claims:
        place = cards.place_of(claim)
        parts["list" if place in GATHERED else place].append(claim)
    for part, (heading, caption) in PARTS.items():
        if parts[part]:
            listed = cards.sheet_html(parts[part], caption)
            blocks.append(f"## {heading}\n\n```{{raw}} html\n{listed}\n```")
    blocks.append(f"## Parameters\n\n{parameters(chapter)}")
    for cell in notebook["cells"]:
        if cell.get("id") == "provenance":
            blocks.append(f"## How the page was made\n\n{cell['source']}")
    return "\n\n".join(blocks) + "\n"


def parameters(chapter: Chapter) -> str:
    """A table of a chapter's parameters: a row each, with its value at every preset."""
    pages = [chapter.page(preset) for preset in chapter.presets]
    heads = ["parameter", *chapter.presets, "meaning"]
    rows = [heads, ["---"] * len(heads)]
    for parameter in chapter.parameters:
        values = [f"`{page.values[parameter.name]!r}`" for page in pages]
        rows.append([f"`{parameter.name}`", *values, words(parameter.help)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)
