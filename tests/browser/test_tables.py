"""The ledger and the tables in Chromium: alone in a file, on the site, and in the stand-alone
page."""

import csv
import io
from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
import pytest

from companion.claims import Claim, Finding, Outcome, as_table
from companion.page import cards, tables
from companion.site import standalone
from project_tree import ROOT

SITE = ROOT / "site"
PAGE = SITE / "chapters" / "18_reproduction_report.html"
BUILT = pytest.mark.skipif(not PAGE.is_file(), reason="chapter 18 is not built")
PLACES = ["alone", pytest.param("site", marks=BUILT), pytest.param("one file", marks=BUILT)]
WIDTHS = [390, 768, 1280, 1920]
IN_SIGHT = """id => {
  const { top, bottom } = document.getElementById(id).getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""
WIDTH = "document.documentElement.scrollWidth"

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("tables")]


def made(name, paper, verdict, said):
    claim = Claim(
        name, paper, "p. 3", f"{said} of {name} are so.", "number", "uniformity", "B", check=dict
    )
    return Outcome(claim, Finding(verdict, "two balls " * 12), 1.0)


FOUND = [
    ("G10", "gu2025", "fails", "Rings"),
    ("P5.1c", "gu2024", "holds", "Rings"),
    ("P2", "gu2024", "fails", "Balls"),
]
ROWS = as_table(made(*found) for found in FOUND)
NUMBERS = pd.DataFrame(
    {"row": ["SQUARE 30", "STRIP 67"]} | {f"published {n}": [99.04, 8.5] for n in range(11)}
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The ledger and tables alone in a file with the book's style sheet, and (when built) chapter
    18 as one file."""
    folder = tmp_path_factory.mktemp("tables")
    style = (SITE.parent / "book" / "_static" / "grokbook.css").read_text()
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{style}</style>'
    texts = {
        "alone": cards.ledger_html(ROWS),
        "tables": "".join(tables.table_html(NUMBERS.iloc[:, :n], "Some.") for n in (2, 6, 12)),
    }
    for name, body in texts.items():
        page = f'<html lang="en"><head>{head}<title>t</title></head><body class="bd-article">{body}</body>'
        (folder / f"{name}.html").write_text(f"<!doctype html>{page}", encoding="utf-8")
    if PAGE.is_file():
        (folder / "one file.html").write_text(
            standalone.inlined(PAGE, SITE / "mathjax"), encoding="utf-8"
        )
    return folder


@pytest.fixture
def ledger(opened_at, files, request):
    """The page at a place and a fragment, loaded once; a test that chooses something shows all
    claims at its end."""

    def open_ledger(place, fragment="", **options):
        served = place == "site" and request.getfixturevalue("address") + "chapters/" + PAGE.name
        page = opened_at((served or (files / f"{place}.html").as_uri()) + fragment, **options)
        page.wait_for_timeout(100)
        return page

    return open_ledger


def shown(page):
    return page.locator(".gb-ledger .gb-claim:not([hidden])").evaluate_all(
        "all => all.map(card => card.id)"
    )


@pytest.mark.parametrize("place", PLACES)
def test_a_choice_is_kept_in_the_address_and_the_address_makes_the_choice(ledger, place):
    page = ledger(place)
    every = shown(page)
    page.get_by_role("combobox", name="Verdict").select_option("fails")
    page.get_by_label("Words").fill("of are" if place == "alone" else "embedding")
    chosen = shown(page)
    assert 0 < len(chosen) < len(every)
    assert page.locator(".gb-count").inner_text() == f"{len(chosen)} of {len(every)} claims shown"
    again = ledger(place, f"#{urlsplit(page.url).fragment}")
    assert shown(again) == chosen
    again.get_by_role("button", name="Show all").click()
    assert shown(again) == every and "fails" not in again.url
    page.get_by_role("button", name="Show all").click()
    assert shown(page) == every
    assert (page.seen["errors"], page.seen["failed"]) == ([], [])


@pytest.mark.parametrize("place", [place for place in PLACES if place != "alone"])
def test_a_former_id_leads_to_the_entry_that_took_it_in(ledger, place):
    """Ids stay addresses: what stood as GF12 is told in GD2."""
    page = ledger(place, "#GF12")
    page.wait_for_function(IN_SIGHT, arg="GD2")  # a long page scrolls for a while


@pytest.mark.parametrize("place", PLACES)
def test_an_anchor_leads_to_its_claim_though_a_choice_hides_it(ledger, place):
    page = ledger(place, "#P5.1c")
    page.wait_for_function(IN_SIGHT, arg="P5.1c")  # a long page scrolls for a while
    page.get_by_role("combobox", name="Paper").select_option("gu2025")
    assert "P5.1c" not in shown(page)
    page.evaluate("location.hash = '#P5.1c'")
    page.wait_for_timeout(100)
    assert "P5.1c" in shown(page) and page.get_by_role("combobox", name="Paper").input_value() == ""


@pytest.mark.parametrize("place", PLACES)
def test_the_file_has_all_claims(ledger, place):
    page = ledger(place)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="CSV").click()
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    assert [row["id"] for row in rows] == shown(page)


def test_by_keys_alone_a_verdict_is_chosen(ledger):
    page = ledger("alone")
    page.get_by_role("combobox", name="Verdict").focus()
    page.keyboard.press("f")  # a whole word typed slowly is several words to a browser
    page.wait_for_function(
        "document.querySelectorAll('.gb-ledger .gb-claim:not([hidden])').length === 2"
    )
    assert shown(page) == ["G10", "P2"]
    page.get_by_role("button", name="Show all").click()
    assert len(shown(page)) == len(ROWS)


def test_without_scripts_every_claim_is_in_sight(ledger):
    page = ledger("alone", java_script_enabled=False)
    assert page.locator(".gb-claim:visible").count() == len(ROWS)
    assert page.locator("button, select, input").count() == 0


@pytest.mark.parametrize("place", PLACES)
def test_the_ledger_scrolls_only_down(ledger, place):
    page = ledger(place)
    cut = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth && e.tagName != 'SELECT').length"
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(100)
        assert page.evaluate(WIDTH) <= width and page.locator(".gb-ledger *").evaluate_all(cut) == 0


@pytest.mark.parametrize("width", WIDTHS)
def test_no_table_is_cut_off(ledger, width):
    page = ledger("tables", width=width)
    assert page.evaluate(
        "[...document.querySelectorAll('.gb-table')].every(e => e.scrollWidth <= e.clientWidth + 1)"
    )
    assert page.get_by_role("columnheader").count() == 2 + 6 + 12
    lines = [
        len(
            set(
                page.locator(".gb-table")
                .nth(n)
                .locator("tbody tr")
                .first.locator("td")
                .evaluate_all("all => all.map(e => Math.round(e.getBoundingClientRect().top))")
            )
        )
        for n in range(3)
    ]
    assert lines[0] == 1 and (lines[1] == 1) is (width > 700) and lines[2] > 1


@BUILT
def test_links_of_the_ledger_lead_to_entries_of_data_sheets_that_are_there(ledger):
    """A chapter that is not built yet has no sheet to lead to; every other link resolves, fragment
    and all."""
    page = ledger("site")
    hrefs = page.locator(".gb-claim a").evaluate_all(
        "all => [...new Set(all.map(a => a.getAttribute('href')))]"
    )
    assert hrefs
    for href in hrefs:
        name, _, fragment = href.partition("#")
        path = (PAGE.parent / name).resolve() if name else PAGE
        if path.is_file():
            assert f'id="{fragment}"' in path.read_text(encoding="utf-8"), href
