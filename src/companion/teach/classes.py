"""A class: the names of a list as programs save it, and for each name a folder that every system
and tool can carry."""

from __future__ import annotations

import codecs
import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from grokbook.errors import ParameterError, shown
from grokbook.files import is_plain, whole

LARGEST = 1_000_000
"""Bytes of a class that are read: ten thousand names and their columns."""

LONGEST = 60
"""Characters of a folder's name."""


def names_in(path: Path) -> list[str]:
    """The names of a class: the column `name` of a list with commas, semicolons or tabs, in UTF-8,
    UTF-16 or Windows' own letters. Under a single column each line is a name, commas included.

    Raises ParameterError for a file that is no such list, and for lines that have no name that can
    be read, or one that stands above.
    """
    try:
        text = _text(path)
        head = text.partition("\n")[0]
        separators = [sign for sign in "\t;," if sign in head] or ["\x1f"]  # which no text has
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=separators[0]) if any(row)]
    except (OSError, ValueError, csv.Error) as error:
        raise ParameterError(f"{path} cannot be read as a CSV file: {error}.") from None
    columns = [cell.strip().casefold() for cell in rows[0]] if rows else []
    if "name" not in columns:
        raise ParameterError(
            f"{path} needs a first line with a column `name`, and a student on each line below."
        )
    names = []
    for row in rows[1:]:
        cell = row[columns.index("name")] if len(row) == len(columns) else ""
        name = clean(cell)
        if not name:
            raise ParameterError(
                f"{path} has no name that can be read in {shown(separators[0].join(row))}; a name"
                " with a separator needs quotes."
            )
        names.append(name)
    if not names:
        raise ParameterError(f"{path} has no name in its column `name`.")
    counts = Counter(map(str.casefold, names))
    if twice := [name for name in names if counts[name.casefold()] > 1]:
        raise ParameterError(f"{path} has names twice, to be told apart: {', '.join(twice)}.")
    return names


def _text(path: Path) -> str:
    """The text of a list. Raises OSError and ValueError where it is none."""
    content = whole(path, LARGEST)
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = content.decode("utf-16")
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("cp1252")
    return "\n".join(text.splitlines())  # an old spreadsheet ends lines as none does now


def clean(name: str) -> str:
    """A name in composed letters and with single blanks; nothing where it has characters that
    cannot be shown.

    Example:
        >>> clean("  Martin Luther   King Jr. "), clean("a\\x07")
        ('Martin Luther King Jr.', '')
    """
    composed = " ".join(unicodedata.normalize("NFC", name).split())
    return composed if composed.isprintable() else ""


def folders(names: Sequence[str]) -> dict[str, str]:
    """A folder for each name, each another one on a disk that does not tell capitals.

    Letters, digits, blanks, `.`, `-`, `_` and `'` stay; what a shell, a pattern or a file system
    takes for more than a letter becomes `_`, and no folder is called as a device of Windows.

    Example:
        >>> folders(["Martin Luther King Jr.", "A/B [c]", "nul"])
        {'Martin Luther King Jr.': 'Martin Luther King Jr', 'A/B [c]': 'A_B _c_', 'nul': '_nul'}
    """
    chosen: dict[str, str] = {}
    for name in names:
        letters = ""
        for letter in name:
            is_safe = letter in " .-_'" or unicodedata.category(letter)[0] in "LMN"
            letters += letter if is_safe else "_"
        plain = letters[:LONGEST].strip(" .") or "_"
        if not is_plain(plain) or plain.startswith("-"):
            plain = f"_{plain}"
        taken = set(map(str.casefold, chosen.values()))
        folder = plain
        number = 1
        while folder.casefold() in taken:
            number += 1
            folder = f"{plain} {number}"
        chosen[name] = folder
    return chosen
