"""The book, or a chapter, on paper: pages of the built site in one document, printed by Chromium as
PDF.

Code cells and the drawer of commands stay on the site. What folds is open but for the evidence of
the ledger. A figure that is moved by hand is a still with its address; a link to another page of
the book leads there and says its page. Solutions stand at the end of their chapter, away from what
they solve.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from companion import plain_yaml
from companion.page.markup import rendered
from companion.site.browser import Requests, chromium
from companion.site.serving import server
from companion.teach.pages import mathematics, read_page
from grokbook.errors import GrokbookError

LONGEST = 900_000
"""Milliseconds that the whole book may take to be laid out on a busy machine."""

WIDTH = 665
"""CSS pixels of the text on A4 with the margins of `paper.css`."""

_DROPPED = (
    "script, .gb-drawer, .grokbook-provenance, .cell_input, details.hide, .headerlink, .gb-filters,"
    " source"
)

_FOOT = (
    '<div style="width:100%;font:8px sans-serif;color:#555;text-align:center">'
    '<span class="pageNumber"></span></div>'
)

FIT = Path(__file__).with_name("fit.js").read_text(encoding="utf-8")
"""Makes wide tables and formulas as wide as the text; what is higher than a page may be cut."""

NUMBERED = Path(__file__).with_name("numbered.js").read_text(encoding="utf-8")
"""Writes numbers of pages."""


def pages_in_order(root: Path, site: Path) -> list[str]:
    """The pages of the book that the site has, in the order of the table of contents, without
    `.html`."""
    toc = plain_yaml.data((root / "book" / "_toc.yml").read_text(encoding="utf-8"))
    names = [toc["root"]]
    for part in toc["parts"]:
        names += [chapter["file"] for chapter in part["chapters"]]
    return [name for name in names if (site / f"{name}.html").is_file()]


def document(
    site: Path, names: Sequence[str], base: str, cover: str = "", address: str | None = None
) -> str:
    """One HTML document of some pages of a site: labels are unique, links lead inside where they
    can.

    Args:
        site: the folder of the built site.
        names: pages without `.html`, such as `chapters/01_what_is_grokking`.
        base: the address at which the site is served.
        cover: the title on a page of its own; none where it is empty.
        address: where readers find the site, for links to what paper cannot show.
    """
    pages = {name: read_page(site / f"{name}.html") for name in names}
    first = next(iter(pages.values()))
    styles = first.select("head link[rel~=stylesheet]")
    articles = [_article(page, name, set(names), address) for name, page in pages.items()]
    return rendered(
        "paper",
        title=cover or first.h1.get_text(" ", strip=True),
        base=base,
        styles=[urljoin(f"{names[0]}.html", style["href"]) for style in styles],
        own=Path(__file__).with_name("paper.css").read_text(encoding="utf-8"),
        mathematics=mathematics(pages.values(), ""),
        cover=cover,
        articles=articles,
    )


def _article(soup: Any, name: str, inside: set[str], address: str | None) -> Any:
    """The article of a page for paper: folds open, stills for what is moved, labels and links of
    the whole document."""
    article = soup.find("article")
    page = f"{name}.html"
    figures = article.select("[data-options]")
    for figure in figures:
        _still(soup, figure, page, address)
    drawn = [f'"{figure["id"]}"' for figure in figures if not figure.decomposed]
    for tag in article.select(_DROPPED):
        if not any(label in (tag.string or "") for label in drawn):
            tag.decompose()
    _solutions_last(soup, article)
    _cut_tables(soup, article, page, address)
    for fold in article.select("details"):
        fold["open"] = ""
    for tag in article.select("[id]:not(svg [id], [data-options], [data-options] [id])"):
        tag["id"] = f"{name}--{tag['id']}"
    article["id"] = f"{name}--"
    for image in article.select("img[src]"):
        image.attrs.pop("loading", None)
        if not urlsplit(image["src"]).scheme:
            image["src"] = urljoin(page, image["src"])
    for link in article.select("a[href]"):
        _relinked(soup, link, name, inside, address)
    return article


def _solutions_last(soup: Any, article: Any) -> None:
    """Move the solutions of a chapter's exercises into a section of their own at its end."""
    solutions = article.select(".solution")
    if not solutions:
        return
    heading = soup.new_tag("h2")
    heading.string = "Solutions"
    last = soup.new_tag("section")
    last.extend([heading, *solutions])
    article.find("section").append(last)


ROWS = 25
"""Rows of the longest table that is printed whole; in print the 185 of one of chapter 19 were
thirty sheets."""

FIRST_ROWS = 12
"""Rows of a longer one."""


def _cut_tables(soup: Any, article: Any, page: str, address: str | None) -> None:
    """Leave of a long table its first rows, and say below how many there are, and where."""
    for table in article.find_all("table"):
        rows = table.select("tbody > tr")
        if len(rows) <= ROWS:
            continue
        for row in rows[FIRST_ROWS:]:
            row.decompose()
        words = f"The first {FIRST_ROWS} of {len(rows)} rows; all are on the site"
        table.insert_after(_note(soup, words, address and online(address, page)))


