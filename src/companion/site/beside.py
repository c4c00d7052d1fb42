"""A re-run beside the default: what the page of changed parameters opens with.

The comparison is that of `drift`; here it becomes cells: parameters, verdicts, numbers, figures in
pairs.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from companion.checks import drift
from companion.checks.drift import Difference
from companion.page import when
from companion.page.drawing import NARROW
from companion.page.safe import code, counted, fenced, line, words
from companion.page.sources import Page

LONG_TEXT = 40
"""Characters from which a glued text is a sentence and no number."""

SHOWN = 12
"""Rows of a table above which it is folded."""

BEFORE = 10
AFTER = 6
"""Words that are quoted before and after a number."""

_PLACE = "\N{OBJECT REPLACEMENT CHARACTER}"
"""What stands for the number while the words around it are taken apart."""

_THINGS = {
    "drawing of ": "figure",
    r"table \d+, ": "table row",
    r"text \d+$": "computed sentence",
}
"""Kinds of items that the page opens with the number of, where they differ."""

_TOKEN = re.compile(r"(?:\{[\w:]+\}`[^`]*`|`[^`]*`|\$[^$]*\$|[^\s`$])+")
"""A word, or a formula, code or role with the blanks inside it."""

_MARKS = re.compile(r"^[> ]*(?:[-*+] |\d+[.)] |#+ )?|\|", re.MULTILINE)
"""What makes a quote, a list, a heading or a row of a table of a line."""

_OF_A_DIRECTIVE = re.compile(r"^ *(?:`{3}|:{3}|:\w+:).*$", re.MULTILINE)


def opened(notebook: Any, default: Any, page: Page, where: str) -> Any:
    """A copy of an executed notebook that opens with how it differs from `default`, the same
    chapter at its preset.

    `where` says in words what the default's page is. Nothing of the notebook itself is changed.
    """
    opening, marked = parts(notebook, default, page, where)
    first = next(i for i, cell in enumerate(marked.cells) if re.search(r"(?m)^# ", cell.source))
    title, _, rest = marked.cells[first].source.lstrip().partition("\n")
    heading = _markdown("## The page with your parameters")
    marked.cells[first : first + 1] = [_markdown(title), *opening, heading, _markdown(rest)]
    marked.cells = [cell for cell in marked.cells if not _is_blank(cell)]
    for index, cell in enumerate(marked.cells):
        cell.id = f"cell-{index:03d}"
    return marked


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
    comparison = _Comparison(
        page=page,
        mine=mine,
        source=when.kept(page.chapter.source, _conditions(now["items"])),
        then=then["items"],
        now=now["items"],
        differences=drift.compare({"chapters": {name: then}}, {"chapters": {name: now}}),
    )
    opening = [
        _markdown(comparison.summary(where)),
        _markdown(fenced(page.command(), "text")),
        _markdown(comparison.numbers()),
        *_pairs(comparison.drawings, default, notebook, mine),
    ]
    marked = deepcopy(notebook)
    for cell in marked.cells:
        figure = cell.metadata.get("mystnb", {}).get("figure", {})
        if cell.cell_type == "markdown":
            cell.source = comparison.marked(cell.source)
        elif "caption" in figure:
            figure["caption"] = comparison.marked(figure["caption"])
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


def _printed(value: Any, form: str | None) -> str:
    """A glued value as the page prints it."""
    return format(value, form or ".6g") if isinstance(value, float) else line(value)


def _markdown(text: str) -> Any:
    from nbformat.v4 import new_markdown_cell

    return new_markdown_cell(text)


@dataclass(frozen=True)
class _Comparison:
    """Two executed pages of a chapter: what is on them (`then` by default, `now`), how they differ,
    the prose as it is read now, and what tables call this page (`mine`)."""

    page: Page
    mine: str
    source: str
    then: Mapping[str, Any]
    now: Mapping[str, Any]
    differences: Sequence[Difference]

    @cached_property
    def both(self) -> list[Difference]:
        """Items of both pages that are not the same; of glued values those that the prose prints
        otherwise."""
        differences = []
        for difference in self.differences:
            is_printed = not difference.item.startswith("glue ") or self.role(difference)
            if None not in (difference.old, difference.new) and is_printed:
                differences.append(difference)
        return differences

    @cached_property
    def moved(self) -> list[Difference]:
        """Glued numbers and values of claims that are not the same."""
        numbers = []
        for difference in self.both:
            longest = max(len(str(difference.old)), len(str(difference.new)))
            if difference.item.startswith(("glue ", "value of ")) and longest <= LONG_TEXT:
                numbers.append(difference)
        return numbers

    @property
    def drawings(self) -> list[str]:
        """The names of the figures that differ."""
        items = [difference.item for difference in self.both]
        return [i.removeprefix("drawing of ") for i in items if i.startswith("drawing of ")]

    def role(self, difference: Difference) -> re.Match[str] | None:
        """Where the prose first prints a glued value otherwise than by default: a match of
        `drift.ROLE`."""
        for role in drift.ROLE.finditer(self.source):
            old = _printed(difference.old, role[2])
            new = _printed(difference.new, role[2])
            if difference.item == f"glue {role[1]}" and old != new:
                return role
        return None

    def marked(self, text: str) -> str:
        """Prose, or a caption, in which the numbers that moved are marked, each with what it is by
        default; headings stay as they are."""
        moved = {d.item.removeprefix("glue "): d for d in self.moved}

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

    def summary(self, where: str) -> str:
        """Three lines: which parameters changed, what moved, what did not; then what was
        compared."""
        plain = self.page.chapter.page(self.page.preset).values
        changes = []
        for parameter in self.page.chapter.parameters:
            name = parameter.name
            if name in self.page.changed:
                new = words(self.page.changed[name])
                meaning = words(parameter.help)
                changes.append(f"{code(name)} ({meaning}): {words(plain[name])} → {new}")
        moved = []
        if self.moved:
            beyond = sum(difference.beyond is True for difference in self.moved)
            numbers = counted(len(self.moved), "number")
            sentence = f"{numbers} in the prose, {beyond} by more than the spread over seeds"
            if unknown := sum(difference.beyond is None for difference in self.moved):
                sentence += f", {unknown} whose spread is not known"
            moved.append(sentence)
        for kind, thing in _THINGS.items():
            count = sum(re.match(kind, difference.item) is not None for difference in self.both)
            moved += [counted(count, thing)] if count else []
        moved += self._verdicts()
        text = (
            "## What differs from the default\n\n"
            f"- **Changed:** {'; '.join(changes)}.\n"
            f"- **Moved:** {'; '.join(moved) or 'nothing that the page shows'}.\n"
            f"- **Not moved:** {', '.join(self._same()) or 'nothing'}.\n\n"
            f"This is held beside {where}; the page itself follows below. The spread over seeds is"
            " the largest less the smallest, on the page where that is more."
        )
        lost = [d for d in self.both if d.item.startswith("condition ") and d.old is True]
        if lost:
            text += (
                f" {counted(len(lost), 'condition')} of its sentences no longer"
                f" hold{'s' if len(lost) == 1 else ''}; a marked line stands in their place."
            )
        return text

    def _same(self) -> list[str]:
        """In words how many numbers, figures and verdicts are the same."""
        printed = {f"glue {role[1]}" for role in drift.ROLE.finditer(self.source)}
        differ = {difference.item for difference in self.both}
        same = (self.then.keys() & self.now.keys()) - differ
        counts = {
            "number": len(printed & same),
            "figure": sum(item.startswith("drawing of ") for item in same),
            "verdict": sum(item.startswith("verdict of ") for item in same),
        }
        return [counted(count, thing) for thing, count in counts.items() if count]

    def _verdicts(self) -> list[str]:
        """In words, each claim whose verdict changed."""
        changed = []
        for d in self.both:
            if d.item.startswith("verdict of "):
                name = words(d.item.removeprefix("verdict of "))
                changed.append(f"{name} {words(d.old)} → **{words(d.new)}**")
        return changed

    def numbers(self) -> str:
        """The numbers that moved, first those whose spread or band is known.

        On a published page they are folded, as the prose marks them.
        """
        order = {True: 0, False: 1, None: 2}
        rows = [self._row(d) for d in sorted(self.moved, key=lambda d: order[d.beyond])]
        if not rows:
            return ""
        heads = ["number", "default", words(self.mine), "more than the spread?"]
        table = _list_table(heads, rows)
        if self.mine == "yours" and len(rows) <= SHOWN:
            return table
        title = f"{counted(len(rows), 'number')} that moved"
        return f"`````{{admonition}} {title}\n:class: dropdown note\n\n{table}\n`````"

    def _row(self, d: Difference) -> list[str]:
        """Where a number stands, its value by default, its value now, and how that compares with
        its spread over seeds, or with the band of its claim."""
        compared = "not known"
        if d.band is not None:
            inside = "no: inside" if d.kind == "within" else "**yes**: outside"
            compared = f"{inside} {d.band[0]:.4g} to {d.band[1]:.4g}"
        elif d.beyond is not None:
            answer = "**yes**" if d.beyond else "no"
            compared = f"{answer}: {d.apart:.3g} against {d.spread:.3g}"
        role = self.role(d)
        place = quoted(self.source, role) if role else words(d.item)
        form = role[2] if role else None
        return [place, words(_printed(d.old, form)), words(_printed(d.new, form)), compared]


def quoted(source: str, role: re.Match[str]) -> str:
    """The heading above a glued number, and the words around it, the number in bold.

    Formulas, code and roles are kept whole.
    """
    lines_above = source[: role.start()].rpartition("\n")[0]
    headings = re.findall(r"(?m)^##+ +(.+)$", lines_above)
    paragraph = _paragraph(f"{source[: role.start()]}{_PLACE}{source[role.end() :]}")
    bare = line(_MARKS.sub("", _OF_A_DIRECTIVE.sub("", paragraph)))
    tokens = []
    for token in _TOKEN.findall(bare):
        plain = token if re.search(r"[$`]", token) else token.replace("*", "")
        tokens += [plain] if plain else []
    place = next(number for number, token in enumerate(tokens) if _PLACE in token)
    near = tokens[max(0, place - BEFORE) : place + AFTER + 1]
    if place > BEFORE:
        near.insert(0, "…")
    if place + AFTER + 1 < len(tokens):
        near.append("…")
    text = " ".join(near).replace(_PLACE, f"**{role[0]}**")
    return f"{headings[-1]}: {text}" if headings else text


def _paragraph(source: str) -> str:
    """What is read together with the number at `_PLACE`: a caption in the metadata of its cell, the
    row of a table, a heading, else the paragraph."""
    row = next(content for content in source.split("\n") if _PLACE in content)
    caption = re.fullmatch(r" *caption: +([\"']?)(.*?)\1", row)
    if caption:
        return caption[2]
    if row.startswith(("|", "#")):
        return row
    return next(text for text in source.split("\n\n") if _PLACE in text)


# ------------------------------------------------------------------------------------------ figures


def _pairs(changed: Sequence[str], default: Any, notebook: Any, mine: str) -> Iterator[Any]:
    """For each figure that differs a cell with both drawings and one with the caption; before them
    a sentence on those that have no such pair."""
    from nbformat.v4 import new_code_cell, new_output

    then = _figures(default)
    now = _figures(notebook)
    paired = [name for name in changed if _address(then[name]) and _address(now[name])]
    alone = [f"{{numref}}`{name}`" for name in changed if name not in paired]
    if alone:
        yield _markdown(f"Moved, and to be seen on the page alone: {', '.join(alone)}.")
    for name in paired:
        drawings = _drawing("default", then[name]) + _drawing(mine, now[name])
        data = {"text/html": f'<div class="gb-pair">{drawings}</div>'}
        outputs = [new_output("display_data", data=data)]
        yield new_code_cell("# two drawings", metadata={"tags": ["remove-input"]}, outputs=outputs)
        caption = now[name].metadata["grokbook"]["caption"]
        yield _markdown(f"{{numref}}`{name}`, default and {words(mine)}. {caption}")


def _figures(notebook: Any) -> dict[str, Any]:
    """The outputs of an executed notebook that are figures, by name."""
    figures = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if "grokbook" in output.get("metadata", {}):
                figures[output.metadata["grokbook"]["name"]] = output
    return figures


def _address(figure: Any) -> str:
    """The picture of a figure as an address, that for a narrow screen first, since two stand side
    by side; nothing for a figure that is worked by hand."""
    data = figure.get("data", {})
    if svg := data.get(NARROW) or data.get("image/svg+xml"):
        return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
    if png := data.get("image/png"):
        return f"data:image/png;base64,{png.strip()}"
    return ""


def _drawing(side: str, figure: Any) -> str:
    """One drawing of a pair as HTML."""
    alt = html.escape(f"{side}: {figure.metadata['grokbook']['alt']}")
    picture = f'<img src="{_address(figure)}" alt="{alt}">'
    return f"<figure><figcaption>{html.escape(side)}</figcaption>{picture}</figure>"


def _list_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of Markdown; on a narrow screen each row is a block (class gb-beside)."""
    lines = ["````{list-table}", ":header-rows: 1", ":class: gb-beside", ""]
    for first, *others in [heads, *rows]:
        lines.append(f"* - {first}")
        lines += [f"  - {cell}" for cell in others]
    return "\n".join([*lines, "````"])
