"""The front page: its moving run, and the parts of the page."""

import dataclasses
import html
import re

import pytest

from companion import page
from companion.page import front, sources
from companion.project import of
from companion.site import staging as site
from grokbook.paths import project_root
from grokbook_chapters.gu2025 import fig5, often

ROOT = project_root()


def test_the_moving_run_is_a_run_of_figure_5_that_differs_in_its_snapshots_alone():
    shown, usual = often()["run"], fig5(97)
    assert dataclasses.replace(shown.config, snapshots=usual.config.snapshots) == usual.config
    assert set(shown.seeds) <= set(usual.seeds)


@pytest.fixture
def put(monkeypatch):
    """What was put on the page as HTML."""
    seen = []
    monkeypatch.setattr(
        page, "_display", lambda data, metadata=None: seen.append(data["text/html"])
    )
    return seen


def test_the_contents_are_the_questions_of_the_sources(put):
    front.contents(ROOT)
    listed = [c for c in sources.load_all(ROOT) if c.name not in (sources.FRONT, of(ROOT).ledger)]
    links = [f'<p><a class="reference internal" href="chapters/{c.name}.html">' for c in listed]
    assert [link for link in links if link not in put[0]] == []
    assert put[0].count("<img") == len(listed)
    assert [c.question for c in listed if html.escape(c.question) not in put[0]] == []


def test_a_chapter_needs_what_it_says_that_you_need():
    """The front matter, which the map is drawn from, against the first sentence of "You need"."""
    known = {chapter.number: chapter for chapter in sources.load_all(ROOT)}
    for chapter in known.values():
        said = re.search(r"\*\*You need\*\*(.*?)\.\s", chapter.source, re.DOTALL)
        named = (
            re.findall(r"\b(\d+[a-z]?)\b(?= \(|,|;|$| and|\])", said[1])
            if said and "chapter" in said[1]
            else []
        )
        assert set(chapter.needs) == {
            n.lstrip("0").rjust(2 + n[-1].isalpha(), "0") for n in named
        }, chapter.name


def test_every_chapter_of_the_map_stands_right_of_what_it_needs(put):
    front.reading_map(ROOT)
    needs = {
        chapter.number: chapter.needs
        for chapter in sources.load_all(ROOT)
        if chapter.name != sources.FRONT
    }
    places = front.placed(needs)
    assert all(places[need][0] < places[number][0] for number in needs for need in needs[number])
    assert len(set(places.values())) == len(places)
    assert put[0].count("<a ") == len(needs) - 1  # all but the list of all claims
    assert put[0].count("<path") == sum(len(front.direct(number, needs)) for number in needs)


def test_links_to_chapters_that_are_not_built_are_words():
    text = r"[a](chapters/01_x.ipynb) <a class=\"k\" href=\"chapters/02_y.html#b\">c</a> [d](notation.md)"
    assert site.without_dead_links(text, ["01_x", "02_y"], {}) == text
    assert site.without_dead_links(text, [], {}) == "a c [d](notation.md)"


def test_so_are_links_from_one_chapter_to_another_and_references_to_what_has_a_label_there():
    """As in a first build of one chapter alone."""
    text = r"[a](03a_norms) <a href=\"18_report.html#G1\">G1</a> {prf:ref}`thm-x` {prf:ref}`a proof <thm-x>`"
    text += "{eq}`eq-y` {numref}`Figure %s <fig-z>`"
    there = {"thm-x": "chapter 3a", "eq-y": "chapter 5", "fig-z": "chapter 5"}
    assert site.without_dead_links(text, ["03a_norms", "18_report"], {}) == text
    assert (
        site.without_dead_links(text, [], there)
        == "a G1 chapter 3a a proof" + "chapter 5 chapter 5"
    )
    assert site.without_dead_links("{ref}`thm-here` [x](tour.md) [y](01-x)", [], there) == (
        "{ref}`thm-here` [x](tour.md) [y](01-x)"
    )
