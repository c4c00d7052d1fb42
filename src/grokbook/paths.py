"""Where the project's folders are: sources, records, the local run store. Nothing is created
here."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from grokbook.errors import GrokbookError, ParameterError, shown
from grokbook.machine import say

INSTALLED = Path(__file__).resolve().with_name("_data")
"""What a wheel brings of the checkout, to be read: `notebooks/`, `book/`, the manifests of
`data/records/`."""

HOME = "GROKBOOK_HOME"
"""The variable that names the folder of a checkout, which is then the one, whoever made it."""

RECORDS = "GROKBOOK_RECORDS"
"""The variable that names a folder of records, or an address to fetch them from
(`grokbook.fetch`)."""


def _is_root(folder: Path) -> bool:
    return (folder / "notebooks").is_dir() and (folder / "book" / "_config.yml").is_file()


def _is_ours(folder: Path) -> bool:
    """Whether what makes a folder a project is this user's, or the system's and nobody else's to
    change.

    In a folder that many share, anybody may put a project above where others work.
    """
    if not hasattr(os, "geteuid"):  # Windows
        return True
    for part in ("", "notebooks", "book", "book/_config.yml", "pyproject.toml"):
        with suppress(FileNotFoundError):
            file = folder / part
            state = file.stat()
            system = state.st_uid == 0 and not state.st_mode & stat.S_IWOTH
            # by another user, to what may be ours
            linked = file.lstat().st_uid not in (os.geteuid(), 0)
            if linked or state.st_uid != os.geteuid() and not system:
                return False
    return True


@lru_cache
def _passed_over(folder: Path) -> None:
    """Say once that a project is not taken for the reader's."""
    warning = (
        f"{folder} is another user's and is passed over; set {HOME} to it if you trust what is"
        " in it"
    )
    say(f"{warning}.")


def checkout(start: str | Path | None = None) -> Path:
    """The folder of the checkout: `$GROKBOOK_HOME`, else the nearest one above `start` (default:
    here) that holds `notebooks/` and `book/_config.yml` and is no other user's, else the package's
    own checkout.

    Raises GrokbookError when there is none, ParameterError where the variable names a folder that
    is none.
    """
    home = os.environ.get(HOME)
    if home:
        named = Path(home).resolve()
        if not _is_root(named):
            raise ParameterError(
                f"{HOME} = {shown(home)} is no project: it holds no notebooks/ and no"
                " book/_config.yml."
            )
        return named
    here = Path(start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if folder != INSTALLED and _is_root(folder):
            if _is_ours(folder):
                return folder
            _passed_over(folder)
    for folder in Path(__file__).resolve().parents:
        if folder != INSTALLED and _is_root(folder):
            return folder
    raise GrokbookError(
        f"no grokbook checkout at or above {here}: run inside a clone, or set {HOME} to one."
    )


@contextmanager
def chosen() -> Iterator[None]:
    """Name the checkout that is found from here in `$GROKBOOK_HOME`, for a command and all that it
    starts.

    Who gives a command in a project means that project; who calls the library somewhere below it
    may not.
    """
    before = os.environ.get(HOME)
    with suppress(GrokbookError, OSError):
        os.environ[HOME] = str(checkout())
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(HOME, None)
        else:
            os.environ[HOME] = before


def project_root(start: str | Path | None = None) -> Path:
    """Where chapters and records are read: the checkout, without one what was installed with the
    package.

    Raises GrokbookError when there is neither.
    """
    try:
        return checkout(start)
    except ParameterError:
        raise
    except GrokbookError:
        if _is_root(INSTALLED):
            return INSTALLED
        raise


def frame() -> Path:
    """The folder whose `book/` has what every site is laid out with: configuration, styles,
    extensions of Sphinx.

    It comes with the package: from its wheel, or the checkout that it is run from.
    """
    above = (folder for folder in Path(__file__).resolve().parents if _is_root(folder))
    return (INSTALLED if _is_root(INSTALLED) else next(above, project_root())) / "book"


def records_path(root: Path | None = None) -> Path:
    """The committed records: the folder `$GROKBOOK_RECORDS`, else `data/records` of the checkout
    `root` (default: that of `project_root`) or of the installed package.

    Raises ParameterError where the variable names a folder without a manifest.
    """
    given = os.environ.get(RECORDS, "")
    if not given or "://" in given:
        return (root or project_root()) / "data" / "records"
    if not (Path(given) / "MANIFEST.json").is_file():
        raise ParameterError(
            f"{RECORDS} = {given} is no folder of records: it holds no MANIFEST.json."
        )
    return Path(given)


def local_store_path() -> Path:
    """Runs trained on this machine (not committed): `$GROKBOOK_STORE`, else `.grokbook/records` of
    the checkout, or of the home folder where grokbook is installed without one.

    Raises GrokbookError where there is no home folder either."""
    configured = os.environ.get("GROKBOOK_STORE")
    if configured:
        return Path(configured)
    root = project_root()
    try:
        return (Path.home() if root == INSTALLED else root) / ".grokbook" / "records"
    except RuntimeError:
        raise GrokbookError(
            "there is no home folder to keep runs in; name one: GROKBOOK_STORE."
        ) from None


def results_path(root: Path) -> Path:
    """Where `grokbook run` puts what it made: `runs` of the checkout, or of the current folder
    without one."""
    return (Path.cwd() if root == INSTALLED else root) / "runs"
