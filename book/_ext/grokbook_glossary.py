"""The first use of each term of the glossary on a page leads to what it means there.

Prose alone is looked at: no headings, captions, tables, code, formulas or links. A page on which a
term is linked by hand (`{term}`) has its link already. Without a glossary nothing happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

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


def collect(app: Any, env: Any) -> None:
    """Remember the terms, before pages are written: name -> page, id and definition."""
    pages = {
        entry[0] for (kind, _), entry in env.domaindata["std"]["objects"].items() if kind == "term"
    }
    app.grokbook_terms = {
        name: (page, term["ids"][0], " ".join(item.children[-1].astext().split()))
        for page in pages
        for item in env.get_doctree(page).findall(nodes.definition_list_item)
        for term in item.findall(nodes.term)
        if term["ids"]
        for name in term.astext().lower().split(", ")
    }


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
    around, node = [], text.parent
    while node is not None:
        around.append(node)
        node = node.parent
    return any(isinstance(n, nodes.paragraph) for n in around) and not any(
        isinstance(n, NO_PROSE) for n in around
    )


def linked(app: Any, doctree: nodes.document, docname: str) -> None:
    """Put the links into a page that is about to be written."""
    terms = app.grokbook_terms
    if not terms or docname in {page for page, _, _ in terms.values()}:
        return
    # by hand
    done = {str(link.get("refuri")).rpartition("#")[2] for link in doctree.findall(nodes.reference)}
    for text in [one for one in doctree.findall(nodes.Text) if prose(one)]:
        parts, at, said = [], 0, text.astext()
        for found in wanted(terms.keys() - OTHERWISE).finditer(said):
            word = found[0].lower()
            name = next(
                name for name in (word, word.removesuffix("s"), f"{word}s") if name in terms
            )
            page, place, meaning = terms[name]
            if place not in done:
                done.add(place)
                link = make_refnode(
                    app.builder, docname, page, place, nodes.Text(found[0]), meaning
                )
                link["classes"].append("gb-term")
                parts += [nodes.Text(said[at : found.start()]), link]
                at = found.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(said[at:])])


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-check-consistency", lambda app, env: collect(app, env))
    app.connect("doctree-resolved", linked, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
