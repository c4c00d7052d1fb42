"""Python source: parsed, and a digest of it that ignores comments and layout."""

from __future__ import annotations

import ast
import hashlib
import sys
import threading
from functools import cache, lru_cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1]
"""The folder in which the three packages stand side by side."""

_PARSING = threading.RLock()


def parsed(source: str) -> ast.Module:
    """`ast.parse`, one thread at a time: two that take turns in it make CPython 3.11 raise
    SystemError now and then.

    Example:
        >>> len(parsed("a = 1\\nb = 2").body)
        2
    """
    with _PARSING:
        return ast.parse(source)


@cache
def code_digest(source: str) -> str:
    """sha256 of Python source that ignores comments, docstrings and layout.

    It is taken over `ast.dump` as Python 3.11 writes it: 3.12 adds the parameters of types, 3.13
    leaves out what is empty.
    """
    tree = parsed(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
            and body
        ):
            kept = [
                n
                for n in body
                if not (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant))
            ]
            node.body = kept or [ast.Pass()]
    every = {"show_empty": True} if sys.version_info >= (3, 13) else {}
    return hashlib.sha256(
        ast.dump(tree, **every).replace(", type_params=[]", "").encode()
    ).hexdigest()


@lru_cache(maxsize=8)
def code_fingerprint(rooms: tuple[str, ...]) -> str:
    """16 hexadecimal digits over all the code of some rooms, such as ("grokbook/tasks",
    "companion/page")."""
    files = [path for room in rooms for path in (SOURCES / room).rglob("*.py")]
    return _digest({path.relative_to(SOURCES).as_posix(): path for path in files})


def _digest(files: dict[str, Path]) -> str:
    lines = [
        f"{name}:{code_digest(path.read_text(encoding='utf-8'))}"
        for name, path in sorted(files.items())
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
