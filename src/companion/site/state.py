"""What lies on disk: executed chapters with their cards, and what git knows of their sources."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import notebooks
from companion.page.sources import chapter_paths
from companion.page.variants import slug
from grokbook.files import atomic_write, whole
from grokbook.runs.provenance import git

if TYPE_CHECKING:
    from companion.site.execute import Run
    from companion.site.jobs import Job


def folder(root: Path, variant: str = "") -> Path:
    """Where a build puts the executed notebooks of the chapters, and those of their sets of this
    name."""
    chapters = root / "book" / "chapters"
    return chapters / "sets" / slug(variant) if variant else chapters


def notebook(root: Path, name: str, variant: str = "") -> Any:
    """The executed notebook of a chapter, or of one of its sets."""
    return notebooks.read(folder(root, variant) / f"{name}.ipynb")


def card(root: Path, name: str, variant: str = "") -> dict[str, Any] | None:
    """What is known of the executed chapter, or of one of its sets; None when there is none, or it
    or its notebook was cut off or altered."""
    place = folder(root, variant)
    try:
        content = whole(place / f"{name}.ipynb")
    except OSError:
        return None
    return read(place / f"{name}.json", content)


def write(place: Path, job: Job, run: Run) -> None:
    """Put the notebook and its card in place, each whole or not at all; without the other neither
    counts."""
    import nbformat

    name = job.page.chapter.name
    content = (nbformat.writes(run.notebook) + "\n").encode()
    about = {
        "key": job.key,
        "preset": job.page.preset,
        "parameters": dict(job.page.values),
        "figures": run.figures,
    }
    atomic_write(place / f"{name}.ipynb", content)
    keep(place / f"{name}.json", about, content)


def keep(path: Path, content: Mapping[str, Any], about: bytes = b"") -> None:
    """Write a table with a sha256 over it and over the bytes it is about; `read` gives it back
    while both are whole."""
    sealed = {**content, "sha256": _seal(content, about)}
    atomic_write(path, (json.dumps(sealed, indent=1) + "\n").encode())


def read(path: Path, about: bytes = b"") -> dict[str, Any] | None:
    """The table that `keep` wrote; None when there is none, or it or what it is about is not what
    it was."""
    try:
        content = json.loads(whole(path))
        seal = content.pop("sha256")
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return None
    return content if seal == _seal(content, about) else None


def digest(about: object, files: Iterable[Path] = (), packages: Iterable[str] = ()) -> str:
    """sha256 of what something rests on: some values, the content of files (there or not), the
    versions of packages."""
    versions = {}
    for name in packages:
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    total = hashlib.sha256(repr((about, versions)).encode())
    for path in files:
        content = path.read_bytes() if path.is_file() else b""
        total.update(f"{path.name}:".encode() + content)
    return total.hexdigest()


def _seal(content: Mapping[str, Any], about: bytes) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode() + about).hexdigest()


def executed(root: Path) -> list[str]:
    """The chapters that have an executed notebook, in order."""
    names = []
    for path in chapter_paths(root):
        if card(root, path.stem) is not None:
            names.append(path.stem)
    return names


def committed(root: Path, path: Path) -> bool:
    """Whether this file is in the last commit, unchanged."""
    relative = path.relative_to(root).as_posix()
    tracked = git(root, "ls-tree", "--name-only", "HEAD", "--", relative)
    return bool(tracked) and git(root, "status", "--porcelain", "--", relative) == ""


def tags(root: Path) -> list[str]:
    """The tags of the commit that is checked out; none outside git."""
    return (git(root, "tag", "--points-at", "HEAD") or "").split()


def revision(root: Path) -> str | None:
    """The commit that is checked out, or None outside git."""
    return git(root, "rev-parse", "HEAD")
