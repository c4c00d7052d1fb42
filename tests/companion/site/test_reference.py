"""The reference and the glossary: which names they have, and what becomes of a docstring."""

import importlib
import re
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

import grokbook
from companion.site import staging as site
from grokbook.paths import checkout

BOOK = checkout() / "book"
RELIED_ON = [
    "grokbook.tasks.arithmetic.ModularTask",
    "grokbook.models.transformer.Transformer",
    "grokbook.measures.med",
    "grokbook.curves.delay.grok_time",
    "grokbook.theory.parallelograms.permissible_set",
    "grokbook.theory.parallelograms.nullity",
    "grokbook.theory.parallelograms.grokking_rate",
    "grokbook.theory.parallelograms.representation_quality_index",
    "grokbook.theory.coverage.disc_size",
    "grokbook.theory.coverage.required_fraction",
    "grokbook.theory.coverage.uncovered",
    "grokbook.theory.triple_product.flow",
    "grokbook.theory.triple_product.limit_point",
    "grokbook.theory.triple_product.conserved",
    "grokbook_chapters.algebraic_solutions.semiring.order_six_solution",
    "grokbook_chapters.algebraic_solutions.semiring.memorization_solution",
    "grokbook_chapters.algebraic_solutions.semiring.loss",
    "grokbook_chapters.feature_emergence.feature_energy.energy",
    "grokbook_chapters.feature_emergence.feature_energy.local_maxima",
    "grokbook.training.train",
    "grokbook.runs.store.Store",
    "companion.claims.ledger",
]
"""The names of the library whose arguments stay."""


@pytest.fixture(scope="module")
def reference():
    sys.path.insert(0, str(BOOK / "_ext"))
    yield importlib.import_module("grokbook_reference")
    sys.path.remove(str(BOOK / "_ext"))


def named(path):
    """What a dotted path leads to."""
    module, _, name = path.rpartition(".")
    return getattr(importlib.import_module(module), name)


def topics():
    """The pages of the reference, without that which lists their names."""
    return sorted((BOOK / "reference").glob("*.md"))


def listed():
    text = "\n".join(page.read_text("utf-8") for page in topics())
    return re.findall(r"^\.\. (?:auto\w+|py:class):: ([\w.]+)", text, re.MULTILINE)


def test_every_name_of_the_face_and_every_name_that_readers_rely_on_is_documented_once():
    paths = listed()
    assert len(set(paths)) == len(paths)
    things = [named(path) for path in paths]
    there = {f"grokbook.{name}" for name in grokbook.__all__}
    there -= {"grokbook.measures", "grokbook.records"}
    assert there <= set(paths)
    assert "gb.measures()" in (BOOK / "reference" / "measures.md").read_text("utf-8")
    assert "gb.records(pattern)" in (BOOK / "reference" / "results.md").read_text("utf-8")
    assert [path for path in RELIED_ON if not any(named(path) is thing for thing in things)] == []
    assert all(thing.__doc__ for thing in things)


def test_a_docstring_is_made_restructuredtext(reference):
    given = [
        "One `a` and $x_i$, `two",
        "words` of |P| * Z, *args, name_.",
        "",
        ">>> f(`a`)",
        "'*'",
        "",
        "End `b`.",
        "",
    ]
    given += [".. math:: a * b", "    `c`", "", "And `d`."]
    assert reference.as_rst(given) == [
        "One ``a`` and :math:`x_i`, ``two words`` of \\|P\\| \\* Z, \\*args, name\\_.",
        *given[2:6],
        "End ``b``.",
        "",
        *given[8:11],
        "And ``d``.",
    ]


def test_a_term_stands_once_in_the_glossary():
    terms = re.findall(r"^(\w.*)\n  \S", (BOOK / "glossary.md").read_text("utf-8"), re.MULTILINE)
    assert len(terms) == len(set(terms)) > 20


TERMS = """# Weight decay

Grokking has `logit`, $logit$, [an embedding](notation.md), re-seed, a {term}`sweep` and sweeps;
such claims delay it, "MED".
*Grok steps* are steps at which runs generalise. They generalise on test pairs, not on training pairs, to claim
nothing, after a grok step.

| sham | censored |
| --- | --- |
| sham | censored |
"""


def test_pages_of_the_reference_are_built_without_a_warning(tmp_path):
    """About 20 s: Sphinx with these pages, as strict as the book; formulas, source and examples are
    there, and an address on the page of names leads to the page of its topic."""
    site.stage(checkout(), tmp_path, [])
    (tmp_path / "source" / "intro.md").write_text(TERMS)
    sections = ", ".join(f"{{file: reference/{page.stem}}}" for page in topics())
    (tmp_path / "source" / "_toc.yml").write_text(
        f"format: jb-book\nroot: intro\nchapters: [{{file: reference, sections: [{sections}]}},"
        " {file: glossary}, {file: notation}]\n"
    )
    html = site.sphinx(tmp_path)
    start = (html / "intro.html").read_text("utf-8")
    means = re.findall(
        r'<a class="[^"]*gb-term[^"]*" href="([^"]*)" title="([^"]*)">([^<]*)</a>', start
    )
    assert [(address, word) for address, _, word in means] == [
        ("glossary.html#term-grokking", "Grokking"),
        ("glossary.html#term-claim", "claims"),
        ("glossary.html#term-grok-step", "Grok steps"),
        ("glossary.html#term-generalises", "generalise"),
        ("glossary.html#term-training-pair-test-pair", "test pairs"),
    ], "each term once, where the prose uses it first, the longest name; {term} by hand is enough"
    said = re.sub(r"\s+", " ", BOOK.joinpath("glossary.md").read_text("utf-8"))
    assert all(title and title in said for _, title, _ in means)
    assert "gb-term" not in (html / "glossary.html").read_text("utf-8")
    pages = {path.stem: path.read_text("utf-8") for path in (html / "reference").glob("*.html")}
    assert pages.keys() == {path.stem for path in topics()}
    assert 'id="grokbook.train"' in pages["train"] and "[source]" in pages["train"]
    assert r"\leftarrow" in pages["optimisers"] and "<code" in pages["optimisers"]
    assert not [name for name, page in pages.items() if "``" in page or ":math:" in page]
    names = BeautifulSoup((html / "reference.html").read_text("utf-8"), "html.parser")
    for path in (*listed(), "grokbook.tasks.task.Task.train_index"):
        line = names.find(id=path)
        assert line, path
        address, _, anchor = line.find_next("a")["href"].partition("#")
        assert anchor == path or path.startswith(anchor)
        assert f'id="{path}"' in (html / address).read_text("utf-8"), path
    assert names.find(id="modules-of-torch-many-runs-at-once-the-store")
    assert names.select_one("nav details > summary")["aria-label"]
    assert (html / "_modules" / "grokbook" / "curves" / "delay.html").is_file()
    assert "grokbook.theory.parallelograms" in Path(html / "searchindex.js").read_text("utf-8")
