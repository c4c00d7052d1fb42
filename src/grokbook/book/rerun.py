"""`grokbook run`: one chapter with the reader's own parameters, as a notebook and one stand-alone page."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from grokbook.book import chapters, costs, standalone, state
from grokbook.book.chapters import Chapter
from grokbook.book.execute import execute
from grokbook.book.terminal import Progress
from grokbook.paths import results_path


def rerun(
    root: Path,
    name: str,
    preset: str,
    overrides: Mapping[str, Any],
    out: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Path, Path]:
    """Execute a chapter with these parameters; the paths of the notebook and of the page.

    The book's own pages are left as they are. Raises ParameterError before anything runs, ChapterError when a
    cell fails (nothing is written then).
    """
    progress = progress or Progress()
    chapter = chapters.find(root, name)
    values = chapter.values(preset, overrides)
    predicted = costs.chapter_estimate(chapter, preset, values)
    progress.say(f"{chapter.label}: about {costs.duration(predicted.seconds)}, {predicted.memory_mb:.0f} MB")
    run = execute(chapter, values, preset, root, progress)
    folder = out or results_path(root) / folder_name(chapter, values, preset)
    card = {"preset": preset, "parameters": values, "figures": run.figures, "data": run.trace}
    state.write(folder, chapter.name, run, card)
    page = folder / f"{chapter.name}.html"
    standalone.write_html(root, chapter.name, folder, page)
    return folder / f"{chapter.name}.ipynb", page


def folder_name(chapter: Chapter, values: Mapping[str, Any], preset: str) -> str:
    """`01_what_is_grokking-laptop`, with what differs from the preset: `...-p-113-train_fraction-0.4`."""
    changed = [f"{name}-{value}" for name, value in chapter.changed(values, preset).items()]
    text = "-".join([chapter.name, preset, *changed])
    if len(text) > 100 or not text.replace("-", "").replace("_", "").replace(".", "").isalnum():
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{chapter.name}-{preset}-{digest}"
    return text
