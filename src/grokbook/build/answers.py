"""Answers of the command line that cost an import of torch, kept until anything that they rest on changes."""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path

from grokbook.build.state import keep, read
from grokbook.errors import RecordError
from grokbook.machine import cores
from grokbook.paths import local_store_path

_MOST = 50
_PACKAGES = ("numpy", "torch", "matplotlib", "pandas", "xarray", "jupytext", "papermill", "ipykernel", "rich")


def kept(root: Path, question: str, answer: Callable[[], str]) -> str:
    """The answer to a question about the checkout `root`: as it was given, or now from `answer` and kept.

    A file of answers that is broken, or cannot be written, only costs the time of a new answer.
    """
    file, now = local_store_path().with_name("answers.json"), rests_on(root)
    known = read(file) or {}
    answers = known["answers"] if known.get("rests_on") == now else {}
    if question not in answers:
        answers = {**dict(list(answers.items())[1 - _MOST :]), question: answer()}
        with contextlib.suppress(RecordError):
            keep(file, {"rests_on": now, "answers": answers})
    return answers[question]


def rests_on(root: Path) -> str:
    """sha256 of all that an answer may come from: code, chapters, executed pages, manifests of the records, machine."""
    digest = hashlib.sha256(repr((sys.version, cores(), package_versions(_PACKAGES))).encode())
    package, store = Path(__file__).resolve().parents[1], local_store_path()
    folders = ((package, "**/*.*"), (root / "notebooks", "*.md"), (root / "book" / "chapters", "*.*"))
    files = [path for folder, pattern in folders for path in sorted(folder.glob(pattern)) if path.suffix != ".pyc"]
    for path in [*files, root / "data" / "records" / "MANIFEST.json", store / "MANIFEST.json"]:
        digest.update(f"{path}:".encode() + (path.read_bytes() if path.is_file() else b""))
    return digest.hexdigest()


def package_versions(names: Iterable[str]) -> dict[str, str | None]:
    """The installed versions of some packages, None for one that is not there."""
    found = {}
    for name in names:
        found[name] = None
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[name] = metadata.version(name)
    return found
