"""A chapter's page in the order in which it is read: picture first; what is needed to run it in a
drawer at the foot.

The notebook keeps the order in which it runs, and so does its download. Nothing is written twice:
cells and paragraphs of the opening only change their place on the page.
"""

from __future__ import annotations

import re
from collections import defaultdict
from copy import deepcopy
from typing import Any

from companion.exercises import parser
from companion.page.cards import page_of_sheet
from companion.page.sources import Chapter
from companion.site.blocks import Block, blocks

Cell = dict[str, Any]
Opening = dict[str, list[str]]
"""Texts of the opening that go to other places, by what they are."""

ANSWER = "> **Answer.**"
OBJECTIVES = "**After this chapter you can**"
NEED = "**You need**"
TIME = "**Time**"
DRAWER = "run-this-page"
SHEET = """:::{{div}} gb-sheet
The [data sheet]({page}.ipynb) of this chapter has its claims with rule, runs and evidence, and how
this page was made.
:::"""
FOLDED = {"remove-input": "hide-input", "remove-cell": "hide-cell"}
"""Tags of cells whose code a page folds away: one switch of the page shows the code of all."""
MARKS = {
    "holds": "✓",
    "holds with correction": "≈",
    "needs an assumption": "∴",
    "vacuous": "∅",
    "fails": "✗",
    "not run": "○",
}
"""The mark of a verdict in running text, "?" of any other (`--gb-mark` of the style sheet)."""

_VERDICT = re.compile(r"\{verdict\}`[\w.]+: ([a-z ]+)`")
_COMMENT = re.compile(r"(?m)^% .*\n?")
_SENTENCE = re.compile(r"(?s).+?[.?!](?=\s+[A-Z{$*`]|\s*$)")


