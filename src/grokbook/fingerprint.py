"""A fingerprint of the library's code: it changes when what the code does may have changed, and only then."""

from __future__ import annotations

import ast
import hashlib
from functools import lru_cache
from pathlib import Path

TRAINING_ROOMS = ("tasks", "models", "measures", "training")
PLUMBING = ("checkpoint.py", "cost.py", "ensemble.py", "progress.py", "worker.py")
"""Files of the room `training` that move runs about and never touch a number in them."""


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and body:
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = body[1:] or [ast.Pass()]
    return tree


def code_digest(source: str) -> str:
    """sha256 of Python source that ignores comments, docstrings and layout.

    Example:
        >>> code_digest("def f():\\n    'doc'\\n    return 1  # one") == code_digest("def f(): return 1")
        True
    """
    return hashlib.sha256(ast.dump(_without_docstrings(ast.parse(source))).encode()).hexdigest()


@lru_cache(maxsize=8)
def fingerprint(rooms: tuple[str, ...] = TRAINING_ROOMS) -> str:
    """16 hexadecimal digits over the code of `rooms` (default: the rooms a training run goes through)."""
    package = Path(__file__).parent
    digests = [
        f"{path.relative_to(package).as_posix()}:{code_digest(path.read_text(encoding='utf-8'))}"
        for room in rooms
        for path in sorted((package / room).rglob("*.py"))
        if not (room == "training" and path.name in PLUMBING)
    ]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()[:16]
