"""Text from data does nothing on a page: the attack is rendered with the book's own Markdown, and
shows as it is."""

import csv
import dataclasses
import io
import re
from html.parser import HTMLParser

import pandas as pd
import pytest
import yaml
from docutils import nodes
from docutils.core import publish_doctree
from hypothesis import given, settings
from hypothesis import strategies as st
from myst_parser.parsers.docutils_ import Parser

from companion.page import cards, safe, sources, tables
from companion.page.parameters import Parameter
from companion.site import footer
from project_tree import ROOT

CONFIG = yaml.safe_load((ROOT / "book" / "_config.yml").read_text())
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
    """What the book's parser makes of the text, with the extensions and the switches of
    book/_config.yml."""
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
    chapter = sources.find(project, "01")
    chapter = dataclasses.replace(
        chapter, parameters=(*chapter.parameters, Parameter("note", "str", "", "a remark"))
    )
    part = {key: attack for key in ("device", "commit", "recorded_on")} | {"seconds": 1}
    by = {"commit": attack, "versions": {attack: attack}, "device": attack}

    def box_of(note, seed, by):
        page = dataclasses.replace(
            chapter.page("laptop"), values={"p": 59, "note": note}, changed={"note": note}
        )
        entry = {key: attack for key in ("experiment", "key", "dtype")} | {
            "origin": "recorded",
            "seeds": [seed],
        }
        return footer.box_text(page, [entry | {"provenance": [part | {"seeds": [seed]}]}], 1.0, by)

    text = box_of(attack, attack, by)
    calm = box_of("-", 0, {})
    assert inside(text) == inside(calm)
    assert not kinds(rendered(text)) & {
        nodes.raw,
        nodes.math,
        nodes.system_message,
        nodes.reference,
        nodes.table,
    }
    assert text.count("\n:::") == 1


@pytest.mark.parametrize("attack", ATTACKS[:2])
def test_the_captions_markdown_knows_neither_html_nor_substitutions(attack):
    document = rendered(f"Loss of {attack} at $p = 7$.")
    assert attack[:9] in document.astext()
    assert kinds(document) <= {*QUIET, nodes.math, nodes.strong}
    assert "substitution" not in CONFIG["parse"]["myst_enable_extensions"]


HOSTILE = st.text(
    st.sampled_from("<>&\"'=+-@{}\\%$#_^~|,;:\n\t` ax1é"), max_size=24
) | st.sampled_from(ATTACKS)


class Tags(HTMLParser):
    """The elements of some HTML, with the names of their attributes."""

    def __init__(self, text):
        super().__init__()
        self.seen = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, sorted(name for name, _ in attrs)))


@settings(max_examples=25)
@given(HOSTILE, HOSTILE, HOSTILE)
def test_cells_names_and_captions_of_a_table_add_no_element_and_no_attribute(name, cell, caption):
    frame = pd.DataFrame({f"n{name}": [cell], "verdict": [cell], "size": [1.0]})
    calm = pd.DataFrame({"n": ["x" * len(cell)], "verdict": ["x"], "size": [1.0]})

    # whether a table fits a phone hangs on the length of its words
    def without_cards(frame, caption):
        return [
            (tag, [a for a in names if a not in ("role", "data-label")])
            for tag, names in Tags(tables.table_html(frame, caption)).seen
        ]

    assert without_cards(frame, caption) == without_cards(calm, "x" if caption else "")


@settings(max_examples=25)
@given(HOSTILE, HOSTILE)
def test_an_entry_of_the_ledger_adds_only_what_sets_mathematics_in_a_sentence(name, said):
    def made(name, said):
        row = {
            "id": f"X{name}",
            "paper": "gu2025",
            "place": said,
            "statement": f"s {said}",
            "verdict": said or "x",
        }
        row |= {
            "evidence": f"e {said}",
            "published": f"p {said}",
            "value": 0.5,
            "kind": said or "x",
            "origin": "paper",
        }
        row |= {
            "page": f"07_x: {said}",
            "shown_by": "runs",
            "runs": 1,
            "part_of": "",
            "rule": f"r {said}",
        }
        row |= {"chapter": f"07_x{said}", "section": said, "also": [f"a{said}"], "computed": True}
        row |= {"bars": {f"b{said}": "holds"}, "records": [said], "not_recorded": [f"n{said}"]}
        row |= {"rule_changed": f"c {said}", "command": f"d {said}"}
        seen = Tags(cards.sheet_html([row], said) + cards.ledger_html(pd.DataFrame([row]))).seen
        return [
            one
            for one in seen
            if one[0] not in ("i", "sub", "sup", "code") and one != ("p", ["class"])
        ]

    assert made(name, said) == made("1", "calm")


@given(HOSTILE)
def test_no_cell_of_a_csv_file_is_a_formula_and_numbers_stay_numbers(text):
    """A spreadsheet computes what begins with = + - @, a tab or a carriage return (OWASP, CSV
    injection)."""
    frame = pd.DataFrame({"id": [text, "-0.5"], "n": [-0.5, 1e-9]})
    written = cards.csv(frame)
    rows = list(csv.reader(io.StringIO(written, newline="")))
    number = re.compile(r"[+-]?\d+(\.\d*)?(e[+-]?\d+)?")
    assert not [
        c
        for row in rows
        for c in row
        if re.match(r"\s*[=+@-]|[\t\r]", c) and not number.fullmatch(c)
    ]
    assert [row[1] for row in rows] == ["n", "-0.5", "1e-09"] and rows[2][0] == "-0.5"
    assert rows[1][0] in (text, f"'{text}")
