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
from dataclasses import dataclass
from typing import Any

from companion.checks import drift
from companion.checks.drift import Difference
from companion.page import when
from companion.page.drawing import NARROW
from companion.page.safe import code, counted, fenced, line, words
from companion.page.sources import Page

MOST_CELLS = 40
"""Cells of tables that are listed."""

LONG_TEXT = 40
"""Characters from which a glued text is a sentence and no number."""

SHOWN = 12
"""Rows of a table above which it is folded."""

BEFORE = 10
AFTER = 6
"""Words that are quoted before and after a number."""

_TOKEN = re.compile(r"(?:\{[\w:]+\}`[^`]*`|`[^`]*`|\$[^$]*\$|[^\s`$])+")
"""A word, or a formula, code or role with the blanks inside it."""

_MARKS = re.compile(r"^[> ]*(?:[-*+] |\d+[.)] |#+ )?|\|", re.MULTILINE)
"""What makes a quote, a list, a heading or a row of a table of a line."""

_CAPTION = re.compile(r" *caption: +(?P<quote>[\"']?)")
"""How a caption begins in the metadata of its cell."""

_OF_A_DIRECTIVE = re.compile(r"^ *(?:`{3}|:{3}|:\w+:).*$", re.MULTILINE)


def opened(notebook: Any, default: Any, page: Page, where: str) -> Any:
    """A copy of an executed notebook that opens with how it differs from `default`, the same
    chapter at its preset.

    `where` says in words what the default's page is. Nothing of the notebook itself is changed.
    """
    opening, made = parts(notebook, default, page, where)
    first = next(i for i, cell in enumerate(made.cells) if re.search(r"(?m)^# ", cell.source))
    title, _, rest = made.cells[first].source.lstrip().partition("\n")
    heading = _markdown("## The page with your parameters")
    made.cells[first : first + 1] = [_markdown(title), *opening, heading, _markdown(rest)]
    made.cells = [cell for cell in made.cells if not _is_blank(cell)]
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
    then = drift.content(default.cells)
    now = drift.content(notebook.cells)
    name = page.chapter.name
    source = when.kept(page.chapter.source, _conditions(now["items"]))
    every = drift.compare({"chapters": {name: then}}, {"chapters": {name: now}})
    found = [d for d in every if not d.item.startswith("glue ") or _role(d, source)]
    compared = _compared(found, source, then["items"], now["items"])
    moved = compared.moved
    opening = [
        _markdown(_summary(compared, page, where)),
        _markdown(_parameters(page, mine)),
        _markdown(_numbers(moved, source, mine)),
        *_pairs(compared.drawings, default, notebook, mine),
        _markdown(_cells(found, now["items"], mine)),
        _markdown(_sentences([d for d in found if d not in moved], mine)),
    ]
    lost = _lost(page.chapter.source, _conditions(then["items"]), _conditions(now["items"]))
    if lost:
        opening[0].source += (
            f" Of its sentences {lost} no longer hold{'s' if lost == 1 else ''}; a marked line"
            " stands in the place of each."
        )
    marked = deepcopy(notebook)
    by_name = {d.item.removeprefix("glue "): d for d in moved}
    for cell in marked.cells:
        figure = cell.metadata.get("mystnb", {}).get("figure", {})
        if cell.cell_type == "markdown":
            cell.source = _marked(cell.source, by_name)
        elif "caption" in figure:
            figure["caption"] = _marked(figure["caption"], by_name)
    return [cell for cell in opening if not _is_blank(cell)], marked


def _is_blank(cell: Any) -> bool:
    return cell.cell_type == "markdown" and not cell.source.strip()


def _conditions(items: Mapping[str, Any]) -> dict[str, tuple[bool | None, str]]:
    """The conditions among the items of a page, as `when` takes them."""
    known: dict[str, tuple[bool | None, str]] = {}
    for item, value in items.items():
        if item.startswith("condition "):
            truth = value if isinstance(value, bool) else None
            known[item.removeprefix("condition ")] = (truth, "")
    return known


def _lost(source: str, then: when.Known, now: when.Known) -> int:
    """How many texts under a condition stand on the default's page and not on this one."""

    def stands(expression: str, known: when.Known) -> bool:
        known_all = set(when.names(expression)) <= known.keys()
        return known_all and when.holds(expression, known) is True

    guarded = [text[2] for form in (when.HALF, when.BLOCK) for text in form.finditer(source)]
    return sum(stands(one, then) and not stands(one, now) for one in guarded)


