"""From an executed notebook to one that can be printed: figures labelled, progress and timestamps
removed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from companion.page import labelled
from companion.site.terminal import PREFIX
from grokbook.errors import ChapterError

KEY = "grokbook_added"
"""What marks a cell that a build adds and no page shows, in its metadata, with its name in
messages."""

ANOTHER = "# shown by the cell above"
"""The source of a cell that only holds a further output of the cell before it."""

_KEPT_CELL_METADATA = ("tags", "mystnb")


def where(notebook: Any, index: int) -> str:
    """How messages name a cell: `code cell 3, under "The delay"`; one that a build added by its own
    name."""
    cells = notebook.cells[: index + 1]
    if KEY in cells[-1].metadata:
        return cells[-1].metadata[KEY]
    number = sum(1 for cell in cells if cell.cell_type == "code")
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    headings = re.findall(r"(?m)^#{1,6} +(.+?)\s*$", "\n\n".join(texts))
    return f'code cell {number}, under "{headings[-1]}"' if headings else f"code cell {number}"


def code_cells(notebook: Any) -> Iterator[tuple[int, Any]]:
    """The code cells of a notebook with their places among all cells."""
    return ((i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code")


def used(notebook: Any) -> list[dict[str, Any]]:
    """What `page.used` published: the datasets that the cells of an executed page were given."""
    rows = []
    for _, cell in code_cells(notebook):
        for output in cell.outputs:
            rows += output.get("metadata", {}).get("grokbook_used", [])
    return rows


def source(cell: Mapping[str, Any]) -> str:
    """The source of a cell, which a file may have as a list of lines."""
    return "".join(cell["source"])


def published(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """What `page.data` published: the files that the cells of an executed page have for the site,
    by name."""
    found = {}
    for about in _metadata(notebook):
        if file := about.get("grokbook_file"):
            found[file["name"]] = file["content"]
    return found


def files(notebook: Mapping[str, Any]) -> dict[str, Any]:
    """What is `published`, taken out of the notebook."""
    found = published(notebook)
    for about in _metadata(notebook):
        about.pop("grokbook_file", None)
    return found


def _metadata(notebook: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            yield output.get("metadata", {})


def strip(notebook: Any) -> None:
    """Remove what differs from one execution to the next: times, run metadata, random cell
    names."""
    for index, cell in enumerate(notebook.cells):
        cell.metadata = {
            key: cell.metadata[key] for key in _KEPT_CELL_METADATA if key in cell.metadata
        }
        if "tags" in cell.metadata:
            cell.metadata["tags"] = [
                tag for tag in cell.metadata["tags"] if not tag.startswith("papermill")
            ]
        cell.id = f"cell-{index:03d}"
    about = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    language = {
        name: notebook.metadata[name] for name in ("language_info",) if name in notebook.metadata
    }
    notebook.metadata = type(notebook.metadata)(about | language)


def drop_progress(notebook: Any, strict: bool = False) -> None:
    """Remove the training code's progress lines from the outputs.

    Raises ChapterError (strict) when a cell wrote anything else to standard error: a warning has no
    place on a page.
    """
    for index, cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr":
                lines = re.split(r"(?<=[\n\r])", output.text)
                output.text = "".join(line for line in lines if not line.startswith(PREFIX))
                if strict and (said := output.text.strip()):
                    raise ChapterError(
                        f"{where(notebook, index)} wrote to standard error: {said.splitlines()[0]}"
                    )
        cell.outputs = [o for o in cell.outputs if o.output_type != "stream" or o.text.strip()]


def label_figures(notebook: Any) -> list[str]:
    """Give each figure its number, caption and alt text on the page; the names, in order.

    Raises ChapterError for an image without these, a name used twice, and a cell tagged `figure`
    without one.
    """
    names: list[str] = []
    cells = []
    for index, cell in enumerate(notebook.cells):
        found = []
        _label_as_the_cell_says(cell)
        for output in cell.outputs if cell.cell_type == "code" else ():
            if label := output.get("metadata", {}).get("grokbook"):
                found.append(label["name"])
            elif any(mime.startswith("image/") for mime in output.get("data", {})):
                place = where(notebook, index)
                raise ChapterError(
                    f"{place} shows an image without caption and alt text: its metadata `mystnb`"
                    " should give them."
                )
        if "figure" in cell.metadata.get("tags", []) and not found and cell.cell_type == "code":
            raise ChapterError(f"{where(notebook, index)} is tagged `figure` and made none.")
        names += found
        cells += _split(cell) if found else [cell]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ChapterError(f"the figure name {twice[0]!r} is used twice.")
    notebook.cells = cells
    return names


def _label_as_the_cell_says(cell: Any) -> None:
    """Give the figure of a cell the label, caption and alternative text of the cell's own metadata,
    where the author wrote them there.

    Raises ParameterError for a bad name, or a text that is missing.
    """
    figure = cell.metadata.get("mystnb", {}).get("figure")
    if cell.cell_type != "code" or not figure:
        return
    image = cell.metadata["mystnb"].get("image", {})
    label = labelled(figure.get("name", ""), figure.get("caption", ""), image.get("alt", ""))
    label["grokbook"] |= {"classes": image["classes"]} if "classes" in image else {}
    for output in cell.outputs:
        kinds = set(output.get("data", {}))
        about = output.get("metadata", {})
        is_drawn = kinds & {"image/svg+xml", "image/png", "text/html"} and "grokbook" not in about
        if is_drawn and "scrapbook" not in about:
            output["metadata"] = {**about, **label}
            return


def _split(cell: Any) -> list[Any]:
    """The cell, and further cells without code, so that each holds at most one figure and nothing
    beside it.

    The figure's label goes to the metadata of its cell, where myst-nb looks for it.
    """
    from nbformat.v4 import new_code_cell

    groups: list[list[Any]] = []
    begun = True  # whether the last group shows something
    for output in cell.outputs:
        shown = output.output_type != "stream" and "scrapbook" not in output.get("metadata", {})
        if groups and not (shown and begun):
            groups[-1].append(output)
        else:
            groups.append([output])
            begun = False
        begun = begun or shown
    tags = [tag for tag in cell.metadata.get("tags", []) if tag.startswith("remove")]
    tags = list(dict.fromkeys([*tags, "remove-input"]))
    about = {"metadata": {"tags": tags}, "execution_count": cell.execution_count}
    cell.metadata.pop("mystnb", None)  # the figure may go to another cell, and its label with it
    cells = [cell, *(new_code_cell(ANOTHER, **about) for _ in groups[1:])]
    for target, outputs in zip(cells, groups, strict=True):
        target.outputs = outputs
        for output in outputs:
            if label := output.get("metadata", {}).get("grokbook"):
                figure = {part: label[part] for part in ("name", "caption")}
                image = {part: label[part] for part in ("alt", "classes") if part in label}
                target.metadata["mystnb"] = {"figure": figure, "image": image}
    return cells
