"""Answers of the command line that cost an import of torch, kept until anything that they rest on changes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path

from grokbook.build.state import digest, keep, read
from grokbook.errors import RecordError
from grokbook.machine import cores
from grokbook.paths import local_store_path, records_path
from grokbook.project import of

_MOST = 50
_PACKAGES = ("numpy", "torch", "matplotlib", "pandas", "xarray", "jupytext", "papermill", "ipykernel", "rich")


def kept(root: Path, question: str, answer: Callable[[], str]) -> str:
    """The answer to a question about the checkout `root`: as it was given, or now from `answer` and kept.

    An answer may come from code, chapters, executed pages, manifests of the records, and the machine. A file of answers
    that is broken, or cannot be written, only costs the time of a new answer.
    """
    package, store = Path(__file__).resolve().parents[1], local_store_path()
    folders = ((package, "**/*.*"), (root / "notebooks", "*.md"), (root / "book" / "chapters", "*.*"))
    files = [path for folder, pattern in folders for path in sorted(folder.glob(pattern)) if path.suffix != ".pyc"]
    files += [records_path(root) / "MANIFEST.json", store / "MANIFEST.json", *of(root).files()]
    now = digest((sys.version, cores(), str(root), str(store)), files, _PACKAGES)
    file = store.with_name("answers.json")
    known = read(file) or {}
    answers = known["answers"] if known.get("rests_on") == now else {}
    if question not in answers:
        answers = {**dict(list(answers.items())[1 - _MOST :]), question: answer()}
        with contextlib.suppress(RecordError):
            keep(file, {"rests_on": now, "answers": answers})
    return answers[question]