def arranged(notebook: Any, chapter: Chapter, alone: bool = False) -> Any:
    """The notebook of a page: title, one sentence, the lead figure, the answer, the text, a link to
    the data sheet, and the drawer.

    The executed `notebook` is not changed. A page without a title or a lead figure keeps its order.
    How it was made stands on the data sheet; a page that stands `alone` has none, and it in the
    drawer. Of exercises the hints are folded (`parser.folded`).
    """
    page = deepcopy(notebook)
    for cell in page["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = parser.folded(cell["source"])
    title, _, rest = page["cells"][0]["source"].partition("\n")
    if not chapter.lead or not title.startswith("# "):
        return page
    opening: Opening = defaultdict(list)
    cells = [_markdown(_COMMENT.sub("", rest)), *page["cells"][1:]]
    cells = _opened(cells, opening)
    sentence = _SENTENCE.match(cells[0]["source"])
    dek = sentence[0] if sentence else ""
    cells[0]["source"] = cells[0]["source"][len(dek) :].lstrip()
    top = [_markdown(f"{title}\n\n:::{{div}} gb-dek\n{dek}\n:::")]
    lead = _lead_figure(cells, chapter.lead)
    answer = list(map(_markdown, opening[ANSWER]))
    if answer:
        answer[-1]["source"] += _key_of_marks("\n".join(opening[ANSWER]))
    top += answer + lead if _fills_a_screen(lead) else lead + answer
    text = []
    for cell in cells:
        if cell.get("id") == "provenance":
            opening["made"].append(cell["source"])
        elif cell["cell_type"] != "markdown" or cell["source"].strip():
            _fold(cell)
            text.append(cell)
    if alone:
        opening[TIME] += opening["made"]
    else:
        text.append(_markdown(SHEET.format(page=f"../{page_of_sheet(chapter.name)}")))
    page["cells"] = [*top, *text, _drawer(opening)]
    return page


def _key_of_marks(answer: str) -> str:
    """A line below an answer that says what its marks mean; none where it has none."""
    words = dict.fromkeys(_VERDICT.findall(answer.replace("\n> ", " ")))  # a mark over two lines
    if not words:
        return ""
    meanings = ", ".join(f"{MARKS.get(word, '?')} {word}" for word in words)
    sentence = f"Marks lead to what the papers claim, and how it came out: {meanings}."
    return f"\n\n:::{{div}} gb-marks\n{sentence}\n:::"


def _drawer(opening: Opening) -> Cell:
    """The drawer at the foot: what the chapter is for, and how it is run."""
    code = [f"**Parameters**\n\n```python\n{source}\n```" for source in opening["parameters"]]
    inner = "\n\n".join(
        [*opening[OBJECTIVES], *opening[NEED], *code, *opening["commands"], *opening[TIME]]
    )
    about = f"{{admonition}} Run this page\n:class: dropdown gb-drawer\n:name: {DRAWER}"
    return _markdown(f":::::::{about}\n\n{inner}\n:::::::")


def _markdown(text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": text.strip("\n")}


def _fold(cell: Cell) -> None:
    """Fold code that the chapter removes; a cell that holds only a comment shows what a build
    made."""
    code = re.sub(r"(?m)^#.*$", "", cell["source"]).strip()
    if code and cell["cell_type"] == "code":
        tags = cell["metadata"].get("tags", [])
        cell["metadata"]["tags"] = [FOLDED.get(tag, tag) for tag in tags]


def _opened(cells: list[Cell], opening: Opening) -> list[Cell]:
    """The cells without what goes from the opening to its other places."""
    staying = []
    for number, cell in enumerate(cells):
        if "parameters" in cell["metadata"].get("tags", []):
            opening["parameters"].append(cell["source"].strip())
        elif cell.get("id") == "commands":
            opening["commands"].append(cell["source"])
        elif cell["cell_type"] == "code":
            staying.append(_without_time(cell, opening))
        else:
            text, heading, rest = re.split(r"(?m)(^## |\Z)", cell["source"], maxsplit=1)
            staying.append(_markdown(_without_paragraphs(text, opening)))
            if heading:
                return [*staying, _markdown(heading + rest), *cells[number + 1 :]]
    return staying


def _without_time(cell: Cell, opening: Opening) -> Cell:
    outputs = []
    for output in cell["outputs"]:
        text = output.get("data", {}).get("text/markdown", "")
        if text.startswith(TIME):
            opening[TIME].append(text)
        else:
            outputs.append(output)
    return {**cell, "outputs": outputs}


def _without_paragraphs(text: str, opening: Opening) -> str:
    """Markdown without the paragraphs that begin as those of an answer, of objectives with their
    list, and of what is needed."""
    staying: list[str] = []
    place = staying
    for paragraph in _paragraphs(text):
        begin = paragraph.partition("\n")[2] if paragraph.startswith(":::") else paragraph
        starts = [start for start in (ANSWER, OBJECTIVES, NEED) if begin.startswith(start)]
        if starts:
            place = opening[starts[0]]
        elif place is not opening[OBJECTIVES] or not paragraph.startswith("- "):
            place = staying
        place.append(paragraph)
    return "\n\n".join(staying)


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a Markdown text; a directive with all its paragraphs is one."""
    paragraphs = []
    for part in blocks(text):
        if isinstance(part, Block):
            paragraphs.append(part.source)
        else:
            paragraphs += re.split(r"\n\s*\n", part)
    return [paragraph.strip("\n") for paragraph in paragraphs if paragraph.strip()]


def _fills_a_screen(lead: list[Cell]) -> bool:
    """Whether a reader works the figure: with its handles it is as tall as a screen, and below it
    nobody would find the answer."""
    for cell in lead:
        for output in cell["outputs"]:
            if "<noscript>" in "".join(output.get("data", {}).get("text/html", "")):
                return True
    return False


def _lead_figure(cells: list[Cell], lead: str) -> list[Cell]:
    """A cell that shows the figure `lead` and no code, taken out of the cell that draws it; none
    where no cell does."""
    for cell in cells:
        figure = cell["metadata"].get("mystnb", {}).get("figure", {})
        if figure.get("name") == lead:
            shown = deepcopy(cell)
            shown["metadata"]["tags"] = ["remove-input", "gb-lead"]
            glued = [one for one in cell["outputs"] if "scrapbook" in one.get("metadata", {})]
            shown["outputs"] = [one for one in cell["outputs"] if one not in glued]
            del cell["metadata"]["mystnb"]
            cell["outputs"] = glued
            return [shown]
    return []
