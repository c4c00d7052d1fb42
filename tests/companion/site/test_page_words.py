"""Sentences under a condition and verdicts in the prose: what is parsed, what is printed, and where
a build fails."""

import shutil

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from companion import page
from companion.claims.verdicts import settled
from companion.page import sources, when
from companion.project import Project
from companion.site import rerun
from companion.site import staging as site
from companion.site.book import build
from grokbook.errors import ChapterError, ParameterError
from small_project import CHAPTER, make_project, silent

KNOWN = {"yes": (True, "one"), "no": (False, "two"), "open_": (None, "")}
CELL = """
```{code-cell} ipython3
small = page.Truth(p < 60, f"the modulus is {p}")
page.publish({"small": small, "often": page.Truth(steps > 100), "steps": steps})
```
"""
PROSE = """
:::{when} small and (often or not small)
A *small* modulus, {glue:text}`modulus`.
:::

It is {when}``often; taught {glue:text}`steps` times, and`` done ({verdict}`G36: holds`).
"""


# --------------------------------------------------------------------------------------- conditions


@pytest.mark.parametrize(
    ("expression", "truth"),
    [
        ("yes", True),
        ("not yes", False),
        (" yes and not (no or no) ", True),
        ("yes and no or yes", True),
        ("not no and no", False),
        ("open_ and no", False),
        ("no or yes or open_", True),
        ("open_ or no", None),
        ("not (yes and open_)", None),
    ],
)
def test_a_condition_is_read_as_logic_in_which_what_is_not_known_decides_nothing(expression, truth):
    assert when.holds(expression, KNOWN) is truth


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "yes no",
        "yes and",
        "f(yes)",
        "yes == no",
        "yes < 1",
        "True",
        "1",
        "yes.real",
        "[yes]",
        "-yes",
        "~yes",
        "yes if no else yes",
        "lambda: yes",
        "(yes := no)",
        "'yes'",
        "yes[0]",
        "(" * 5000 + "yes" + ")" * 5000,
        "yes\0",
    ],
)
def test_what_is_no_condition_is_refused(expression):
    with pytest.raises(ParameterError, match="must be names joined by and, or, not and brackets"):
        when.holds(expression, KNOWN)


def test_a_name_that_no_cell_gives_is_refused_with_those_that_there_are():
    with pytest.raises(
        ParameterError, match="names late, which is not known; the page has no, open_, yes"
    ):
        when.holds("yes or late", KNOWN)
    with pytest.raises(ParameterError, match="no cell of the page publishes it"):
        when.holds("late", {})


def test_the_numbers_that_decide_are_those_of_the_names_in_their_order():
    assert when.names("not no and (yes or no)") == ["no", "yes"]
    assert when.deciding("not no and (yes or open_)", KNOWN) == "two; one"


def test_cells_publish_truths_as_they_do_numbers(monkeypatch):
    shown = []
    monkeypatch.setattr(
        page, "_display", lambda data, about: shown.append((about["scrapbook"]["name"], data))
    )
    truths = {
        "a": page.Truth(np.bool_(True)),
        "b": page.Truth(pd.Series([1]).gt(2).all(), "1 and\n 2"),
        "c": page.Truth(None),
        "d": page.Truth(pd.NA),
    }
    page.publish(truths)
    values = {name: next(iter(data.values()))[1:-1] for name, data in shown}
    expected = {"a": (True, ""), "b": (False, "1 and 2"), "c": (None, ""), "d": (None, "")}
    assert when.read({"glued": "1"} | values) == expected


@pytest.mark.parametrize("given", [1, 1.0, "yes", np.array([True, False])])
def test_anything_but_a_truth_is_refused(given):
    with pytest.raises(ParameterError):
        page.publish({"a": page.Truth(given)})


@pytest.mark.parametrize("name", ["not", "a b", "a-b", "1a", ""])
def test_a_name_that_a_condition_cannot_hold_is_refused(name):
    with pytest.raises(ParameterError, match="Python identifier"):
        page.publish({name: page.Truth(True)})


# -------------------------------------------------------------------------------------- built pages


def build_worded(root):
    """A project whose tiny chapter has conditions, built at `smoke` (no step is taught often)."""
    source = CHAPTER.replace("\n```{exercise}", f"{CELL}{PROSE}\n```{{exercise}}")
    (make_project(root) / "notebooks" / "01_tiny.md").write_text(source)
    (root / "book" / "intro.md").write_text("# Home\n\nIt is so ({verdict}`G36: holds`).\n")
    build(root, "smoke", strict=True, progress=silent())


@pytest.fixture(scope="module")
def worded(made_once):
    return made_once("worded", build_worded)


@pytest.fixture
def rewritten(worded, tmp_path):
    """A copy whose executed chapter has other words: rewritten((old, new), ...)."""

    def copy(*changes):
        shutil.copytree(worded, tmp_path / "project", ignore=shutil.ignore_patterns("site", "runs"))
        notebook = tmp_path / "project" / "book" / "chapters" / "01_tiny.ipynb"
        text = notebook.read_text()
        for old, new in changes:
            text = text.replace(old, new)
        notebook.write_text(text)
        return tmp_path / "project"

    return copy


