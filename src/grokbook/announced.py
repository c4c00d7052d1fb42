"""What the topics announce: found by walking the package `grokbook.topics` when asked, never imported at the top."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from types import ModuleType

from grokbook.paths import project_root

PACKAGE = "grokbook.topics"


@lru_cache(maxsize=1)
def topics() -> tuple[ModuleType, ...]:
    """Every module below `grokbook.topics`, imported, in alphabetical order; a topic's package before its parts.

    Example:
        >>> all(module.__name__.startswith("grokbook.topics.") for module in topics())
        True
    """
    package = import_module(PACKAGE)
    names = sorted(found.name for found in pkgutil.walk_packages(package.__path__, f"{PACKAGE}."))
    return tuple(import_module(name) for name in names)


def announced(name: str) -> Iterator[object]:
    """The value of the module attribute `name` of every module of the topics that has one of its own."""
    for module in topics():
        if name in vars(module):
            yield vars(module)[name]


def topic_of(module: str) -> str:
    """The topic that a module belongs to.

    Example:
        >>> topic_of("grokbook.topics.uniformity.figures")
        'uniformity'
    """
    return module.removeprefix(f"{PACKAGE}.").partition(".")[0]


def chapter_of(topic: str) -> str:
    """The chapter named as this topic, `NN_topic`, by its file in `notebooks/`; the topic itself where there is none.

    Example:
        >>> chapter_of("med_tracking"), chapter_of("no_such_topic")
        ('05_med_tracking', 'no_such_topic')
    """
    found = sorted(path.stem for path in (project_root() / "notebooks").glob(f"*_{topic}.md"))
    return next((stem for stem in found if re.fullmatch(rf"\d\d[a-z]?_{topic}", stem)), topic)
