"""The settled verdicts: what the checks found when they were last written down, one line a claim.

A project's `data/verdicts.json` is written by `grokbook claims --run --settle` and held true by a
test, so a verdict cannot change unseen; it is also what `grokbook claims` shows without computing
anything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from operator import itemgetter
from pathlib import Path

import pandas as pd

from companion.claims.finding import VERDICTS
from companion.claims.ledger import claims, moved
from companion.project import current
from grokbook.errors import ParameterError
from grokbook.files import atomic_write, beside, read_json, unreadable

_TEXTS = beside(__file__)
MEANINGS: Mapping[str, str] = _TEXTS["meanings"]
"""What each verdict means, in a sentence."""

RULE = tuple(map(itemgetter("question", "answer", "verdict"), _TEXTS["rule"]))
"""One rule for the words: questions in the order in which they are asked, and the word at the first
such answer."""


def settled(path: Path | None = None) -> dict[str, str]:
    """The settled verdict of each claim by its id; none of a companion that has settled nothing.

    Raises RecordError when the file cannot be read, ParameterError when it holds a verdict that
    there is not.
    """
    path = path or current().verdicts
    if current().own and not path.is_file():
        return {}
    found = read_json(path)
    if not isinstance(found, dict):
        raise unreadable(path, "it is no table of claims")
    for name, verdict in found.items():
        if verdict not in VERDICTS:
            raise ParameterError(f"{path.name} gives claim {name} the unknown verdict {verdict!r}.")
    return found


def with_former(known: Mapping[str, str]) -> dict[str, str]:
    """Settled verdicts by id, former ids with the verdict of the entry that they lead to."""
    every = dict(known)
    for name, entry in moved().items():
        if entry in known:
            every[name] = known[entry]
    return every


def settle(verdicts: Mapping[str, str], path: Path | None = None) -> None:
    """Write these verdicts over those in the file; other claims keep theirs, ids that no claim has
    are dropped."""
    path = path or current().verdicts
    merged = (settled(path) if path.is_file() else {}) | dict(verdicts)
    lines = {}
    for claim in claims():
        if claim.id in merged:
            lines[claim.id] = merged[claim.id]
    atomic_write(path, (json.dumps(lines, indent=1) + "\n").encode())


def explained(table: pd.DataFrame) -> pd.DataFrame:
    """Each verdict with its meaning, the number of claims that have it, and the first of these as
    an example.

    Columns: verdict, meaning, claims, example (id and statement).

    Example:
        >>> explained(
        ...     pd.DataFrame({"id": ["G36"], "verdict": ["holds"], "statement": ["So."]})
        ... ).example.iloc[0]
        'G36: So.'
    """
    rows = []
    for verdict, meaning in MEANINGS.items():
        those = table[table.verdict == verdict]
        example = "{}: {}".format(*those.iloc[0][["id", "statement"]]) if len(those) else "none"
        rows.append([verdict, meaning, len(those), example])
    return pd.DataFrame(rows, columns=["verdict", "meaning", "claims", "example"])
