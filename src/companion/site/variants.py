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
from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from companion.page.sources import Chapter, Page
from companion.page.variants import slug
from companion.site import beside, state
from companion.site.arranged import arranged
from companion.site.jobs import Job
from grokbook.machine import duration

MINUTES = 8
"""What a build may spend on all sets: predicted minutes of one core."""
_LABEL = r"(?m)^\(([\w-]+)\)=|^:(?:label|name): *([\w-]+)|\$\$ *\(([\w-]+)\) *$"
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


def pages(chapter: Chapter, preset: str) -> dict[str, Page]:
    """The sets that a build makes of a chapter, by name: at `smoke` the first alone, as that only
    tries the machine.

    A set that changes nothing at this preset is none.
    """
    every = {name: chapter.page(preset, values) for name, values in chapter.variants.items()}
    changed = {name: page for name, page in every.items() if page.changed}
    return dict(list(changed.items())[: 1 if preset == "smoke" else None])


def named(page: Page) -> str:
    """How messages name the set of a page, after its chapter: `, p = 47`; nothing for the chapter's
    own page."""
    for name, other in pages(page.chapter, page.preset).items():
        if other.changed == page.changed:
            return f", {name}"
    return ""


def folder(root: Path, page: Page) -> Path:
    """Where a build puts the executed notebook of a page: a folder for each name of a set, and one
    for the chapters."""
    chapters = root / "book" / "chapters"
    return chapters / "sets" / slug(named(page)) if page.changed else chapters


def affordable(jobs: Sequence[Job]) -> tuple[list[Job], str]:
    """The jobs of sets that fit into the budget of minutes, the shortest first, and a sentence that
    says so."""
    kept: list[Job] = []
    for job in sorted(jobs, key=lambda job: job.predicted.seconds):
        if sum(one.predicted.seconds for one in (*kept, job)) <= 60 * MINUTES:
            kept.append(job)
    takes = duration(sum(job.predicted.seconds for job in kept))
    said = f"parameter sets: {len(kept)} to execute, about {takes}"
    said += f" of at most {MINUTES} min on one core"
    left = [f"{job.page.chapter.label}{named(job.page)}" for job in jobs if job not in kept]
    if left:
        said += f"; left out, as they need more: {', '.join(left)}"
    return kept, said


def made(root: Path, chapter: Chapter) -> list[Variant]:
    """The executed sets of a chapter with the values of its front matter, at the preset of the
    chapter's page."""
    import nbformat

    card = state.card(root, chapter.name)
    found = []
    for name, page in pages(chapter, card["preset"]).items() if card else ():
        place = folder(root, page)
        about = state.card_in(place, chapter.name) or {}
        if about.get("preset") == page.preset and about["parameters"] == json.loads(
            json.dumps(dict(page.values))
        ):
            found.append(
                Variant(name, page, nbformat.read(place / f"{chapter.name}.ipynb", as_version=4))
            )
    return found


# ---------------------------------------------------------------------------------- their pages


def shown(variant: Variant, default: Any) -> dict[str, Any]:
    """The notebook of the page of a set as plain values: that of a chapter, with what differs
    before its first section.

    Its labels end in the name of the set, as those of the chapter's own page are taken.
    """
    chapter = variant.page.chapter
    mine = variant.name
    opening, notebook = beside.parts(variant.notebook, default, variant.page, "the default", mine)
    plain = json.loads(json.dumps(notebook))
    plain = arranged(plain, chapter)
    cells = plain["cells"]
    first = next(
        (i for i, cell in enumerate(cells) if "".join(cell["source"]).startswith("## ")), len(cells)
    )
    cells[first:first] = [json.loads(json.dumps(cell)) for cell in opening]
    ends = _renamed(plain, variant.ending)
    ends["metadata"] = {**ends["metadata"], "orphan": True, "nosearch": True}
    for index, cell in enumerate(ends["cells"]):
        cell["id"] = f"cell-{index:03d}"
    return ends


