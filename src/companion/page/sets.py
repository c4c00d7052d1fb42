"""Parameter sets that a chapter's front matter names for its published page: `sets: {"p = 47": {p:
47}}`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from companion.page import parameters as params
from companion.page.parameters import Parameter
from grokbook.errors import ChapterError, ParameterError, shown

LONGEST = 30
"""Characters of the longest name: it stands on a button."""


def slug(name: str) -> str:
    """The name of a set as a part of an address.

    >>> slug("p = 47"), slug("half the pairs"), slug("x0 = -0.5")
    ('p-47', 'half-the-pairs', 'x0-minus-0-5')
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower().replace(" -", " minus ")).strip("-")


def read(
    source: str,
    front: Mapping[str, Any],
    parameters: Sequence[Parameter],
    presets: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """The sets of a chapter by name, each checked against every preset.

    Raises ChapterError for a name that is doubled, too long or nothing, for two names with one
    address, and for values that the chapter refuses or that change no preset.
    """
    given = front.get("sets") or {}
    names = _names(source) if given else []
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        raise ChapterError(f"the set {shown(min(doubled))} is named twice in the front matter.")
    found: dict[str, dict[str, Any]] = {}
    known: dict[str, str] = {}
    for name, values in given.items():
        if (
            not isinstance(name, str)
            or not slug(name)
            or len(name) > LONGEST
            or not isinstance(values, dict)
        ):
            rule = (
                f"a set is a name of at most {LONGEST} characters with letters or digits, and a"
                " table of values"
            )
            raise ChapterError(f"sets has {shown(name)}: {shown(values)}; {rule}.")
        if (other := known.setdefault(slug(name), name)) != name:
            raise ChapterError(
                f"the sets {shown(other)} and {shown(name)} have the same address, {slug(name)}."
            )
        merged = {}
        for preset, plain in presets.items():
            try:
                merged[preset] = [params.merge(parameters, plain, more) for more in ({}, values)]
            except ParameterError as error:
                raise ChapterError(f"the set {shown(name)} at preset {preset}: {error}") from error
        if all(before == after for before, after in merged.values()):
            raise ChapterError(f"the set {shown(name)} changes nothing at any preset.")
        found[name] = dict(values)
    return found


def _names(source: str) -> list[str]:
    """The names as they are written: YAML itself keeps the last of two that are equal."""
    import yaml

    node = yaml.compose(source.split("---", 2)[1])
    for key in ("grokbook", "sets"):
        node = next(value for name, value in node.value if name.value == key)
    return [name.value for name, _ in node.value]
