"""The sortable ledger in Chromium: alone in a file, on the site, and in the stand-alone page."""

from pathlib import Path
from urllib.parse import urlsplit

import pandas as pd
import pytest

from grokbook.book import page as on_page
from grokbook.book import standalone

SITE = Path(__file__).resolve().parents[2] / "site"
PAGE = SITE / "chapters" / "18_reproduction_report.html"
BUILT = pytest.mark.skipif(not PAGE.is_file(), reason="chapter 18 is not built")
PLACES = ["alone", pytest.param("site", marks=BUILT), pytest.param("one file", marks=BUILT)]

pytestmark = pytest.mark.browser

ROWS = pd.DataFrame(
    {
        "id": ["G10", "G2", "P1", "P2"],
        "value": [3.0, None, 20.0, 1.5],
        "verdict": ["fails", "holds", "holds with correction", "fails"],
        "evidence": ["two balls " * 12, "a ring", "a long ring", "nothing at all"],
    }
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The table alone in a file with the book's style sheet, and (when built) chapter 18 as one file."""
    folder = tmp_path_factory.mktemp("tables")
    look = on_page.TableLook(True, ("verdict",), {"id": lambda name: f"#{name}"})
    made = on_page.table_html(ROWS, "Four claims.", {}, look)
    style = (SITE.parent / "book" / "_static" / "grokbook.css").read_text()
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{style}</style>'
    text = f'<!doctype html><html lang="en"><head>{head}<title>t</title></head><body class="bd-article">{made}</body>'
    (folder / "alone.html").write_text(text, encoding="utf-8")
    plain = on_page.table_html(ROWS, "Four claims, not sortable.", {})
    (folder / "plain.html").write_text(text.replace(made, plain), encoding="utf-8")
    if PAGE.is_file():
        (folder / "one file.html").write_text(standalone.inlined(PAGE, SITE / "mathjax"), encoding="utf-8")
    return folder


@pytest.fixture
def ledger(open_page, opened_at, files, request):
    def open_ledger(place, **options):
        """The page at a place with nothing filtered; of chapter 18 one is loaded for each width."""
        if place in ("alone", "plain"):
            return open_page((files / f"{place}.html").as_uri(), **options)
        served = place == "site" and request.getfixturevalue("address") + "chapters/" + PAGE.name
        page = opened_at(served or (files / f"{place}.html").as_uri(), **options)
        page.get_by_role("combobox", name="verdict").first.select_option(index=0)
        page.get_by_label("words").fill("")
        return page

    return open_ledger


def column(page, name):
    """The visible cells of a column, from top to bottom."""
    return page.locator(f".gb-sortable tbody tr:not([hidden]) td[data-label='{name}']").all_inner_texts()


def press(page, name):
    page.locator(".gb-sortable th button", has_text=name).first.click()


@pytest.mark.parametrize("place", PLACES)
def test_headings_sort_by_numbers_within_names_and_say_so_and_nothing_is_asked_of_others(ledger, place):
    page = ledger(place)
    press(page, "id")
    head = page.locator(".gb-sortable th").first
    assert head.get_attribute("aria-sort") == "ascending"
    rising = column(page, "id")
    assert rising[0].startswith("G")
    press(page, "id")
    assert head.get_attribute("aria-sort") == "descending"
    assert column(page, "id")[0].startswith("P")
    press(page, "verdict")
    assert head.get_attribute("aria-sort") is None
    assert column(page, "verdict") == sorted(column(page, "verdict"))
    assert (page.seen["errors"], page.seen["failed"]) == ([], [])
    asked = [urlsplit(u) for u in page.seen["requests"]]
    assert {u.netloc for u in asked if u.scheme not in ("data", "blob")} == {urlsplit(page.url).netloc}


def test_order_of_names_and_numbers_with_missing_ones_last_by_keys_too(ledger):
    page = ledger("alone")
    press(page, "id")
    assert column(page, "id") == ["G2", "G10", "P1", "P2"]
    press(page, "value")
    assert column(page, "value") == ["1.5", "3", "20", "–"]
    press(page, "value")
    assert column(page, "value") == ["20", "3", "1.5", "–"]
    page.locator(".gb-sortable th button").nth(1).focus()
    page.keyboard.press("Enter")
    assert column(page, "value")[0] == "1.5"
    page.keyboard.press("Space")
    assert column(page, "value")[0] == "20"


@pytest.mark.parametrize("place", PLACES)
def test_a_verdict_and_words_filter_and_are_counted(ledger, place):
    page = ledger(place)
    total = page.locator(".gb-sortable tbody tr").count()
    assert page.locator(".gb-count").inner_text() == f"{total} of {total} shown"
    page.get_by_role("combobox", name="verdict").first.select_option("fails")
    assert set(column(page, "verdict")) == {"fails"}
    shown = len(column(page, "id"))
    assert page.locator(".gb-count").inner_text() == f"{shown} of {total} shown"
    page.get_by_label("words").fill("no such words anywhere")
    assert column(page, "id") == []
    assert page.locator(".gb-count").inner_text() == f"0 of {total} shown"


def test_words_are_searched_without_capitals_in_any_order(ledger):
    page = ledger("alone")
    page.get_by_label("words").fill("RING long")
    assert column(page, "id") == ["P1"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("place", PLACES)
def test_a_phone_reads_cards_and_scrolls_only_down(ledger, place, scheme):
    page = ledger(place, width=390, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.locator(".gb-sortable .gb-table").first
    assert box.evaluate("e => e.scrollWidth <= e.clientWidth + 1")
    assert page.locator(".gb-sortable th button").first.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_with_long_text_is_cards_on_a_phone_and_a_table_on_a_desk(ledger, scheme):
    """Each row one below the other, all cells below one another, the heading read aloud but not shown."""
    page = ledger("plain", width=390, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    cells = page.locator("tbody tr").first.locator("td")
    tops = [cells.nth(i).bounding_box() for i in range(cells.count())]
    assert all(a["y"] + a["height"] <= b["y"] + 1 for a, b in zip(tops, tops[1:], strict=False))
    assert page.get_by_role("columnheader").count() == len(ROWS.columns)
    wide = ledger("plain", width=1280, scheme=scheme)
    cells = wide.locator("tbody tr").first.locator("td")
    assert len({round(cells.nth(i).bounding_box()["y"]) for i in range(cells.count())}) == 1


def test_without_scripts_it_is_a_plain_table(ledger):
    page = ledger("alone", java_script_enabled=False)
    assert page.locator("table tbody tr").count() == len(ROWS)
    assert page.locator("button, select, input").count() == 0


@BUILT
def test_links_of_the_ledger_lead_to_sections_that_are_there(ledger):
    """A chapter that is not built yet has no page to lead to; every other link resolves, fragment and all."""
    page = ledger("site")
    hrefs = page.locator(".gb-sortable td a").evaluate_all("all => [...new Set(all.map(a => a.getAttribute('href')))]")
    assert hrefs
    for href in hrefs:
        name, _, fragment = href.partition("#")
        path = PAGE.with_name(name) if name else PAGE
        if path.is_file():
            assert f'id="{fragment}"' in path.read_text(encoding="utf-8"), href
