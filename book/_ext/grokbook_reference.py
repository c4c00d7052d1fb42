"""The reference: docstrings, their Markdown in reStructuredText, and lists of names that lead to
them."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

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


class names(nodes.General, nodes.Element):
    """The place of a list of the names that a page documents."""


class Names(SphinxDirective):
    """A list of the names that a page of the reference documents; each leads to it."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [names(page=self.arguments[0])]


def put_names(app: Any, doctree: nodes.document, docname: str) -> None:
    """Put the lists of names in their places, when all pages are read.

    A name is the anchor of its line here, too: links from the time when the reference was one page
    lead on. So are the methods of a class.
    """
    documented = app.env.domaindata["py"]["objects"]
    for place in list(doctree.findall(names)):
        listed = nodes.bullet_list()
        for name, entry in documented.items():
            if entry.docname != place["page"] or entry.aliased:
                continue
            if entry.objtype in ("function", "class"):
                address = app.builder.get_relative_uri(docname, entry.docname)
                listed += _line(name, f"{address}#{entry.node_id}", entry.node_id)
            elif len(listed):
                listed[-1]["ids"].append(entry.node_id)
        place.replace_self(listed)


def _line(name: str, address: str, anchor: str) -> nodes.list_item:
    link = nodes.reference("", "", nodes.literal(text=name), internal=True, refuri=address)
    return nodes.list_item("", nodes.paragraph("", "", link), ids=[anchor])


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
    app.add_node(names)
    app.add_directive("names", Names)
    app.connect("doctree-resolved", put_names)
    app.connect("autodoc-process-docstring", docstring, priority=100)
    app.connect("html-page-context", only_there)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
