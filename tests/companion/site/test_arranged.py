"""The order of a page: title, a sentence, the picture, the answer, the text, the drawer; nothing is
lost or made."""

import copy
import re
from types import SimpleNamespace

import pytest

from companion.page import sources
from companion.site.arranged import MARKS, arranged
from small_project import ROOT


def markdown(text, **more):
    return {"cell_type": "markdown", "metadata": {}, "source": text, **more}


def code(source, outputs=(), tags=(), **metadata):
    return {
        "cell_type": "code",
        "metadata": {"tags": [*tags], **metadata},
        "source": source,
        "outputs": [*outputs],
    }


def said(text):
    return {"data": {"text/markdown": text}, "metadata": {}}


DRAWN = {"data": {"image/svg+xml": "<svg/>"}, "metadata": {}}
GLUED = {"data": {}, "metadata": {"scrapbook": {}}}
OPENING = "# Why?\n\n% For who reads the source.\n\nA first sentence, e.g. this one. A second one.\n\n**After this chapter you can**\n\n- say why;\n\n"
OPENING += "**You need** it."
NOTEBOOK = {
    "nbformat": 4,
    "cells": [
        markdown(OPENING),
        code("p: int = 5  # a modulus", tags=["parameters"]),
        markdown("Make this page again", id="commands"),
        code("import x", [said("**Time** 2 s"), GLUED], tags=["remove-cell"]),
        markdown(
            ":::{when} early\n> **Answer.** Because.\n\n> And more.\n:::\n\nOutside.\n\n## One\n\nText."
        ),
        code("page.times()", [said("**Time** 3 s")], tags=["remove-input"]),
        code("draw()", [GLUED, DRAWN], mystnb={"figure": {"name": "fig-a"}}),
        code("n = 1"),
        markdown("made by", id="provenance"),
    ],
}


WITH_A = SimpleNamespace(name="01_why", lead="fig-a")
WITH_B = SimpleNamespace(name="01_why", lead="fig-b")


def texts(notebook):
    return [cell["source"] for cell in notebook["cells"]]


def test_the_answer_stands_above_a_figure_that_a_reader_works():
    """Its handles make it as tall as a screen."""
    worked = {"data": {"text/html": ["<div>", "<noscript>still</noscript>"]}, "metadata": {}}
    notebook = copy.deepcopy(NOTEBOOK)
    notebook["cells"][6]["outputs"] = [worked]
    _, answer, lead, *_ = arranged(notebook, WITH_A)["cells"]
    assert "**Answer.**" in answer["source"]
    assert lead["outputs"] == [worked]


def test_picture_first_then_the_answer_then_the_text_and_the_drawer_last():
    before = copy.deepcopy(NOTEBOOK)
    page = arranged(NOTEBOOK, WITH_A)
    assert before == NOTEBOOK, "the notebook itself keeps its order"
    title, lead, answer, *rest, sheet, drawer = page["cells"]
    assert title["source"] == "# Why?\n\n:::{div} gb-dek\nA first sentence, e.g. this one.\n:::"
    assert lead["outputs"] == [DRAWN] and lead["metadata"]["mystnb"] == {
        "figure": {"name": "fig-a"}
    }
    assert answer["source"] == ":::{when} early\n> **Answer.** Because.\n\n> And more.\n:::"
    kept = [
        "A second one.",
        "import x",
        "Outside.",
        "## One\n\nText.",
        "page.times()",
        "draw()",
        "n = 1",
    ]
    assert texts({"cells": rest}) == kept
    parts = (
        "say why;",
        "**You need** it.",
        "p: int = 5",
        "Make this page again",
        "**Time** 2 s",
    )
    assert [part for part in parts if part not in drawer["source"]] == []
    assert "../data/01_why.ipynb" in sheet["source"]
    assert drawer["source"].startswith(
        ":::::::{admonition} Run this page\n:class: dropdown gb-drawer"
    )


def test_how_a_page_was_made_stands_on_its_data_sheet_and_in_a_page_that_stands_alone():
    assert not any("made by" in text for text in texts(arranged(NOTEBOOK, WITH_A)))
    *rest, drawer = texts(arranged(NOTEBOOK, WITH_A, alone=True))
    assert "made by" in drawer
    assert not any("data/01_why" in text for text in rest)


def test_what_cells_glue_stays_where_they_stand_and_removed_code_is_folded():
    cells = {cell["source"]: cell for cell in arranged(NOTEBOOK, WITH_A)["cells"]}
    drawn = [cell for cell in arranged(NOTEBOOK, WITH_A)["cells"] if cell["source"] == "draw()"][1]
    assert drawn["outputs"] == [GLUED] and "mystnb" not in drawn["metadata"]
    assert cells["import x"]["metadata"]["tags"] == ["hide-cell"] and cells["import x"][
        "outputs"
    ] == [GLUED]
    assert cells["page.times()"]["metadata"]["tags"] == ["hide-input"], (
        "outside the opening it only folds"
    )


def test_a_page_without_a_title_or_without_that_figure():
    words = {"cells": [markdown("words")]}
    assert arranged(words, WITH_A) == words
    assert arranged(NOTEBOOK, SimpleNamespace(name="00_front", lead="")) == NOTEBOOK
    page = arranged(NOTEBOOK, WITH_B)
    assert texts(page)[1].startswith(":::{when} early"), "the answer follows the title"


def test_below_an_answer_stands_what_its_marks_mean():
    """Each once, over two lines of the source too, as the style sheet draws them; nothing where
    there are none."""
    notebook = copy.deepcopy(NOTEBOOK)
    marked = "> **Answer.** It holds.{verdict}`T1: holds`{verdict}`T2: holds` And?{verdict}`T3: undecided`"
    marked += "{verdict}`T4: holds with\n> correction`"
    notebook["cells"][4]["source"] = f"{marked}\n\n## One\n\nText."
    answer = arranged(notebook, WITH_A)["cells"][2]["source"]
    assert answer.startswith(marked) and answer.endswith(
        "how it came out: ✓ holds, ? undecided, ≈ holds with correction.\n:::"
    )
    assert "gb-marks" not in "".join(texts(arranged(NOTEBOOK, WITH_A)))
    style = (ROOT / "book" / "_static" / "grokbook.css").read_text("utf-8")
    drawn = re.findall(r'\[data-verdict="([a-z ]+)"\] \{[^}]*--gb-mark: "(.)"', style)
    assert dict(drawn) == MARKS


@pytest.mark.parametrize("chapter", sources.load_all(ROOT), ids=lambda chapter: chapter.name)
def test_a_source_with_roles_says_in_its_first_lines_what_they_are(chapter):
    """A page and a download have numbers there, a source that is run in plain Jupyter has names."""
    title, _, rest = chapter.source.partition("\n# ")[2].partition("\n\n")
    comment = rest.partition("\n\n")[0]
    assert comment.startswith("% Run in plain Jupyter") or title.startswith("Why does a network")
