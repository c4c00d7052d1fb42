"""What tests share: the project's place, metadata, sources, tracked files,
targets."""

import ast
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src"
"""The folder of the three packages."""


def read(path: str | Path) -> str:
    """The text of a file of the project."""
    return (ROOT / path).read_text(encoding="utf-8")


def pyproject() -> dict:
    """pyproject.toml."""
    return tomllib.loads(read("pyproject.toml"))


def modules() -> list[Path]:
    """The source files of the three packages, relative to `src`."""
    return sorted(path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))


@cache
def tree(module: Path) -> ast.Module:
    """The syntax tree of a library module."""
    return ast.parse((PACKAGE / module).read_text(encoding="utf-8"))


def dotted(module: Path) -> str:
    """`grokbook/measures/med.py` -> `grokbook.measures.med`; a room's `__init__.py` -> the room."""
    return ".".join(module.with_suffix("").parts).removesuffix(".__init__")


def tracked() -> list[str]:
    """The files that git tracks, as paths relative to the root, without those deleted in the
    working tree."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return [name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]


def make_targets() -> set[str]:
    """The targets that the Makefile declares phony, which are all that a person may ask for."""
    return set(re.search(r"^\.PHONY:(.*)$", read("Makefile"), re.MULTILINE)[1].split())


@cache
def imported_by(source: str, package: str = "") -> frozenset[str]:
    """The full names that source imports, anywhere in it, and where they are from; relative ones in
    its `package`.

    Example:
        >>> sorted(imported_by("import os\\nfrom . import tasks", "grokbook"))
        ['grokbook', 'grokbook.tasks', 'os']
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            above = (
                package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            )
            origin = ".".join([*above, *([node.module] if node.module else [])])
            found |= {origin} | {f"{origin}.{alias.name}" for alias in node.names}
    return frozenset(found)
