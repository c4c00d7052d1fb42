"""Text from data does nothing on a page: the attack is rendered with the book's own Markdown, and shows as it is."""

import dataclasses
import json
from pathlib import Path

import pytest
import yaml
from docutils import nodes
from docutils.core import publish_doctree
from hypothesis import given
from hypothesis import strategies as st
from myst_parser.parsers.docutils_ import Parser

from grokbook import page
from grokbook.build import footer
from grokbook.page import safe, show, sources
from grokbook.page.parameters import Parameter

CONFIG = yaml.safe_load((Path(__file__).resolve().parents[2] / "book" / "_config.yml").read_text())
ATTACKS = [
    "{{ cycler.__init__.__globals__.os.system('touch owned') }}",
    "<script>alert(1)</script>",
    "{download}`/etc/passwd`",
    "`` ` ``` {math}`x` $x^2$ \\$ \\",
    "a\n\n:::\n\n```{include} /etc/passwd\n```\n",
    "x | y\n- | -\n[a](javascript:b) ![c](d) **e** _f_ &amp; &#60; <http://g>",
    "# heading\n1. item\n(label)=\n% comment\n+++\n---",
]
QUIET = (nodes.document, nodes.paragraph, nodes.literal, nodes.Text)


def rendered(markdown: str) -> nodes.document:
    """What the book's parser makes of the text, with the extensions and the switches of book/_config.yml."""
    settings = {
        "myst_enable_extensions": CONFIG["parse"]["myst_enable_extensions"],
        "myst_disable_syntax": CONFIG["sphinx"]["config"]["myst_disable_syntax"],
        "report_level": 5,
    }
    return publish_doctree(markdown, parser=Parser(), settings_overrides=settings)


def inside(box: str) -> list[type]:
    """The kinds of what an admonition holds."""
    return [type(node) for node in rendered("\n".join(box.splitlines()[3:-1])).children]


def kinds(document: nodes.document) -> set[type]:
    return {type(node) for node in document.findall()}


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("made", [safe.words, safe.code])
def test_an_attack_is_read_as_it_was_written(made, attack):
    document = rendered(f"Before {made(attack)} after.")
    assert document.astext() == f"Before {safe.line(attack)} after."
    assert kinds(document) <= set(QUIET)


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_any_text_is_read_as_it_was_written(text):
    assert rendered(safe.words(text)).astext() == safe.line(text)
    assert rendered("x " + safe.code(text)).astext().split() == ["x", *safe.line(text).split()]


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_boxes_of_a_page_say_what_a_record_says_and_no_more(attack, project):
    made = {"recorded_on": attack, "device": attack, "dtype": attack, "seconds": 1, "commit": attack}
    box = rendered(page.recorded_box({"origin": "recorded", "provenance": json.dumps([made])}))
    assert kinds(box) <= {*QUIET, nodes.block_quote, nodes.strong}
    chapter = sources.find(project, "01")
    chapter = dataclasses.replace(chapter, parameters=(*chapter.parameters, Parameter("note", "str", "", "a remark")))
    part = {key: attack for key in ("device", "fingerprint", "commit", "recorded_on")} | {"seconds": 1}
    by = {"commit": attack, "versions": {attack: attack}, "device": attack, "fingerprint": "now"}

    def box_of(note, seed, by):
        page = dataclasses.replace(chapter.page("laptop"), values={"p": 59, "note": note}, changed={"note": note})
        entry = {key: attack for key in ("experiment", "key", "dtype")} | {"origin": "recorded", "seeds": [seed]}
        return footer.box_text(page, [entry | {"provenance": [part | {"seeds": [seed]}]}], 1.0, by)

    text, calm = box_of(attack, attack, by), box_of("-", 0, {})
    assert inside(text) == inside(calm)
    assert not kinds(rendered(text)) & {nodes.raw, nodes.math, nodes.system_message, nodes.reference, nodes.table}
    assert text.count("\n:::") == 1


@pytest.mark.parametrize("attack", ATTACKS[:2])
def test_the_captions_markdown_knows_neither_html_nor_substitutions(attack):
    document = rendered(f"Loss of {attack} at $p = 7$.")
    assert attack[:9] in document.astext()
    assert kinds(document) <= {*QUIET, nodes.math, nodes.strong}
    assert "substitution" not in CONFIG["parse"]["myst_enable_extensions"]


def test_code_that_holds_a_fence_stays_in_its_own():
    text = show.markdown(footer.box_text, lines=60)
    assert [type(n) for n in rendered(text).children] == [nodes.paragraph, nodes.literal_block]
