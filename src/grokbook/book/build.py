"""Build the book: execute the chapters that changed, then the site when anything in it changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from grokbook.book import chapters as sources
from grokbook.book import costs, site, state
from grokbook.book.chapters import Chapter
from grokbook.book.execute import Run, execute
from grokbook.book.terminal import Progress
from grokbook.fingerprint import code_digest, rooms_fingerprint

_ROOMS = ("tasks", "models", "measures", "theory", "training", "records", "experiments", "claims", "plotting", "topics")
_PAGE_CODE = ("page.py", "show.py", "outputs.py", "execute.py", "footer.py", "costs.py", "safe.py", "tables.py")
_PACKAGES = ("numpy", "torch", "matplotlib", "pandas", "xarray", "jupytext", "papermill", "ipykernel")


def build(
    root: Path,
    preset: str = "laptop",
    only: Sequence[str] = (),
    strict: bool = False,
    force: bool = False,
    progress: Progress | None = None,
) -> list[str]:
    """Bring the executed chapters and `site/` up to date; the names of the chapters that were executed.

    Raises ParameterError for an unknown chapter or preset before anything runs, ChapterError when one fails (its
    last good page stays, and so does the last good site).
    """
    progress = progress or Progress()
    wanted = [sources.find(root, name) for name in only] if only else sources.load_all(root)
    runs = [(chapter, chapter.values(preset)) for chapter in wanted]
    for chapter, values in runs:
        chapter.experiments(values)
    with lock(root):
        executed = [c.name for c, values in runs if _bring_up_to_date(root, c, values, preset, strict, force, progress)]
        rebuilt = site.bring_up_to_date(root, force=force, progress=progress)
    if not executed and not rebuilt:
        progress.say(f"nothing to do: {len(runs)} chapters and the site are up to date")
    return executed


@contextmanager
def lock(root: Path) -> Iterator[None]:
    """Hold the checkout for one build; a second one waits."""
    from filelock import FileLock

    folder = root / ".grokbook"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "build.lock"):
        yield


def _bring_up_to_date(
    root: Path,
    chapter: Chapter,
    values: Mapping[str, Any],
    preset: str,
    strict: bool,
    force: bool,
    progress: Progress,
) -> bool:
    """Execute the chapter if its key changed; whether it was executed."""
    wanted = key(root, chapter, values, preset)
    if not force and is_current(root, chapter.name, wanted):
        return False
    predicted = costs.chapter_estimate(chapter, preset, values)
    progress.say(f"{chapter.label}: about {costs.duration(predicted.seconds)}, {predicted.memory_mb:.0f} MB")
    run = execute(chapter, values, preset, root, progress, strict)
    state.write(root / "book" / "chapters", chapter.name, run, _card(wanted, values, preset, run))
    progress.say(f"{chapter.label}: executed in {run.seconds:.0f} s, {len(run.figures)} figures")
    return True


def _card(wanted: str, values: Mapping[str, Any], preset: str, run: Run) -> dict[str, Any]:
    """What is kept beside an executed chapter."""
    return {
        "key": wanted,
        "preset": preset,
        "parameters": dict(values),
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
    """sha256 of all a page depends on: source, parameters, library code, package versions, records."""
    parts = {
        "source": chapter.source,
        "values": {name: repr(value) for name, value in values.items()},
        "preset": preset,
        "library": library_fingerprint(),
        "packages": {name: _version(name) for name in _PACKAGES},
        "records": _records(root, chapter, values),
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


def _records(root: Path, chapter: Chapter, values: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest's entries of the records that the chapter's plan names."""
    keys = [experiment.key for experiment in chapter.experiments(values).values()]
    manifest = root / "data" / "records" / "MANIFEST.json"
    if not keys or not manifest.exists():
        return {}
    return _mentioning(json.loads(manifest.read_text()), keys)


def _mentioning(node: Any, keys: Sequence[str]) -> dict[str, Any]:
    """The entries of a (nested) table whose own name holds one of the keys."""
    found: dict[str, Any] = {}
    if isinstance(node, Mapping):
        for name, entry in node.items():
            if any(key in name for key in keys):
                found[name] = entry
            else:
                found.update(_mentioning(entry, keys))
    return found
