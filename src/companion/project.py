"""The project that is worked in: this book, or a companion that somebody wrote for another paper
with its machine.

A project is a folder with `notebooks/` and `book/_config.yml`. What it says of itself stands in its
pyproject.toml:

    [tool.grokbook]
    chapters = "omnigrok"
    # the package of its chapters, a folder beside pyproject.toml or installed
    ledger = "01_first_look"     # the chapter where each claim has an anchor, its id

Without that table it is this book.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from companion.python_source import files_of
from grokbook import __version__
from grokbook.errors import GrokbookError, ParameterError, line, shown
from grokbook.files import PLAIN, as_text, is_plain, unreadable, whole
from grokbook.paths import HOME, frame, project_root

PACKAGE = "grokbook_chapters"
Table = dict[str, Any]
"""A table of a pyproject.toml."""


@dataclass(frozen=True)
class Project:
    """What a project says of itself; the defaults are this book's."""

    root: Path
    name: str = "grokbook"
    version: str = __version__
    chapters: str = PACKAGE
    ledger: str = "18_reproduction_report"

    @property
    def own(self) -> bool:
        """Whether its chapters are another package than this book's."""
        return self.chapters != PACKAGE

    @property
    def verdicts(self) -> Path:
        """The file of its settled verdicts; of this book that which comes with the package, where
        the folder has none."""
        place = Path("data", "verdicts.json")
        here = self.root / place
        return here if self.own or here.is_file() else frame().parent / place

    def package(self) -> str:
        """The package of its chapters, which can be imported from now on.

        One that is only found, since its folder stands above the current one, is imported by
        commands alone: these, and whoever sets `GROKBOOK_HOME`, name the folder. Raises
        GrokbookError where there is none of this name.
        """
        named = Path(os.environ.get(HOME) or os.devnull).resolve() == self.root.resolve()
        if self.own and named and str(self.root) not in sys.path:
            sys.path.insert(0, str(self.root))
        if not self._places():
            raise GrokbookError(
                f"chapters = {self.chapters!r} of [tool.grokbook] is no package that is installed,"
                f" or stands in the folder that {HOME} names."
            )
        return self.chapters

    def _places(self) -> list[Path]:
        spec = None
        with suppress(ImportError, ValueError):  # a part of a dotted name
            spec = importlib.util.find_spec(self.chapters)
        return list(map(Path, spec.submodule_search_locations or ())) if spec else []

    def folders(self) -> list[Path]:
        """Where its chapters' package stands."""
        self.package()
        return self._places()

    def sources(self) -> list[Path]:
        """The files of its chapters' package that pages are made with."""
        found: list[Path] = []
        for folder in self.folders():
            found += files_of(folder)
        return found

    def files(self) -> list[Path]:
        """What its pages are made with besides this package and its own folders: verdicts, and
        chapters of its own."""
        return [self.verdicts, *(self.sources() if self.own else ())]


def of(root: Path) -> Project:
    """The project in a folder.

    Raises ParameterError for a key in `[tool.grokbook]` that there is not, or whose value is no
    name.
    """
    content = _content(root)
    tools = _table(content, "tool")
    if "grokbook" not in tools:
        return Project(root)
    said = _table(tools, "grokbook")
    for name, value in said.items():
        is_name = isinstance(value, str) and (not value or is_plain(value))
        if name not in ("chapters", "ledger") or not is_name:
            raise ParameterError(
                f"[tool.grokbook] has {name} = {shown(value)}; it has chapters and ledger, each a"
                f" text of {PLAIN}."
            )
    about = {"ledger": ""}
    described = _table(content, "project")
    for name in ("name", "version"):
        if name in described:
            about[name] = described[name]
    return Project(root, **about | said)


def current() -> Project:
    """The project that `grokbook.paths.project_root` finds."""
    return of(project_root())


def described(root: Path) -> Table:
    """The table `project` of a folder's pyproject.toml; an empty one where there is no such
    file."""
    return _table(_content(root), "project")


def read_yaml(path: Path) -> Any:
    """What a YAML file of a project says; `unreadable` where it is damaged or not there."""
    import yaml

    try:
        return yaml.safe_load(whole(path))
    except (OSError, yaml.YAMLError, RecursionError) as error:
        raise unreadable(path, line(error)) from error


def urls(root: Path) -> dict[str, str]:
    """The addresses that a folder's pyproject.toml names, `Documentation` that of the site; none
    where there is no such file."""
    return described(root).get("urls", {})


def _table(content: Table, name: str) -> Table:
    """A table of a pyproject.toml, empty where it is not there. Raises ParameterError for a value
    that is none."""
    found = content.get(name, {})
    if not isinstance(found, dict):
        raise ParameterError(f"{name} = {shown(found)} of a pyproject.toml is no table.")
    return found


def _content(root: Path) -> Table:
    """What a folder's pyproject.toml says; nothing where there is no such file."""
    file = root / "pyproject.toml"
    try:
        return _read(file, file.stat().st_mtime_ns)
    except OSError:
        return {}


@lru_cache(maxsize=8)
def _read(file: Path, state: int) -> Table:
    """What a file says; `state`, its time, tells one version of it from the next."""
    try:
        return tomllib.loads(as_text(whole(file)))
    except (OSError, ValueError, RecursionError) as error:
        raise GrokbookError(f"{file} cannot be read: {error}.") from error