def _marked(text: str, moved: Mapping[str, Difference]) -> str:
    """Prose, or a caption, in which the numbers that moved are marked, each with what it is by
    default; headings stay as they are."""

    def mark(role: re.Match[str]) -> str:
        difference = moved.get(role[1])
        if difference is None:
            return role[0]
        old = _printed(difference.old, role[2])
        if old == _printed(difference.new, role[2]):
            return role[0]
        return f"[{role[0]}]{{.gb-moved}} [(default {words(old)})]{{.gb-was}}"

    lines = text.split("\n")
    for number, content in enumerate(lines):
        if not re.match(r"#|`{3}|:{3}|:\w+:", content):
            lines[number] = drift.ROLE.sub(mark, content)
    return "\n".join(lines)


def _printed(value: Any, form: str | None) -> str:
    """A glued value as the page prints it."""
    return format(value, form or ".6g") if isinstance(value, float) else line(value)


def _markdown(text: str) -> Any:
    from nbformat.v4 import new_markdown_cell

    return new_markdown_cell(text)


# ------------------------------------------------------------------------------- what is said first


@dataclass(frozen=True)
class Compared:
    """What moved between two executed pages of a chapter, and how much did not.

    `drawings` are the names of the figures that both have and that differ; `verdicts` says in
    words which claims have another word.
    """

    moved: Sequence[Difference]
    drawings: Sequence[str]
    verdicts: Sequence[str]
    same_numbers: int
    same_figures: int
    same_verdicts: int


def _summary(compared: Compared, page: Page, where: str) -> str:
    """Three lines: which parameters changed, what moved, what did not; then what was compared."""
    plain = page.chapter.page(page.preset).values
    changes = [
        f"{code(name)}: {words(plain[name])} → {words(value)}"
        for name, value in page.changed.items()
    ]
    moved = []
    if compared.moved:
        beyond = sum(d.beyond is True for d in compared.moved)
        numbers = counted(len(compared.moved), "number")
        moved.append(f"{numbers} in the prose, {beyond} by more than the spread over seeds")
    if compared.drawings:
        moved.append(counted(len(compared.drawings), "figure"))
    moved += compared.verdicts
    counts = {"number": compared.same_numbers, "figure": compared.same_figures}
    counts["verdict"] = compared.same_verdicts
    same = [counted(count, thing) for thing, count in counts.items() if count]
    return (
        "## What differs from the default\n\n"
        f"- **Changed:** {'; '.join(changes)}.\n"
        f"- **Moved:** {'; '.join(moved) or 'nothing that the page shows'}.\n"
        f"- **Not moved:** {', '.join(same) or 'nothing'}.\n\n"
        f"This is held beside {where}; the page itself follows below. The spread over seeds is the"
        " largest less the smallest, on the page where that is more."
    )


def _compared(
    found: Sequence[Difference], source: str, then: Mapping[str, Any], now: Mapping[str, Any]
) -> Compared:
    """The differences `found` between the items of two pages, and the items that are the same; of
    glued numbers those that the prose prints."""
    both = then.keys() & now.keys()
    drawn = [item for item in now if item.startswith("drawing of ") and item in both]
    differ = {d.item for d in found}
    drawings = [item for item in drawn if item in differ]
    printed = {f"glue {role[1]}" for role in drift.ROLE.finditer(source)}
    asked = {item for item in both if item.startswith("verdict of ")}
    return Compared(
        moved=list(_moved(found)),
        drawings=[item.removeprefix("drawing of ") for item in drawings],
        verdicts=_verdicts(found),
        same_numbers=len((printed & both) - differ),
        same_figures=len(drawn) - len(drawings),
        same_verdicts=len(asked - differ),
    )


def _verdicts(found: Iterable[Difference]) -> list[str]:
    """In words, each claim whose verdict changed."""
    changed = {}
    for d in found:
        claim = re.fullmatch(r"verdict of (\S+)|table \d+, (\S+), verdict", d.item)
        if claim and d.old is not None and d.new is not None:
            name = claim[1] or claim[2]
            changed[name] = f"{words(name)} {words(d.old)} → **{words(d.new)}**"
    return list(changed.values())


