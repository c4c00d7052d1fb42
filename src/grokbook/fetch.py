"""Records that are not on this machine: fetched when they are asked for, verified, and kept in a
cache.

A wheel brings the manifest of the records, not the records. They come from the address that
`GROKBOOK_RECORDS` names, else from the repository at the version of the package: both stand in its
metadata, which pyproject.toml wrote.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from concurrent.futures import Future, wait
from functools import partial
from importlib import metadata
from pathlib import Path
from threading import Thread
from typing import Any

from grokbook.errors import ParameterError, RecordError, line
from grokbook.files import inside
from grokbook.machine import duration
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


LARGEST = 500_000_000
"""Bytes of the largest record that is fetched."""

SILENT, FIRST, SLOWEST = 10.0, 60.0, 100_000
"""A fetch is given up after so many seconds in which nothing comes; and after so many in all, and
one for each of so many bytes."""


def fetched(folder: Path, name: str, entry: Mapping[str, Any]) -> bytes | None:
    """The bytes of the record `name` of the store in `folder`, from the cache or its address; None
    where it has none.

    No more bytes are taken than its `entry` in the manifest says. Raises RecordError, which says
    what to fetch by hand, where it cannot be had or has another sha256.
    """
    where = address()
    if where is None or folder != records_path():
        return None
    import pooch

    pooch.get_logger().setLevel("WARNING")  # what it tells goes to standard error
    cached = inside(Path(pooch.os_cache("grokbook")) / "records", name)
    by = partial(_download, min(entry["bytes"], LARGEST))
    try:
        file = pooch.retrieve(
            f"{where}/{name}",
            f"sha256:{entry['sha256']}",
            cached.name,
            cached.parent,
            downloader=by,
        )
        return Path(file).read_bytes()
    except Exception as error:  # a server, and the libraries that ask it, have many kinds
        first: BaseException = error
        while deeper := first.__cause__ or first.__context__:
            first = deeper
        why = line(first)[:160]
        mend = (
            f"fetch the folder data/records of grokbook {metadata.version('grokbook')} and set"
            f" {RECORDS} to it"
        )
        problem = re.sub(
            "//[^/@]*@", "//", f"the record {name} is not here and {where} does not give it ({why})"
        )
        raise RecordError(f"{problem}: {mend}.") from error


def _download(largest: int, url: str, file: str, _: Any) -> None:
    """Download at most so many bytes in a time that is bounded: a server may drip, and never end.

    Raises OSError or ValueError.
    """
    content: Future[bytes] = Future()
    longest = FIRST + largest / SLOWEST

    def work() -> None:
        try:
            content.set_result(_read(url, largest))
        except BaseException as error:
            content.set_exception(error)

    Thread(target=work, daemon=True).start()
    if not wait([content], longest).done:
        raise OSError(f"it took more than {duration(longest)}")
    Path(file).write_bytes(content.result())


def _read(url: str, largest: int) -> bytes:
    """What is at an address: one of the web, or any that fsspec knows (it comes with the extra
    `cluster`)."""
    if url.startswith(("http://", "https://")):
        import requests

        with requests.get(url, stream=True, timeout=SILENT) as answer:
            answer.raise_for_status()
            content = answer.raw.read(largest + 1, decode_content=True)
    else:
        import fsspec

        with fsspec.open(url, "rb") as stream:
            content = stream.read(largest + 1)
    if len(content) > largest:
        raise ParameterError(f"it has more than {largest:,} bytes")
    return content