def article(file):
    return BeautifulSoup(file.read_text(), "html.parser").article


def sphinx_of(root, preset, monkeypatch, strict=True):
    """The article of the tiny chapter, staged as if the notebook that is there had been made at
    this preset."""
    monkeypatch.setattr(site.state, "card", lambda *a: {"preset": preset})
    with site.workplace(root) as work:
        site.stage(root, work, ["01_tiny"])
        return article(site.sphinx(work, strict) / "chapters" / "01_tiny.html")


def test_a_text_whose_condition_does_not_hold_is_a_marked_line_with_the_numbers_that_decided(
    worded,
):
    found = article(worded / "site" / "chapters" / "01_tiny.html")
    opening, block, half = found.select(".gb-not-here")
    assert opening.get_text() == "Does not hold here (the modulus is 23):"
    assert block.name == "p" and block.get_text() == "A small modulus, 23."
    assert half.name == "span" and half.get_text() == "(Does not hold here: taught 30 times, and)"
    assert half.parent.get_text() == f"It is {half.get_text()} done (holds)."


def test_a_verdict_is_printed_in_its_colour_on_any_page_and_leads_to_the_ledger_where_that_is(
    worded,
):
    for file in ("intro.html", "chapters/01_tiny.html"):
        (word,) = article(worded / "site" / file).select(".gb-verdict")
        assert (word.name, word["data-verdict"], word.get_text()) == ("span", "holds", "holds")


def test_a_text_whose_condition_holds_is_printed_as_if_it_stood_alone(rewritten, monkeypatch):
    monkeypatch.setattr(site, "of", lambda root: Project(root, ledger="01_tiny"))
    found = sphinx_of(rewritten(("[false, ", "[true, ")), "laptop", monkeypatch)
    section = found.select_one("#one-section")
    said = [
        p
        for p in section.find_all("p", recursive=False)
        if "small" in p.get_text() or "done" in p.get_text()
    ]
    assert [p.get_text() for p in said] == [
        "A small modulus, 23.",
        "It is taught 30 times, and done (holds).",
    ]
    assert said[0].em.get_text() == "small" and not said[0].get("class")
    mark = said[1].select_one(".gb-verdict")
    assert mark["title"] == "G36: holds"
    assert mark["data-verdict"] == mark.select_one(".gb-word").text == "holds"
    assert not found.select(".gb-not-here")


@pytest.mark.parametrize("preset", ["laptop", "paper"])
def test_a_strict_build_fails_at_a_sentence_that_does_not_hold(worded, preset, monkeypatch):
    source = (worded / "notebooks" / "01_tiny.md").read_text().splitlines()
    with pytest.raises(ChapterError) as refused:
        sphinx_of(worded, preset, monkeypatch)
    for begin, condition in (
        (":::{when}", "small and (often or not small)"),
        ("It is {when}", "often"),
    ):
        at = next(n for n, line in enumerate(source, start=1) if line.startswith(begin))
        wrong = (
            f"notebooks/01_tiny.md:{at}: WARNING: '{condition}' does not hold at preset {preset} ("
        )
        assert wrong in str(refused.value)


def test_a_verdict_changed_by_hand_makes_the_strict_build_fail_at_its_sentence(
    rewritten, monkeypatch
):
    """So do a name that no cell gives and a claim that there is not, at any preset."""
    monkeypatch.setattr(site, "settled", lambda: settled() | {"G36": "fails"})
    root = rewritten(
        ("{when} small and", "{when} tiny and"), ("done (", "done ({verdict}`G360: holds`, ")
    )
    with pytest.raises(ChapterError) as refused:
        sphinx_of(root, "smoke", monkeypatch)
    assert "names tiny, which is not known; the page has often, small" in str(refused.value)
    assert "there is no claim 'G360' with a verdict" in str(refused.value)
    wrong = "WARNING: the verdict of G36 is 'fails', and here stands 'holds': rewrite the sentence"
    source = (root / "notebooks" / "01_tiny.md").read_text()
    at = source[: source.index("{verdict}")].count("\n") + 1
    assert f"notebooks/01_tiny.md:{at}: {wrong}" in str(refused.value)
    assert f"book/intro.md:3: {wrong}" in str(refused.value)


@pytest.mark.browser
def test_a_re_run_whose_condition_is_false_shows_the_marked_line(worded, open_page):
    page = sources.find(worded, "tiny").page("laptop", {"p": "61"})
    _, file = rerun.rerun(page, worded, progress=silent())
    for scheme in ("light", "dark"):
        page = open_page(file.as_uri(), scheme=scheme)
        line, words = page.locator("p.gb-not-here").all()
        assert line.is_visible() and line.inner_text() == "Does not hold here (the modulus is 61):"
        assert words.is_visible() and words.inner_text() == "A small modulus, 61 (default 59)."
        colours = line.evaluate(
            "e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]"
        )
        assert len({*colours}) == 2 and page.seen["errors"] == []
    assert "taught 200 times, and done (" in page.locator("article").inner_text()
    said = "Conditions of its sentences that no longer hold: 1, marked there."
    assert said in page.locator("article").inner_text()