def _parameters(page: Page, mine: str) -> str:
    """The parameters that differ from the preset, and the command."""
    plain = page.chapter.page(page.preset).values
    help_of = {parameter.name: parameter.help for parameter in page.chapter.parameters}
    rows = [
        [code(name), words(plain[name]), f"**{words(value)}**", words(help_of[name])]
        for name, value in page.changed.items()
    ]
    table = _list_table(["parameter", "default", words(mine), "meaning"], rows)
    return f"{table}\n\n{fenced(page.command(), 'text')}"


# ------------------------------------------------------------------------------------------ numbers


def _moved(found: Iterable[Difference]) -> Iterator[Difference]:
    """Glued numbers and values of claims that both pages have, and that are not the same."""
    for d in found:
        short = max(len(str(d.old)), len(str(d.new))) <= LONG_TEXT
        if d.item.startswith(("glue ", "value of ")) and None not in (d.old, d.new) and short:
            yield d


def _role(d: Difference, source: str) -> re.Match[str] | None:
    """Where the prose first prints a glued value otherwise than by default: a match of
    `drift.ROLE`."""
    for role in drift.ROLE.finditer(source):
        if d.item == f"glue {role[1]}" and _printed(d.old, role[2]) != _printed(d.new, role[2]):
            return role
    return None


def _numbers(moved: Sequence[Difference], source: str, mine: str) -> str:
    """The numbers that moved, first those whose spread or band is known.

    On a published page they are folded, as the prose marks them.
    """
    order = {True: 0, False: 1, None: 2}
    rows = [_row(d, source) for d in sorted(moved, key=lambda d: order[d.beyond])]
    table = _list_table(["number", "default", words(mine), "more than the spread?"], rows)
    if rows and (mine != "yours" or len(rows) > SHOWN):
        return _folded(f"{counted(len(rows), 'number')} that moved", table)
    return table


def _row(d: Difference, source: str) -> list[str]:
    """Where a number stands, its value by default, its value now, and how that compares with its
    spread over seeds, or with the band of its claim."""
    compared = "not known"
    if d.band is not None:
        inside = "no: inside" if d.kind == "within" else "**yes**: outside"
        compared = f"{inside} {d.band[0]:.4g} to {d.band[1]:.4g}"
    elif d.beyond is not None:
        answer = "**yes**" if d.beyond else "no"
        compared = f"{answer}: {d.apart:.3g} against {d.spread:.3g}"
    role = _role(d, source)
    place = quoted(source, role) if role else words(d.item)
    form = role[2] if role else None
    return [place, words(_printed(d.old, form)), words(_printed(d.new, form)), compared]


def quoted(source: str, role: re.Match[str]) -> str:
    """The heading above a glued number, and the words around it, the number in bold.

    Formulas, code and roles are kept whole.
    """
    above = source[: role.start()]
    below = source[role.end() :]
    lines_above, _, begun = above.rpartition("\n")
    headings = re.findall(r"(?m)^##+ +(.+)$", lines_above)
    caption = _CAPTION.match(begun)
    if caption:
        begin, end = caption[0], caption["quote"] or "\n"
    elif begun.startswith(("|", "#")):
        begin = end = "\n"
    else:
        begin = end = "\n\n"
    before = _plain_tokens(above.rpartition(begin)[2])
    after = _plain_tokens(below.partition(end)[0])
    left = ["…", *before[-BEFORE:]] if len(before) > BEFORE else before
    right = [*after[:AFTER], "…"] if len(after) > AFTER else after
    gap = " " if re.search(r"\s\**$", above) else ""
    next_gap = " " if re.match(r"\**\s", below) else ""
    text = f"{' '.join(left)}{gap}**{role[0]}**{next_gap}{' '.join(right)}".strip()
    return f"{headings[-1]}: {text}" if headings else text


def _plain_tokens(text: str) -> list[str]:
    """The words of Markdown without marks of paragraphs and of emphasis."""
    bare = _MARKS.sub("", _OF_A_DIRECTIVE.sub("", text))
    tokens = _TOKEN.findall(line(bare))
    plain = [token if re.search(r"[$`]", token) else token.replace("*", "") for token in tokens]
    return [token for token in plain if token]


# ------------------------------------------------------------------------------------------ figures


