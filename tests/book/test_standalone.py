"""One file with everything in it."""

import re

import pytest
from bs4 import BeautifulSoup

from grokbook.book import site, standalone
from grokbook.errors import ChapterError


@pytest.fixture(scope="module")
def page(built_once):
    built = built_once / "site" / "chapters" / "01_tiny.html"
    return BeautifulSoup(standalone.inlined(built, site.mathjax_folder()), "html.parser")


def test_nothing_is_loaded_from_outside_the_file(page):
    loaded = [tag["src"] for tag in page.find_all(src=True)]
    loaded += [link["href"] for link in page.find_all("link", href=True) if "canonical" not in link.get("rel", [])]
    assert loaded
    assert not [address[:60] for address in loaded if not address.startswith("data:")]
    styles = "".join(style.get_text() for style in page.find_all("style"))
    assert "@import" not in styles
    assert not [a for a in re.findall(r"url\(['\"]?([^)'\"]{0,60})", styles) if not a.startswith(("data:", "#"))]


def test_links_lead_nowhere_but_within_the_page_or_to_the_web(page):
    links = [a["href"] for a in page.find_all("a", href=True)]
    assert not [link for link in links if not link.startswith(("#", "http", "mailto"))]
    assert page.find(id="fig-tiny") is not None


def test_what_a_cell_shows_beside_its_figure_is_on_the_page(page):
    """Cells without code are left out by myst-nb: what was split off a cell with a figure needs some."""
    assert page.select_one(".gb-table[role=region]")["aria-label"] == "Two squares."
    assert "from the installed module" in page.find("article").get_text()
    assert len(page.find_all("meta", attrs={"name": "viewport"})) == 1


def test_cited_works_stand_at_the_end(page):
    assert "Beyond progress measures" in page.select_one("section#references").get_text()


def test_searching_and_downloads_are_gone(page):
    assert not page.select(".search-button, .bd-sidebar-primary, .dropdown-download-buttons, .prev-next-footer")


def test_what_is_not_there_is_named(tmp_path):
    (tmp_path / "p.html").write_text('<link rel="stylesheet" href="gone.css">')
    with pytest.raises(ChapterError, match="loads gone.css, which is not there"):
        standalone.inlined(tmp_path / "p.html", tmp_path)


def test_of_a_font_the_smallest_format_stays(tmp_path):
    (tmp_path / "a.woff2").write_bytes(b"x")
    (tmp_path / "b.css").write_text("b{}")
    text = '@import "b.css"; src:url("a.woff2") format("woff2"),url("a.ttf") format("truetype")'
    assert standalone.css_inlined(text, tmp_path) == 'b{} src:url(data:font/woff2;base64,eA==) format("woff2")'
