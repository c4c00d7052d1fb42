"""The front page: its moving run, and the parts of the page."""

from __future__ import annotations

import dataclasses
import re

import pytest

from grokbook import page
from grokbook.build import site
from grokbook.claims import choose
from grokbook.claims.verdicts import settled
from grokbook.page import front, sources
from grokbook.paths import project_root
from grokbook.runs.gu2025 import fig5, often

ROOT = project_root()


def test_the_moving_run_is_a_run_of_figure_5_that_differs_in_its_snapshots_alone():
    shown, usual = often()["run"], fig5(97)
    assert dataclasses.replace(shown.config, snapshots=usual.config.snapshots) == usual.config
    assert set(shown.seeds) <= set(usual.seeds)


@pytest.fixture
def put(monkeypatch):
    """What was put on the page as HTML."""
    seen = []
    monkeypatch.setattr(page, "_display", lambda data, metadata=None: seen.append(data["text/html"]))
    return seen


def test_the_counts_of_a_paper_are_all_of_its_claims_and_ours_are_not_among_them(put):
    front.verdicts("gu2025", "the paper")
    its_own = [claim.id for claim in choose(paper="gu2025") if claim.origin == "paper"]
    counts = [int(n) for n in re.findall(r">(\d+) [a-z ]+<", put[0])]
    assert sum(counts) == len(its_own) < len(choose(paper="gu2025"))
    assert f'aria-label="{len(its_own)} claims: ' in put[0]
    assert f">{[settled()[name] for name in its_own].count('fails')} fails<" in put[0]
    assert f'href="{front.LEDGER_PAGE}#paper=gu2025">the entries of the paper<' in put[0]


def test_the_contents_are_titles_and_questions_of_the_sources(put):
    front.contents(ROOT)
    listed = [chapter for chapter in sources.load_all(ROOT) if chapter.name != sources.FRONT]
    assert all(f'href="chapters/{c.name}.html">{c.number.lstrip("0")}. {c.title}</a>' in put[0] for c in listed)
    assert put[0].count("<img") == len(listed)


def test_links_to_chapters_that_are_not_built_are_words():
    text = r'[a](chapters/01_x.ipynb) <a class=\"k\" href=\"chapters/02_y.html#b\">c</a> [d](notation.md)'
    assert site.without_dead_links(text, ["01_x", "02_y"]) == text
    assert site.without_dead_links(text, []) == "a c [d](notation.md)"
