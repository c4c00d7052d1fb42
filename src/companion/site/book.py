"""Build the book: execute the chapters that changed, then the site when anything in it changed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from companion.claims.shared import FINDINGS
from companion.page import costs, sources
from companion.page.safe import counted
from companion.page.sources import Page
from companion.project import of
from companion.python_source import SOURCES, files_of
from companion.site import staging as site
from companion.site import state, variants
from companion.site.execute import execute
from companion.site.jobs import Job, admitted, side_by_side
from companion.site.kernel import Kernels
from companion.site.terminal import Progress
from grokbook.files import locked, temporary_folder
from grokbook.machine import CORES, duration
from grokbook.paths import records_path

_ROOMS = (
    "grokbook",
    "grokbook_chapters",
    "companion/claims",
    "companion/page",
    "companion/exercises",
)
_OF_PAGES = ("outputs.py", "execute.py", "footer.py")
"""What of this room puts something on a page."""

_PACKAGES = (
    "numpy",
    "torch",
    "matplotlib",
    "pandas",
    "xarray",
    "jupytext",
    "papermill",
    "ipykernel",
)


def build(
    root: Path,
    preset: str = "laptop",
    only: Sequence[str] = (),
    strict: bool = False,
    force: bool = False,
    progress: Progress | None = None,
    jobs: int | None = None,
    yes: bool = False,
) -> list[str]:
    """Bring the executed chapters and `site/` up to date; the names of the chapters that were
    executed.

    `jobs` chapters run side by side (default, and at most: one a core). Raises ParameterError,
    before anything runs, for an unknown chapter or preset, for more memory than is free, and above
    an hour that nobody agreed to (`yes`); ChapterError when a chapter fails (its last good page
    stays, and so does the last good site).
    """
    progress = progress or Progress()
    wanted = [sources.find(root, name) for name in only] if only else sources.load_all(root)
    pages = [(chapter.page(preset), "") for chapter in wanted]
    sets: list[tuple[Page, str]] = []
    for chapter in wanted:
        sets += [(page, name) for name, page in variants.pages(chapter, preset).items()]
    for page, _ in (*pages, *sets):
        page.experiments()
    with lock(root):
        waiting = _out_of_date(root, pages, force)
        if more := _out_of_date(root, sets, force):
            chosen, sentence = variants.affordable(more)
            waiting += chosen
            progress.say(sentence)
        at_once = admitted(waiting, jobs, yes)
        _execute_all(waiting, root, progress, strict, at_once)
        rebuilt = site.bring_up_to_date(root, force=force, progress=progress)
    if not waiting and not rebuilt:
        progress.say(f"nothing to do: {len(wanted)} chapters and the site are up to date")
    return [job.page.chapter.name for job in waiting if not job.variant]


def _execute_all(
    jobs: Sequence[Job], root: Path, progress: Progress, strict: bool, at_once: int
) -> None:
    """Execute pages and put each in place when it is ready."""
    kernels = Kernels()
    with temporary_folder() as findings:  # a check of the ledger runs once

        def work(job: Job, share: int) -> None:
            environment = {CORES: str(share), FINDINGS: str(findings)}
            takes = duration(job.predicted.seconds)
            progress.say(f"{job.label}: about {takes}, {job.predicted.memory_mb:.0f} MB")
            run = execute(job.page, root, progress, strict, kernels, environment)
            state.write(state.folder(root, job.variant), job, run)
            figures = counted(len(run.figures), "figure")
            progress.say(f"{job.label}: executed in {run.seconds:.0f} s, {figures}")

        side_by_side(jobs, work, kernels, at_once)


def _out_of_date(root: Path, pages: Sequence[tuple[Page, str]], force: bool) -> list[Job]:
    """The pages, each with the name of its set, whose executed notebook is not there or is of other
    sources; with `force` all."""
    jobs = []
    for page, variant in pages:
        job = planned(root, page, variant)
        card = state.card(root, page.chapter.name, variant) or {}
        if force or card.get("key") != job.key:
            jobs.append(job)
    return jobs


def planned(root: Path, page: Page, variant: str = "") -> Job:
    """A page with what it is predicted to cost, and its key; that of a set, beside its chapter's
    own page."""
    default = page.chapter.page(page.preset) if variant else None
    return Job(page, costs.page_estimate(page, None, default), key(root, page), variant)


def lock(root: Path) -> AbstractContextManager[object]:
    """Hold the checkout for one build; a second one waits."""
    return locked(root / ".grokbook" / "build.lock", f"the checkout {root}")


# ------------------------------------------------------------------------------------- what changed


def key(root: Path, page: Page) -> str:
    """sha256 of all a page depends on: source, parameters, library with its files, package
    versions, records, verdicts.

    Of records and verdicts all there are: a claim on any page may ask for any of them, or miss it.
    """
    files = [records_path(root) / "MANIFEST.json", *of(root).files()]
    files += [Path(__file__).with_name(name) for name in _OF_PAGES]
    for room in _ROOMS:
        files += files_of(SOURCES / room)
    return state.digest((page.chapter.source, page.preset, dict(page.values)), files, _PACKAGES)