def _pairs(changed: Sequence[str], default: Any, notebook: Any, mine: str) -> Iterator[Any]:
    """For each figure that differs a cell with both drawings and one with the caption; before them
    a sentence on those that have no such pair."""
    from nbformat.v4 import new_code_cell, new_output

    then = _figures(default)
    now = _figures(notebook)
    paired = [name for name in changed if _address(then[name]) and _address(now[name])]
    sentences = []
    alone = [name for name in changed if name not in paired]
    added = [name for name in now if name not in then]
    for said, names in (
        ("Moved by hand or opened cell by cell, so on the page alone", alone),
        ("Not on the default's page", added),
    ):
        if names:
            listed = ", ".join(f"{{numref}}`{name}`" for name in names)
            sentences.append(f"{said}: {listed}.")
    yield _markdown(" ".join(sentences))
    for name in paired:
        both = _drawing("default", then[name]) + _drawing(mine, now[name])
        data = {"text/html": f'<div class="gb-pair">{both}</div>'}
        shown = [new_output("display_data", data=data)]
        yield new_code_cell("# two drawings", metadata={"tags": ["remove-input"]}, outputs=shown)
        caption = now[name].metadata["grokbook"]["caption"]
        yield _markdown(f"{{numref}}`{name}`, default and {words(mine)}. {caption}")


def _figures(notebook: Any) -> dict[str, Any]:
    """The outputs of an executed notebook that are figures, by name."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    labelled = [output for output in outputs if "grokbook" in output.get("metadata", {})]
    return {output.metadata["grokbook"]["name"]: output for output in labelled}


def _address(figure: Any) -> str:
    """The picture of a figure as an address, that for a narrow screen first, since two stand side
    by side; nothing for a figure that is worked by hand."""
    data = figure.get("data", {})
    if svg := data.get(NARROW) or data.get("image/svg+xml"):
        return f"data:image/svg+xml;base64,{b64encode(''.join(svg).encode()).decode()}"
    if png := data.get("image/png"):
        return f"data:image/png;base64,{''.join(png).strip()}"
    return ""


def _drawing(side: str, figure: Any) -> str:
    """One drawing of a pair as HTML."""
    about = figure.metadata["grokbook"]
    alt = html.escape(f"{side}: {about['alt']}")
    kind = html.escape(about.get("classes", ""))
    picture = f'<img class="{kind}" src="{_address(figure)}" alt="{alt}">'
    return f"<figure><figcaption>{html.escape(side)}</figcaption>{picture}</figure>"


# ----------------------------------------------------------------------- tables and other sentences


def _cells(found: Iterable[Difference], items: Mapping[str, Any], mine: str) -> str:
    """The cells of tables that differ, folded."""
    rows = []
    for d in found:
        cell = re.match(r"(table \d+), (.*)", d.item, re.DOTALL)
        if cell and None not in (d.old, d.new):
            table = items.get(f"text of {cell[1]}") or cell[1]
            rows.append([words(table), words(cell[2]), words(d.old), words(d.new)])
    if not rows:
        return ""
    table = _list_table(["table", "row, column", "default", words(mine)], rows[:MOST_CELLS])
    left = rows[MOST_CELLS:]
    more = f"\n\n{counted(len(left), 'more cell')} changed." if left else ""
    return _folded(f"{counted(len(rows), 'table cell')} changed", table + more)


def _sentences(found: Iterable[Difference], mine: str) -> str:
    """The computed sentences that differ, folded."""
    rows = [
        [words(d.old), words(d.new)]
        for d in found
        if re.match(r"glue |text \d+$", d.item) and None not in (d.old, d.new)
    ]
    if not rows:
        return ""
    table = _list_table(["default", words(mine)], rows)
    return _folded(f"{counted(len(rows), 'computed sentence')} changed", table)


def _list_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown; on a narrow screen each row is a block (class gb-beside). Empty without
    rows."""
    if not rows:
        return ""
    lines = ["````{list-table}", ":header-rows: 1", ":class: gb-beside", ""]
    for first, *others in [heads, *rows]:
        lines.append(f"* - {first}")
        lines += [f"  - {cell}" for cell in others]
    return "\n".join([*lines, "````"])


def _folded(title: str, text: str) -> str:
    return f"`````{{admonition}} {title}\n:class: dropdown note\n\n{text}\n`````"
