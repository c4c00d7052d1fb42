"""A chapter at other values of its parameters: as a page of the site beside the chapter's own, and
as a file.

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

from companion import plain_yaml
from companion.page.safe import line
from companion.page.sources import Chapter, Page, means
from companion.page.variants import slug
from companion.site import beside, state
from companion.site.arranged import arranged
from companion.site.jobs import Job
from grokbook.errors import ParameterError
from grokbook.errors import shown as quoted
from grokbook.files import as_text, atomic_write, given, refuse_as_file
from grokbook.machine import duration

MINUTES = 15
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
        return f"{self.page.chapter.name}-{slug(self.name)}"


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
    return "".join(
        f", {name}"
        for name, one in pages(page.chapter, page.preset).items()
        if one.changed == page.changed
    )


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
    left = ", ".join(
        f"{job.page.chapter.label}{named(job.page)}" for job in jobs if job not in kept
    )
    takes = duration(sum(job.predicted.seconds for job in kept))
    said = (
        f"parameter sets: {len(kept)} to execute, about {takes} of at most {MINUTES} min on one"
        " core"
    )
    return kept, f"{said}; left out, as they need more: {left}" if left else said


def made(root: Path, chapter: Chapter) -> list[Variant]:
    """The executed sets of a chapter with the values of its front matter, at the preset of the
    chapter's page."""
    import nbformat

    card, found = state.card(root, chapter.name), []
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
    chapter, mine = variant.page.chapter, variant.name
    opening, notebook = beside.parts(variant.notebook, default, variant.page, "the default", mine)
    plain = json.loads(json.dumps(notebook))
    plain = arranged(plain, chapter.lead) if chapter.lead else plain
    cells = plain["cells"]
    first = next(
        (i for i, cell in enumerate(cells) if "".join(cell["source"]).startswith("## ")), len(cells)
    )
    cells[first:first] = [json.loads(json.dumps(cell)) for cell in opening]
    ends = _renamed(plain, f"-{slug(mine)}")
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
    texts = [
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"
    ]
    given = {label for text in texts for label in labels(text)}
    figures = [cell["metadata"].get("mystnb", {}).get("figure", {}) for cell in notebook["cells"]]
    given |= {figure["name"] for figure in figures if "name" in figure}
    if not given:
        return notebook
    pattern = re.compile(
        rf"(?<![\w-])({'|'.join(sorted(map(re.escape, given), key=len, reverse=True))})(?![\w-])"
    )
    rename = partial(pattern.sub, rf"\g<1>{ending}")
    for cell, figure in zip(notebook["cells"], figures, strict=True):
        if cell["cell_type"] == "markdown":
            cell["source"] = rename("".join(cell["source"]))
        for part in figure:
            figure[part] = rename(figure[part])
        for output in cell.get("outputs", []):
            data, about = output.get("data", {}), output.get("metadata", {}).get("grokbook", {})
            data |= {
                kind: rename("".join(data[kind])) for kind in ("text/markdown",) if kind in data
            }
            about |= {part: rename(about[part]) for part in ("name", "caption") if part in about}
    return notebook


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
    return {v.file: {"chapter": v.page.chapter.name, "ending": f"-{slug(v.name)}"} for v in every}


# ------------------------------------------------------------------------------------ as a file

LARGEST = 100_000
"""Bytes of the largest file that is read."""

_FIRST, _LAST = "# grokbook parameters", "..."
"""First and last line of a file that `write_file` made: one without the last was cut off."""
_KEYS = {"chapter", "preset", "parameters"}


def write_file(path: Path, page: Page) -> None:
    """Write the whole parameter set of a page to `path`: what `read_file` gives back, whatever the
    presets become.

    Raises ParameterError for what the chapter refuses, and where the file cannot be written.
    """
    import yaml

    page.experiments()
    content = {"chapter": page.chapter.name, "preset": page.preset, "parameters": dict(page.values)}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=10_000)
    refuse_as_file(path, f"--save-params {path}")
    head = f"{_FIRST}: grokbook run {page.chapter.number} --params {path.name}"
    atomic_write(path, f"{head}\n{text}{_LAST}\n".encode())


def read_file(
    path: Path, chapter: Chapter, preset: str | None = None
) -> tuple[str | None, dict[str, Any]]:
    """The preset and the values of a file for a chapter; `preset`, where given, goes over that of
    the file.

    A file may also hold the parameters alone. Values are texts, as `-p` gives them, and are checked
    as those are. Raises ParameterError for a file that cannot be read, is no parameter set, or is
    that of another chapter.
    """
    found = _mapping(path)
    nested = isinstance(found.get("parameters"), dict)
    if nested and (other := set(found) - _KEYS):
        raise ParameterError(
            f"--params {path} has {quoted(min(other))}; it may have chapter, preset and parameters."
        )
    values = found["parameters"] if nested else found
    theirs = found.get("chapter", chapter.name) if nested else chapter.name
    if not isinstance(theirs, str):
        raise ParameterError(f"--params {path}: the chapter is not a word.")
    if not means(theirs, chapter):
        raise ParameterError(
            f"--params {path} is for the chapter {quoted(theirs)}, not for {chapter.name}."
        )
    for one, value in values.items():
        each = value if isinstance(value, list) else [value]
        if not all(isinstance(part, str) for part in (one, *each)):
            raise ParameterError(
                f"--params {path}: {quoted(one)} is neither a value nor a list of values."
            )
    chosen = preset or (found.get("preset") if nested else None)
    if not isinstance(chosen, str | None):
        raise ParameterError(f"--params {path}: the preset is not a word.")
    return chosen, dict(values)


def _mapping(path: Path) -> dict[str, Any]:
    """What a file holds, every value as the text that stands there."""
    try:
        content = given(path, LARGEST)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ParameterError(f"--params {line(path)} cannot be read ({reason}).") from None
    if len(content) > LARGEST:
        raise ParameterError(
            f"--params {path} has more than {LARGEST:,} bytes, so it is no parameter set."
        )
    try:
        text = as_text(content)
        if text.startswith(_FIRST) and text.rstrip().rpartition("\n")[2] != _LAST:
            raise ParameterError(f"it was written only in part: its last line is not `{_LAST}`.")
        found = plain_yaml.texts(text)
    except ParameterError as error:
        raise ParameterError(f"--params {path}: {error}") from None
    if not isinstance(found, dict) or not found:
        raise ParameterError(f"--params {path} holds no parameters; write lines such as `p: 113`.")
    return found
