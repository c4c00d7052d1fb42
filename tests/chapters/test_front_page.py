"""The front page: its story, and the parts of the page."""

import html
import re
from urllib.parse import parse_qsl

import pytest
from bs4 import BeautifulSoup

from companion import page
from companion.page import front, sources
from companion.project import of
from companion.site import staging as site
from grokbook.curves.delay import grok_times
from grokbook.paths import project_root
from grokbook.runs import recorded
from grokbook_chapters import front_page
from written_pages import names_used

ROOT = project_root()


def test_the_donors_are_the_recorded_runs_without_mirror_images():
    """Their fit and grok steps say when a donor is stopped."""
    times = grok_times(recorded(front_page.story()["paired"]))
    assert [front_page.Donor(*row) for row in times[["fit_step", "grok_step"]].to_numpy()] == [
        *front_page.DONORS
    ]


@pytest.fixture(scope="module")
def story():
    return {act: recorded(experiment) for act, experiment in front_page.story().items()}


def test_the_page_uses_every_number_of_the_story_and_no_other(story):
    assert names_used("00") == set(front_page.numbers(story))


def test_the_acts_of_the_story_come_out_as_the_page_tells(story):
    made = front_page.numbers(story)
    for name in ("copying_is_not_it", "decay_is_needed", "features_are_handed", "tuned_away"):
        assert made[name].holds, name


def test_a_world_in_which_the_acts_do_nothing_says_none_of_it(story):
    """All acts with the runs of one: no wait is shorter, decay is not needed."""
    made = front_page.numbers(dict.fromkeys(story, story["paired"]))
    assert made["copying_is_not_it"].holds
    for name in ("decay_is_needed", "features_are_handed", "tuned_away"):
        assert not made[name].holds, name


def test_a_press_sets_the_network_of_the_page_to_its_act(put):
    front_page.press("half", "Half")
    link = BeautifulSoup(put[0], "html.parser").a
    area, _, asked = link["href"].partition("?")
    found = dict(parse_qsl(asked))
    assert area == f"#{front_page.FIGURE}-area"
    assert (found["given"], found["split"], found["steps"]) == ("half", "symmetric", "2000")
    assert "freeze" not in found


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
    links = [f'<a class="reference internal" href="chapters/{c.name}.html">' for c in listed]
    assert [link for link in links if put[0].count(link) != 1] == []
    assert [c.question for c in listed if c.question not in html.unescape(put[0])] == []


def test_a_chapter_needs_what_it_says_that_you_need():
    """The front matter against the first sentence of "You need"."""
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


def test_links_to_chapters_that_are_not_built_are_words():
    text = r"[a](chapters/01_x.ipynb) <a class=\"k\" href=\"chapters/02_y.html#b\">c</a> [d](notation.md)"
    assert site.without_dead_links(text, ["01_x", "02_y"], {}) == text
    assert site.without_dead_links(text, [], {}) == "a c [d](notation.md)"


def test_so_are_links_from_one_chapter_to_another_and_references_to_what_has_a_label_there():
    """As in a first build of one chapter alone."""
    text = r"[a](03a_norms) <a href=\"18_report.html#G1\">G1</a> {prf:ref}`thm-x` "
    text += "{eq}`eq-y` {numref}`fig-z`"
    there = {"thm-x": "chapter 3a", "eq-y": "chapter 5", "fig-z": "chapter 5"}
    assert site.without_dead_links(text, ["03a_norms", "18_report"], {}) == text
    assert site.without_dead_links(text, [], there) == "a G1 chapter 3a chapter 5 chapter 5"
    assert site.without_dead_links("{ref}`thm-here` [x](plans.md) [y](01-x)", [], there) == (
        "{ref}`thm-here` [x](plans.md) [y](01-x)"
    )
