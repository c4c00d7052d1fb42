"""The built site in Chromium: nothing is loaded from elsewhere, nothing is broken or cut off,
everyone can read it.

Each page is loaded once; it is then made wider and narrower, light and dark, and what there is to
check is collected.
"""

import json
import re
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from small_project import ROOT
from visited import AXE, CONTRAST, LOOKED, SITE, THINNED, Requests, barred

PAGES = (
    sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html"))
    if SITE.is_dir()
    else []
)
LEADS_ON = 'http-equiv="refresh"'
PAGES = [
    one
    for one in PAGES
    if not one.startswith(("mathjax/", "_static/", "_modules/"))
    and LEADS_ON not in (SITE / one).read_text("utf-8")
]
CHAPTERS = [
    page
    for page in PAGES
    if not page.startswith("data/") and (ROOT / "notebooks" / f"{Path(page).stem}.md").is_file()
]
SHEETS = [page for page in PAGES if page.startswith("data/")]
PAGES, CHAPTERS, SHEETS = (
    [pytest.param(n, marks=pytest.mark.xdist_group(n)) for n in names]
    for names in (PAGES, CHAPTERS, SHEETS)
)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not SITE.is_dir(), reason="the site is not built: run `grokbook build`"),
]

HEAVIEST = 2_600_000
LOWEST = 260
BELOW_AN_ANSWER = 560
PHONE = 844
THEME = "document.documentElement.dataset.theme"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_without_other_hosts_and_without_complaints(facts, address, name):
    seen = facts(name)["seen"]
    elsewhere = [u for u in seen["requests"] if not u.startswith(("data:", "blob:"))]
    elsewhere = [u for u in elsewhere if urlsplit(u).netloc != urlsplit(address).netloc]
    assert (elsewhere, seen["errors"], seen["failed"]) == ([], [], [])


@pytest.mark.parametrize("name", PAGES)
def test_mathematics_and_pictures_are_drawn_and_pictures_have_alt_text(facts, name):
    page = facts(name)
    assert page["drawn"] == page["marked"]
    assert (page["merrors"], page["raw"], page["undrawn"]) == (0, [], [])


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off_or_scrolls_but_the_page_and_that_only_down(facts, name):
    page = facts(name)
    assert {where: found for where, found in page["clipped"].items() if found} == {}
    assert [where for where, wide in page["widths"].items() if wide > where[0]] == []


@pytest.mark.parametrize("name", PAGES)
def test_no_word_is_broken_inside_no_list_cut_and_every_target_can_be_hit(facts, name):
    """At every width; in figures targets of at least 24 pixels (WCAG 2.2, 2.5.8)."""
    page = facts(name)
    assert {
        kind: {at: f for at, f in page[kind].items() if f} for kind in ("broken", "cut", "small")
    } == {"broken": {}, "cut": {}, "small": {}}


@pytest.mark.parametrize("name", PAGES)
def test_axe_core_finds_nothing_serious(facts, name):
    assert facts(name)["barred"] == []


FAINT_WORDS = """<html lang="en"><title>t</title><style>
  body { color: #000; background: #fff } .dark { background: #777 } tr:nth-child(even) td { color: #eee }
</style><body><p>one</p><p>two</p><p style="color: #ddd">three</p><p>four <b style="opacity: 0.2">five</b></p>
<div class="dark"><p>six</p></div><div class="dark" style="background: #222"><p>seven</p></div>
<table><tr><td>eight</td></tr><tr><td>nine</td></tr></table>
<h4>ten</h4><button></button></body></html>"""


def test_axe_core_finds_faint_words_though_words_that_look_alike_are_seen_once(open_page, tmp_path):
    """By colour, by opacity, by ground, by the row of a table: four words, of which none is taken
    for another.

    A button without a name is grave, a heading that leaves out a level is not.
    """
    (tmp_path / "faint.html").write_text(FAINT_WORDS)
    page = open_page((tmp_path / "faint.html").as_uri())

    def faint():
        return [
            page.locator(one).text_content()
            for _, found in barred(page, CONTRAST)
            for (one,) in found
        ]

    assert faint() == ["three", "five", "seven", "nine"]
    page.evaluate(LOOKED)
    assert [name for name, _ in barred(page, AXE[0][2])] == ["button-name"]
    assert page.evaluate(THINNED) == 7  # "two", "four" and "eight" look as "one" does
    assert faint() == ["three", "five", "seven", "nine"]


