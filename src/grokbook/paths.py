"""Where the project's folders are: sources, records, the local run store. Nothing is created here."""

from __future__ import annotations

import os
from pathlib import Path

from grokbook.errors import GrokbookError


def _is_root(folder: Path) -> bool:
    return (folder / "notebooks").is_dir() and (folder / "book" / "_config.yml").is_file()


def project_root(start: str | Path | None = None) -> Path:
    """The folder of the checkout: `$GROKBOOK_HOME`, else the nearest one above `start` (default: here, then
    the package's own checkout) that holds `notebooks/` and `book/_config.yml`.

    Raises GrokbookError when there is none.
    """
    home = os.environ.get("GROKBOOK_HOME")
    if home:
        return Path(home).resolve()
    here = Path(start or Path.cwd()).resolve()
    for folder in (here, *here.parents, *Path(__file__).resolve().parents):
        if _is_root(folder):
            return folder
    raise GrokbookError(
        f"no grokbook checkout at or above {here}: run inside a clone, or set GROKBOOK_HOME to one."
    )


def records_path() -> Path:
    """The committed records, `data/records` of the checkout."""
    return project_root() / "data" / "records"


def local_store_path() -> Path:
    """Runs trained on this machine (`.grokbook/records`, not committed), or `$GROKBOOK_STORE` where it is set."""
    configured = os.environ.get("GROKBOOK_STORE")
    return Path(configured) if configured else project_root() / ".grokbook" / "records"
