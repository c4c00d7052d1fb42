"""A parameter set as a file: chapter, preset and parameters in YAML (of which JSON is a part)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from companion.page.safe import line
from companion.page.sources import Chapter, Page, means
from grokbook.errors import ParameterError, shown
from grokbook.files import as_text, atomic_write, given, refuse_as_file

LARGEST = 100_000
"""Bytes of the largest file that is read."""

_FIRST, _LAST = "# grokbook parameters", "..."
"""First and last line of a file that `write` made: one without the last was cut off."""
_KEYS = {"chapter", "preset", "parameters"}


def write(path: Path, page: Page) -> None:
    """Write the whole parameter set of a page to `path`: what `read` gives back, whatever the
    presets become.

    Raises ParameterError for what the chapter refuses, and where the file cannot be written.
    """
    import yaml

    page.experiments()
    content = {"chapter": page.chapter.name, "preset": page.preset, "parameters": dict(page.values)}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=10_000)
    refuse_as_file(path, f"--save-params {path}")
    first = f"{_FIRST}: grokbook run {page.chapter.number} --params {path.name}"
    atomic_write(path, f"{first}\n{text}{_LAST}\n".encode())


def read(
    path: Path, chapter: Chapter, preset: str | None = None
) -> tuple[str | None, dict[str, Any]]:
    """The preset and the values of a file for a chapter; `preset`, where given, goes over that of
    the file.

    A file may also hold the parameters alone. Values are texts, as `-p` gives them, and are checked
    as those are. Raises ParameterError for a file that cannot be read, is no parameter set, or is
    that of another chapter.
    """
    found = _mapping(path)
    nested = isinstance(found.get("parameters"), dict)
    if nested and (other := set(found) - _KEYS):
        raise ParameterError(
            f"--params {path} has {shown(min(other))}; it may have chapter, preset and parameters."
        )
    values = found["parameters"] if nested else found
    theirs = found.get("chapter", chapter.name) if nested else chapter.name
    if not isinstance(theirs, str):
        raise ParameterError(f"--params {path}: the chapter is not a word.")
    if not means(theirs, chapter):
        raise ParameterError(
            f"--params {path} is for the chapter {shown(theirs)}, not for {chapter.name}."
        )
    for one, value in values.items():
        each = value if isinstance(value, list) else [value]
        if not all(isinstance(part, str) for part in (one, *each)):
            raise ParameterError(
                f"--params {path}: {shown(one)} is neither a value nor a list of values."
            )
    chosen = preset or (found.get("preset") if nested else None)
    if not isinstance(chosen, str | None):
        raise ParameterError(f"--params {path}: the preset is not a word.")
    return chosen, dict(values)


def _mapping(path: Path) -> dict[str, Any]:
    """What a file holds, every value as the text that stands there."""
    import yaml

    try:
        content = given(path, LARGEST)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ParameterError(f"--params {line(path)} cannot be read ({reason}).") from None
    if len(content) > LARGEST:
        raise ParameterError(
            f"--params {path} has more than {LARGEST:,} bytes, so it is no parameter set."
        )
    try:
        text = as_text(content)
    except ParameterError as error:
        raise ParameterError(f"--params {path}: {error}") from None
    try:
        if text.startswith(_FIRST) and text.rstrip().rpartition("\n")[2] != _LAST:
            raise ParameterError(
                f"--params {path} was written only in part: its last line is not `{_LAST}`."
            )
        found = yaml.load(text, yaml.BaseLoader)  # every scalar is a text, nothing is constructed
    except ParameterError:
        raise
    except (yaml.YAMLError, RecursionError, ValueError):
        raise ParameterError(f"--params {path} is not YAML, or was written only in part.") from None
    if not isinstance(found, dict) or not found:
        raise ParameterError(f"--params {path} holds no parameters; write lines such as `p: 113`.")
    return found
