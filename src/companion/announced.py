"""What the chapters announce: found by walking the package of a project's chapters when asked, not
before."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from companion.project import current
from grokbook.paths import project_root

if TYPE_CHECKING:
    from grokbook.runs import Experiment


@lru_cache(maxsize=1)
def chapters() -> tuple[ModuleType, ...]:
    """Every module below the chapters' package, imported, in alphabetical order; a chapter's
    package before its parts.

    Exercises are left out: they announce nothing, and a page need not load them.

    Example:
        >>> all(module.__name__.startswith("grokbook_chapters.") for module in chapters())
        True
    """
    package = current().package()
    folder = import_module(package).__path__
    modules = []
    for name in sorted(found.name for found in pkgutil.walk_packages(folder, f"{package}.")):
        if not name.endswith(".exercises"):
            modules.append(import_module(name))
    return tuple(modules)


def folder_of(module: str) -> str:
    """The folder of the chapter that a module belongs to.

    Example:
        >>> folder_of("grokbook_chapters.uniformity.figures")
        'uniformity'
    """
    return module.removeprefix(f"{current().chapters}.").partition(".")[0]


def chapter_of(topic: str) -> str:
    """The chapter named as this topic, `NN_topic`, by its file in `notebooks/`; where there is
    none, the topic."""
    for path in sorted((project_root() / "notebooks").glob(f"*_{topic}.md")):
        if re.fullmatch(rf"\d\d[a-z]?_{topic}", path.stem):
            return path.stem
    return topic


def experiments() -> list[Callable[[], dict[str, Experiment]]]:
    """What the chapters announce in `RUNS`: functions without arguments that give experiments by
    some label.

    `grokbook.runs.catalogue` calls this, the entry point `companion` of the group
    `grokbook.experiments`.
    """
    found: list[Callable[[], dict[str, Experiment]]] = []
    for module in chapters():
        found += vars(module).get("RUNS", ())
    return found