def labels(text: str) -> list[str]:
    """The names that a text gives (`_LABEL`)."""
    return [next(filter(None, found)) for found in re.findall(_LABEL, text)]


def _renamed(notebook: dict[str, Any], ending: str) -> dict[str, Any]:
    """The notebook with an ending on every label that it defines, where it defines it and where it
    names it."""
    given: set[str] = set()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            given |= set(labels("".join(cell["source"])))
        given |= {name for part, name in _figure(cell).items() if part == "name"}
    if not given:
        return notebook
    longest_first = sorted(map(re.escape, given), key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w-])({'|'.join(longest_first)})(?![\w-])")
    rename = partial(pattern.sub, rf"\g<1>{ending}")
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = rename("".join(cell["source"]))
        figure = _figure(cell)
        for part in figure:
            figure[part] = rename(figure[part])
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/markdown" in data:
                data["text/markdown"] = rename("".join(data["text/markdown"]))
            about = output.get("metadata", {}).get("grokbook", {})
            for part in about.keys() & {"name", "caption"}:
                about[part] = rename(about[part])
    return notebook


def _figure(cell: Mapping[str, Any]) -> dict[str, str]:
    """Name and caption of the figure that a cell shows; nothing for another cell."""
    return cell["metadata"].get("mystnb", {}).get("figure", {})


def put_pairs(notebook: dict[str, Any], folder: Path) -> None:
    """Take the drawings of pairs out of a page: they go to `folder`, and are loaded when they come
    in sight."""

    def put(picture: re.Match[str]) -> str:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{len(list(folder.iterdir()))}.{picture[1].removesuffix('+xml')}"
        data = b64decode(picture[2])
        (folder / name).write_bytes(data)
        sides = re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', data[:2000])
        size = (
            'width="{:.0f}" height="{:.0f}" '.format(*map(float, sides.groups())) if sides else ""
        )
        return f'loading="lazy" {size}src="../{folder.parent.name}/{folder.name}/{name}"'

    for output in (o for cell in notebook["cells"] for o in cell.get("outputs", [])):
        if 'class="gb-pair"' in (text := "".join(output.get("data", {}).get("text/html", ""))):
            output["data"]["text/html"] = re.sub(
                r'src="data:image/([\w+]+);base64,([^"]+)"', put, text
            )


def tabs(
    notebook: dict[str, Any], chapter: Chapter, variants: Sequence[Variant], here: str = ""
) -> dict[str, Any]:
    """The notebook of a page with links to it at other parameters, below the leading figure; `here`
    is its own set."""
    if not variants:
        return notebook
    links = [("", chapter.name, "default"), *((one.name, one.file, one.name) for one in variants)]
    made = ""
    for name, file, words in links:
        current = ' aria-current="page"' if name == here else ""
        made += f'<a href="{file}.html"{current}>{html.escape(words)}</a>'
    markup = (
        '<nav class="gb-sets" aria-label="Parameters of this'
        f' page"><span>Parameters:</span>{made}</nav>'
    )
    from nbformat.v4 import new_code_cell, new_output

    cell = new_code_cell("# links", metadata={"tags": ["remove-input"]}, id="parameter-sets")
    cell["outputs"] = [new_output("display_data", data={"text/html": markup})]
    cells = notebook["cells"]
    at = 1 + next(
        (i for i, one in enumerate(cells) if "gb-lead" in one["metadata"].get("tags", [])), 0
    )
    return {**notebook, "cells": [*cells[:at], json.loads(json.dumps(cell)), *cells[at:]]}


def facts(variants: Mapping[str, Sequence[Variant]]) -> dict[str, dict[str, str]]:
    """For the site's extensions: file of each set -> chapter, name and the ending of its labels."""
    every = [one for several in variants.values() for one in several]
    return {v.file: {"chapter": v.page.chapter.name, "ending": v.ending} for v in every}
