"""Files that are either whole or not there, and one sentence for one that cannot be read."""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout

from grokbook.errors import ParameterError, RecordError, shown

_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
PLAIN = (
    '1 to 240 bytes of printable characters without / \\ : * ? " < > |, no dot or blank at either'
    " end, and is no device of Windows"
)
"""What a plain name is, in words."""


def is_plain(name: str) -> bool:
    """Whether a name is that of one file or folder on every system, and of nothing outside its
    folder.

    >>> (
    ...     is_plain("fig7 centre"),
    ...     is_plain(".."),
    ...     is_plain("a/b"),
    ...     is_plain("a\\x1b[2J"),
    ...     is_plain("NUL.txt"),
    ... )
    (True, False, False, False, False)
    """
    if not name.isprintable() or not 0 < len(name.encode(errors="replace")) <= 240:
        return False
    return (
        name == name.strip(" .")
        and not set(name) & set('/\\:*?"<>|')
        and not _DEVICE.fullmatch(name)
    )


def inside(folder: Path, name: str) -> Path:
    """The file below a folder that a name such as `family/key.nc` means: the one way from a name to
    a path.

    Raises ParameterError for a name with a part that is not plain, and where a folder on the way is
    a link that leads out of `folder`.
    """
    parts = name.split("/")
    path = folder.joinpath(*parts)
    if not all(map(is_plain, parts)) or not path.parent.resolve().is_relative_to(folder.resolve()):
        raise ParameterError(
            f"{shown(name)} names no file in {folder}; a part of a name has {PLAIN}."
        )
    return path


LEFT_BEHIND = 86_400.0
"""Seconds after which what stands beside a target belongs to a writer that was killed."""


TEMPORARY = "grokbook-"
"""How temporary folders of ours begin."""


def _beside(path: Path) -> Path:
    """A name, which nobody else has, for what will take the place of `path`."""
    return path.parent / f".{path.name}.{secrets.token_hex(6)}.tmp"


def sweep(folder: Path) -> None:
    """Remove from a folder what writers that were killed left there (`LEFT_BEHIND`)."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            ours = re.fullmatch(r"\..+\.[0-9a-f]{12}\.tmp", entry.name)
            if ours and entry.stat(follow_symlinks=False).st_mtime < time.time() - LEFT_BEHIND:
                remove(Path(entry.path))


def remove(path: Path) -> None:
    """Remove a file or a folder, there or not; what cannot be removed stays."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder among the system's temporary ones that goes at the end; those of processes that were
    killed go too.

    They are told by their names, which say whose they are: `grokbook-<process>-...`, of this user.
    """
    place = Path(tempfile.gettempdir())
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            ours = re.fullmatch(rf"{TEMPORARY}(\d{{1,9}})-\w+", entry.name)
            if ours and not entry.is_symlink() and _is_left(entry, int(ours[1])):
                remove(Path(entry.path))
    with tempfile.TemporaryDirectory(prefix=f"{TEMPORARY}{os.getpid()}-", dir=place) as folder:
        yield Path(folder)


def _is_left(entry: os.DirEntry[str], process: int) -> bool:
    """Whether a folder is this user's, and the process that made it is no more; never where that is
    not known."""
    if os.name != "posix":
        return False
    try:
        if entry.stat(follow_symlinks=False).st_uid != os.getuid():
            return False
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


@contextmanager
def written(what: object) -> Iterator[None]:
    """Say in one sentence that `what` was not written, where the disk is full or the system
    refuses.

    Raises RecordError.
    """
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT) or os.strerror(errno.ENOSPC) in str(
            error
        )
        reason = "the disk is full" if full else error.strerror or str(error)
        raise RecordError(
            f"{what} was not written: {reason}; what was there before is untouched."
        ) from error


def atomic_write(path: str | Path, content: bytes) -> None:
    """Write `content` to `path` so that a reader finds the old file or the whole new one, never a
    part.

    The bytes go to a temporary file in the same folder, reach the disk (fsync) and then take the
    name. Whatever goes wrong, the temporary file is removed; one of a writer that was killed goes
    with a later write. Who may read it is what the process says (umask).

    Raises RecordError naming the file when the disk is full or the folder cannot be written.
    """
    path = Path(path)
    temporary = _beside(path)
    try:
        with written(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with open(temporary, "xb", opener=_opened) as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, path)
    finally:
        remove(temporary)  # it has its name already, or nothing can be removed either
    sweep(path.parent)


def _opened(path: str, flags: int) -> int:
    """What `open` asks for: a file that may be read as the process says (umask), and not run."""
    return os.open(path, flags, 0o666)


NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)
"""What a system says of a disk on which a file cannot be locked."""


def locked(path: Path, what: str, timeout: float = -1) -> AbstractContextManager[BaseFileLock]:
    """The lock of a file, held on return; a process that ends, however it ends, holds it no more.

    Raises Timeout after so many seconds (never when negative), and RecordError where `what` it
    guards cannot be written, or is on a disk without locks: there `FileLock` would wait for ever,
    or leave its file as a lock.
    """
    if path.is_symlink():
        raise RecordError(
            f"{what} cannot be written: {path} is a link, and what it leads to is left alone."
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as stream, suppress(ImportError, BlockingIOError):
            import fcntl  # not on Windows, whose disks have locks

            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return FileLock(path).acquire(timeout=timeout)
    except Timeout:
        raise
    except OSError as error:
        if error.errno in NO_LOCKS:
            cure = "name a folder on another disk (of a store by GROKBOOK_STORE)"
            raise RecordError(
                f"{what} is on a disk without locks ({error.strerror}): {cure}."
            ) from error
        raise RecordError(f"{what} cannot be written: {error.strerror}.") from error


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to fill beside `path`, whose place it takes once all is written; whatever goes
    wrong, it is removed.

    `path` is not there, or an empty folder, else ParameterError. Raises RecordError where nothing
    can be written.
    """
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ParameterError(f"{path} is there and not an empty folder; name a new one.")
    if path.is_symlink() or path.resolve() == Path.cwd():
        raise ParameterError(
            f"{path} is a link, or the folder you are in, whose place none can take; name a new"
            " one."
        )
    place = _beside(path)
    try:
        with written(path):
            place.mkdir(parents=True)
            yield place
            if path.is_dir():
                path.rmdir()
            place.replace(path)
    finally:
        remove(place)
    sweep(path.parent)


