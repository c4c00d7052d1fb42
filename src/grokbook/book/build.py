"""Build the book: execute the chapters that changed, then the site when anything in it changed."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from grokbook.book import chapters as sources
from grokbook.book import costs, site, state
from grokbook.book.chapters import Chapter
from grokbook.book.execute import Run, execute
from grokbook.book.jobs import Job, long_run, refuse_too_large, side_by_side
from grokbook.book.kernel import Kernels
from grokbook.book.terminal import Progress, agree
from grokbook.claims.shared import FINDINGS
from grokbook.claims.verdicts import SETTLED
from grokbook.fingerprint import code_digest, rooms_fingerprint
from grokbook.machine import CORES, cores

_ROOMS = ("tasks", "models", "measures", "theory", "training", "runs", "claims", "plotting", "chapters")
_PAGE_CODE = (
    *("page.py", "show.py", "outputs.py", "execute.py", "footer.py", "costs.py", "safe.py", "tables.py"),
    *("drawing.py", "wrapping.py", "cards.py", "interactive.py", "training_page.py", "front.py", "findings.py"),
    *("links.py", "typeset.py", "chapters.py", "parameters.py", "conditions.py"),
)
_PACKAGES = ("numpy", "torch", "matplotlib", "pandas", "xarray", "jupytext", "papermill", "ipykernel")


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
    """Bring the executed chapters and `site/` up to date; the names of the chapters that were executed.

    `jobs` chapters run side by side (default, and at most: one a core). Raises ParameterError, before anything runs,
    for an unknown chapter or preset, for more memory than is free, and above an hour that nobody agreed to (`yes`);
    ChapterError when a chapter fails (its last good page stays, and so does the last good site).
    """
    progress = progress or Progress()
    wanted = [sources.find(root, name) for name in only] if only else sources.load_all(root)
    runs = [(chapter, chapter.values(preset)) for chapter in wanted]
    for chapter, values in runs:
        chapter.experiments(values)
    with lock(root):
        known = [planned(root, chapter, values, preset) for chapter, values in runs]
        waiting = [job for job in known if force or not is_current(root, job.chapter.name, job.key)]
        at_once = min(jobs or cores(), cores(), max(len(waiting), 1))
        refuse_too_large(waiting)
        if question := long_run(waiting, at_once):
            agree(question, yes)
        _execute_all(root, waiting, preset, strict, progress, at_once)
        rebuilt = site.bring_up_to_date(root, force=force, progress=progress)
    if not waiting and not rebuilt:
        progress.say(f"nothing to do: {len(runs)} chapters and the site are up to date")
    return [job.chapter.name for job in waiting]


def planned(root: Path, chapter: Chapter, values: Mapping[str, Any], preset: str) -> Job:
    """A chapter with its values, what it is predicted to cost, and its key."""
    predicted = costs.chapter_estimate(chapter, preset, values)
    return Job(chapter, values, predicted, key(root, chapter, values, preset))


def _execute_all(
    root: Path, waiting: Sequence[Job], preset: str, strict: bool, progress: Progress, at_once: int
) -> None:
    """Execute these chapters side by side, each put in place when it is ready; a check of the ledger runs once."""
    kernels = Kernels()

    def work(job: Job, share: int) -> None:
        chapter, values, predicted = job.chapter, job.values, job.predicted
        progress.say(f"{chapter.label}: about {costs.duration(predicted.seconds)}, {predicted.memory_mb:.0f} MB")
        environment = {CORES: str(share), FINDINGS: findings}
        run = execute(chapter, values, preset, root, progress, strict, kernels, environment)
        state.write(root / "book" / "chapters", chapter.name, run, _card(job, preset, run))
        progress.say(f"{chapter.label}: executed in {run.seconds:.0f} s, {len(run.figures)} figures")

    with tempfile.TemporaryDirectory(prefix="grokbook-findings-") as findings:
        side_by_side(waiting, work, kernels, at_once)


@contextmanager
def lock(root: Path) -> Iterator[None]:
    """Hold the checkout for one build; a second one waits."""
    from filelock import FileLock

    folder = root / ".grokbook"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "build.lock"):
        yield


def _card(job: Job, preset: str, run: Run) -> dict[str, Any]:
    """What is kept beside an executed chapter."""
    return {
        "key": job.key,
        "preset": preset,
        "parameters": dict(job.values),
        "figures": run.figures,
        "seconds": round(run.seconds, 1),
        "data": run.trace,
    }


# ------------------------------------------------------------------------------------------ what changed


def is_current(root: Path, name: str, wanted: str) -> bool:
    """Whether the executed chapter was made from exactly this."""
    known = state.card(root, name)
    return known is not None and known.get("key") == wanted


def key(root: Path, chapter: Chapter, values: Mapping[str, Any], preset: str) -> str:
    """sha256 of all a page depends on: source, parameters, library code, package versions, records, verdicts."""
    parts = {
        "source": chapter.source,
        "values": {name: repr(value) for name, value in values.items()},
        "preset": preset,
        "library": library_fingerprint(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "records": _records(root),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def library_fingerprint() -> list[str]:
    """Fingerprints of the code a page goes through: the library's rooms, the page helpers, the figure style."""
    package = Path(__file__).resolve().parents[1]
    pages = [code_digest((package / "book" / name).read_text(encoding="utf-8")) for name in _PAGE_CODE]
    styles = [hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted((package / "plotting").glob("*.mplstyle"))]
    scripts = [hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted((package / "book/scripts").glob("*.js"))]
    return [rooms_fingerprint(_ROOMS), *pages, *styles, *scripts]


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _records(root: Path) -> dict[str, str]:
    """sha256 of all that is recorded, confirmed and settled: a claim on any page may ask for any of it, or miss it."""
    folder = root / "data" / "records"
    files = (folder / "MANIFEST.json", folder / "CONFIRMED.json", SETTLED)
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file()}
