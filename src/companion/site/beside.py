"""A re-run beside the default: what the page of changed parameters opens with.

The comparison is that of `drift`; here it becomes cells: a summary and figures in pairs. Numbers
that moved are marked where the page prints them.
"""

from __future__ import annotations

import html
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from companion import notebooks
from companion.checks import drift
from companion.checks.drift import Difference, Items
from companion.notebooks import markdown_cell
from companion.page import when
from companion.page.drawing import NARROW
from companion.page.safe import code, counted, fenced, line, words
from companion.page.sources import Page

LONG_TEXT = 40
"""Characters from which a glued text is a sentence and no number."""


def opened(notebook: Any, default: Any, page: Page, where: str) -> Any:
    """A copy of an executed notebook that opens with how it differs from `default`, the same
    chapter at its preset.

    `where` says in words what the default's page is. Nothing of the notebook itself is changed.
    """
    opening, marked = parts(notebook, default, page, where)
    opening += _pairs(default, notebook)
    first = 0
    while not re.search(r"(?m)^# ", marked.cells[first].source):
        first += 1
    title, _, rest = marked.cells[first].source.lstrip().partition("\n")
    heading = markdown_cell("## The page with your parameters")
    marked.cells[first : first + 1] = [markdown_cell(title), *opening, heading, markdown_cell(rest)]
    notebooks.number(marked.cells)
    return marked


def parts(notebook: Any, default: Any, page: Page, where: str) -> tuple[list[Any], Any]:
    """The cells that say how an executed notebook differs from `default`, and a copy in which what
    moved is marked."""
    then = drift.content(default)
    now = drift.content(notebook)
    name = page.chapter.name
    comparison = _Comparison(
        page=page,
        source=when.kept(page.chapter.source, when.read(drift.glued(notebook))),
        then=then["items"],
        now=now["items"],
        differences=drift.compare({"chapters": {name: then}}, {"chapters": {name: now}}),
    )
    opening = [
        markdown_cell(comparison.summary(where)),
        markdown_cell(fenced(page.command(), "text")),
    ]
    marked = deepcopy(notebook)
    for cell in marked.cells:
        figure = cell.metadata.get("mystnb", {}).get("figure", {})
        if cell.cell_type == "markdown":
            cell.source = comparison.marked(cell.source)
        elif "caption" in figure:
            figure["caption"] = comparison.marked(figure["caption"])
    return opening, marked


def _printed(value: Any, form: str | None) -> str:
    """A glued value as the page prints it."""
    return format(value, form or ".6g") if isinstance(value, float) else line(value)


