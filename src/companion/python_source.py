"""Source: where it stands, its files, Python parsed."""

from __future__ import annotations

import ast
import threading
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1]
"""The folder in which the three packages stand side by side."""

_PARSING = threading.RLock()


def files_of(folder: Path) -> list[Path]:
    """The files below a folder in order, but those that Python compiles."""
    return sorted(path for path in folder.rglob("*.*") if path.is_file() and path.suffix != ".pyc")


def parsed(source: str) -> ast.Module:
    """`ast.parse`, one thread at a time: two that take turns in it make CPython 3.11 raise
    SystemError now and then.

    Example:
        >>> len(parsed("a = 1\\nb = 2").body)
        2
    """
    with _PARSING:
        return ast.parse(source)