@pytest.mark.parametrize("name", PAGES)
def test_what_a_page_loads_has_a_limit(facts, name):
    assert sum(facts(name)["seen"]["bytes"]) - facts(name)["data"] < HEAVIEST


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_pictures_for_every_screen_its_box_and_solutions_that_open(facts, name):
    """In the dark they have their own dark colours and the page's ground; on a phone those that can
    be stacked are."""
    page = facts(name)
    assert page["figures"] >= 1
    assert {tuple(look) for look in page["looks"]} <= {("dark", "none", "rgba(0, 0, 0, 0)")}
    assert all("/narrow/" in source and wide for source, wide in page["stacked"])
    assert "grokbook run" in page["box"]
    before, after = page["solutions"]
    assert before >= 1
    assert after == before - 1


@pytest.mark.parametrize("name", SHEETS)
def test_a_data_sheet_says_how_the_page_was_made(facts, name):
    assert "grokbook run" in facts(name)["made"]


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_best_picture_of_a_chapter_is_on_its_first_screen(facts, name):
    """Above one that a reader works, and that is as tall as a screen, stands the answer."""
    page = facts(name)
    (top,) = page["top"]
    assert top <= (BELOW_AN_ANSWER if page["worked"] else LOWEST)


@pytest.mark.parametrize("name", CHAPTERS)
def test_on_a_phone_the_answer_begins_above_the_picture_and_on_the_first_screen(facts, name):
    answer, lead = facts(name)["opening"]
    assert answer < lead
    assert answer < PHONE / 2


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_downloads_of_a_chapter_are_there(facts, name):
    stem = Path(name).stem
    links = sorted(facts(name)["downloads"])
    assert [Path(link).name for link in links] == [f"{stem}.ipynb", f"{stem}.md"]
    notebook, text = (urlopen(link).read().decode() for link in links)
    cells = json.loads(notebook)["cells"]
    prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    assert not RAW.findall("\n".join(prose)), "roles and directives are for the book alone"
    assert not [tag for cell in cells for tag in cell["metadata"].get("tags", []) if "hide" in tag]
    assert all(part in text for part in prose if "---" not in part)


RAW = re.compile(r"\{[\w:]+\}`[^`]+`|^(?:```+|:::+)\{|^\([\w-]+\)=", re.MULTILINE)


BLOCKED = """for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, {
  configurable: true, get() { throw new DOMException("refused", "SecurityError"); },
});"""


@pytest.mark.parametrize("script", ["", BLOCKED], ids=["with storage", "storage blocked"])
def test_dark_and_light_can_be_switched(open_page, address, script):
    page = open_page(address + CHAPTERS[0].values[0], script=script)
    seen = {page.evaluate(THEME)}
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").first.click()
        seen.add(page.evaluate(THEME))
    assert (seen, page.seen["errors"]) == ({"light", "dark"}, [])


@pytest.mark.parametrize("name", ["intro.html", "class.html", "search.html?q=grokking"])
def test_a_page_works_where_the_browser_keeps_nothing(open_page, address, name):
    page = open_page(address + name, script=BLOCKED)
    assert page.seen["errors"] == []


def test_the_search_finds_a_word_and_marks_it_on_no_later_page(open_page, address):
    page = open_page(address + "search.html?q=grokking")
    page.wait_for_selector("#search-results li .context", timeout=15_000)
    assert page.locator("#search-results li a").count() >= 1
    requests = Requests(page)
    page.goto(address + CHAPTERS[0].values[0])
    requests.wait(page)
    assert page.locator(".highlighted, .highlight-link").count() == 0
    assert page.seen["errors"] == []


def test_a_search_from_a_file_has_no_excerpts_and_says_so(open_page):
    page = open_page(f"{(SITE / 'search.html').as_uri()}?q=grokking")
    page.wait_for_selector("#search-results li", timeout=15_000)
    assert "no excerpts" in page.locator(".gb-no-excerpts").inner_text()
    assert page.seen["errors"] == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", ["glossary.html", "search.html"])
def test_the_magnifier_stands_beside_the_words_of_the_search(opened_at, address, name, width):
    page = opened_at(address + name, width)
    page.keyboard.press("Control+k")
    field = page.locator("input[type=search]:visible").first
    sign = field.locator("xpath=..").locator(".fa-magnifying-glass").bounding_box()
    begins = field.evaluate(
        "e => e.getBoundingClientRect().left + parseFloat(getComputedStyle(e).paddingLeft)"
    )
    assert sign["x"] + sign["width"] <= begins