def _note(soup: Any, words: str, where: str | None) -> Any:
    """A paragraph that says what is on the site, with its address where that is known."""
    note = soup.new_tag("p", attrs={"class": "gb-online"})
    note.append(words)
    if where:
        link = soup.new_tag("a", href=where)
        link.string = where
        note.extend([": ", link])
    note.append(".")
    return note


def online(address: str, page: str) -> str:
    """Where a reader finds a page of the site that stands at `address`.

    >>> online("https://example.org/book/", "chapters/one.html")
    'https://example.org/book/chapters/one.html'
    """
    return f"{address.rstrip('/')}/{page}"


def _still(soup: Any, figure: Any, page: str, address: str | None) -> None:
    """Put the still of a figure in its place, and its address below; one without a still is drawn
    as it opens.

    Of a site without an address only the words stand there: where a page lies on a disk helps
    nobody on paper.
    """
    label = str(figure["id"]).removesuffix("-area")
    picture = figure.parent.select_one("noscript img")
    where = address and f"{online(address, page)}#{label}"
    figure.insert_after(_note(soup, "It can be moved on the site", where))
    if picture is not None:
        picture["class"] = "gb-still"
        figure.insert_before(picture.extract())
        figure.decompose()


def _relinked(soup: Any, link: Any, name: str, inside: set[str], address: str | None) -> None:
    """A link of the document: to a label of it, with the page it is on; to the site or to others;
    else words."""
    parts = urlsplit(link["href"])
    if parts.scheme or parts.netloc:
        return
    target = name
    if parts.path:
        target = urlsplit(urljoin(f"{name}.html", link["href"])).path.removesuffix(".html")
    anchor = "" if "=" in parts.fragment else unquote(parts.fragment)
    if target in inside:
        link["href"] = f"#{target}--{anchor}"
        plain = "gb-verdict" in link.get("class", [])
        if target not in (name, "references") and not plain:
            at = soup.new_tag("span", attrs={"class": "gb-at", "data-to": f"{target}--{anchor}"})
            at.string = " (p. 000)"
            link.insert_after(at)
    elif address:
        link["href"] = urljoin(online(address, f"{name}.html"), link["href"])
    else:
        link.name = "span"
        del link["href"]


PRINTED: Mapping[str, Any] = {
    "prefer_css_page_size": True,
    "print_background": True,
    "tagged": True,
}
"""How whatever is handed out is printed: with the colours behind words, which a figure's legend
consists of."""


@contextmanager
def printer() -> Iterator[Any]:
    """A Chromium that prints; a page of it, as wide as the text on paper.

    Raises GrokbookError where playwright or pypdf is not installed.
    """
    try:
        import playwright  # noqa: F401
        import pypdf  # noqa: F401
    except ImportError as error:
        said = (
            f"{error.name} is not installed, and printing needs it: `make setup-dev` installs it."
        )
        raise GrokbookError(said) from None
    with chromium() as browser:
        yield browser.new_page(viewport={"width": WIDTH, "height": 940}, color_scheme="light")


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address at which a site is served while it is printed."""
    with server(site, 0) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/"
        finally:
            http.shutdown()


def load(page: Any, address: str, text: str) -> None:
    """Show a text as the page of an address, as for print, and wait until its mathematics is
    drawn."""
    page.route(
        address, lambda route: route.fulfill(body=text, content_type="text/html; charset=utf-8")
    )
    page.emulate_media(media="print", color_scheme="light")
    requests = Requests(page)
    page.goto(address, timeout=LONGEST)
    requests.wait(page)
    if "MathJax = " in text:
        page.wait_for_function(
            "window.MathJax && MathJax.startup && MathJax.startup.promise", timeout=LONGEST
        )
        page.evaluate("MathJax.startup.promise.then(() => true)")
    page.unroute(address)


def printed(
    page: Any, site: Path, names: Sequence[str], cover: str = "", address: str | None = None
) -> bytes:
    """A PDF of some pages of a site, with bookmarks, page numbers, and the page of what another
    chapter is asked for.

    `page` is what `printer` gives; the other arguments are those of `document`.
    """
    import pypdf

    with served(site) as base:
        text = document(site, names, base, cover, address)
        load(page, f"{base}paper.html", text)
        page.evaluate(FIT)
        made = _pdf(page)
        if "gb-at" in text:
            page.evaluate(NUMBERED, _page_numbers(pypdf.PdfReader(BytesIO(made))))
            made = _pdf(page)
    return made


def _page_numbers(document: Any) -> dict[str, int]:
    """The page of each label of a PDF, from 1."""
    found = {}
    for label, destination in document.named_destinations.items():
        number = document.get_destination_page_number(destination)
        if number is not None:
            found[unquote(label.lstrip("/"))] = number + 1
    return found


def _pdf(page: Any) -> bytes:
    return page.pdf(
        outline=True,
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=_FOOT,
        **PRINTED,
    )
