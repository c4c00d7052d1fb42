"""A re-run beside the default: what the page of changed parameters opens with.

The comparison is that of `drift`; here it becomes cells: parameters, verdicts, numbers, figures in
pairs.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from companion.checks import drift
from companion.checks.drift import Difference
from companion.page import when
from companion.page.drawing import NARROW
from companion.page.safe import code, counted, fenced, line, words
from companion.page.sources import Page

MOST_CELLS, LONG_TEXT, SHOWN = 40, 40, 12
"""Cells that are shown of one table; characters from which a glued text is a sentence; numbers that
are not folded."""

_HERE = "\N{OBJECT REPLACEMENT CHARACTER}"
_ANY_ROLE = re.compile(r"\{[\w:]+\}`[^`]*`")
_WORD = re.compile(r"[^\W\d_]{2}")
_END = re.compile(r"(?<!Fig)(?<!al)(?<!Eq)(?<!cf)[.?!:;]\**$")
"""How the last word of a sentence, or of a part of one, ends."""

_GUARDED = re.compile(
    r"\{when\}(`+)([^;`]*);\s*(.*?)(?<!`)\1(?!`)|^:{3,}\{when\} *([^\n]+)\n+([^\n]+(?:\n[^\n:]+)*)",
    re.DOTALL | re.MULTILINE,
)
"""A half sentence or a block that a condition guards: its expression and its words."""

BEFORE, AFTER = 10, 6
"""Words that are shown before and after a number."""


def opened(notebook: Any, default: Any, page: Page, where: str) -> Any:
    """A copy of an executed notebook that opens with how it differs from `default`, the same
    chapter at its preset.

    `where` says in words what the default's page is. Nothing of the notebook itself is changed.
    """
    opening, made = parts(notebook, default, page, where)
    first = next(
        i for i, cell in enumerate(made.cells) if re.search(r"^# ", cell.source, re.MULTILINE)
    )
    title, *rest = re.split(r"(?<=\n)", re.sub(r"\A\s*", "", made.cells[first].source), maxsplit=1)
    head = [_markdown(title), *opening, _markdown("## The page with your parameters")]
    made.cells[first : first + 1] = [*head, _markdown("".join(rest))]
    made.cells = [
        cell for cell in made.cells if cell.cell_type != "markdown" or cell.source.strip()
    ]
    for index, cell in enumerate(made.cells):
        cell.id = f"cell-{index:03d}"
    return made


def parts(
    notebook: Any, default: Any, page: Page, where: str, mine: str = "yours"
) -> tuple[list[Any], Any]:
    """The cells that say how an executed notebook differs from `default`, and a copy in which what
    moved is marked.

    `mine` names the page where tables and pairs of figures do.
    """
    then, now = (drift.content(one.cells) for one in (default, notebook))
    name, source = page.chapter.name, when.kept(page.chapter.source, _known(now["items"]))
    every = drift.compare({"chapters": {name: then}}, {"chapters": {name: now}})
    found = [d for d in every if _is_seen(d, source)]
    plain = page.chapter.page(page.preset).values
    about = {parameter.name: parameter.help for parameter in page.chapter.parameters}
    heads = ["parameter", "default", words(mine), "meaning"]
    rows = [
        [code(name), words(plain[name]), f"**{words(value)}**", words(about[name])]
        for name, value in page.changed.items()
    ]
    opening = [
        _markdown("## What differs from the default\n\n" + _summary(found, page, where, mine)),
        _markdown("\n\n".join([_list_table(heads, rows), fenced(page.command(), "text")])),
        _markdown(_numbers(found, source, mine)),
        *_pairs(found, default, notebook, mine),
        _markdown(
            _tables(found, then["items"], now["items"], mine) + "\n\n" + _sentences(found, mine)
        ),
    ]
    made, moved = deepcopy(notebook), {d.item.removeprefix("glue "): d for d in _moved(found)}
    for cell in made.cells:
        if cell.cell_type == "markdown":
            cell.source = _marked(cell.source, moved)
    return [cell for cell in opening if cell.cell_type != "markdown" or cell.source.strip()], made


def _known(items: Mapping[str, Any]) -> when.Known:
    """The conditions among the items of a page: what stands under one that does not hold is not on
    the page."""
    found = {
        item.removeprefix("condition "): held
        for item, held in items.items()
        if item.startswith("condition ")
    }
    return {name: (held if isinstance(held, bool) else None, "") for name, held in found.items()}


def _marked(text: str, moved: Mapping[str, Difference]) -> str:
    """Prose in which the numbers that moved are marked, each with what it is by default; headings
    stay as they are."""

    def mark(role: re.Match[str]) -> str:
        d = moved.get(role[1])
        if d is None:
            return role[0]
        old, new = (_told(value, role[2]) for value in (d.old, d.new))
        return (
            role[0]
            if old == new
            else f"[{role[0]}]{{.gb-moved}} [(default {words(old)})]{{.gb-was}}"
        )

    lines = text.split("\n")
    return "\n".join(
        one if re.match(r"#|`{3}|:{3}|:\w+:", one) else drift.ROLE.sub(mark, one) for one in lines
    )


def _told(value: Any, form: str | None) -> str:
    """A glued value as the page prints it."""
    return format(value, form or ".6g") if isinstance(value, float) else line(value)


def _markdown(text: str) -> Any:
    from nbformat.v4 import new_markdown_cell

    return new_markdown_cell(text)


# ------------------------------------------------------------------------------- what is said first


def _summary(found: Sequence[Difference], page: Page, where: str, mine: str) -> str:
    """A paragraph: what was compared, how many numbers moved and by how much, and the verdicts."""
    moved = list(_moved(found))
    beyond, less, unknown = (
        sum(d.beyond is answer for d in moved) for answer in (True, False, None)
    )
    said = [
        f"{beyond} by more than the spread over seeds",
        f"{less} by less",
        f"for {unknown} it is not known",
    ]
    told = ", ".join(
        text for text, count in zip(said, (beyond, less, unknown), strict=True) if count
    )
    numbers = f"{counted(len(moved), 'number')} in the prose moved"
    if beyond or less:
        numbers += (
            f": {told}. That spread is the difference between the largest and the smallest seed, on"
            " the page "
        )
        numbers += "where it is more."
    else:
        numbers += f"; {'its' if len(moved) == 1 else 'their'} spread over seeds is not known."
    names = [
        d.item.removeprefix("condition ")
        for d in found
        if d.item.startswith("condition ") and d.old is True
    ]
    lost = list(
        dict.fromkeys(filter(None, (_conditioned(page.chapter.source, name) for name in names)))
    )
    gone = (
        f" {counted(len(lost), 'sentence')} no longer hold{'s' * (len(lost) == 1)}, and a marked"
        " line stands in "
    )
    gone += f"{'its' if len(lost) == 1 else 'their'} place: {'; '.join(lost)}."
    whose = "Your" if mine == "yours" else "The"
    return (
        f"{whose} parameters are not those of the preset {code(page.preset)}. Here the page is held"
        f" beside {where}; the page itself follows below."
        f" {numbers if moved else 'No number in the prose moved.'}"
        f" {_verdicts(found)}{gone if lost else ''}"
    )


def _verdicts(found: Iterable[Difference]) -> str:
    """A sentence for each verdict that changed, or that none did."""
    changed = {}
    for d in found:
        claim = re.fullmatch(r"verdict of (\S+)|table \d+, (\S+), verdict", d.item)
        if claim and d.old is not None and d.new is not None:
            changed[claim[1] or claim[2]] = f"{words(d.old)} → **{words(d.new)}**"
    if not changed:
        return "No verdict changed."
    return (
        "Verdicts that changed: "
        + "; ".join(f"{words(name)} {how}" for name, how in changed.items())
        + "."
    )


# ------------------------------------------------------------------------------------------ numbers


def _moved(found: Iterable[Difference]) -> Iterator[Difference]:
    """Glued numbers and values of claims that both pages have, and that are not the same."""
    for d in found:
        short = max(len(str(d.old)), len(str(d.new))) <= LONG_TEXT
        if d.item.startswith(("glue ", "value of ")) and None not in (d.old, d.new) and short:
            yield d


def _numbers(found: Iterable[Difference], source: str, mine: str) -> str:
    """The numbers that moved, first those whose spread or band is known; what is more than a screen
    is folded.

    On a published page all are, as the prose marks them.
    """
    moved = sorted(_moved(found), key=lambda d: {True: 0, False: 1, None: 2}[d.beyond])
    shown = max(SHOWN, sum(d.beyond is not None for d in moved)) if mine == "yours" else 0
    heads = ["number", "default", words(mine), "more than the spread?"]
    text, more = (
        _list_table(heads, [_row(d, source) for d in part])
        for part in (moved[:shown], moved[shown:])
    )
    title = f"{counted(len(moved[shown:]), 'more number' if shown else 'number')} that moved"
    return f"{text}\n\n{_folded(title, more)}" if more else text


def _row(d: Difference, source: str) -> list[str]:
    """Where a number stands, its value by default, its value now, and how that compares with its
    spread."""
    role = next(_roles(d, source), None)
    old, new = (_told(value, role[1] if role else None) for value in (d.old, d.new))
    held = "not known"  # whether it is larger than the spread over seeds, or outside the band
    if d.band is not None:
        held = (
            f"{'no: inside' if d.kind == 'within' else '**yes**: outside'} {d.band[0]:.4g} to"
            f" {d.band[1]:.4g}"
        )
    elif d.beyond is not None:
        held = f"{'**yes**' if d.beyond else 'no'}: {d.apart:.3g} against {d.spread:.3g}"
    return [_place(source, role) if role else words(d.item), words(old), words(new), held]


def _is_seen(d: Difference, source: str) -> bool:
    """Whether the page shows a difference: a glued value is on it where its prose prints it, in
    digits that differ."""
    return not d.item.startswith("glue ") or next(_roles(d, source), None) is not None


def _roles(d: Difference, source: str) -> Iterator[re.Match[str]]:
    """Where the prose prints a glued value otherwise than by default; the group of each is the
    format given there."""
    name = re.escape(d.item.removeprefix("glue "))
    for role in re.finditer(r"\{glue:text\}`" + name + r"(?::([^`]*))?`", source):
        old, new = (None if value is None else _told(value, role[1]) for value in (d.old, d.new))
        if old != new:
            yield role


def _place(source: str, role: re.Match[str]) -> str:
    """The words of the page around a glued number, the number in bold; formulas and roles are kept
    whole."""
    lines, at = source.split("\n"), source.count("\n", 0, role.start())
    if lines[at].startswith("|"):
        return _in_table(lines, at, role[0])
    if lines[at].startswith("#"):
        return lines[at].lstrip("# ").replace(role[0], f"**{role[0]}**")
    text = _paragraph(lines, at).replace(role[0], _HERE)
    tokens = re.findall(r"(?:\{[\w:]+\}`[^`]*`|`[^`]*`|\$[^$]*\$|[^\s`$])+", text)
    place = next((i for i, token in enumerate(tokens) if _HERE in token), None)
    if place is None:  # it stands in an option of a directive, say
        return f"{_heading(lines, at)}: **{role[0]}**"
    first, last = _around(tokens, place)
    before, after = max(first, place - BEFORE), min(last, place + AFTER)
    plain = [
        token.replace("*", "") if "$" not in token and "`" not in token else token
        for token in tokens
    ]
    plain[place] = plain[place].strip("*").replace(_HERE, f"**{role[0]}**")
    said = " ".join(plain[before : after + 1]).replace(_HERE, role[0])
    if before > first:
        said = f"… {said}"
    if after < last:
        said = f"{said} …"
    return said if _WORD.search(_ANY_ROLE.sub("", said)) else f"{_heading(lines, at)}: {said}"


def _in_table(lines: Sequence[str], at: int, number: str) -> str:
    """What a number in a table of the prose is: the first cell of its row, the head of its
    column."""
    top = at
    while top and lines[top - 1].startswith("|"):
        top -= 1
    heads, row = (
        [cell.strip() for cell in lines[i].strip().strip("|").split("|")] for i in (top, at)
    )
    column = next(i for i, cell in enumerate(row) if number in cell)
    head = heads[column] if column < len(heads) else ""
    return ": ".join(
        filter(None, [", ".join(filter(None, [row[0] * (column > 0), head])), f"**{number}**"])
    )


def _paragraph(lines: Sequence[str], at: int) -> str:
    """The paragraph of a line as one line, without marks of quotes and lists, directives and
    headings."""
    bare = [re.sub(r"^(?:> ?)+", "", one) for one in lines]
    first = last = at
    while first and bare[first - 1].strip():
        first -= 1
    while last + 1 < len(bare) and bare[last + 1].strip():
        last += 1
    kept = [one for one in bare[first : last + 1] if not re.match(r"`{3}|:{3}|:\w+:|[#|]", one)]
    return re.sub(r"^(?:[-*+]|\d+[.)]) +", "", line(" ".join(kept)))


def _around(tokens: Sequence[str], place: int) -> tuple[int, int]:
    """First and last token of the part of a sentence about a place; of the part before too, where
    it has no word."""

    def begins(end: int) -> int:
        return next((i + 1 for i in range(end - 1, -1, -1) if _END.search(tokens[i])), 0)

    first = begins(place)
    last = next((i for i in range(place, len(tokens)) if _END.search(tokens[i])), len(tokens) - 1)
    said = " ".join([*tokens[first:place], *tokens[place + 1 : last + 1]])
    if first and not _WORD.search(_ANY_ROLE.sub("", said)):
        first = begins(first - 1)
    return first, last


def _heading(lines: Sequence[str], at: int) -> str:
    """The heading above a line."""
    return next(
        (lines[i].lstrip("# ") for i in range(at, -1, -1) if lines[i].startswith("#")), "the page"
    )


def _conditioned(source: str, name: str) -> str:
    """The beginning of the first sentence that a condition guards; nothing where none does, as in
    `not name`."""
    for found in _GUARDED.finditer(source):
        expression = found[2] or found[4]
        if not re.search(rf"(?<!not )\b{re.escape(name)}\b", expression):
            continue
        # a caption is a text over several lines of code
        whole = re.sub(r'"\s*\n\s*f?"', "", found[3] or found[5])
        plain = re.sub(r"(?m)^(?:> ?)+|\*+", "", whole)
        text = line(_ANY_ROLE.sub("…", plain)).split()
        shown = words(" ".join(text[: BEFORE + AFTER]).rstrip("."))
        return f"{shown} …" if len(text) > BEFORE + AFTER else shown
    return ""


# ------------------------------------------------------------------------------------------ figures


def _pairs(found: Iterable[Difference], default: Any, notebook: Any, mine: str) -> Iterator[Any]:
    """A sentence on the figures, then for each that differs a cell with both drawings and one with
    the caption."""
    from nbformat.v4 import new_code_cell, new_output

    then, now = _figures(default), _figures(notebook)
    differ = {d.item.removeprefix("drawing of ") for d in found if d.item.startswith("drawing of ")}
    changed = [name for name in now if name in differ and name in then]
    paired = [name for name in changed if _drawn(then[name][0]) and _drawn(now[name][0])]
    told = [f"{counted(len(changed), 'figure')} changed." if changed else "No figure changed."]
    others = {
        "Moved by hand or opened cell by cell, so on the page alone": [
            name for name in changed if name not in paired
        ],
        "Not on the default's page": [name for name in now if name not in then],
        "The same as by default": [name for name in now if name not in differ] if changed else [],
    }
    for said, names in others.items():
        listed = ", ".join(f"{{numref}}`{name}`" for name in names)
        told += [f"{said}: {listed}."] if names else []
    yield _markdown(" ".join(told))
    for name in paired:
        drawn = ""
        for side, (data, about) in (("default", then[name]), (mine, now[name])):
            alt, kind = (
                html.escape(f"{side}: {about['alt']}"),
                html.escape(about.get("classes", "")),
            )
            # that for a narrow screen: two stand side by side
            if svg := data.get(NARROW) or data.get("image/svg+xml"):
                address = f"data:image/svg+xml;base64,{b64encode(''.join(svg).encode()).decode()}"
            else:
                address = f"data:image/png;base64,{''.join(data['image/png']).strip()}"
            picture = f'<img class="{kind}" src="{address}" alt="{alt}">'
            drawn += f"<figure><figcaption>{html.escape(side)}</figcaption>{picture}</figure>"
        shown = new_output(
            "display_data", data={"text/html": f'<div class="gb-pair">{drawn}</div>'}
        )
        yield new_code_cell("# two drawings", metadata={"tags": ["remove-input"]}, outputs=[shown])
        yield _markdown(f"{{numref}}`{name}`, default and {words(mine)}. {now[name][1]['caption']}")


def _figures(notebook: Any) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """The figures of an executed notebook by name: their data and labels."""
    every = (output for cell in notebook.cells for output in cell.get("outputs", []))
    labelled = (
        (o.get("data", {}), o["metadata"]["grokbook"])
        for o in every
        if "grokbook" in o.get("metadata", {})
    )
    return {about["name"]: (data, about) for data, about in labelled}


def _drawn(data: Mapping[str, Any]) -> bool:
    """Whether a figure is a picture; one that is worked by hand is none."""
    return any(kind.startswith("image/") for kind in data)


# ----------------------------------------------------------------------- tables and other sentences


def _tables(
    found: Iterable[Difference], then: Mapping[str, Any], now: Mapping[str, Any], mine: str
) -> str:
    """Table by table, folded: the cells that differ."""
    cells: dict[str, list[Difference]] = {}
    for d in found:
        if (of := re.match(r"(table \d+), ", d.item)) and None not in (d.old, d.new):
            cells.setdefault(of[1], []).append(d)
    parts = []
    for name, differ in cells.items():
        rows = [
            [words(d.item.removeprefix(f"{name}, ")), words(d.old), words(d.new)]
            for d in differ[:MOST_CELLS]
        ]
        left = differ[MOST_CELLS:]
        parts.append(
            f"**{words(now.get(f'text of {name}') or then.get(f'text of {name}') or name)}**"
        )
        parts.append(_list_table(["row, column", "default", words(mine)], rows))
        parts.append(f"{counted(len(left), 'more cell')} of this table changed." if left else "")
    total = [d for differ in cells.values() for d in differ]
    return (
        _folded(f"{counted(len(total), 'table cell')} changed", "\n\n".join(filter(None, parts)))
        if total
        else ""
    )


def _sentences(found: Iterable[Difference], mine: str) -> str:
    """The computed sentences that differ, folded."""
    moved = set(_moved(found))
    rows = [
        [words(d.old), words(d.new)]
        for d in found
        if re.match(r"glue |text \d+$", d.item) and d not in moved and None not in (d.old, d.new)
    ]
    title = f"{counted(len(rows), 'computed sentence')} changed"
    return _folded(title, _list_table(["default", words(mine)], rows)) if rows else ""


def _list_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown; on a narrow screen each row is a block (class gb-beside). Empty without
    rows."""
    lines = ["````{list-table}", ":header-rows: 1", ":class: gb-beside", ""]
    for row in [heads, *rows]:
        lines += [("* - " if i == 0 else "  - ") + cell for i, cell in enumerate(row)]
    return "\n".join([*lines, "````"]) if rows else ""


def _folded(title: str, text: str) -> str:
    return f"`````{{admonition}} {title}\n:class: dropdown note\n\n{text}\n`````"
