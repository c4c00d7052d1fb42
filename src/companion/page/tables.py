"""Tables as HTML that can be read aloud; one that does not fit its page, or a phone, is a card a
row there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from companion.page.markup import rendered

LONG_CELL = 40
"""Characters of text above which a cell gets a wide column."""

PHONE = 330
PAGE = 680
"""Pixels that a table may need to be one on a phone, and on a page at any width; one that needs
more is cards there."""


class Cell(NamedTuple):
    """A cell: the name of its column, its text, and how it is set (`num`, `txt`, `txt long`)."""

    name: str
    text: str
    kind: str


class Column(NamedTuple):
    """A column of cells, which are numbers (`num`) or text (`txt`)."""

    name: str
    kind: str
    cells: list[Cell]


def script(name: str) -> str:
    """The text of a script of this package (`scripts/name.js`), after those that its lines `//
    needs x` name.

    >>> script("training_page").index("GrokbookTrainer =") < script("training_page").index(
    ...     "GrokbookTraining ="
    ... )
    True
    """
    text = Path(__file__).with_name("scripts").joinpath(f"{name}.js").read_text(encoding="utf-8")
    needed = re.findall(r"^// needs (\w+)$", text, re.MULTILINE)
    return "".join(map(script, needed)) + text


def table_html(frame: Any, caption: str) -> str:
    """A table as HTML: header cells with a scope, numbers right-aligned, missing values as a
    dash. A column `verdict` is coloured by its words."""
    columns = []
    for name in frame.columns:
        kind = "num" if frame[name].dtype.kind in "iuf" else "txt"
        cells = [_cell(str(name), kind, value) for value in frame[name]]
        columns.append(Column(str(name), kind, cells))
    rows = zip(*(column.cells for column in columns), strict=True)
    return rendered("table", columns=columns, rows=list(rows), look=_look(columns), caption=caption)


def _cell(name: str, kind: str, value: Any) -> Cell:
    value = value.item() if hasattr(value, "item") else value
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return Cell(name, "–", kind)
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        kind = "num"
    elif kind == "txt" and len(text) > LONG_CELL:
        kind = "txt long"
    return Cell(name, text, kind)


def _look(columns: Sequence[Column]) -> str:
    """The classes of a table that does not fit a phone (cards there), or no page at all (always
    cards)."""
    needed = 0.0  # the pixels below which its columns cannot go
    for column in columns:
        head = max(map(len, column.name.split()), default=0)
        words: list[str] = []
        long = 0
        for cell in column.cells:
            if column.kind == "num" or column.name == "verdict":
                words.append(cell.text)  # on one line; other text breaks between words
                continue
            words += cell.text.split()
            if len(cell.text) > LONG_CELL:
                long = 192
        needed += 15 + max(8.6 * head, 7.9 * max(map(len, words), default=0), long)
    if needed > PAGE:
        return " gb-cards gb-always"
    return " gb-cards" if needed > PHONE else ""
