"""The built site in Chromium: nothing is loaded from elsewhere, nothing is broken, it can be read on a phone."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

SITE = Path(__file__).resolve().parents[2] / "site"
PAGES = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")) if SITE.is_dir() else []
PAGES = [page for page in PAGES if not page.startswith(("mathjax/", "_static/"))]
CHAPTERS = [page for page in PAGES if page.startswith("chapters/")]

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not PAGES, reason="the site is not built: run `grokbook build`"),
]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_without_other_hosts_and_without_complaints(opened, address, name):
    page = opened(name)
    elsewhere = [u for u in page.seen["requests"] if not u.startswith(("data:", "blob:"))]
    elsewhere = [u for u in elsewhere if urlsplit(u).netloc != urlsplit(address).netloc]
    assert (elsewhere, page.seen["errors"], page.seen["failed"]) == ([], [], [])


@pytest.mark.parametrize("name", PAGES)
def test_mathematics_is_drawn(opened, name):
    page = opened(name)
    marked = page.locator("article .math").count()
    assert page.locator("article .math mjx-container").count() == marked
    assert page.locator("mjx-merror, [data-mjx-error]").count() == 0
    prose = page.evaluate(
        "Array.from(document.querySelectorAll('article p, article li')).map(e => {"
        " const c = e.cloneNode(true); c.querySelectorAll('code, pre, mjx-container').forEach(x => x.remove());"
        " return c.textContent }).join('\\n')"
    )
    assert "$$" not in prose
    assert "\\(" not in prose


@pytest.mark.parametrize("name", PAGES)
def test_every_picture_is_drawn_and_has_alt_text(opened, name):
    page = opened(name)
    pictures = page.evaluate(
        "Array.from(document.querySelectorAll('article img')).map(i => [i.src, i.alt.trim(), i.naturalWidth])"
    )
    assert not [source for source, alt, width in pictures if not alt or width == 0]


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_chapter_has_pictures_and_its_box(opened, name):
    page = opened(name)
    assert page.locator("article figure img").count() >= 1
    assert "grokbook run" in page.locator(".grokbook-provenance").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_phone_scrolls_a_page_only_down(opened, name, scheme):
    page = opened(name, width=390, scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.body.scrollWidth") <= 390


@pytest.mark.parametrize("name", CHAPTERS[:1])
def test_dark_and_light_can_be_switched(opened, name):
    page = opened(name)
    seen = {page.evaluate("document.documentElement.dataset.theme")}
    for _ in range(3):
        page.locator("button.theme-switch-button:visible").first.click()
        seen.add(page.evaluate("document.documentElement.dataset.theme"))
    assert seen == {"light", "dark"}


def test_pictures_are_opaque_in_the_dark(opened):
    for name in CHAPTERS:
        page = opened(name, scheme="dark")
        colours = page.evaluate(
            "Array.from(document.querySelectorAll('article figure img')).map(i => getComputedStyle(i).backgroundColor)"
        )
        assert set(colours) <= {"rgb(255, 255, 255)"}


def test_the_search_finds_a_word(opened):
    page = opened("search.html?q=grokking")
    page.wait_for_selector("#search-results li", timeout=15_000)
    assert page.locator("#search-results li a").count() >= 1
    assert page.seen["errors"] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_the_downloads_of_a_chapter_are_there(opened, address, name):
    page = opened(name)
    links = page.evaluate("Array.from(document.querySelectorAll('.dropdown-download-buttons a')).map(a => a.href)")
    stem = Path(name).stem
    assert sorted(Path(link).name for link in links) == [f"{stem}.ipynb", f"{stem}.md"]
    for link in links:
        answer = page.request.get(link)
        assert answer.ok
        assert json.loads(answer.text())["cells"] if link.endswith(".ipynb") else "grokbook:" in answer.text()


@pytest.mark.parametrize("name", CHAPTERS)
def test_solutions_open_when_asked(opened, name):
    page = opened(name)
    hidden = page.locator(".solution.toggle-hidden, .admonition.toggle-hidden")
    before = hidden.count()
    assert before >= 1
    page.locator(".toggle-hidden button.toggle-button").first.click()
    assert hidden.count() == before - 1
