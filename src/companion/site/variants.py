"""A chapter at other values of its parameters, as a page of the site beside the chapter's own.

Each variant that a chapter names is a page of its own, `chapters/NN_name-SET.html`, so the switch
needs no kernel and no network, and an address names it; a script (book/_static/grokbook.js) puts
its parts in place, without it the link is followed. It opens with what differs from the default, as
`grokbook run` does (`beside`).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from companion import notebooks
from companion.page.sources import Chapter, Page
from companion.page.variants import slug
from companion.site import beside, state
from companion.site.arranged import ANSWER, arranged
from companion.site.jobs import Job
from grokbook.machine import duration

MINUTES = 8
"""What a build may spend on all sets: predicted minutes of one core."""
_LABEL = re.compile(r"(?m)^\(([\w-]+)\)=|^:(?:label|name): *([\w-]+)|\$\$ *\(([\w-]+)\) *$")
"""Where a page gives a name: to what follows, to a directive, to an equation."""


@dataclass(frozen=True)
class Variant:
    """A set of a chapter that was executed: its name, its page, its notebook, what the site calls
    it."""

    name: str
    page: Page
    notebook: Any

    @property
    def file(self) -> str:
        """`01_what_is_grokking-p-47`."""
        return f"{self.page.chapter.name}{self.ending}"

    @property
    def ending(self) -> str:
        """What stands behind the labels of its page, as the chapter's own page has these."""
        return f"-{slug(self.name)}"


Sets = Mapping[str, Sequence[Variant]]
"""The variants of a site, by chapter."""


def pages(chapter: Chapter, preset: str) -> dict[str, Page]:
    """The sets that a build makes of a chapter, by name: at `smoke` the first alone, as that only
    tries the machine.

    A set that changes nothing at this preset is none.
    """
    changed = {}
    for name, values in chapter.variants.items():
        page = chapter.page(preset, values)
        if page.changed and not (preset == "smoke" and changed):
            changed[name] = page
    return changed


def affordable(jobs: Sequence[Job]) -> tuple[list[Job], str]:
    """The jobs of sets that fit into the budget of minutes, the shortest first, and a sentence that
    says so."""
    chosen: list[Job] = []
    seconds = 0.0
    for job in sorted(jobs, key=lambda job: job.predicted.seconds):
        if seconds + job.predicted.seconds <= 60 * MINUTES:
            chosen.append(job)
            seconds += job.predicted.seconds
    sentence = (
        f"parameter sets: {len(chosen)} to execute, about {duration(seconds)} of at most {MINUTES}"
        " min on one core"
    )
    rest = [job.label for job in jobs if job not in chosen]
    if rest:
        sentence += f"; left out, as they need more: {', '.join(rest)}"
    return chosen, sentence


def made(root: Path, chapter: Chapter) -> list[Variant]:
    """The executed sets of a chapter with the values of its front matter, at the preset of the
    chapter's page."""
    own = state.card(root, chapter.name)
    if own is None:
        return []
    variants = []
    for name, page in pages(chapter, own["preset"]).items():
        card = state.card(root, chapter.name, name) or {}
        values = json.loads(json.dumps(dict(page.values)))
        if card.get("preset") == page.preset and card["parameters"] == values:
            variants.append(Variant(name, page, state.notebook(root, chapter.name, name)))
    return variants


# ---------------------------------------------------------------------------------- their pages


def shown(variant: Variant, default: Any) -> dict[str, Any]:
    """The notebook of the page of a set as plain values: that of a chapter, with what differs
    before its first section.

    Its labels end in the name of the set, as those of the chapter's own page are taken.
    """
    page = variant.page
    opening, marked = beside.parts(variant.notebook, default, page, "the default")
    notebook = arranged(marked, page.chapter)
    cells = notebook["cells"]
    first = 0
    while first < len(cells) and not cells[first]["source"].startswith("## "):
        first += 1
    cells[first:first] = opening
    notebooks.number(cells)
    notebook["metadata"] |= {"orphan": True, "nosearch": True}
    return _with_ending(notebook, variant.ending)


def labels(text: str) -> list[str]:
    """The names that a text gives (`_LABEL`)."""
    return [match[match.lastindex or 0] for match in _LABEL.finditer(text)]


def _with_ending(notebook: dict[str, Any], ending: str) -> dict[str, Any]:
    """The notebook with an ending on every label that it defines, where it defines it and where it
    names it; code, where a name stands in quotation marks, keeps it."""
    given: list[str] = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            given += labels(cell["source"])
        figure = cell["metadata"].get("mystnb", {}).get("figure", {})
        given += [figure["name"]] if figure else []
    longest_first = sorted(map(re.escape, given), key=len, reverse=True)
    if not longest_first:
        return notebook
    pattern = re.compile(rf"(?<![\w\"-])({'|'.join(longest_first)})(?![\w-])")
    return _rewritten(notebook, partial(pattern.sub, rf"\g<1>{ending}"))


def _rewritten(value: Any, change: Callable[[str], str]) -> Any:
    """Plain values with every text in them changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_rewritten(part, change) for part in value]
    if isinstance(value, dict):
        return {key: _rewritten(part, change) for key, part in value.items()}
    return value


def put_tabs(
    notebook: dict[str, Any], chapter: Chapter, variants: Sequence[Variant], here: str = ""
) -> None:
    """Put links to a page at other parameters below its leading figure and its answer; `here` is
    its own set."""
    from nbformat.v4 import new_code_cell, new_output

    if not variants:
        return
    links = _link(chapter.name, "default", not here)
    for variant in variants:
        links += _link(variant.file, variant.name, variant.name == here)
    markup = (
        '<nav class="gb-sets" aria-label="Parameters of this'
        f' page"><span>Parameters:</span>{links}</nav>'
    )
    cell = new_code_cell("# links", metadata={"tags": ["remove-input"]}, id="parameter-sets")
    cell["outputs"] = [new_output("display_data", data={"text/html": markup})]
    place = 1
    for number, other in enumerate(notebook["cells"], start=1):
        is_lead = "gb-lead" in other["metadata"].get("tags", [])
        if is_lead or ANSWER in other["source"]:
            place = number
    notebook["cells"].insert(place, cell)


def _link(file: str, words: str, is_here: bool) -> str:
    current = ' aria-current="page"' if is_here else ""
    return f'<a href="{file}.html"{current}>{html.escape(words)}</a>'


def facts(variants: Sets) -> dict[str, dict[str, str]]:
    """For the site's extensions: file of each set -> chapter and the ending of its labels."""
    endings = {}
    for chapter, several in variants.items():
        for variant in several:
            endings[variant.file] = {"chapter": chapter, "ending": variant.ending}
    return endings
