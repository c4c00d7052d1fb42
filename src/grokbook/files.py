"""Files that are either whole or not there, and one sentence for one that cannot be read."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from grokbook.errors import ParameterError, RecordError


def atomic_write(path: str | Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader finds the old file or the whole new one, never a part.

    The bytes go to a temporary file in the same folder, reach the disk (fsync) and then take the name. Whatever
    goes wrong, the temporary file is removed.

    Raises RecordError naming the file when the disk is full or the folder cannot be written.
    """
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as error:
        reason = "the disk is full" if error.errno == errno.ENOSPC else (error.strerror or str(error))
        raise RecordError(f"{path} was not written: {reason}; what was there before is untouched.") from error
    finally:
        if temporary is not None:
            with suppress(OSError):  # it has its name already, or nothing can be removed either
                os.unlink(temporary)


def put_between(path: Path, mark: str, text: str) -> None:
    """Write a text between the two lines `mark` of a file, with blank lines about it.

    Raises ValueError where the file has not two of them.
    """
    before, _, after = path.read_text(encoding="utf-8").split(mark)
    atomic_write(path, f"{before}{mark}\n{text.strip()}\n\n{mark}{after}".encode())


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to fill beside `path`, whose place it takes once all is written; whatever goes wrong, it is removed.

    `path` is not there, or an empty folder, else ParameterError. Raises RecordError where nothing can be written.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ParameterError(f"{path} is there and not an empty folder; name a new one.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        place = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    except OSError as error:
        raise RecordError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        yield place
        place.chmod(0o755)
        if path.is_dir():
            path.rmdir()
        place.replace(path)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def refuse_unwritable(folder: Path, named: str) -> None:
    """Refuse a folder for results, there or to be made, where it or one above it is a file or cannot be written.

    Raises ParameterError, which begins with how the folder was `named`.
    """
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir():
        raise ParameterError(f"{named}: {there} is a file, not a folder; name a folder, or one to be made.")
    try:  # no mode of a file says all: the kernel's own folders refuse whoever asks
        tempfile.TemporaryDirectory(dir=there).cleanup()
    except OSError:
        raise ParameterError(f"{named}: {there} cannot be written; name another folder.") from None


def filled(template: Path, words: Mapping[str, str]) -> str:
    """The text of a template with every `@WORD@` in it filled in.

    Raises KeyError for one that is not among `words`.
    """
    return re.sub(r"@([A-Z]+)@", lambda found: words[found[1]], template.read_text(encoding="utf-8"))


def given(path: Path, largest: int) -> bytes:
    """What a file that a reader names holds; of more than `largest` bytes one more than that.

    Raises OSError for what is no regular file: a pipe may wait for ever, a device never ends.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    with path.open("rb") as stream:
        return stream.read(largest + 1)


def as_text(content: bytes) -> str:
    """What an editor of a reader wrote: in UTF-8 with or without a mark in front, lines as they end anywhere.

    Raises ParameterError for another encoding.

    >>> as_text(b"\\xef\\xbb\\xbfp: 7\\r\\nsteps: 20\\r\\n")
    'p: 7\\nsteps: 20\\n'
    """
    try:
        return re.sub("\r\n?", "\n", content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        where = f"byte {error.start} is none of it"
        raise ParameterError(f"it must be text in UTF-8, but {where}; save it so.") from None


def unreadable(path: Path, why: object) -> RecordError:
    """What is raised for a file of the project that is damaged.

    >>> str(unreadable(Path("MANIFEST.json"), "it is empty"))
    'MANIFEST.json cannot be read (it is empty); restore it from version control.'
    """
    return RecordError(f"{path} cannot be read ({why}); restore it from version control.")


def read_json(path: Path) -> Any:
    """What a JSON file of the project says; `unreadable` where it is damaged or not there."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


def beside(module: str | Path) -> dict[str, Any]:
    """What the TOML file beside a module says, whose `__file__` is given: texts, and numbers that others published."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def no_formula(value: Any) -> Any:
    """A cell of a CSV file; before a text that a spreadsheet would compute stands the apostrophe that makes it a text.

    >>> no_formula("=1+1"), no_formula("-0.5"), no_formula(-0.5), no_formula("p = 7")
    ("'=1+1", '-0.5', -0.5, 'p = 7')
    """
    begins = isinstance(value, str) and re.match(r"\s*[=+@-]|[\t\r]", value)
    return f"'{value}" if begins and not re.fullmatch(r"[+-]?\d+(\.\d*)?(e[+-]?\d+)?", value) else value
