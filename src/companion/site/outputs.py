"""From an executed notebook to one that can be printed: figures labelled, progress and timestamps
removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from companion import notebooks
from companion.claims.shared import Row
from companion.notebooks import Notebook
from companion.page import labelled
from companion.site.terminal import PREFIX
from grokbook.errors import ChapterError

KEY = "grokbook_added"
"""What marks a cell that a build adds and no page shows, in its metadata, with its name in
messages."""


def where(notebook: Any, index: int) -> str:
    """How messages name a cell: `code cell 3, under "The delay"`; one that a build added by its own
    name."""
    metadata = notebook.cells[index].metadata
    if KEY in metadata:
        return metadata[KEY]
    number = 0
    headings: list[str] = []
    for cell in notebook.cells[: index + 1]:
        if cell.cell_type == "code":
            number += 1
        elif cell.cell_type == "markdown":
            headings += re.findall(r"(?m)^#{1,6} +(.+?)\s*$", cell.source)
    place = f"code cell {number}"
    return f'{place}, under "{headings[-1]}"' if headings else place


def code_cells(notebook: Any) -> Iterator[tuple[int, Any]]:
    """The code cells of a notebook with their places among all cells."""
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            yield place, cell


def used(notebook: Notebook) -> list[Row]:
    """What `page.used` published: the datasets that the cells of an executed page were given."""
    rows: list[Row] = []
    for output in notebooks.outputs(notebook):
        rows += output.get("metadata", {}).get("grokbook_used", [])
    return rows


def published(notebook: Notebook) -> dict[str, Any]:
    """What `page.data` published: the files that the cells of an executed page have for the site,
    by name."""
    files = {}
    for output in notebooks.outputs(notebook):
        if file := output.get("metadata", {}).get("grokbook_file"):
            files[file["name"]] = file["content"]
    return files


def strip(notebook: Any) -> None:
    """Remove what differs from one execution to the next: times, run metadata, random cell
    names."""
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        about = {"tags": [tag for tag in tags if not tag.startswith("papermill")]}
        if "mystnb" in cell.metadata:
            about["mystnb"] = cell.metadata["mystnb"]
        cell.metadata = type(notebook.metadata)(about)
    notebooks.number(notebook.cells)
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    if "language_info" in notebook.metadata:
        about["language_info"] = notebook.metadata["language_info"]
    notebook.metadata = type(notebook.metadata)(about)


def drop_progress(notebook: Any, strict: bool = False) -> None:
    """Remove the training code's progress lines from the outputs.

    Raises ChapterError (strict) when a cell wrote anything else to standard error: a warning has no
    place on a page.
    """
    for index, cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type != "stream" or output.name != "stderr":
                continue
            lines = re.split(r"(?<=[\n\r])", output.text)
            output.text = "".join(line for line in lines if not line.startswith(PREFIX))
            if strict and output.text.strip():
                first = output.text.strip().splitlines()[0]
                raise ChapterError(f"{where(notebook, index)} wrote to standard error: {first}")
        cell.outputs = [o for o in cell.outputs if o.output_type != "stream" or o.text.strip()]


def label_figures(notebook: Any) -> list[str]:
    """Give each figure its number, caption and alternative text on the page; the names, in order.

    The author writes these into the metadata of the cell (`mystnb`), where myst-nb looks for them;
    a figure that a script draws brings them in its output, and its cell is given them here.

    Raises ChapterError for an image without them, a figure that was announced and not drawn, one
    that does not stand alone in its cell, and a name used twice; ParameterError for a bad name and
    for a text that is missing.
    """
    names: list[str] = []
    for index, cell in code_cells(notebook):
        outputs = [output for output in cell.outputs if _is_shown(output)]
        figure = _figure(cell, outputs)
        if figure is None and not any(map(_is_picture, outputs)):
            continue
        place = where(notebook, index)
        if figure is None:
            raise ChapterError(
                f"{place} shows an image without caption and alt text: its metadata `mystnb` should"
                " give them."
            )
        name = figure["name"]
        if len(outputs) != 1:
            raise ChapterError(f"{place} must show the figure {name} and nothing else.")
        if name in names:
            raise ChapterError(f"the figure name {name!r} is used twice.")
        names.append(name)
        outputs[0].setdefault("metadata", type(cell.metadata)())["grokbook"] = figure
        cell.metadata["mystnb"] = {
            "figure": {"name": name, "caption": figure["caption"]},
            "image": {"alt": figure["alt"]},
        }
    return names


def _is_shown(output: Any) -> bool:
    """Whether an output is more than lines of text or a value for the prose."""
    return output.output_type != "stream" and "scrapbook" not in output.get("metadata", {})


def _is_picture(output: Any) -> bool:
    return any(kind.startswith("image/") for kind in output.get("data", {}))


def _figure(cell: Any, outputs: list[Any]) -> dict[str, Any] | None:
    """Name, caption and alternative text of the figure of a cell; None where it has none."""
    for output in outputs:
        if "grokbook" in output.get("metadata", {}):
            return output.metadata["grokbook"]
    about = cell.metadata.get("mystnb", {})
    if "figure" not in about:
        return None
    figure = about["figure"]
    alt = about.get("image", {}).get("alt", "")
    return labelled(figure.get("name", ""), figure.get("caption", ""), alt)["grokbook"]
