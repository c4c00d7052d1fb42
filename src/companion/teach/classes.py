"""A class: the names of a list as programs save it, and for each name a folder that every system
and tool can carry."""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from grokbook.errors import ParameterError, shown
from grokbook.files import given, is_plain

LARGEST = 1_000_000
"""Bytes of a class that are read: ten thousand names and their columns."""

LONGEST = 60
"""Characters of a folder's name."""

_SEPARATORS = ("\t", ";", ",")


def names_in(path: Path, tell: Callable[[str], Any]) -> list[str]:
    """The names of a class: the column `name` of a list with commas, semicolons or tabs, in UTF-8,
    UTF-16 or Latin-1.

    Under a single column each line is a name, commas included. A line without a name that can be
    read is left out and a name that is there already gets a number; both are told.

    Raises ParameterError for a file that is no such list, or has no name.
    """
    table = _table(path)
    columns = [cell.strip().casefold() for cell in table[0]] if table else []
    if "name" not in columns:
        raise ParameterError(
            f"{path} needs a first line with a column `name`, and a student on each line below."
        )
    names: list[str] = []
    for line, row in enumerate(table[1:], 2):
        if not any(map(str.strip, row)):
            continue
        row += [""] * (len(columns) - len(row))
        cell = row[columns.index("name")]
        name = clean(cell)
        where = f"line {line} of {path}"
        if len(row) > len(columns):
            more = (
                f"{len(row)} cells under {len(columns)} columns (a name with a comma needs quotes)"
            )
            tell(f"left out: {where} has {more}.")
        elif not name:
            tell(f"left out: {where} has no name that can be read, {shown(cell)}.")
        else:
            names.append(_numbered(name, names))
            if names[-1] != name:
                tell(f"{where}: {shown(name)} is there already and becomes {shown(names[-1])}.")
    if not names:
        raise ParameterError(f"{path} has no name in its column `name`.")
    return names


def _table(path: Path) -> list[list[str]]:
    try:
        content = given(path, LARGEST)
    except OSError as error:
        raise ParameterError(f"{path} cannot be read as a CSV file: {error}.") from None
    if len(content) > LARGEST:
        raise ParameterError(
            f"{path} has more than {LARGEST:,} bytes, so it is no list of a class."
        )
    wide = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if b"\0" in content and not wide:
        raise ParameterError(f"{path} is no text; save the list as a CSV file.")
    # a spreadsheet on a Mac may end lines as none does now
    text = re.sub("\r\n?", "\n", _decoded(content, "utf-16" if wide else "utf-8-sig"))
    head = text.partition("\n")[0]
    # the last one stands in no text
    separator = next(one for one in (*_SEPARATORS, "\x1f") if one in head or one == "\x1f")
    try:
        return list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise ParameterError(f"{path} cannot be read as a CSV file: {error}.") from None


def _decoded(content: bytes, *likely: str) -> str:
    for encoding in (*likely, "cp1252"):
        with suppress(UnicodeDecodeError):
            return content.decode(encoding)
    return content.decode("latin-1")


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
