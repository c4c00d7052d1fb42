"""Notebooks as data: one read from its file, its outputs, cells made and numbered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from grokbook.files import whole

Notebook = Mapping[str, Any]
"""A notebook (nbformat 4) that is only read."""


def read(path: Path) -> Any:
    """An executed notebook of this project: texts are whole, where a file has them in lines."""
    from nbformat import v4

    return v4.reads(whole(path).decode())


def outputs(notebook: Notebook) -> Iterator[Any]:
    """The outputs of all cells of a notebook, in order."""
    for cell in notebook["cells"]:
        yield from cell.get("outputs", [])


def markdown_cell(text: str, name: str = "text", metadata: Mapping[str, Any] | None = None) -> Any:
    """A cell of Markdown whose id is `name`."""
    from nbformat.v4 import new_markdown_cell

    return new_markdown_cell(text, id=name, metadata=dict(metadata or {}))


def number(cells: Iterable[Any]) -> None:
    """Make the place of each cell its id: what nbformat draws at random differs between builds."""
    for place, cell in enumerate(cells):
        cell["id"] = f"cell-{place:03d}"