def refuse_unwritable(folder: Path, named: str) -> None:
    """Refuse a folder for results, there or to be made, where it or one above it is a file or
    cannot be written.

    Raises ParameterError, which begins with how the folder was `named`.
    """
    nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise ParameterError(
            f"{named}: {nearest} is a file, not a folder; name a folder, or one to be made."
        )
    try:  # no mode of a file says all: the kernel's own folders refuse whoever asks
        tried = _beside(nearest / "grokbook")
        tried.mkdir()
        tried.rmdir()
    except OSError:
        raise ParameterError(
            f"{named}: {nearest} cannot be written; name another folder."
        ) from None


def filled(template: Path, words: Mapping[str, str]) -> str:
    """The text of a template with every `@WORD@` in it filled in.

    Raises KeyError for one that is not among `words`.
    """
    return re.sub(
        r"@([A-Z]+)@", lambda match: words[match[1]], template.read_text(encoding="utf-8")
    )


def given(path: Path, largest: int) -> bytes:
    """What a file that a reader names holds; of more than `largest` bytes one more than that.

    Raises OSError for what is no regular file: a pipe may wait for ever, a device never ends.
    """
    state = os.stat(path)
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
    # room is made for all that is asked for, so no more than there is
    with path.open("rb") as stream:
        return stream.read(min(largest, max(state.st_size, 1_000_000)) + 1)


LARGEST = 200_000_000
"""Bytes of the largest file that is read whole where its reader knows no smaller bound."""


def whole(path: Path, largest: int = LARGEST) -> bytes:
    """What a file holds.

    Raises OSError for what is no regular file (`given`), and for one of more than `largest` bytes.
    """
    content = given(path, largest)
    if len(content) > largest:
        raise OSError(errno.EFBIG, f"it has more than {largest:,} bytes")
    return content


def as_text(content: bytes) -> str:
    """What an editor of a reader wrote: in UTF-8 with or without a mark in front, lines as they end
    anywhere.

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
        return json.loads(whole(path))
    except (OSError, ValueError, RecursionError) as error:
        raise unreadable(path, error) from error


def beside(module: str | Path) -> dict[str, Any]:
    """What the TOML file beside a module says, whose `__file__` is given: texts, and numbers that
    others published."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def no_formula(value: Any) -> Any:
    """A cell of a CSV file; before a text that a spreadsheet would compute stands the apostrophe
    that makes it a text.

    >>> no_formula("=1+1"), no_formula("-0.5"), no_formula(-0.5), no_formula("p = 7")
    ("'=1+1", '-0.5', -0.5, 'p = 7')
    """
    begins = isinstance(value, str) and re.match(r"\s*[=+@-]|[\t\r]", value)
    return (
        f"'{value}"
        if begins and not re.fullmatch(r"[+-]?\d+(\.\d*)?(e[+-]?\d+)?", value)
        else value
    )
