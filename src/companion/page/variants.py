"""Variants of a chapter, a name for values of its parameters: `sets: {"p = 47": {p: 47}}` in its
front matter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from companion.page import parameters as params
from companion.page.parameters import Parameter, Values
from grokbook.errors import ChapterError, ParameterError, shown

LONGEST = 30
"""Characters of the longest name: it stands on a button."""


def slug(name: str) -> str:
    """The name of a set as a part of an address.

    >>> slug("p = 47"), slug("half the pairs"), slug("x0 = -0.5")
    ('p-47', 'half-the-pairs', 'x0-minus-0-5')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace(" -", " minus ")).strip("-")


def named_in(
    front: Mapping[str, Any],
    parameters: Sequence[Parameter],
    presets: Mapping[str, Values],
) -> dict[str, dict[str, Any]]:
    """The variants of a chapter by name, each checked against every preset.

    Raises ChapterError for a name that is too long or nothing, for two names with one address, and
    for values that the chapter refuses or that change no preset.
    """
    found: dict[str, dict[str, Any]] = {}
    for name, values in (front.get("sets") or {}).items():
        is_name = isinstance(name, str) and slug(name) and len(name) <= LONGEST
        if not is_name or not isinstance(values, dict) or slug(name) in map(slug, found):
            raise ChapterError(
                f"sets has {shown(name)}: {shown(values)}; a set is a name of at most {LONGEST}"
                " characters with letters or digits, another address than the others, and a table"
                " of values."
            )
        changes = []
        for preset, plain in presets.items():
            try:
                changed = params.merge(parameters, plain, values)
            except ParameterError as error:
                raise ChapterError(f"the set {shown(name)} at preset {preset}: {error}") from error
            changes.append(changed != params.merge(parameters, plain))
        if not any(changes):
            raise ChapterError(f"the set {shown(name)} changes nothing at any preset.")
        found[name] = dict(values)
    return found
