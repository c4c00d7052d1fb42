"""The built pages: what is broken is found, links have the anchors of the pages, one file holds all
it shows."""

import re

import pytest
from bs4 import BeautifulSoup

from companion.checks import broken
from companion.claims.ledger import claims
from companion.page.links import section_address
from companion.site import staging as site
from companion.site import standalone
from grokbook.errors import ChapterError
from project_tree import ROOT

BUILT = sorted((ROOT / "site" / "chapters").glob("[0-9]*.html"))
SVG = '<svg xmlns="http://www.w3.org/2000/svg"><defs><path d="M0 0"/></defs><path d="M0 0h9v9z" fill="#fff"/>{}</svg>'
FIGURE = '<figure id="fig-a"><img src="../a.svg" alt="A line."></figure>'


@pytest.mark.parametrize(
    ("article", "said"),
    [
        (FIGURE, None),
        (
            '<p id="fig-a"></p><div class="cell_input"><pre>Traceback (most recent call last)</pre></div>',
            None,
        ),
        ("<p>nothing</p>", "the figure fig-a is missing"),
        ('<figure id="fig-a"></figure>', "the figure fig-a is empty"),
        (FIGURE.replace(' alt="A line."', ""), "a.svg has no alt text"),
        (FIGURE.replace("a.svg", "b.svg"), "b.svg does not exist"),
        ('<p id="fig-a">Traceback (most recent call last)</p>', "contains 'Traceback"),
        ('<p id="fig-a">No key found</p>', "contains 'No key '"),
        ('<p id="fig-a"><a href="02.html">x</a></p>', "the link 02.html leads nowhere"),
        (
            '<p id="fig-a"><a href="#nowhere">x</a></p>',
            "#nowhere leads to an anchor that is not there",
        ),
        ('<p id="fig-a"><a href="01_x.html#gone">x</a></p>', "an anchor that is not there"),
        ('<p id="fig-a"><a href="01_x.html#paper=x">x</a></p>', None),
    ],
)
def test_what_is_broken_is_named_with_its_page_and_nothing_of_a_site_in_order(
    tmp_path, article, said
):
    (tmp_path / "chapters").mkdir()
    (tmp_path / "a.svg").write_text(SVG.format('<path d="M0 0L5 5"/>'))
    (tmp_path / "chapters" / "01_x.html").write_text(
        f"<html><body><article>{article}</article></body></html>"
    )
    found = broken.problems(tmp_path, {"01_x": ["fig-a"]})
    assert (
        [p for p in found if p.startswith("chapters/01_x.html: ") and said in p]
        if said
        else found == []
    )
    assert broken.problems(tmp_path, {"02_y": []})[-1] == "chapter 02_y has no page"


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("03_a: a sum", "03_a.html#a-sum-taken-for-p2"),
        ("03_a: The `med`", "03_a.html#the-med-of-x-closed"),
        ("04_b: A sum", None),
        ("03_a: Another", None),
        ("03_a: Title", None),
    ],
)
def test_an_address_is_relative_and_its_anchor_the_heading_in_small_letters(
    tmp_path, place, address
):
    (tmp_path / "notebooks").mkdir()
    source = "# Title\n\n## A sum taken for p²\n\n### The `med` of {math}`x`, closed\n"
    (tmp_path / "notebooks" / "03_a.md").write_text(source)
    assert section_address(tmp_path, place) == address


@pytest.mark.skipif(not BUILT, reason="the site is not built: run `grokbook build`")
def test_the_sections_that_claims_name_are_on_the_built_pages():
    ids = {
        path.stem: set(re.findall(r'<section id="([^"]+)"', path.read_text(encoding="utf-8")))
        for path in BUILT
    }
    named = [(claim.page, ids.get(claim.page.partition(": ")[0])) for claim in claims()]
    assert not [
        p for p, on in named if on and (section_address(ROOT, p) or "").partition("#")[2] not in on
    ]


@pytest.fixture(scope="module")
def page(built_once):
    """A page, of a site in order, as one file."""
    assert broken.problems(built_once / "site", {"01_tiny": ["fig-tiny"]}) == []
    made = built_once / "site" / "chapters" / "01_tiny.html"
    return BeautifulSoup(standalone.inlined(made, site.mathjax_folder()), "html.parser")


def test_nothing_is_loaded_from_outside_the_file(page):
    loaded = [tag["src"] for tag in page.find_all(src=True)]
    loaded += [
        link["href"]
        for link in page.find_all("link", href=True)
        if "canonical" not in link.get("rel", [])
    ]
    assert loaded
    assert not [address[:60] for address in loaded if not address.startswith("data:")]
    styles = "".join(style.get_text() for style in page.find_all("style"))
    assert "@import" not in styles
    assert not [
        a
        for a in re.findall(r"url\(['\"]?([^)'\"]{0,60})", styles)
        if not a.startswith(("data:", "#"))
    ]


def test_a_file_that_stands_alone_has_its_figures_tables_code_and_works_and_links_within_itself_or_to_the_web(
    page,
):
    links = [a["href"] for a in page.find_all("a", href=True)]
    assert not [link for link in links if not link.startswith(("#", "http", "mailto"))]
    assert page.find(id="fig-tiny") is not None
    assert page.select_one(".gb-table[role=region]")["aria-label"] == "Two squares."
    assert page.find("strong", string="bold"), "Markdown of a cell is a part of the page"
    assert len(page.find_all("meta", attrs={"name": "viewport"})) == 1
    assert "Beyond progress measures" in page.select_one("section#references").get_text()
    assert not page.select(
        ".search-button, .bd-sidebar-primary, .dropdown-download-buttons, .prev-next-footer"
    )


def test_what_a_page_loads_and_is_not_there_is_named_and_of_a_font_the_smallest_format_stays(
    tmp_path,
):
    (tmp_path / "p.html").write_text('<link rel="stylesheet" href="gone.css">')
    with pytest.raises(ChapterError, match="loads gone.css, which is not there"):
        standalone.inlined(tmp_path / "p.html", tmp_path)
    (tmp_path / "a.woff2").write_bytes(b"x")
    (tmp_path / "b.css").write_text("b{}")
    text = '@import "b.css"; src:url("a.woff2") format("woff2"),url("a.ttf") format("truetype")'
    assert (
        standalone.css_inlined(text, tmp_path)
        == 'b{} src:url(data:font/woff2;base64,eA==) format("woff2")'
    )
