"""The built site in Chromium: nothing is loaded from elsewhere, nothing is broken, it can be read on a phone.

Each page is loaded once on a desk and once on a phone; what there is to check is collected there in one go.
"""

import json
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

SITE = Path(__file__).resolve().parents[2] / "site"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")) if SITE.is_dir() else []
PAGES = [page for page in PAGES if not page.startswith(("mathjax/", "_static/"))]
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not PAGES, reason="the site is not built: run `grokbook build`"),
]

COLLECT = """() => {
  const all = selector => [...document.querySelectorAll(selector)];
  const prose = all('article p, article li').map(e => {
    const copy = e.cloneNode(true);
    copy.querySelectorAll('code, pre, mjx-container').forEach(x => x.remove());
    return copy.textContent;
  }).join('\\n');
  return {
    marked: all('article .math').length,
    drawn: all('article .math mjx-container').length,
    merrors: all('mjx-merror, [data-mjx-error]').length,
    raw: ['$$', '\\\\('].filter(sign => prose.includes(sign)),
    undrawn: all('article img').filter(i => !i.alt.trim() || !i.naturalWidth).map(i => i.src),
    figures: all('article figure img').length,
    box: all('.grokbook-provenance').map(e => e.innerText).join(''),
    downloads: all('.dropdown-download-buttons a').map(a => a.href),
  };
}"""
WIDTH = "Math.max(document.documentElement.scrollWidth, document.body.scrollWidth)"
THEME = "document.documentElement.dataset.theme"
GROUNDS = "[...document.querySelectorAll('article figure img')].map(i => getComputedStyle(i).backgroundColor)"


@pytest.fixture(scope="module")
def facts(open_page, address):
    """What is to be known of a page, by its name; gathered when it is first asked for."""
    known = {}

    def gather(name):
        if name not in known:
            desk = open_page(address + name)
            seen = {kind: list(found) for kind, found in desk.seen.items()}
            known[name] = desk.evaluate(COLLECT) | {"seen": seen, "solutions": solutions(desk)}
            desk.emulate_media(color_scheme="dark")
            known[name]["grounds"] = desk.evaluate(GROUNDS)
            desk.context.close()
            phone = open_page(address + name, width=390)
            known[name]["widths"] = [phone.evaluate(WIDTH)]
            phone.emulate_media(color_scheme="dark")
            phone.wait_for_function(f"{THEME} == 'dark'")
            known[name]["widths"].append(phone.evaluate(WIDTH))
            phone.context.close()
        return known[name]

    return gather


def solutions(page):
    """Solutions that are closed before and after the first is opened."""
    hidden = page.locator(".solution.toggle-hidden, .admonition.toggle-hidden")
    before = hidden.count()
    if before:
        page.locator(".toggle-hidden button.toggle-button").first.click()
    return before, hidden.count()


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
def test_a_phone_scrolls_a_page_only_down_in_light_and_dark(facts, name):
    assert max(facts(name)["widths"]) <= 390


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_opaque_pictures_its_box_and_solutions_that_open(facts, name):
    page = facts(name)
    assert page["figures"] >= 1
    assert set(page["grounds"]) <= {"rgb(255, 255, 255)"}
    assert "grokbook run" in page["box"]
    before, after = page["solutions"]
    assert before >= 1
    assert after == before - 1


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_downloads_of_a_chapter_are_there(facts, name):
    stem, links = Path(name).stem, sorted(facts(name)["downloads"])
    assert [Path(link).name for link in links] == [f"{stem}.ipynb", f"{stem}.md"]
    notebook, source = (urlopen(link).read().decode() for link in links)
    assert json.loads(notebook)["cells"]
    assert "grokbook:" in source


def test_dark_and_light_can_be_switched(open_page, address):
    page = open_page(address + CHAPTERS[0])
    seen = {page.evaluate(THEME)}
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").first.click()
        seen.add(page.evaluate(THEME))
    assert seen == {"light", "dark"}


def test_the_search_finds_a_word(open_page, address):
    page = open_page(address + "search.html?q=grokking")
    page.wait_for_selector("#search-results li", timeout=15_000)
    assert page.locator("#search-results li a").count() >= 1
    assert page.seen["errors"] == []
