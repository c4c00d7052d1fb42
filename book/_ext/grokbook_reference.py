"""Docstrings of the library as pages: its Markdown in reStructuredText."""

from __future__ import annotations

import re
from typing import Any

_CODE = re.compile(r"``.+?``|`[^`\n]+(?:\n[^`\n]+)?`|\$[^$\n]+(?:\n[^$\n]+)?\$")
_SPECIAL = re.compile(r"(?<![\w\\])\*(?=\S)|(?<=\S)\*(?!\w)|\*|\||(?<=\w)_(?!\w)")


def as_rst(lines: list[str]) -> list[str]:
    """A docstring of the house as reStructuredText: `code`, $formulas$, and signs that would mean
    something else.

    Examples and blocks of formulas stay as they are.
    """
    found: list[str] = []
    block: list[str] = []
    # in the output of an example; depth of a directive whose content this is, or -1
    example, inside = (False, -1)
    for line in lines:
        depth, bare = len(line) - len(line.lstrip()), line.strip()
        inside = depth if bare.startswith(".. ") else -1 if bare and depth <= inside else inside
        example = bool(bare) and (example or bare.startswith(">>> "))
        if bare and not example and inside < 0:
            block.append(line)
            continue
        found, block = [*found, *_text(block), line], []
    return found + _text(block)


def _text(block: list[str]) -> list[str]:
    """A paragraph."""
    text, done, at = "\n".join(block), "", 0
    for part in _CODE.finditer(text):
        inside = part[0].strip("`$")
        mark = ":math:`{}`" if part[0].startswith("$") else "``{}``"
        done += _escaped(text[at : part.start()]) + mark.format(re.sub(r"\n\s*", " ", inside))
        at = part.end()
    return (done + _escaped(text[at:])).split("\n") if block else []


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda m: "\\" + m[0], text)


def docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Make a docstring reStructuredText."""
    lines[:] = as_rst(lines)


def only_there(
    app: Any, pagename: str, template: str, context: dict[str, Any], doctree: Any
) -> None:
    """Leave out what leads from a page of source to an anchor that the reference has under another
    path."""
    if pagename.startswith("_modules/"):
        known = {
            name
            for name, entry in app.env.domaindata["py"]["objects"].items()
            if entry.node_id == name
        }
        back = re.compile(r'<a class="viewcode-back" href="[^"#]*#([^"]+)">.*?</a>')
        context["body"] = back.sub(lambda m: m[0] if m[1] in known else "", context["body"])


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx; before napoleon, which knows no code in one pair of signs."""
    app.connect("autodoc-process-docstring", docstring, priority=100)
    app.connect("html-page-context", only_there)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
