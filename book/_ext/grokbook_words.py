"""Sentences that hang on a result: blocks and half sentences under a condition, verdicts that must
be the settled ones.

    :::{when} fits and not late            {when}`fits; text`            {verdict}`G27: fails`
    Markdown
    :::

A true condition prints its text as if it stood alone; a false one marks it, with the numbers that
decided. At the presets at which the book is printed a false condition is a warning, and so is,
everywhere, an unknown name and a verdict that is not the settled one: a strict build fails there,
at the sentence to be rewritten.
"""

from __future__ import annotations

import html
import re
from ast import literal_eval
from pathlib import Path
from typing import Any

from docutils import nodes
from grokbook_site import facts
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from companion.page import when
from grokbook.errors import ParameterError

PRINTED = ("laptop", "paper")
"""Presets for which sentences are written."""

logger = logging.getLogger(__name__)


class verdict(nodes.Inline, nodes.TextElement):
    """A verdict's mark, with its word for who cannot see it, and a link to the claim on its data
    sheet."""


class When(SphinxDirective):
    """A block of Markdown under a condition."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        # a paragraph of its own: a heading or a box may follow
        text = "\n".join(["", "", *self.content])
        instead = not_here(self.env, self.state.document, self.arguments[0], text, self.lineno)
        made = nodes.Element()
        content = instead.splitlines() if instead else self.content
        self.state.nested_parse(content, self.content_offset, made)
        if instead:
            for part in made.children:
                part["classes"].append("gb-not-here")
        return made.children


class HalfSentence(SphinxRole):
    """Words of a sentence under a condition: `condition; words`, where the words may hold roles."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        condition, mark, text = map(str.strip, self.text.partition(";"))
        if not mark:
            wrong = f"{self.text!r} is not `condition; words`"
            complain(self.env, "{when}", self.text, self.lineno, wrong)
            return [], []
        instead = not_here(self.env, self.inliner.document, condition, text, self.lineno)
        words = f"({instead})" if instead else text
        parts, messages = self.inliner.parse(words, self.lineno, None, self.inliner.parent)
        if instead:
            parts = [nodes.inline("", "", *parts, classes=["gb-not-here"])]
        return parts, messages


class Verdict(SphinxRole):
    """The settled verdict of a claim: `id: verdict`, where another verdict than the settled one is
    a warning."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        claim, _, word = map(str.strip, self.text.partition(":"))
        known = facts(self.env.app)
        settled = known["verdicts"].get(claim)
        wrong = ""
        if settled is None:
            wrong = f"there is no claim {claim!r} with a verdict"
        elif word != settled:
            wrong = (
                f"the verdict of {claim} is {settled!r}, and here stands {word!r}: rewrite the"
                " sentence"
            )
        if wrong:
            complain(self.env, "{verdict}", self.text, self.lineno, wrong)
        sheet = known["claims"].get(claim)
        mark = verdict(self.rawtext, settled or word, claim=claim, docname=self.env.docname)
        mark["sheet"] = sheet if sheet in self.env.found_docs else ""
        return [mark], []


def not_here(env: Any, document: nodes.document, condition: str, text: str, line: int) -> str:
    """What stands in place of a text whose condition does not hold; nothing where it does."""
    condition = " ".join(condition.split())
    values = glued(document)
    known = when.read(values)
    try:
        false = when.holds(condition, known) is False
        instead = when.instead(condition, known, text)
    except ParameterError as error:
        complain(env, "{when}", condition, line, str(error))
        return f"Not known here: {condition}."
    preset = page(env).get("preset")
    if false and preset in PRINTED:
        # names of the code are for the author alone
        numbers = when.deciding(condition, known) or named_in(text, values)
        wrong = (
            f"{condition!r} does not hold at preset {preset} ({numbers}): rewrite what stands"
            " under it"
        )
        complain(env, "{when}", condition, line, wrong)
    return instead


def glued(document: nodes.document) -> dict[str, str]:
    """The texts that the cells of a page have glued; a page without cells has none."""
    if "nb_renderer" not in document:
        return {}
    data = document["nb_renderer"].renderer.nb_client.glue_data
    values = {}
    for key, output in data.items():
        text = output["data"].get("text/plain")
        if text:
            values[key] = str(literal_eval(text))
    return values


def named_in(text: str, values: dict[str, str]) -> str:
    """The glued values that a text names."""
    keys = dict.fromkeys(re.findall(r"\{glue:text\}`([^`:]+)", text))
    return ", ".join(f"{key} = {values[key]}" for key in keys if key in values)


def page(env: Any) -> dict[str, Any]:
    """What `companion.site.staging` tells of the page: its source, and its preset when it is the
    book's."""
    return facts(env.app)["pages"].get(env.docname, {})


def complain(env: Any, role: str, text: str, line: int, message: str) -> None:
    """Warn at the line of the source where this role has this text, the next one where it has it
    several times."""
    of_chapter = page(env).get("source")
    source = Path(of_chapter or env.doc2path(env.docname))
    pattern = re.escape(role) + r"\s*`*\s*" + r"\s+".join(map(re.escape, text.split()))
    content = source.read_text(encoding="utf-8") if source.is_file() else ""
    lines = [content.count("\n", 0, found.start()) + 1 for found in re.finditer(pattern, content)]
    seen = env.temp_data[pattern] = env.temp_data.get(pattern, -1) + 1
    at = lines[min(seen, len(lines) - 1)] if lines else line
    logger.warning(
        message,
        location=f"{'notebooks' if of_chapter else 'book'}/{source.name}:{at}",
        type="grokbook",
    )


def visit_verdict(self: Any, node: verdict) -> None:
    name = html.escape(node["claim"])
    word = html.escape(node.astext())
    tag = "span"
    link = ""
    if node["sheet"]:
        address = self.builder.get_relative_uri(node["docname"], node["sheet"])
        tag = "a"
        link = f' href="{address}#{name}"'
    about = f'class="gb-verdict" data-verdict="{word}" title="{name}: {word}"'
    self.body.append(f'<{tag} {about}{link}><span class="gb-word">')
    self.context.append(f"</span></{tag}>")


def depart_verdict(self: Any, node: verdict) -> None:
    self.body.append(self.context.pop())


def setup(app: Any) -> dict[str, bool]:
    app.add_node(verdict, html=(visit_verdict, depart_verdict))
    app.add_directive("when", When)
    app.add_role("when", HalfSentence())
    app.add_role("verdict", Verdict())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