@dataclass(frozen=True)
class _Comparison:
    """Two executed pages of a chapter: what is on them (`then` by default, `now`), how they differ,
    and the prose as it is read now."""

    page: Page
    source: str
    then: Items
    now: Items
    differences: Sequence[Difference]

    @cached_property
    def both(self) -> list[Difference]:
        """Items of both pages that are not the same; of glued values those that the prose prints
        otherwise."""
        differences = []
        for difference in self.differences:
            is_printed = not difference.item.startswith("glue ") or self._is_printed(difference)
            if None not in (difference.old, difference.new) and is_printed:
                differences.append(difference)
        return differences

    def _is_printed(self, difference: Difference) -> bool:
        """Whether the prose prints a glued value otherwise than by default."""
        for role in drift.ROLE.finditer(self.source):
            old = _printed(difference.old, role[2])
            new = _printed(difference.new, role[2])
            if difference.item == f"glue {role[1]}" and old != new:
                return True
        return False

    @cached_property
    def moved(self) -> dict[str, Difference]:
        """Glued numbers that are not the same, by name."""
        numbers = {}
        for difference in self.both:
            longest = max(len(str(difference.old)), len(str(difference.new)))
            if difference.item.startswith("glue ") and longest <= LONG_TEXT:
                numbers[difference.item.removeprefix("glue ")] = difference
        return numbers

    def marked(self, text: str) -> str:
        """Prose, or a caption, in which the numbers that moved are marked, each with what it is by
        default, and whether that is beyond its spread; headings stay as they are."""

        def mark(role: re.Match[str]) -> str:
            difference = self.moved.get(role[1])
            if difference is None:
                return role[0]
            old = _printed(difference.old, role[2])
            if old == _printed(difference.new, role[2]):
                return role[0]
            beyond = ", beyond the spread" if difference.beyond else ""
            return f"[{role[0]}]{{.gb-moved}} [(default {words(old)}{beyond})]{{.gb-was}}"

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
        text = (
            "## What differs from the default\n\n"
            f"- **Changed:** {'; '.join(changes)}.\n"
            f"- **Moved:** {'; '.join(self._changes()) or 'nothing that the page shows'}.\n"
            f"- **Not moved:** {', '.join(self._same()) or 'nothing'}.\n\n"
            f"This is held beside {where}; the page itself follows below, its numbers that moved"
            " marked."
        )
        if any(difference.beyond is not None for difference in self.moved.values()):
            text += (
                " The spread over seeds is the largest less the smallest, on the page where that is"
                " more."
            )
        lost = 0
        for difference in self.both:
            lost += difference.item.startswith("condition ") and difference.old is True
        if lost:
            text += f" Conditions of its sentences that no longer hold: {lost}, marked there."
        return text

    def _changes(self) -> list[str]:
        """In words what moved: numbers, figures, rows of tables, verdicts and values of claims."""
        changes = []
        if self.moved:
            beyond = [difference.beyond for difference in self.moved.values()]
            sentence = f"{counted(len(beyond), 'number')} in the prose"
            unknown = beyond.count(None)
            if unknown == len(beyond):
                sentence += ", whose spread over seeds is not known"
            else:
                sentence += f", {beyond.count(True)} by more than the spread over seeds"
                sentence += f", {unknown} whose spread is not known" if unknown else ""
            changes.append(sentence)
        items = [difference.item for difference in self.both]
        changes += _counts(items, {"figure": "drawing of ", "table row": "table "})
        for d in self.both:
            if d.item.startswith("verdict of "):
                name = words(d.item.removeprefix("verdict of "))
                changes.append(f"{name} {words(d.old)} → **{words(d.new)}**")
            elif d.item.startswith("value of "):
                change = f"{words(d.item)} {_printed(d.old, None)} → {_printed(d.new, None)}"
                changes.append(f"{change}, out of its band" if d.beyond else change)
        return changes

    def _same(self) -> list[str]:
        """In words how many numbers, figures and verdicts are the same."""
        printed = {f"glue {role[1]}" for role in drift.ROLE.finditer(self.source)}
        differ = {difference.item for difference in self.both}
        same = (self.then.keys() & self.now.keys()) - differ
        numbers = _counts(printed & same, {"number": "glue "})
        return numbers + _counts(same, {"figure": "drawing of ", "verdict": "verdict of "})


def _counts(items: Iterable[str], beginnings: Mapping[str, str]) -> list[str]:
    """How many items begin as those of each thing, in words; nothing of what there is none."""
    counts = []
    for thing, beginning in beginnings.items():
        count = sum(item.startswith(beginning) for item in items)
        counts += [counted(count, thing)] if count else []
    return counts


# ------------------------------------------------------------------------------------------ figures


def _pairs(default: Any, notebook: Any) -> list[Any]:
    """For each figure that differs a cell with both drawings and one with the caption; before them
    a sentence on those that have no such pair."""
    from nbformat.v4 import new_code_cell, new_output

    then = _figures(default)
    now = _figures(notebook)
    cells = []
    alone = []
    for name, figure in now.items():
        if name not in then or then[name].data == figure.data:
            continue
        drawings = [_drawing("default", then[name]), _drawing("yours", figure)]
        if "" in drawings:
            alone.append(f"{{numref}}`{name}`")
            continue
        data = {"text/html": f'<div class="gb-pair">{"".join(drawings)}</div>'}
        pair = new_code_cell("# two drawings", metadata={"tags": ["remove-input"]})
        pair.outputs = [new_output("display_data", data=data)]
        caption = figure.metadata["grokbook"]["caption"]
        cells += [pair, markdown_cell(f"{{numref}}`{name}`, default and yours. {caption}")]
    if alone:
        cells.insert(
            0, markdown_cell(f"Moved, and to be seen on the page alone: {', '.join(alone)}.")
        )
    return cells


def _figures(notebook: Any) -> dict[str, Any]:
    """The outputs of an executed notebook that are figures, by name."""
    figures = {}
    for output in notebooks.outputs(notebook):
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
    """One drawing of a pair as HTML; nothing for a figure that is no picture."""
    address = _address(figure)
    if not address:
        return ""
    alt = html.escape(f"{side}: {figure.metadata['grokbook']['alt']}")
    picture = f'<img src="{address}" alt="{alt}">'
    return f"<figure><figcaption>{html.escape(side)}</figcaption>{picture}</figure>"
