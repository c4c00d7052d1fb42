"""What lies on disk: executed chapters with their cards, and what git knows of their sources."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grokbook.book.chapters import chapter_paths
from grokbook.book.execute import Run


def card(root: Path, name: str) -> dict[str, Any] | None:
    """What is known of the executed chapter, or None when there is none."""
    folder = root / "book" / "chapters"
    if not (folder / f"{name}.ipynb").exists():
        return None
    try:
        return json.loads((folder / f"{name}.json").read_text())
    except (OSError, json.JSONDecodeError):
        return None


def write(folder: Path, name: str, run: Run, card: Mapping[str, Any]) -> None:
    """Put the notebook and its card in place, each whole or not at all."""
    import nbformat

    folder.mkdir(parents=True, exist_ok=True)
    replace(folder / f"{name}.ipynb", nbformat.writes(run.notebook) + "\n")
    replace(folder / f"{name}.json", json.dumps(card, indent=1, default=str) + "\n")


def replace(path: Path, text: str) -> None:
    """Write a file under another name, then move it into place."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def executed(root: Path) -> list[str]:
    """The chapters that have an executed notebook, in order."""
    names = [path.stem for path in chapter_paths(root)]
    return [name for name in names if card(root, name) is not None]


def committed(root: Path, path: Path) -> bool:
    """Whether this file is in the last commit, unchanged."""
    relative = path.relative_to(root).as_posix()
    tracked = _git(root, "ls-tree", "--name-only", "HEAD", "--", relative)
    return bool(tracked) and _git(root, "status", "--porcelain", "--", relative) == ""


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def revision(root: Path) -> str | None:
    """The commit that is checked out, or None outside git."""
    return _git(root, "rev-parse", "HEAD")
