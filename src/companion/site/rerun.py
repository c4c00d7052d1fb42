"""`grokbook run`: one chapter with the reader's own parameters, as a notebook and one stand-alone
page."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from companion.page import costs
from companion.page.sources import Page
from companion.site import beside, standalone, state
from companion.site.book import planned
from companion.site.execute import Run, execute
from companion.site.jobs import Job, long_run, refuse_too_large, seconds_of, side_by_side
from companion.site.kernel import Kernels
from companion.site.terminal import Progress, agree
from grokbook.files import atomic_write, refuse_unwritable
from grokbook.machine import CORES, cores
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
    compare: bool | None = None,
) -> tuple[Path, Path]:
    """Execute a page with a reader's parameters; the paths of the notebook and of the page.

    The page opens with how it differs from the chapter at the preset: from the book's page or a
    former run, where they are up to date, else from one executed now, where that is cheap or
    `compare` asks for it (False: never). Files are written when everything is made; the book's own
    pages are left as they are.

    Raises ParameterError before anything runs (also for a folder that cannot be written, more
    memory than is free, and above an hour that nobody agreed to), ChapterError when a cell fails
    (nothing is written then).
    """
    progress = progress or Progress()
    label = page.chapter.label
    folder = out or results_path(root) / folder_name(page)
    refuse_unwritable(folder, f"--out {folder}")
    mine = planned(root, page)
    plain = planned(root, page.chapter.page(page.preset))
    where, default, said = _default(root, mine, plain, compare)
    wanted = [mine, plain] if where and default is None else [mine]
    at_once = min(len(wanted), cores())
    refuse_too_large(wanted)
    if question := long_run(wanted, at_once):
        agree(question, yes)
    takes = costs.duration(seconds_of(wanted, at_once) + costs.PAGE_SECONDS)
    progress.say(
        f"{label}: about {takes} until its page is made, {mine.predicted.memory_mb:.0f} MB"
    )
    progress.say(said)
    kernels = Kernels()

    def work(job: Job, share: int) -> tuple[Job, Run]:
        return job, execute(job.page, root, progress, False, kernels, {CORES: str(share)})

    runs = {job.key: (job, run) for job, run in side_by_side(wanted, work, kernels, at_once)}
    notebook = runs[mine.key][1].notebook
    if where:
        notebook = beside.opened(notebook, default or runs[plain.key][1].notebook, page, where)
    made = standalone.page(root, page.chapter.name, notebook)
    for job, run in runs.values():
        state.write(folder if job is mine else _own_folder(root, plain), job, run)
    name = page.chapter.name
    atomic_write(folder / f"{name}.html", made.encode())
    return folder / f"{name}.ipynb", folder / f"{name}.html"


def _default(root: Path, mine: Job, plain: Job, compare: bool | None) -> tuple[str, Any, str]:
    """What a run is compared with, in words ("" for nothing), its notebook if it is there, and a
    sentence that says so.

    The notebook is None where the default is to be executed as well.
    """
    import nbformat

    preset = plain.page.preset
    if mine.key == plain.key:
        return "", None, f"there is nothing to compare: these are the values of the preset {preset}"
    if compare is False:
        return "", None, "it is not compared with the default, as --no-compare says"
    own = _own_folder(root, plain)
    places = {f"the book's page at preset {preset}": root / "book" / "chapters"}
    places[f"a former run of the default, kept in {own.name}"] = own
    for words, folder in places.items():
        file = folder / f"{plain.page.chapter.name}.ipynb"
        content = file.read_bytes() if file.is_file() else b""
        card = state.read(file.with_suffix(".json"), content) or {}
        if content and card.get("key") == plain.key:  # whole, and of the present sources
            return (
                words,
                nbformat.reads(content.decode(), as_version=4),
                f"it will be compared with {words}",
            )
    takes = costs.duration(plain.predicted.seconds)
    if compare or plain.predicted.seconds <= CHEAP:
        said = f"the default is executed as well, to be compared: about {takes}"
        return "the default, executed together with it", None, said
    absent = f"no page of the preset {preset} that is up to date is here"
    return (
        "",
        None,
        (
            f"there is nothing to compare: {absent}, and to make one takes about {takes} (--compare"
            " does it)"
        ),
    )


def _own_folder(root: Path, plain: Job) -> Path:
    return results_path(root) / folder_name(plain.page)


def folder_name(page: Page) -> str:
    """`01_what_is_grokking-laptop`, with what differs from the preset:
    `...-p-113-train_fraction-0.4`."""
    changed = [f"{name}-{value}" for name, value in page.changed.items()]
    text = "-".join([page.chapter.name, page.preset, *changed])
    if len(text) > 100 or not text.replace("-", "").replace("_", "").replace(".", "").isalnum():
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{page.chapter.name}-{page.preset}-{digest}"
    return text
