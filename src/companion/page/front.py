"""The parts of the front page in HTML: the map of the chapters, and the chapters as cards."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from companion import page, plain_yaml
from companion.page.sources import FRONT, Chapter, load_all, page_of
from companion.project import of

ROW = 36
GAP = 3
"""Of the map: the height of a row in pixels, and between columns the hundredths of its width."""


def _link(chapter: Chapter, words: str) -> str:
    where = html.escape(f"{page_of(chapter.name)}.html")
    return f'<a class="reference internal" href="{where}">{html.escape(words)}</a>'


def _plain(number: str) -> str:
    return number.lstrip("0")


def _groups(root: Path) -> list[tuple[str, list[tuple[Chapter, str]]]]:
    """The parts of the table of contents that hold chapters but the ledger: caption, chapters with
    short titles."""
    toc = plain_yaml.data((root / "book" / "_toc.yml").read_text(encoding="utf-8"))
    known = {page_of(chapter.name): chapter for chapter in load_all(root)}
    for other in (FRONT, of(root).ledger):
        known.pop(page_of(other), None)
    groups = []
    for part in toc["parts"]:
        chapters = []
        for entry in part["chapters"]:
            if chapter := known.get(entry["file"]):
                chapters.append((chapter, entry.get("title", chapter.title)))
        if chapters:
            groups.append((part["caption"], chapters))
    return groups


def contents(root: Path) -> None:
    """Show the chapters in the groups of the table of contents: a picture, the question as a link,
    what it needs."""
    made = ""
    plain = []
    for caption, chapters in _groups(root):
        cards = ""
        for chapter, _ in chapters:
            cards += (
                f'<div class="gb-card"><img src="cards/{chapter.name}.svg" alt="A figure of chapter'
                f' {_plain(chapter.number)}" loading="lazy"/>'
                f"<p>{_link(chapter, chapter.question)}</p></div>"
            )
            plain.append(f"{chapter.number} {chapter.title}: {chapter.question}")
        made += f'<h3>{html.escape(caption)}</h3><div class="gb-cards-row">{cards}</div>'
    text = "\n".join(plain)
    page._display({"text/html": f'<div class="gb-contents">{made}</div>', "text/plain": text})


def reading_map(root: Path) -> None:
    """Show which chapter needs which, from their front matter."""
    text, said = map_of(root)
    page._display({"text/html": text, "text/plain": said})


def map_of(root: Path) -> tuple[str, str]:
    """The map of the chapters as HTML, columns from left to right, each name a link; and in
    words."""
    titled = {c.number: (c, title) for _, chapters in _groups(root) for c, title in chapters}
    needs = {number: chapter.needs for number, (chapter, _) in titled.items()}
    places = placed(needs)
    wide = 100 / (1 + max(x for x, _ in places.values()))
    deep = ROW * (1 + max(y for _, y in places.values()))
    lines = []
    names = []
    for number, (x, y) in places.items():
        chapter, title = titled[number]
        where = f"left:{x * wide:.2f}%;top:{y * ROW}px;width:{wide - GAP:.2f}%"
        names.append(f'<span style="{where}">{_link(chapter, f"{_plain(number)} {title}")}</span>')
        for column, row in (places[need] for need in direct(number, needs)):
            start = (column + 1) * wide - GAP
            end = x * wide
            turn = end - GAP / 2
            above = (row + 0.4) * ROW
            below = (y + 0.4) * ROW
            lines.append(
                f'<path d="M{start:.2f} {above:.1f}H{end - GAP:.2f}C{turn:.2f} {above:.1f}'
                f' {turn:.2f} {below:.1f} {end:.2f} {below:.1f}"/>'
            )
    drawn = (
        f'<svg viewBox="0 0 100 {deep}" preserveAspectRatio="none"'
        f' aria-hidden="true">{"".join(lines)}</svg>'
    )
    box = (
        '<div class="gb-map" role="group" aria-label="Map of the chapters"'
        f' style="height:{deep}px">'
    )
    said = [
        f"{_plain(number)} needs {', '.join(map(_plain, needs[number]))}"
        for number in places
        if needs[number]
    ]
    return f"{box}{drawn}{''.join(names)}</div>", "; ".join(said)


def direct(name: str, needs: Mapping[str, Sequence[str]]) -> list[str]:
    """What a chapter needs without what these need themselves.

    >>> direct("c", {"a": [], "b": ["a"], "c": ["a", "b"]})
    ['b']
    """

    def before(one: str) -> set[str]:
        found = set(needs[one])
        for need in needs[one]:
            found |= before(need)
        return found

    indirect = set()
    for need in needs[name]:
        indirect |= before(need)
    return [one for one in needs[name] if one not in indirect]


def placed(needs: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, int]]:
    """A column and a row for each name: right of all that it needs, near the rows of these.

    >>> placed({"a": [], "b": ["a"], "c": ["a", "b"], "d": ["a"]})
    {'a': (0, 0), 'b': (1, 0), 'd': (1, 1), 'c': (2, 0)}
    """

    def column(name: str) -> int:
        return 1 + max((column(need) for need in needs[name]), default=-1)

    found: dict[str, tuple[int, int]] = {}

    def height(name: str) -> float:
        rows = [found[need][1] for need in direct(name, needs)]
        return sum(rows) / max(1, len(rows))

    for x in range(1 + max(map(column, needs))):
        here = sorted((name for name in needs if column(name) == x), key=height)
        found |= {name: (x, y) for y, name in enumerate(here)}
    return found
