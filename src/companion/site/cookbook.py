"""The cookbook: a page whose recipes are run while the site is built, once for each state of it and
of the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from companion.python_source import SOURCES
from companion.site import outputs, state
from companion.site.execute import run_cells
from companion.site.kernel import LOG, Kernels
from companion.site.terminal import Progress, ProgressStream
from grokbook.files import atomic_write, temporary_folder
from grokbook.own_code import PACKAGES

NAME = "cookbook"


def put(root: Path, source: Path) -> None:
    """Put the page with what its recipes print in the place of its source among the pages to be
    built.

    Raises ChapterError with the recipe that fails or writes to stderr.
    """
    page = root / "book" / f"{NAME}.md"
    if page.is_file():
        (source / f"{NAME}.ipynb").write_bytes(executed(root, page))
        (source / f"{NAME}.md").unlink(missing_ok=True)


def executed(root: Path, page: Path) -> bytes:
    """The notebook of the recipes, run now, or as it was when they and the library were these."""
    copy = root / ".grokbook" / f"{NAME}.ipynb"
    card = copy.with_suffix(".json")
    files = [page]
    for package in PACKAGES:
        files += sorted((SOURCES / package).rglob("*.py"))
    key = state.digest(NAME, files, ("torch", "xarray", "numpy"))
    content = copy.read_bytes() if copy.is_file() else b""
    if (state.read(card, content) or {}).get("key") != key:
        content = _run(page)
        atomic_write(copy, content)
        state.keep(card, {"key": key}, content)
    return content


def _run(page: Path) -> bytes:
    import jupytext
    import nbformat

    notebook: Any = jupytext.read(page)
    with temporary_folder() as place, temporary_folder() as folder:
        environment = {"GROKBOOK_STORE": str(folder / "store")}
        with Kernels().options(folder, environment) as options:
            said = ProgressStream(Progress(), NAME)
            notebook = run_cells("the cookbook", notebook, place, options, said, folder / LOG)
    outputs.drop_progress(notebook, strict=True)
    outputs.strip(notebook)
    return nbformat.writes(notebook).encode()
