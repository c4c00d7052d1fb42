"""From an executed notebook to one that can be printed: figures labelled, progress and timestamps removed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from grokbook.book import exercises
from grokbook.book.terminal import PREFIX
from grokbook.errors import ChapterError

_KEPT_CELL_METADATA = ("tags", "mystnb")
_KEPT_NOTEBOOK_METADATA = ("kernelspec", "language_info")


def where(notebook: Any, index: int) -> str:
    """How messages name a cell: `code cell 3, under "The delay"`, or `exercises`."""
    cells = notebook.cells[: index + 1]
    if exercises.KEY in cells[-1].metadata:
        return cells[-1].metadata[exercises.KEY]
    number = sum(1 for cell in cells if cell.cell_type == "code")
    headings = [h for cell in cells if cell.cell_type == "markdown" for h in _headings(cell.source)]
    return f'code cell {number}, under "{headings[-1]}"' if headings else f"code cell {number}"


def _headings(source: str) -> list[str]:
    return re.findall(r"^#{1,6} +(.+?)\s*$", source, re.MULTILINE)


def code_cells(notebook: Any) -> Iterator[tuple[int, Any]]:
    """The code cells of a notebook with their places among all cells."""
    return ((i, cell) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code")


def used(notebook: Any) -> list[dict[str, Any]]:
    """What `page.used` published: the datasets that the cells of an executed page were given."""
    about = (output.get("metadata", {}) for _, cell in code_cells(notebook) for output in cell.outputs)
    return [row for found in about for row in found.get("grokbook_used", [])]


def prepare(notebook: Any, strict: bool) -> list[str]:
    """Make an executed notebook one to print; the names of its figures.

    Raises ChapterError, which names the cell, for what no page can show.
    """
    drop_progress(notebook)
    if strict:
        refuse_stray_output(notebook)
    names = label_figures(notebook)
    strip(notebook)
    return names


def strip(notebook: Any) -> None:
    """Remove what differs from one execution to the next: times, run metadata, random cell names."""
    for index, cell in enumerate(notebook.cells):
        cell.metadata = {key: cell.metadata[key] for key in _KEPT_CELL_METADATA if key in cell.metadata}
        tags = [tag for tag in cell.metadata.get("tags", []) if not tag.startswith("papermill")]
        if "tags" in cell.metadata:
            cell.metadata["tags"] = tags
        cell.id = f"cell-{index:03d}"
    kept = {key: notebook.metadata[key] for key in _KEPT_NOTEBOOK_METADATA if key in notebook.metadata}
    notebook.metadata = type(notebook.metadata)(kept)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}


def drop_progress(notebook: Any) -> None:
    """Remove the training code's progress lines from the outputs."""
    for _, cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr":
                lines = re.split(r"(?<=[\n\r])", output.text)
                output.text = "".join(line for line in lines if not line.startswith(PREFIX))
        cell.outputs = [o for o in cell.outputs if o.output_type != "stream" or o.text.strip()]


def refuse_stray_output(notebook: Any) -> None:
    """Raise ChapterError when a cell wrote to standard error: a warning has no place on a page."""
    for index, cell in code_cells(notebook):
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr":
                first = output.text.strip().splitlines()[0]
                raise ChapterError(f"{where(notebook, index)} wrote to standard error: {first}")


def label_figures(notebook: Any) -> list[str]:
    """Give each figure its number, caption and alt text on the page; the names, in order.

    Raises ChapterError for an image without these, a name used twice, and a cell tagged `figure` without one.
    """
    names: list[str] = []
    cells = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            cells.append(cell)
            continue
        found = _figure_names(notebook, index, cell)
        names += found
        cells += _split(cell) if found else [cell]
    for name in names:
        if names.count(name) > 1:
            raise ChapterError(f"the figure name {name!r} is used twice.")
    notebook.cells = cells
    return names


def _figure_names(notebook: Any, index: int, cell: Any) -> list[str]:
    """The names of the cell's figures; refuses images that `page.figure` did not make."""
    found = []
    for output in cell.outputs:
        label = output.get("metadata", {}).get("grokbook")
        if label:
            found.append(label["name"])
        elif any(mime.startswith("image/") for mime in output.get("data", {})):
            raise ChapterError(
                f"{where(notebook, index)} shows an image without caption and alt text: use page.figure."
            )
    if "figure" in cell.metadata.get("tags", []) and not found:
        raise ChapterError(f"{where(notebook, index)} is tagged `figure` and made none.")
    return found


def _split(cell: Any) -> list[Any]:
    """The cell, and further cells without code, so that each holds at most one figure and nothing beside it.

    The figure's label goes to the metadata of its cell, where myst-nb looks for it.
    """
    groups: list[list[Any]] = []
    for output in cell.outputs:
        shown = output.output_type != "stream" and not _is_glue(output)
        if groups and not (shown and _has_shown(groups[-1])):
            groups[-1].append(output)
        else:
            groups.append([output])
    cells = []
    for number, outputs in enumerate(groups):
        target = cell if number == 0 else _outputs_only(cell)
        target.outputs = outputs
        for output in outputs:
            label = output.get("metadata", {}).get("grokbook")
            if label:
                target.metadata["mystnb"] = {
                    "figure": {"name": label["name"], "caption": label["caption"]},
                    "image": {key: label[key] for key in ("alt", "classes") if key in label},
                }
        cells.append(target)
    return cells


def _is_glue(output: Any) -> bool:
    return "scrapbook" in output.get("metadata", {})


def _has_shown(outputs: list[Any]) -> bool:
    return any(o.output_type != "stream" and not _is_glue(o) for o in outputs)


def _outputs_only(cell: Any) -> Any:
    from nbformat.v4 import new_code_cell

    kept = [tag for tag in cell.metadata.get("tags", []) if tag.startswith("remove")]
    tags = list(dict.fromkeys([*kept, "remove-input"]))
    return new_code_cell("# shown by the cell above", metadata={"tags": tags}, execution_count=cell.execution_count)
