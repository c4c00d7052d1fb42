"""The switch between a chapter and its sets in Chromium: keys, touch, link, back, dark, a phone, without scripts."""

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from grokbook.page import sources
from grokbook.page.sets import slug

from .conftest import ROOT, in_scheme

SITE = ROOT / "site" / "chapters"
CHAPTERS = [one for one in sources.load_all(ROOT) if one.sets]
PAIRS = [(one.name, f"{one.name}-{slug(name)}", name) for one in CHAPTERS for name in list(one.sets)[:1]]
BUILT = [pair for pair in PAIRS if (SITE / f"{pair[1]}.html").is_file()]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not BUILT, reason="the site is not built: run `grokbook build`"),
    pytest.mark.xdist_group("sets"),
]

READ = """() => [...document.querySelectorAll('article section > section[id]')]
  .filter(one => one.getBoundingClientRect().top < innerHeight / 3).pop()?.id"""


def at(address, file):
    return f"{address}chapters/{file}.html"


def link(page, name):
    return page.get_by_role("navigation", name="Parameters of this page").get_by_role("link", name=name, exact=True)


def test_three_chapters_have_at_least_two_sets_each():
    assert len([one for one in CHAPTERS if len(one.sets) >= 2]) >= 3


def test_keys_reach_the_switch_and_the_back_button_leads_back(open_page, address):
    default, other, name = BUILT[0]
    page = open_page(at(address, default))
    link(page, "default").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == name
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{other}.html*")
    assert link(page, name).get_attribute("aria-current") == "page"
    page.go_back()
    page.wait_for_url(f"**/{default}.html*")
    assert link(page, "default").get_attribute("aria-current") == "page"
    assert {urlsplit(url).netloc for url in page.seen["requests"]} == {urlsplit(address).netloc}
    assert (page.seen["errors"], page.seen["failed"]) == ([], [])


def test_the_switch_stays_in_sight_and_leads_to_the_section_that_is_read(open_page, address):
    default, other, name = BUILT[0]
    page = open_page(at(address, default))
    section = page.locator("article section > section[id]").nth(3).get_attribute("id")
    page.evaluate("id => document.getElementById(id).scrollIntoView()", section)
    page.wait_for_function(f"id => ({READ})() === id", arg=section)
    top = link(page, name).bounding_box()["y"]
    assert 0 <= top < 200, "it is below the head of the page"
    link(page, name).click()
    page.wait_for_url(f"**/{other}.html#{section}")
    page.wait_for_function(f"id => ({READ})() === id", arg=section)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_finger_switches_on_a_phone_and_an_address_opens_the_set(open_page, address, scheme):
    default, other, name = BUILT[0]
    page = open_page(at(address, default), 390, scheme, 800, has_touch=True, is_mobile=True)
    box = link(page, name).bounding_box()
    assert box["height"] >= 30 and box["x"] + box["width"] <= 390
    link(page, name).tap()
    page.wait_for_url(f"**/{other}.html*")
    in_scheme(page, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    ground = page.evaluate("getComputedStyle(document.querySelector('.gb-sets').closest('.text_html')).backgroundColor")
    assert ground == "rgba(0, 0, 0, 0)"
    assert open_page(at(address, other), 390, scheme).locator("article h1").count() == 1


@pytest.mark.parametrize(("default", "other", "name"), BUILT)
def test_what_differs_is_said_marked_and_drawn_side_by_side(open_page, address, default, other, name):
    page = open_page(at(address, other))
    assert page.locator("#what-differs-from-the-default").count() == 1
    marks = page.locator("article .gb-moved").all()
    assert marks and page.locator("article .gb-was").count() == len(marks)
    pair = page.locator(".gb-pair").first
    one, two = (figure.bounding_box() for figure in pair.locator("figure").all())
    assert one["x"] + one["width"] <= two["x"] and min(one["width"], two["width"]) > 300
    pair.scroll_into_view_if_needed()
    page.wait_for_function("document.querySelector('.gb-pair img').naturalWidth > 0")
    assert pair.locator("img").first.bounding_box()["width"] > 300
    assert pair.locator("figcaption").all_inner_texts() == ["default", name]
    page.set_viewport_size({"width": 390, "height": 800})
    one, two = (figure.bounding_box() for figure in pair.locator("figure").all())
    assert two["y"] >= one["y"] + one["height"] - 1


def test_without_scripts_and_from_a_file_the_links_lead_to_the_pages(browser, open_page, address):
    default, other, name = BUILT[0]
    page = browser.new_page(java_script_enabled=False)
    page.goto(at(address, default))
    link(page, name).click()
    page.wait_for_url(f"**/{other}.html")
    page.close()
    file = open_page((SITE / f"{default}.html").as_uri())
    link(file, name).click()
    file.wait_for_url(f"**/{other}.html*")
    assert Path(urlsplit(file.url).path).parent == SITE and file.seen["failed"] == []


@pytest.mark.parametrize(("default", "other", "name"), BUILT)
def test_the_page_of_the_chapter_holds_nothing_of_its_sets(default, other, name):
    """The sets are loaded when they are asked for: the chapter's own page has links to them, and no more."""
    text = (SITE / f"{default}.html").read_text()
    assert text.count(f"{other}.html") == 1 and len(text) <= 1_000_000
    assert (SITE / f"{other}.html").stat().st_size <= 2_500_000
