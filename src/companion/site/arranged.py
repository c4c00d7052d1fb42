"""A chapter's page in the order in which it is read: picture first; what is needed to run it in a
drawer at the foot.

The notebook keeps the order in which it runs, and so does its download. Nothing is written twice:
cells and paragraphs of the opening only change their place on the page.
"""

from __future__ import annotations

import re
from typing import Any

from companion.page.cards import page_of_sheet
from companion.page.sources import Chapter
from companion.site import outputs

ANSWER, OBJECTIVES, NEED, TIME = (
    "> **Answer.**",
    "**After this chapter you can**",
    "**You need**",
    "**Time**",
)
DRAWER = "run-this-page"
SHEET = """:::{{div}} gb-sheet
The [data sheet]({page}.ipynb) of this chapter has its claims with rule, runs and evidence, and how
this page was made.
:::"""
_SENTENCE = re.compile(r"(?s).+?[.?!](?=\s+[A-Z{$*`]|\s*$)")


def arranged(notebook: dict[str, Any], chapter: Chapter, alone: bool = False) -> dict[str, Any]:
    """The notebook of a page: title, one sentence, the lead figure, the answer, the text, a link to
    the data sheet, and the drawer.

    `notebook` is an executed one as plain values; it is not changed. A page without a title or a
    lead figure stays as it is. How it was made stands on the data sheet; a page that stands `alone`
    has none, and it in the drawer.
    """
    if not chapter.lead:
        return notebook
    cells = [dict(cell) for cell in notebook["cells"]]
    first = outputs.source(cells[0]) if cells and cells[0]["cell_type"] == "markdown" else ""
    if not first.startswith("# "):
        return notebook
    title, _, rest = first.partition("\n")
    opening, cells = _opening([_markdown(rest), *cells[1:]])
    kept, moved = _taken(opening)
    text = outputs.source(kept[0]).strip()
    sentence = found[0] if (found := _SENTENCE.match(text)) else ""
    kept[0] = _markdown(text[len(sentence) :].lstrip())
    picture, after = _lead_figure(kept + cells, chapter.lead)
    provenance = [cell for cell in after if cell.get("id") == "provenance"]
    after = [cell for cell in after if cell not in provenance]
    top = [_markdown(f"{title}\n\n:::{{div}} gb-dek\n{sentence}\n:::"), *picture]
    top += [_markdown(text) for text in moved[ANSWER]]
    code = [f"**Parameters**\n\n```python\n{source.strip()}\n```" for source in moved["parameters"]]
    parts = (
        moved[OBJECTIVES]
        + moved[NEED]
        + code
        + moved["commands"]
        + moved[TIME]
        + [outputs.source(cell) for cell in provenance if alone]
    )
    inside = "\n\n".join(parts)
    about = f"{{admonition}} Run this page\n:class: dropdown gb-drawer\n:name: {DRAWER}"
    drawer = _markdown(f":::::::{about}\n\n{inside}\n:::::::")
    shown = [
        _in_place(cell)
        for cell in top + after
        if cell["cell_type"] != "markdown" or outputs.source(cell).strip()
    ]
    if not alone:
        shown.append(_markdown(SHEET.format(page=f"../{page_of_sheet(chapter.name)}")))
    return {**notebook, "cells": [*shown, drawer]}


def _in_place(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell whose code was removed from the page has it folded: one switch of the page shows the
    code of all."""
    tags = cell["metadata"].get("tags", [])
    # by a build, to show something: no code of the page
    made = not re.sub(r"(?m)^#.*$", "", outputs.source(cell)).strip()
    if cell["cell_type"] != "code" or "gb-lead" in tags or made:
        return cell
    seen = [
        {"remove-input": "hide-input", "remove-cell": "hide-cell"}.get(tag, tag) for tag in tags
    ]
    return {**cell, "metadata": {**cell["metadata"], "tags": seen}}


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text.strip("\n")}


def _opening(cells: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The cells before the first section, with the text of one that begins before it, and all
    others."""
    for at, cell in enumerate(cells):
        text = outputs.source(cell) if cell["cell_type"] == "markdown" else ""
        if heading := re.search(r"^## ", text, re.MULTILINE):
            before, after = _markdown(text[: heading.start()]), _markdown(text[heading.start() :])
            return [*cells[:at], before], [after, *cells[at + 1 :]]
    return cells, []


def _taken(opening: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, list[str]]]:
    """The opening without what stands elsewhere on the page, and that, by kind."""
    moved: dict[str, list[str]] = {
        kind: [] for kind in (ANSWER, OBJECTIVES, NEED, TIME, "parameters", "commands")
    }
    kept = []
    for cell in opening:
        if "parameters" in cell["metadata"].get("tags", []):
            moved["parameters"].append(outputs.source(cell))
        elif cell.get("id") == "commands":
            moved["commands"].append(outputs.source(cell))
        elif cell["cell_type"] == "markdown":
            kept.append(_without_paragraphs(cell, moved))
        else:
            said = [
                (o, "".join(o.get("data", {}).get("text/markdown", "")))
                for o in cell.get("outputs", [])
            ]
            moved[TIME] += [text for _, text in said if text.startswith(TIME)]
            kept.append(
                {**cell, "outputs": [output for output, text in said if not text.startswith(TIME)]}
            )
    return kept, moved


def _without_paragraphs(cell: dict[str, Any], moved: dict[str, list[str]]) -> dict[str, Any]:
    """A Markdown cell without the paragraphs that begin as a kind of `moved`; a list belongs to the
    one before it."""
    kept, kind = [], ""
    for block in _blocks(outputs.source(cell)):
        belongs = kind == OBJECTIVES and block.startswith("- ")
        first = block.partition("\n")[2] if block.startswith(":::") else block
        kind = (
            kind
            if belongs
            else next((k for k in (ANSWER, OBJECTIVES, NEED) if first.startswith(k)), "")
        )
        (moved[kind] if kind else kept).append(block)
    return _markdown("\n\n".join(kept))


def _blocks(text: str) -> list[str]:
    """The paragraphs of a Markdown text; a directive with all its paragraphs is one."""
    blocks, inside = [""], ""
    for line in text.split("\n"):
        fence = re.match(r":{3,}|`{3,}", line)
        if fence and not inside:
            inside = fence[0]
        elif fence and line.strip() == inside:
            inside = ""
        if line.strip() or inside:
            blocks[-1] += f"{line}\n"
        elif blocks[-1]:
            blocks.append("")
    return [block.strip("\n") for block in blocks if block]


def _lead_figure(
    cells: list[dict[str, Any]], lead: str
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The cell that shows the figure `lead` and nothing else, and the others; its code stays where
    it is."""
    for at, cell in enumerate(cells):
        label = cell["metadata"].get("mystnb", {}).get("figure", {})
        if label.get("name") == lead:
            drawn = {**cell, "metadata": {**cell["metadata"], "tags": ["remove-input", "gb-lead"]}}
            plain = {name: value for name, value in cell["metadata"].items() if name != "mystnb"}
            glued = [o for o in cell["outputs"] if "scrapbook" in o.get("metadata", {})]
            drawn["outputs"] = [o for o in cell["outputs"] if o not in glued]
            return [drawn], [
                *cells[:at],
                {**cell, "metadata": plain, "outputs": glued},
                *cells[at + 1 :],
            ]
    return [], cells
