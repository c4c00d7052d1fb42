"""The switch between a chapter and its sets in Chromium: keys, touch, link, back, dark, a phone,
without scripts."""

import base64
import re
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from companion.page import sources
from companion.page.variants import slug
from small_project import ROOT, in_scheme

SITE = ROOT / "site" / "chapters"
CHAPTERS = [one for one in sources.load_all(ROOT) if one.variants]
PAIRS = [
    (one.name, f"{one.name}-{slug(name)}", name)
    for one in CHAPTERS
    for name in list(one.variants)[:1]
]
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
    return page.get_by_role("navigation", name="Parameters of this page").get_by_role(
        "link", name=name, exact=True
    )


def test_three_chapters_have_at_least_two_sets_each():
    assert len([one for one in CHAPTERS if len(one.variants) >= 2]) >= 3


def begin_at(page, number):
    """Scroll to a section and leave a mark on the window, which a page loaded anew has not; the
    section's id."""
    section = page.locator("article section > section[id]").nth(number).get_attribute("id")
    page.evaluate("window.here = 1")
    page.evaluate(
        "id => document.getElementById(id).scrollIntoView({ behavior: 'instant' })", section
    )
    page.wait_for_function(f"id => ({READ})() === id", arg=section)
    return section


def top_of(page, section):
    return page.locator(f"[id='{section}']").bounding_box()["y"]


def place_of(page, section):
    """Where a section stands once it moves no more: what is drawn as it comes near, and the focus,
    move it."""
    place = None
    while place != (place := top_of(page, section)):
        page.wait_for_timeout(500)
    return place


def shows(page, name):
    """Wait until the page shows a set, and say whether it is the page that was loaded first."""
    page.wait_for_function(
        "name => document.querySelector('.gb-sets [aria-current]')?.textContent === name", arg=name
    )
    return page.evaluate("window.here === 1")


def test_keys_switch_in_place_and_the_back_button_leads_back(open_page, address):
    """What is read stays where it is, and what scripts do to a page is done: formulas, folds, code,
    explorables."""
    default, other, name = BUILT[0]
    page = open_page(at(address, default))
    section = begin_at(page, 3)
    link(page, "default").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == name
    place = place_of(page, section)
    assert 0 <= link(page, name).bounding_box()["y"] < 200, (
        "the switch is in sight, below the head of the page"
    )
    page.keyboard.press("Enter")
    assert shows(page, name) and page.url == f"{at(address, other)}#{section}"
    assert page.evaluate("document.activeElement.textContent") == name
    assert top_of(page, section) == pytest.approx(place, abs=3)
    seen = {
        what: page.locator(what).count()
        for what in ("article .gb-moved", ".bd-toc-nav a[href*=what-differs]")
    }
    assert all(seen.values())
    for every, done in (
        (".math", ".math mjx-container"),
        (".toggle-hidden", ".toggle-button-hidden"),
    ):
        assert (
            page.locator(f"article {every}").count() == page.locator(f"article {done}").count() > 0
        )
    assert page.locator(".btn-notebook").get_attribute("href").endswith(f"sets/{other}.ipynb")
    assert page.locator("article [data-options]").evaluate_all(
        "all => all.every(e => e.querySelector('svg, canvas'))"
    )
    page.go_back()
    assert shows(page, "default") and page.url == at(address, default)
    assert top_of(page, section) == pytest.approx(place, abs=3)
    assert not page.locator("article .gb-moved").count() and page.locator(".gb-sets").count() == 1
    page.locator(".btn-code-switch").click()
    page.go_forward()
    assert shows(page, name) and page.locator("article .gb-moved").count()
    folded = page.locator("article details.hide")
    assert folded.count() and folded.evaluate_all("all => all.every(e => e.open)"), (
        "the code is shown there too"
    )
    assert {urlsplit(url).netloc for url in page.seen["requests"]} == {urlsplit(address).netloc}
    assert (page.seen["errors"], page.seen["failed"]) == ([], [])


def test_a_finger_switches_on_a_phone_and_where_the_fetch_fails_the_link_is_followed(
    open_page, address
):
    default, other, name = BUILT[0]
    page = open_page(at(address, default), 390, height=800, has_touch=True, is_mobile=True)
    begin_at(page, 2)
    box = link(page, name).bounding_box()
    head = page.locator(".bd-header-article").bounding_box()
    assert (
        box["height"] >= 30
        and box["x"] + box["width"] <= 390
        and box["y"] >= head["y"] + head["height"]
    )
    link(page, name).tap()
    assert shows(page, name)
    for scheme in ("light", "dark"):
        in_scheme(page, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        ground = "getComputedStyle(document.querySelector('.gb-sets').closest('.text_html')).backgroundColor"
        assert page.evaluate(ground) == "rgba(0, 0, 0, 0)"
    page.reload()
    page.evaluate("window.here = 1")
    page.route(
        "**/*",
        lambda route: (
            route.abort() if route.request.resource_type == "fetch" else route.continue_()
        ),
    )
    link(page, "default").tap()
    page.wait_for_url(f"**/{default}.html*")
    assert not shows(page, "default"), "it is loaded anew"


@pytest.mark.parametrize(("default", "other", "name"), BUILT)
def test_the_policy_of_a_page_lets_the_scripts_of_its_sets_run(default, other, name):
    texts = [(SITE / f"{file}.html").read_text("utf-8") for file in (default, other)]
    inside = [text[text.index("<article") : text.rindex("</article")] for text in texts]
    scripts = [re.findall(r"(?s)<script>(.*?)</script>", text) for text in inside]
    hashes = {
        base64.b64encode(sha256(one.encode()).digest()).decode() for one in scripts[0] + scripts[1]
    }
    assert all(f"'sha256-{one}'" in text for one in hashes for text in texts)


@pytest.mark.parametrize(("default", "other", "name"), BUILT)
def test_what_differs_is_said_and_marked(open_page, address, default, other, name):
    page = open_page(at(address, other))
    assert page.locator("#what-differs-from-the-default").count() == 1
    marks = page.locator("article .gb-moved").all()
    assert marks and page.locator("article .gb-was").count() == len(marks)


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
    """The sets are loaded when they are asked for: the chapter's own page has links to them, and no
    more."""
    text = (SITE / f"{default}.html").read_text()
    assert text.count(f"{other}.html") == 1 and len(text) <= 1_000_000
    assert (SITE / f"{other}.html").stat().st_size <= 2_500_000
