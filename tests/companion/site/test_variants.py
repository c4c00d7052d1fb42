"""Parameter sets on the site: what the front matter may name, what is executed and shown, what a
build may spend."""

import json
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup

from companion.page import costs, front, sources
from companion.page.costs import Estimate
from companion.page.safe import words
from companion.site import staging as site
from companion.site import state, variants
from companion.site.book import build
from companion.site.jobs import Job
from grokbook.errors import ChapterError
from small_project import CHAPTER, ROOT, make_project, silent

SETS = '  sets:\n    "p = 47": {p: 47}\n    half the steps: {steps: 100, train_fraction: 0.25}\n'
SOURCE = CHAPTER.replace("  presets:\n", f"{SETS}  lead: fig-tiny\n  presets:\n", 1).replace(
    "4, 9])", "4, p])"
)
FILES = ("01_tiny", "01_tiny-p-47", "01_tiny-half-the-steps")


def chapter(folder, text=SOURCE):
    path = folder / "notebooks" / "01_tiny.md"
    path.write_text(text)
    return sources.load(path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("{p = 48: {p: 48}}", "the set 'p = 48' at preset smoke: p = 48 is not prime"),
        ("{wide: {q: 1}}", "the set 'wide' at preset smoke: 'q' is not a parameter"),
        ("{all: {train_fraction: 1.5}}", "the set 'all' at preset smoke: train_fraction = 1.5"),
        (
            "{p = 47: {p: 47}, 'P: 47': {p: 53}}",
            "sets has 'P: 47': {'p': 53}; a set is a name",
        ),
        ("{'?': {p: 47}}", "sets has '?'"),
        ("{47: {p: 47}}", "sets has 47"),
        (f"{{{'long ' * 7}: {{p: 47}}}}", "a name of at most 30 characters"),
        ("{a: 47}", "sets has 'a': 47; a set is a name"),
        ("{same: {}}", "the set 'same' changes nothing at any preset"),
    ],
)
def test_a_set_that_is_wrong_is_refused_in_one_sentence(project, given, said):
    with pytest.raises(ChapterError) as refused:
        chapter(project, CHAPTER.replace("  presets:\n", f"  sets: {given}\n  presets:\n", 1))
    assert said in str(refused.value) and str(refused.value).count(". ") == 0


def test_every_set_is_made_and_at_smoke_the_first_alone_and_none_that_changes_nothing(project):
    made = chapter(project)
    assert list(variants.pages(made, "laptop")) == ["p = 47", "half the steps"]
    assert list(variants.pages(made, "smoke")) == ["p = 47"]
    at_23 = chapter(project, SOURCE.replace("{p: 47}", "{p: 23}"))
    assert list(variants.pages(at_23, "smoke")) == ["half the steps"], (
        "23 is the modulus of this preset"
    )
    page = variants.pages(made, "laptop")["p = 47"]
    assert dict(page.changed) == {"p": 47}
    assert state.folder(project, "p = 47") == project / "book" / "chapters" / "sets" / "p-47"


def test_every_chapter_with_a_set_or_an_example_says_what_can_be_turned():
    chapters = [one for one in sources.load_all(ROOT) if one.variants or one.example]
    table = front.knobs(ROOT, {})
    rows = {row.split("chapters/")[1].split(".ipynb")[0]: row for row in table.splitlines()[2:]}
    assert rows.keys() == {one.name for one in chapters}
    for one in chapters:
        meanings = {parameter.name: parameter.help for parameter in one.parameters}
        assert all(words(meanings[name]) in rows[one.name] for name in one.example)


def test_a_build_of_the_book_has_minutes_for_every_set():
    """What takes long is recorded (`grokbook_chapters.offered`)."""
    jobs = []
    for one in sources.load_all(ROOT):
        for name, page in variants.pages(one, "laptop").items():
            jobs.append(Job(page, costs.page_estimate(page, None, one.page("laptop")), "", name))
    chosen, sentence = variants.affordable(jobs)
    assert len(chosen) == len(jobs), sentence


def test_what_does_not_fit_into_the_budget_is_left_out_and_named(project, monkeypatch):
    pages = variants.pages(chapter(project), "laptop")
    minutes = {"p = 47": 6, "half the steps": 5}
    jobs = [
        Job(page, Estimate(minutes[name] * 60, 1.0), variant=name) for name, page in pages.items()
    ]
    kept, said = variants.affordable(jobs)
    assert kept == [jobs[1]]
    assert said.startswith("parameter sets: 1 to execute, about 5 min of at most 8 min")
    assert said.endswith("left out, as they need more: chapter 01_tiny, p = 47")


