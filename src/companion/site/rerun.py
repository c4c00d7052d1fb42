"""`grokbook run`: one chapter with the reader's own parameters, as a notebook and one stand-alone
page."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.page import costs
from companion.page.sources import Page
from companion.site import beside, standalone, state
from companion.site.book import planned
from companion.site.execute import Run, execute
from companion.site.jobs import Job, admitted, seconds_of, side_by_side
from companion.site.kernel import Kernels
from companion.site.terminal import Progress
from grokbook.files import atomic_write, refuse_unwritable
from grokbook.machine import CORES, duration
from grokbook.paths import results_path

CHEAP = 60.0
"""Predicted seconds up to which the default is executed as well, for the comparison, where there is
none."""


def rerun(
    page: Page,
    root: Path,
    out: Path | None = None,
    progress: Progress | None = None,
    yes: bool = False,
) -> tuple[Path, Path]:
    """Execute a page with a reader's parameters; the paths of the notebook and of the page.

    The page opens with how it differs from the chapter at the preset: from the book's page
    where it is up to date, else from one executed now, where that is cheap. Files are written
    when everything is made; the book's own pages are left as they are.

    Raises ParameterError before anything runs (also for a folder that cannot be written, more
    memory than is free, and above an hour that nobody agreed to), ChapterError when a cell fails
    (nothing is written then).
    """
    progress = progress or Progress()
    chapter = page.chapter
    folder = out or results_path(root) / folder_name(page)
    refuse_unwritable(folder, f"--out {folder}")
    mine = planned(root, page)
    plain = planned(root, chapter.page(page.preset))
    default = _default(root, mine, plain)
    wanted = [mine, plain] if default.is_to_run else [mine]
    at_once = admitted(wanted, yes=yes)
    takes = duration(seconds_of(wanted, at_once) + costs.PAGE_SECONDS)
    memory = f"{mine.predicted.memory_mb:.0f} MB"
    progress.say(f"{chapter.label}: about {takes} until its page is made, {memory}")
    progress.say(default.sentence)
    kernels = Kernels()

    def work(job: Job, share: int) -> tuple[Job, Run]:
        return job, execute(job.page, root, progress, False, kernels, {CORES: str(share)})

    runs = {job.key: run for job, run in side_by_side(wanted, work, kernels, at_once)}
    notebook = runs[mine.key].notebook
    if default.where:
        other = runs[plain.key].notebook if default.is_to_run else default.notebook
        notebook = beside.opened(notebook, other, page, default.where)
    html = standalone.page(root, chapter.name, notebook)
    state.write(folder, mine, runs[mine.key])
    atomic_write(folder / f"{chapter.name}.html", html.encode())
    return folder / f"{chapter.name}.ipynb", folder / f"{chapter.name}.html"


@dataclass(frozen=True)
class _Default:
    """What a run is compared with: `where` in words (nothing: it is not compared), the notebook if
    it is there, and a `sentence` for the person who waits."""

    where: str
    sentence: str
    notebook: Any = None

    @property
    def is_to_run(self) -> bool:
        """Whether the default is executed together with the run."""
        return bool(self.where) and self.notebook is None


def _default(root: Path, mine: Job, plain: Job) -> _Default:
    """The chapter at its preset: the book's page, one to be made, or none."""
    preset = plain.page.preset
    if mine.key == plain.key:
        return _Default("", f"these are the values of the preset {preset}: nothing to compare")
    name = plain.page.chapter.name
    card = state.card(root, name) or {}
    if card.get("key") == plain.key:
        words = f"the book's page at preset {preset}"
        sentence = f"it will be compared with {words}"
        return _Default(words, sentence, state.notebook(root, name))
    takes = duration(plain.predicted.seconds)
    if plain.predicted.seconds <= CHEAP:
        sentence = f"the default is executed as well, to be compared: about {takes}"
        return _Default("the default, executed together with it", sentence)
    return _Default(
        "",
        f"there is nothing to compare: the book's page is not of the preset {preset}, or not up to"
        f" date; `grokbook build --only {plain.page.chapter.number} --preset {preset}` makes one in"
        f" about {takes}",
    )


def folder_name(page: Page) -> str:
    """`01_what_is_grokking-laptop`, with what differs from the preset:
    `...-p-113-train_fraction-0.4`."""
    changed = [f"{name}-{value}" for name, value in page.changed.items()]
    text = "-".join([page.chapter.name, page.preset, *changed])
    if len(text) <= 100 and re.fullmatch(r"[\w.-]+", text, re.ASCII):
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{page.chapter.name}-{page.preset}-{digest}"
