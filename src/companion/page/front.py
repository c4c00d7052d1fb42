"""The chapters as a list: for the front page with their questions, for teachers with what each
needs, for those who run them again with what can be turned."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from companion import page
from companion.page.markup import rendered
from companion.page.safe import words
from companion.page.sources import FRONT, Chapter, load_all, page_of
from companion.project import of, read_yaml


class Group(NamedTuple):
    """A part of the table of contents that holds chapters, the ledger aside."""

    caption: str
    chapters: list[Chapter]


def _groups(root: Path) -> list[Group]:
    toc = read_yaml(root / "book" / "_toc.yml")
    known = {page_of(chapter.name): chapter for chapter in load_all(root)}
    for other in (FRONT, of(root).ledger):
        known.pop(page_of(other), None)
    groups = []
    for part in toc["parts"]:
        chapters = []
        for entry in part["chapters"]:
            if entry["file"] in known:
                chapters.append(known[entry["file"]])
        if chapters:
            groups.append(Group(part["caption"], chapters))
    return groups


def _titled(chapter: Chapter) -> str:
    """Number and title as a link in Markdown."""
    return f"[{_plain(chapter.number)} {chapter.title}]({page_of(chapter.name)}.ipynb)"


def _plain(number: str) -> str:
    return number.lstrip("0")


def contents(root: Path) -> None:
    """Show the chapters as one list in the groups of the table of contents: number, question as a
    link."""
    groups = _groups(root)
    plain = []
    for group in groups:
        for chapter in group.chapters:
            plain.append(f"{chapter.number} {chapter.title}: {chapter.question}")
    made = rendered("contents", groups=groups, page_of=page_of)
    page._display({"text/html": made, "text/plain": "\n".join(plain)})


def press(address: str, words: str) -> None:
    """Show a link that reads as a button: an address on this page that a script follows."""
    link = f'<a href="{html.escape(address)}">{html.escape(words)}</a>'
    made = {"text/html": f'<p class="gb-press">{link}</p>', "text/plain": f"[{words}]"}
    page._display(made)


def needs(root: Path) -> str:
    """Each chapter with a link to it and the numbers of those that it needs, a Markdown list.

    The front matter of the chapters says what they need.
    """
    lines = ""
    for _, chapters in _groups(root):
        for chapter in chapters:
            before = ", ".join(map(_plain, chapter.needs)) or "nothing before it"
            lines += f"- {_titled(chapter)}: needs {before}\n"
    return lines


def knobs(root: Path, sets: Mapping[str, Sequence[Any]]) -> str:
    """A Markdown table of what a reader may turn in each chapter: the parameter sets that have a
    page on the site, and a value to try on the command line with what it is.

    `sets` has the variants of each chapter (`companion.site.variants`).

    Both stand in the front matter of the chapters, as `sets` and `example`; what a parameter is,
    beside it.
    """
    rows = ["| chapter | on the site | a value to try |", "| --- | --- | --- |"]
    for chapter in load_all(root):
        variants = sets.get(chapter.name, ())
        links = [f"[{one.name}](chapters/{one.file}.ipynb)" for one in variants]
        meanings = {parameter.name: parameter.help for parameter in chapter.parameters}
        values = []
        for name, value in chapter.example.items():
            values.append(f"`-p {name}={value}`: {words(meanings[name])}")
        if links or values:
            rows.append(f"| {_titled(chapter)} | {', '.join(links)} | {'; '.join(values)} |")
    return "\n".join(rows) + "\n"