def build_twice(root):
    """A project with two sets, built, and what both builds said."""
    chapter(make_project(root))
    for number in (1, 2):
        build(root, "laptop", strict=True, progress=(told := silent()))
        (root / f"said_{number}").write_text(told.stream.getvalue())


@pytest.fixture(scope="module")
def once(made_once):
    return made_once("sets", build_twice)


def soup(root, file):
    return BeautifulSoup((root / "site" / "chapters" / f"{file}.html").read_text(), "html.parser")


def test_a_build_says_what_the_sets_cost_and_does_nothing_the_second_time(once):
    first = (once / f"said_{1}").read_text()
    again = (once / f"said_{2}").read_text()
    assert (
        "parameter sets: 2 to execute, about" in first
        and "chapter 01_tiny, p = 47: executed in" in first
    )
    assert (
        "nothing to do: 1 chapters and the site are up to date" in again
        and "parameter sets" not in again
    )


def test_every_page_links_to_the_others_and_says_which_it_is(once):
    for file in FILES:
        links = soup(once, file).select("article nav.gb-sets a")
        assert [link["href"] for link in links] == [f"{other}.html" for other in FILES]
        assert [link.get_text() for link in links] == ["default", "p = 47", "half the steps"]
        assert [link["href"] for link in links if link.get("aria-current") == "page"] == [
            f"{file}.html"
        ]


def test_the_page_of_a_set_marks_what_moved_and_keeps_the_numbers_of_the_chapter(
    once,
):
    default, mine = (soup(once, file) for file in FILES[:2])
    assert not default.select(".gb-moved, .gb-pair")
    assert [e.get_text() for e in mine.select("article .gb-moved")] == ["47", "47"]
    assert [e.get_text() for e in mine.select("article .gb-was")] == ["(default 59)"] * 2
    assert mine.select_one("#fig-tiny-p-47 figcaption .gb-moved"), "captions are prose, too"
    for one, name in ((default, "fig-tiny"), (mine, "fig-tiny-p-47")):
        assert one.find(id=name).figcaption.get_text().strip().startswith("Fig. 1.1")
        assert "(1.1)" in one.select_one(".eqno").get_text()
        assert [a.get_text() for a in one.select(f'a[href="#{name}"]')][-1] == "Fig. 1.1"
    assert mine.select_one("article h2").get_text().startswith("What differs from the default")
    assert "grokbook run 01 --preset laptop -p p=47" in mine.get_text()


def test_a_set_is_found_by_its_chapter_alone_and_its_notebook_can_be_had(once):
    index = (
        (once / "site" / "searchindex.js")
        .read_text()
        .removeprefix("Search.setIndex(")
        .removesuffix(")")
    )
    words = json.loads(index)
    found = {
        at
        for place in words["terms"].values()
        for at in (place if isinstance(place, list) else [place])
    }
    chapter = words["docnames"].index("chapters/01_tiny")
    assert words["alltitles"]["A tiny chapter"] == [[chapter, None]]
    assert {words["docnames"].index(f"chapters/{file}") for file in FILES[1:]}.isdisjoint(found)
    links = [a["href"] for a in soup(once, FILES[1]).select(".dropdown-download-buttons a")]
    assert links == ["../downloads/sets/01_tiny-p-47.ipynb", "../downloads/sets/01_tiny-p-47.md"]
    assert list(json.loads((once / "site" / "drift.json").read_text())["chapters"]) == ["01_tiny"]


def test_a_set_that_is_no_longer_named_or_has_other_values_has_no_page(once):
    root = once
    made = sources.load(once / "notebooks" / "01_tiny.md")
    assert [one.name for one in variants.made(root, made)] == ["p = 47", "half the steps"]
    other = replace(made, variants=made.variants | {"p = 47": {"p": 53}})
    assert [one.name for one in variants.made(root, other)] == ["half the steps"]
    file = state.folder(root, "p = 47") / "01_tiny.ipynb"
    whole = file.read_bytes()
    file.write_bytes(whole[:-2])
    try:
        assert [one.name for one in variants.made(root, made)] == ["half the steps"], (
            "it was cut off"
        )
    finally:
        file.write_bytes(whole)
    assert state.card(root, "01_tiny") and site.key(root)
