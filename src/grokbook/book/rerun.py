"""`grokbook run`: one chapter with the reader's own parameters, as a notebook and one stand-alone page."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grokbook.book import chapters, costs, standalone, state
from grokbook.book.chapters import Chapter
from grokbook.book.execute import execute
from grokbook.book.jobs import Job, long_run, refuse_too_large, side_by_side
from grokbook.book.kernel import Kernels
from grokbook.book.terminal import Progress, agree
from grokbook.errors import ParameterError
from grokbook.paths import results_path


def rerun(
    root: Path,
    name: str,
    preset: str,
    overrides: Mapping[str, Any],
    out: Path | None = None,
    progress: Progress | None = None,
    yes: bool = False,
) -> tuple[Path, Path]:
    """Execute a chapter with these parameters; the paths of the notebook and of the page.

    The book's own pages are left as they are. Raises ParameterError before anything runs (also for a folder that
    cannot be written, more memory than is free, and above an hour that nobody agreed to), ChapterError when a cell
    fails (nothing is written then).
    """
    progress = progress or Progress()
    chapter = chapters.find(root, name)
    values = chapter.values(preset, overrides)
    folder = out or results_path(root) / folder_name(chapter, values, preset)
    _refuse_no_folder(folder)
    predicted = costs.chapter_estimate(chapter, preset, values)
    job = Job(chapter, values, predicted)
    refuse_too_large([job])
    if question := long_run([job]):
        agree(question, yes)
    progress.say(f"{chapter.label}: about {costs.duration(predicted.seconds)}, {predicted.memory_mb:.0f} MB")
    kernels = Kernels()
    (run,) = side_by_side([job], lambda *_: execute(chapter, values, preset, root, progress, False, kernels), kernels)
    card = {"preset": preset, "parameters": values, "figures": run.figures, "data": run.trace}
    state.write(folder, chapter.name, run, card)
    page = folder / f"{chapter.name}.html"
    standalone.write_html(root, chapter.name, folder, page)
    return folder / f"{chapter.name}.ipynb", page


def _refuse_no_folder(folder: Path) -> None:
    """Raise ParameterError where a file stands in the way of the folder, or it cannot be written."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise ParameterError(f"--out {folder}: {there} is a file, not a folder; name a folder, or one to be made.")
    if not os.access(there, os.W_OK):
        raise ParameterError(f"--out {folder}: {there} cannot be written; name another folder.")


def folder_name(chapter: Chapter, values: Mapping[str, Any], preset: str) -> str:
    """`01_what_is_grokking-laptop`, with what differs from the preset: `...-p-113-train_fraction-0.4`."""
    changed = [f"{name}-{value}" for name, value in chapter.changed(values, preset).items()]
    text = "-".join([chapter.name, preset, *changed])
    if len(text) > 100 or not text.replace("-", "").replace("_", "").replace(".", "").isalnum():
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{chapter.name}-{preset}-{digest}"
    return text
