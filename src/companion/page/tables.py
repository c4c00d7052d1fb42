"""Tables as HTML that can be read aloud; one that does not fit its page, or a phone, is a card a
row there."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from grokbook.errors import ParameterError

LONG_CELL = 40
"""Characters of text above which a cell gets a wide column."""

PHONE = 330
PAGE = 680
"""Pixels that a table may need to be one on a phone, and on a page at any width; one that needs
more is cards there."""

Form = str | Callable[[Any], str]
"""How a column is written: a format such as ".2f", or a function of the value."""


def script(name: str) -> str:
    """The text of a script of this package (`scripts/name.js`), after those that its lines `//
    needs x` name.

    >>> script("training_page").index("GrokbookTrainer =") < script("training_page").index(
    ...     "GrokbookTraining ="
    ... )
    True
    """
    text = Path(__file__).with_name("scripts").joinpath(f"{name}.js").read_text(encoding="utf-8")
    return (
        "".join(script(other) for other in re.findall(r"^// needs (\w+)$", text, re.MULTILINE))
        + text
    )


def verdict(word: str) -> str:
    """A verdict as a word with its coloured mark."""
    said = html.escape(word)
    return f'<span class="gb-verdict" data-verdict="{said}">{said}</span>'


def table_html(frame: Any, caption: str, formats: Mapping[str, Form]) -> str:
    """The HTML of `table`: header cells with a scope, numbers right-aligned, missing values as a
    dash.

    Raises ParameterError for a format of a column that the table does not have.
    """
    kinds = {
        str(name): "num" if frame[name].dtype.kind in "iuf" else "txt" for name in frame.columns
    }
    if other := set(formats) - set(kinds):
        raise ParameterError(f"the table has no column {min(other)!r}; it has {', '.join(kinds)}.")
    look = _look(frame, kinds, formats)
    role = {
        name: f' role="{name}"' if look else ""
        for name in ("table", "rowgroup", "row", "columnheader")
    }
    heads = [
        f'<th scope="col" class="{k}"{role["columnheader"]}>{html.escape(n)}</th>'
        for n, k in kinds.items()
    ]
    lines = [heads]
    for record in frame.itertuples(index=False):
        cells = zip(record, kinds.items(), strict=True)
        lines.append([_cell(v, formats.get(n), kind, n, bool(look)) for v, (n, kind) in cells])
    head, *body = (f"<tr{role['row']}>{''.join(cells)}</tr>" for cells in lines)
    said = html.escape(caption)
    group = role["rowgroup"]
    titled = f"<caption>{said}</caption>\n" if caption else ""
    return (
        f'<div class="gb-table{look}" tabindex="0" role="region" aria-label="{said or "Table"}">\n'
        f"<table{role['table']}>\n{titled}<thead{group}>{head}</thead>\n"
        f"<tbody{group}>\n" + "\n".join(body) + "\n</tbody>\n</table>\n</div>"
    )


def _look(frame: Any, kinds: Mapping[str, str], formats: Mapping[str, Form]) -> str:
    """The classes of a table that does not fit a phone (cards there), or no page at all (always
    cards)."""
    needed = 0.0  # the pixels below which its columns cannot go
    for column, (name, kind) in zip(frame.columns, kinds.items(), strict=True):
        texts = [_text(value, formats.get(name)) for value in frame[column]]
        whole = kind == "num" or name == "verdict"  # on one line; other text breaks between words
        widest = max(
            (len(part) for text in texts for part in ([text] if whole else text.split())), default=0
        )
        long = 192 if not whole and any(len(text) > LONG_CELL for text in texts) else 0
        needed += 15 + max(
            8.6 * max((len(word) for word in name.split()), default=0), 7.9 * widest, long
        )
    if needed > PAGE:
        return " gb-cards gb-always"
    return " gb-cards" if needed > PHONE else ""


def _cell(value: Any, form: Form | None, kind: str, name: str, card: bool) -> str:
    value = value.item() if hasattr(value, "item") else value
    text = _text(value, form)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "txt" and number and not _missing(value):
        kind = "num"
    elif kind == "txt" and len(text) > LONG_CELL:
        kind = "txt long"
    inner = verdict(text) if name == "verdict" else html.escape(text)
    extra = f' role="cell" data-label="{html.escape(name)}"' if card else ""
    return f'<td class="{kind}"{extra}>{inner}</td>'


def _missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _text(value: Any, form: Form | None) -> str:
    """A value as its cell says it."""
    if _missing(value):
        return "–"
    if callable(form):
        return form(value)
    if form:
        return format(value, form)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
