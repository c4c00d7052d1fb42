"""Tables as HTML that can be read aloud: on a narrow screen one scrolls, or its rows turn into cards."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grokbook.errors import ParameterError

LONG_CELL, CARD_TEXT = 40, 50
"""Characters of text above which a cell gets a wide column; and a table, over its columns, is cards when narrow."""

Form = str | Callable[[Any], str]
"""How a column is written: a format such as ".2f", or a function of the value."""


@dataclass(frozen=True)
class TableLook:
    """How a table is shown beyond its cells; see `page.table`. With `cards` a row is a card on a narrow screen."""

    sortable: bool = False
    filters: tuple[str, ...] = ()
    links: Mapping[str, Callable[[Any], str | None]] = field(default_factory=dict)
    cards: bool = False


def script(name: str) -> str:
    """The text of a script of this package (`scripts/name.js`), to be put into a page as it is."""
    return Path(__file__).with_name("scripts").joinpath(f"{name}.js").read_text(encoding="utf-8")


def table_html(frame: Any, caption: str, formats: Mapping[str, Form], look: TableLook | None = None) -> str:
    """The HTML of `table`: header cells with a scope, numbers right-aligned, missing values as a dash."""
    look = look or TableLook()
    kinds = {str(name): "num" if frame[name].dtype.kind in "iuf" else "txt" for name in frame.columns}
    if other := {*formats, *look.filters, *look.links} - set(kinds):
        raise ParameterError(f"the table has no column {min(other)!r}; it has {', '.join(kinds)}.")
    look = replace(look, cards=look.sortable or _has_long_text(frame, kinds, formats))
    role = {name: f' role="{name}"' if look.cards else "" for name in ("table", "rowgroup", "row", "columnheader")}
    heads = [f'<th scope="col" class="{k}"{role["columnheader"]}>{html.escape(n)}</th>' for n, k in kinds.items()]
    rows = [
        [_cell(value, formats.get(n), k, n, look) for value, (n, k) in zip(record, kinds.items(), strict=True)]
        for record in frame.itertuples(index=False)
    ]
    head, *body = (f"<tr{role['row']}>{''.join(cells)}</tr>" for cells in [heads, *rows])
    said, group = html.escape(caption), role["rowgroup"]
    return _around(
        f"<table{role['table']}>\n<caption>{said}</caption>\n<thead{group}>{head}</thead>\n"
        f"<tbody{group}>\n" + "\n".join(body) + "\n</tbody>\n</table>",
        said,
        look,
    )


def _has_long_text(frame: Any, kinds: Mapping[str, str], formats: Mapping[str, Form]) -> bool:
    """Whether the longest cells of the columns of text, not of numbers, have more than `CARD_TEXT` characters."""
    columns = zip(kinds.items(), (frame[name] for name in frame.columns), strict=True)
    texts = [[len(_text(v, formats.get(name))) for v in column] for (name, kind), column in columns if kind == "txt"]
    return sum(max(lengths, default=0) for lengths in texts) > CARD_TEXT


def _around(made: str, said: str, look: TableLook) -> str:
    """The box that scrolls; of a sortable table a box around it too, with the script that adds buttons and filters."""
    kind = "gb-table gb-cards" if look.cards else "gb-table"
    box = f'<div class="{kind}" tabindex="0" role="region" aria-label="{said}">\n{made}\n</div>'
    if not look.sortable:
        return box
    wanted = html.escape(json.dumps(look.filters))
    mounted = 'document.querySelectorAll(".gb-sortable").forEach(GrokbookTables.mount);'
    called = f"<script>\n{script('sortable')}{mounted}\n</script>"
    return f'<div class="gb-sortable" data-filters="{wanted}">\n{box}\n</div>\n{called}'


def _cell(value: Any, form: Form | None, kind: str, name: str, look: TableLook) -> str:
    value = value.item() if hasattr(value, "item") else value
    text, missing = _text(value, form), _missing(value)
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "txt":
        kind = "num" if number and not missing else "txt long" if len(text) > LONG_CELL else "txt"
    inner = html.escape(text)
    if name == "verdict":
        inner = f'<span class="gb-verdict" data-verdict="{inner}">{inner}</span>'
    if name in look.links and (address := look.links[name](value)):
        inner = f'<a class="reference internal" href="{html.escape(address)}">{inner}</a>'
    extra = f' role="cell" data-label="{html.escape(name)}"' if look.cards else ""
    if look.sortable and (number or missing):
        extra += f' data-sort="{"" if missing else value}"'
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
