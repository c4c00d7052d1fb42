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
    rst: list[str] = []
    paragraph: list[str] = []
    in_example = False
    in_directive = -1  # its depth
    for line in lines:
        bare = line.strip()
        depth = len(line) - len(line.lstrip())
        if bare.startswith(".. "):
            in_directive = depth
        elif bare and depth <= in_directive:
            in_directive = -1
        in_example = bool(bare) and (in_example or bare.startswith(">>> "))
        if bare and not in_example and in_directive < 0:
            paragraph.append(line)
            continue
        rst += [*_text(paragraph), line]
        paragraph = []
    return rst + _text(paragraph)


def _text(paragraph: list[str]) -> list[str]:
    if not paragraph:
        return []
    text = "\n".join(paragraph)
    rst = ""
    end = 0
    for part in _CODE.finditer(text):
        inner = re.sub(r"\n\s*", " ", part[0].strip("`$"))
        role = f":math:`{inner}`" if part[0].startswith("$") else f"``{inner}``"
        rst += _escaped(text[end : part.start()]) + role
        end = part.end()
    return (rst + _escaped(text[end:])).split("\n")


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
    if not pagename.startswith("_modules/"):
        return
    objects = app.env.domaindata["py"]["objects"]
    known = {name for name, entry in objects.items() if entry.node_id == name}
    back = re.compile(r'<a class="viewcode-back" href="[^"#]*#([^"]+)">.*?</a>')
    context["body"] = back.sub(lambda m: m[0] if m[1] in known else "", context["body"])


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx; before napoleon, which knows no code in one pair of signs."""
    app.connect("autodoc-process-docstring", docstring, priority=100)
    app.connect("html-page-context", only_there)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
