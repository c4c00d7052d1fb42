"""Records that are not on this machine: fetched when they are asked for, verified, and kept in a cache.

A wheel brings the manifest of the records, not the records. They come from the address that `GROKBOOK_RECORDS` names,
else from the repository at the version of the package: both stand in its metadata, which pyproject.toml wrote.
"""

from __future__ import annotations

import os
from importlib import metadata
from pathlib import Path
from typing import Any

from grokbook.errors import RecordError
from grokbook.paths import INSTALLED, RECORDS, project_root, records_path


def address() -> str | None:
    """Where records are fetched from; None in a clone, and where `GROKBOOK_RECORDS` is a folder.

    Example:
        >>> os.environ.get(RECORDS) or address()  # here is a clone
    """
    if "://" in (given := os.environ.get(RECORDS, "")):
        return given.rstrip("/")
    if given or project_root() != INSTALLED:
        return None
    about = metadata.metadata("grokbook")
    named = dict(line.split(", ", 1) for line in about.get_all("Project-URL") or ())
    return f"{named['Repository']}/raw/v{about['Version']}/data/records"


def fetched(folder: Path, name: str, sha256: str) -> bytes | None:
    """The bytes of the record `name` of the store in `folder`, from the cache or its address; None where it has none.

    Raises RecordError, which says what to fetch by hand, where it cannot be had or has another sha256.
    """
    where = address()
    if where is None or folder != records_path():
        return None
    import pooch

    pooch.get_logger().setLevel("WARNING")  # what it tells goes to standard error
    place = Path(pooch.os_cache("grokbook")) / "records" / Path(name).parent
    by = None if where.startswith(("http://", "https://")) else _by_fsspec
    try:
        file = pooch.retrieve(f"{where}/{name}", f"sha256:{sha256}", Path(name).name, place, downloader=by)
        return Path(file).read_bytes()
    except (OSError, ValueError, ImportError) as error:
        first: BaseException = error
        while deeper := first.__cause__ or first.__context__:
            first = deeper
        why = " ".join(str(first).split())[:160]
        mend = f"fetch the folder data/records of grokbook {metadata.version('grokbook')} and set {RECORDS} to it"
        raise RecordError(f"the record {name} is not here and {where} does not give it ({why}): {mend}.") from error


def _by_fsspec(url: str, file: str, _: Any) -> None:
    """Download from any address that fsspec knows (it comes with the extra `cluster`)."""
    import fsspec

    with fsspec.open(url, "rb") as stream:
        Path(file).write_bytes(stream.read())
