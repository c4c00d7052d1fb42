"""Addresses of the book's sections, as a table of the ledger links to them."""

from __future__ import annotations

import re
from pathlib import Path


def anchor(heading: str) -> str:
    """The fragment that the built page gives a heading.

    >>> anchor("Definitions: one idea, seven numbers")
    'definitions-one-idea-seven-numbers'
    """
    from docutils.nodes import fully_normalize_name, make_id

    plain = re.sub(r"\{[a-z:]+\}|[`*$]", "", heading)
    return make_id(fully_normalize_name(plain))


def section_address(root: Path, place: str) -> str | None:
    """The address of a section, relative to the chapters; None when there is no such chapter or
    heading.

    `place` is `NN_name: words of a heading`, as claims name it, and `root` the checkout.
    """
    name, _, words = place.partition(": ")
    path = root / "notebooks" / f"{name}.md"
    if not path.is_file():
        return None
    for heading in re.findall(r"^##+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE):
        if words.lower() in heading.lower():
            return f"{name}.html#{anchor(heading)}"
    return None
