"""The front page: its six answers, the verdicts that they are written for, and the parts of the page."""

from __future__ import annotations

import dataclasses

import pytest
import xarray as xr

from grokbook.book import chapters, front, page, site
from grokbook.chapters import front_page
from grokbook.claims import Finding, Outcome, choose
from grokbook.claims.verdicts import settled
from grokbook.paths import project_root

ROOT = project_root()


def runs(*grok: int | None) -> xr.Dataset:
    """Runs of 1,000 steps that fit at step 100 and generalise at these steps (None: not)."""
    steps = list(range(0, 1001, 50))

    def rises(at: int | None) -> list[float]:
        return [float(at is not None and step >= at) for step in steps]

    curves = {"train_accuracy": [rises(100) for _ in grok], "test_accuracy": [rises(at) for at in grok]}
    return xr.Dataset({n: (("seed", "step"), c) for n, c in curves.items()}, {"seed": range(len(grok)), "step": steps})


def test_what_grokking_is_counts_a_run_that_does_not_generalise_as_later():
    found = front_page.grokking(runs(500, 700, None))
    assert found.number == "100 → 700"
    assert "Of these 2 generalise, between steps 500 and 700, and 1 not by step 1,000." in found.sentence
    assert [size for _, size, _ in found.parts] == [100, 600, 300]


@pytest.mark.parametrize(("data", "number"), [(None, "not run"), (runs(None, None), "0 of 2")])
def test_what_is_not_there_is_said(data, number):
    found = front_page.grokking(data)
    assert found.number == number and not found.parts and found.sentence.endswith(".")


@pytest.mark.parametrize(("ring", "order"), [(300, "step 300, before it."), (500, "with it"), (700, "after it")])
def test_the_circle_is_told_before_or_after_the_accuracy(ring, order):
    run = runs(500).isel(seed=0)
    run["fourier_ipr"] = "step", (run.step.values >= ring) * 0.3
    assert "half way at step 500" in front_page.circle(run) and order in front_page.circle(run)
    assert front_page.circle(run.assign(fourier_ipr=run.fourier_ipr * 0)).endswith("on a clock.")


def test_every_sentence_is_written_for_the_settled_verdict():
    expected = {name: verdict for wanted, _ in front_page._JUDGED for name, verdict in wanted.items()}
    assert expected == {name: settled()[name] for name in expected}


def test_another_verdict_is_told_as_it_came_out(monkeypatch):
    missing = Finding("not run", "3 runs are missing")
    monkeypatch.setattr(front_page, "outcomes", lambda chosen: [Outcome(c, missing, 0.0) for c in chosen])
    _, *judged, still = front_page.answers(None)
    assert {answer.number for answer in judged} == {"not run"} and len(judged) == len(front_page._JUDGED)
    assert judged[0].sentence.endswith("Not run: 3 runs are missing.") and judged[1].ids == ("G53", "P15")
    assert still.number.endswith(f"of {len(settled())}")


def test_what_is_open_is_the_undecided_and_the_not_run():
    found = front_page.still_open({"GE1": "undecided", "G51": "holds", "X": "not run", "Y": "fails"})
    assert found.number == "2 of 4" and "special start" not in found.sentence
    assert {name: size for name, size, _ in found.parts} == {"answered": 2, "undecided": 1, "not run": 1}


def test_the_moving_run_is_a_run_of_figure_5_that_differs_in_its_snapshots_alone():
    shown, usual = front_page.often()["run"], front_page.fig5(97)
    assert dataclasses.replace(shown.config, snapshots=usual.config.snapshots) == usual.config
    assert set(shown.seeds) <= set(usual.seeds)


@pytest.fixture
def put(monkeypatch):
    """What was put on the page as HTML."""
    seen = []
    monkeypatch.setattr(page, "_display", lambda data, metadata=None: seen.append(data["text/html"]))
    return seen


def test_an_answer_links_its_section_and_its_entries_and_escapes_its_words(put):
    place = choose(["G06"])[0].page
    front.answers(ROOT, [front_page.Answer("a < b", "1", "So & so.", (("x", 1, "fails"),), place, ("G06",))])
    assert "a &lt; b" in put[0] and "So &amp; so." in put[0] and 'data-look="fails"' in put[0]
    assert 'href="chapters/03_uniformity.html#' in put[0] and front.LEDGER_PAGE in put[0]


def test_every_place_of_an_answer_is_a_section_of_the_book(monkeypatch):
    monkeypatch.setattr(front_page, "outcomes", lambda chosen: [Outcome(c, Finding("not run"), 0.0) for c in chosen])
    assert [a.place for a in front_page.answers(None) if front._section(ROOT, a.place) is None] == []


def test_the_counts_of_a_paper_are_all_of_its_claims(put):
    counts = front_page.verdicts_of("gu2025")
    front.verdicts(counts, "gu2025", "the paper")
    assert f'href="{front.LEDGER_PAGE}#paper=gu2025">the entries of the paper<' in put[0]
    assert f'aria-label="{sum(counts.values())} claims: ' in put[0]
    assert all(f">{size} {verdict}<" in put[0] for verdict, size in counts.items())
    assert sum(counts.values()) == sum(claim.origin == "paper" for claim in choose(paper="gu2025"))


def test_the_contents_are_titles_and_questions_of_the_sources(put):
    front.contents(ROOT)
    listed = [chapter for chapter in chapters.load_all(ROOT) if chapter.name != chapters.FRONT]
    assert all(f'href="chapters/{c.name}.html">{c.title}</a>' in put[0] for c in listed)
    assert put[0].count("<tr") == len(listed) + 1


def test_links_to_chapters_that_are_not_built_are_words():
    text = r'[a](chapters/01_x.ipynb) <a class=\"k\" href=\"chapters/02_y.html#b\">c</a> [d](notation.md)'
    assert site.without_dead_links(text, ["01_x", "02_y"]) == text
    assert site.without_dead_links(text, []) == "a c [d](notation.md)"
