"""A class: the names of a list as programs save it, and for each name a folder that every system
and tool can carry."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from grokbook.errors import ParameterError, shown
from grokbook.files import as_text, is_plain, whole

LARGEST = 1_000_000
"""Bytes of a class that are read: ten thousand names and their columns."""

LONGEST = 60
"""Characters of a folder's name."""

_SEPARATORS = ("\t", ";", ",")


def names_in(path: Path, tell: Callable[[str], Any]) -> list[str]:
    """The names of a class: the column `name` of a list in UTF-8 with commas, semicolons or tabs.

    Under a single column each line is a name, commas included. A line without a name that can be
    read is left out and a name that is there already gets a number; both are told.

    Raises ParameterError for a file that is no such list, or has no name.
    """
    try:
        text = as_text(whole(path, LARGEST))
    except (OSError, ParameterError) as error:
        raise ParameterError(f"{path} cannot be read as a list of a class: {error}") from None
    head = text.partition("\n")[0]
    separator = next(filter(head.__contains__, _SEPARATORS), "\x1f")  # the last stands in no text
    table = csv.reader(io.StringIO(text), delimiter=separator)
    columns = [cell.strip().casefold() for cell in next(table, [])]
    if "name" not in columns:
        raise ParameterError(
            f"{path} needs a first line with a column `name`, and a student on each line below."
        )
    names: list[str] = []
    for row in table:
        name = clean(row[columns.index("name")]) if len(row) == len(columns) else ""
        where = f"line {table.line_num} of {path}"
        if name:
            names.append(_numbered(name, names))
            if names[-1] != name:
                tell(f"{where}: {shown(name)} is there already and becomes {shown(names[-1])}.")
        elif any(map(str.strip, row)):
            tell(
                f"left out: {where} has no name that can be read, or more cells than columns"
                " (a name with a comma needs quotes)."
            )
    if not names:
        raise ParameterError(f"{path} has no name in its column `name`.")
    return names


def clean(name: str) -> str:
    """A name in composed letters and with single blanks; nothing where it has characters that
    cannot be shown.

    Example:
        >>> clean("  Martin Luther   King Jr. "), clean("a\\x07")
        ('Martin Luther King Jr.', '')
    """
    found = " ".join(unicodedata.normalize("NFC", name).split())
    return found if found.isprintable() else ""


def _numbered(name: str, taken: Sequence[str]) -> str:
    """The name, with the first number from 2 on where it is taken, capitals aside."""
    known = set(map(str.casefold, taken))
    numbered = name
    number = 1
    while numbered.casefold() in known:
        number += 1
        numbered = f"{name} {number}"
    return numbered


def folders(names: Sequence[str]) -> dict[str, str]:
    """A folder for each name, each another one on a disk that does not tell capitals.

    Letters, digits, blanks, `.`, `-`, `_` and `'` stay; what a shell, a pattern or a file system
    takes for more than a letter becomes `_`, and no folder is called as a device of Windows.

    Example:
        >>> folders(["Martin Luther King Jr.", "A/B [c]", "nul"])
        {'Martin Luther King Jr.': 'Martin Luther King Jr', 'A/B [c]': 'A_B _c_', 'nul': '_nul'}
    """
    found: dict[str, str] = {}
    for name in names:
        letters = ""
        for one in name:
            plain = one in " .-_'" or unicodedata.category(one)[0] in "LMN"
            letters += one if plain else "_"
        safe = letters[:LONGEST].strip(" .") or "_"
        if not is_plain(safe) or safe.startswith("-"):
            safe = f"_{safe}"
        found[name] = _numbered(safe, list(found.values()))
    return found
