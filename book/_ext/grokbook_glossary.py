"""The first use of each term of the glossary on a page leads to what it means there.

Prose alone is looked at: no headings, captions, tables, code, formulas or links. A page on which a
term is linked by hand (`{term}`) has its link already. Without a glossary nothing happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from docutils import nodes
from grokbook_words import verdict
from sphinx import addnodes
from sphinx.util.nodes import make_refnode

OTHERWISE = {"band", "fits", "measure", "null", "pair", "phase", "record", "run", "step", "watch"}
"""Terms that are ordinary words too, or have another meaning on some page: they are linked by hand
alone."""
NO_PROSE = (
    nodes.title,
    nodes.caption,
    nodes.table,
    nodes.literal,
    nodes.FixedTextElement,
    nodes.math,
    nodes.reference,
    nodes.topic,
    nodes.citation,
    nodes.rubric,
    nodes.raw,
    addnodes.desc_signature,
    addnodes.download_reference,
    verdict,
)


class Term(NamedTuple):
    """A term of the glossary: its page, its place there, and what it means."""

    page: str
    place: str
    meaning: str


def collect(app: Any, env: Any) -> None:
    """Remember the terms by their names, before pages are written."""
    app.grokbook_terms = {}
    objects = env.domaindata["std"]["objects"].items()
    for page in {entry[0] for (kind, _), entry in objects if kind == "term"}:
        for item in env.get_doctree(page).findall(nodes.definition_list_item):
            meaning = " ".join(item.children[-1].astext().split())
            for term in item.findall(nodes.term):
                for name in term.astext().lower().split(", ") if term["ids"] else ():
                    app.grokbook_terms[name] = Term(page, term["ids"][0], meaning)


def wanted(names: Iterable[str]) -> re.Pattern[str]:
    """Finds terms as whole words, the longest first, with or without the s of a plural or of a
    verb.

    A word after an opening quotation mark is a value or is spoken of; one between *to* or *we* and
    *it* is a verb.
    """
    forms = sorted((name.removesuffix("s") for name in names), key=len, reverse=True)
    some = "|".join(map(re.escape, forms))
    return re.compile(
        rf"(?<![\w\"“-])(?<!\bto )(?<!\bwe )(?:{some})s?(?![\w-]| it\b)", re.IGNORECASE
    )


def prose(text: nodes.Text) -> bool:
    """Whether this stands in a paragraph, and in nothing that is left as it is."""
    is_in_paragraph = False
    node = text.parent
    while node is not None:
        if isinstance(node, NO_PROSE):
            return False
        is_in_paragraph = is_in_paragraph or isinstance(node, nodes.paragraph)
        node = node.parent
    return is_in_paragraph


def linked(app: Any, doctree: nodes.document, docname: str) -> None:
    """Put the links into a page that is about to be written."""
    terms = app.grokbook_terms
    if docname in {term.page for term in terms.values()} or not terms:
        return
    # by hand
    linked_places = set()
    for link in doctree.findall(nodes.reference):
        linked_places.add(str(link.get("refuri")).rpartition("#")[2])
    names = wanted(terms.keys() - OTHERWISE)
    for text in list(filter(prose, doctree.findall(nodes.Text))):
        content = text.astext()
        parts: list[nodes.Node] = []
        end = 0
        for match in names.finditer(content):
            word = match[0].lower()
            name = next(n for n in (word, word.removesuffix("s"), f"{word}s") if n in terms)
            term = terms[name]
            if term.place in linked_places:
                continue
            linked_places.add(term.place)
            inner = nodes.Text(match[0])
            link = make_refnode(app.builder, docname, term.page, term.place, inner, term.meaning)
            link["classes"].append("gb-term")
            parts += [nodes.Text(content[end : match.start()]), link]
            end = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(content[end:])])


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-check-consistency", collect)
    app.connect("doctree-resolved", linked, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
