"""Where the project's folders are: sources, records, the local run store. Nothing is created here."""

from __future__ import annotations

import os
from pathlib import Path

from grokbook.errors import GrokbookError, ParameterError

INSTALLED = Path(__file__).resolve().with_name("_data")
"""What a wheel brings of the checkout, to be read: `notebooks/`, `book/`, the manifests of `data/records/`."""

RECORDS = "GROKBOOK_RECORDS"
"""The variable that names a folder of records, or an address to fetch them from (`grokbook.fetch`)."""


def _is_root(folder: Path) -> bool:
    return (folder / "notebooks").is_dir() and (folder / "book" / "_config.yml").is_file()


def checkout(start: str | Path | None = None) -> Path:
    """The folder of the checkout: `$GROKBOOK_HOME`, else the nearest one above `start` (default: here, then
    the package's own checkout) that holds `notebooks/` and `book/_config.yml`.

    Raises GrokbookError when there is none.
    """
    home = os.environ.get("GROKBOOK_HOME")
    if home:
        return Path(home).resolve()
    here = Path(start or Path.cwd()).resolve()
    for folder in (here, *here.parents, *Path(__file__).resolve().parents):
        if folder != INSTALLED and _is_root(folder):
            return folder
    raise GrokbookError(
        f"no grokbook checkout at or above {here}: run inside a clone, or set GROKBOOK_HOME to one."
    )


def project_root(start: str | Path | None = None) -> Path:
    """Where chapters and records are read: the checkout, without one what was installed with the package.

    Raises GrokbookError when there is neither.
    """
    try:
        return checkout(start)
    except GrokbookError:
        if _is_root(INSTALLED):
            return INSTALLED
        raise


def frame() -> Path:
    """The folder whose `book/` has what every site is laid out with: configuration, styles, extensions of Sphinx.

    It comes with the package: from its wheel, or the checkout that it is run from.
    """
    above = (folder for folder in Path(__file__).resolve().parents if _is_root(folder))
    return (INSTALLED if _is_root(INSTALLED) else next(above, project_root())) / "book"


def records_path(root: Path | None = None) -> Path:
    """The committed records: the folder `$GROKBOOK_RECORDS`, else `data/records` of the checkout `root` (default: that
    of `project_root`) or of the installed package.

    Raises ParameterError where the variable names a folder without a manifest.
    """
    given = os.environ.get(RECORDS, "")
    if not given or "://" in given:
        return (root or project_root()) / "data" / "records"
    if not (Path(given) / "MANIFEST.json").is_file():
        raise ParameterError(f"{RECORDS} = {given} is no folder of records: it holds no MANIFEST.json.")
    return Path(given)


def local_store_path() -> Path:
    """Runs trained on this machine (not committed): `$GROKBOOK_STORE`, else `.grokbook/records` of the checkout, or
    of the home folder where grokbook is installed without one.

    Raises GrokbookError where there is no home folder either."""
    configured = os.environ.get("GROKBOOK_STORE")
    if configured:
        return Path(configured)
    root = project_root()
    try:
        return (Path.home() if root == INSTALLED else root) / ".grokbook" / "records"
    except RuntimeError:
        raise GrokbookError("there is no home folder to keep runs in; name one: GROKBOOK_STORE.") from None


def results_path(root: Path) -> Path:
    """Where `grokbook run` puts what it made: `runs` of the checkout, or of the current folder without one."""
    return (Path.cwd() if root == INSTALLED else root) / "runs"
