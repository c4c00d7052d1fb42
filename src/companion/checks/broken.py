"""Is the built site in order? Figures present, nothing broken in the text, every local link
alive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from companion.page.sources import page_of

BAD_TEXT = ("Traceback (most recent call last)", "could not be found", "No key ", "{glue:", "{{ ")
"""Texts that no page may contain."""


@dataclass(frozen=True)
class _Page:
    """What a built page has: its anchors, its links, and what is wrong with its own text."""

    anchors: set[str]
    links: list[str]
    wrong: list[str]


def problems(html: Path, figures: Mapping[str, Sequence[str]]) -> list[str]:
    """What is wrong with the pages under `html`, one sentence each; `figures` are the expected
    names by chapter."""
    pages = {path: _read(path) for path in sorted(html.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(html).as_posix()
        for sentence in (*page.wrong, *_links(path, page, pages)):
            found.append(f"{name}: {sentence}")
    for chapter, names in figures.items():
        name = f"{page_of(chapter)}.html"
        if html / name not in pages:
            found.append(f"chapter {chapter} has no page")
            continue
        missing = set(names) - pages[html / name].anchors
        found += [f"{name}: the figure {figure} is missing" for figure in sorted(missing)]
    return found


def _read(path: Path) -> _Page:
    from bs4 import BeautifulSoup

    soup: Any = BeautifulSoup(path.read_text("utf-8"), "html.parser")
    anchors = {tag.get("id") or tag.get("name") for tag in soup.select("[id], [name]")}
    links = [tag["href"] for tag in soup.select("a[href]")]
    article = soup.find("article") or soup
    wrong = list(_images(path, article))
    for tag in article.select("code, .cell_input"):  # which the reader wrote
        tag.clear()
    prose = article.get_text("\n")
    wrong += [f"contains {bad!r}" for bad in BAD_TEXT if bad in prose]
    return _Page(anchors, links, wrong)


def _images(path: Path, article: Any) -> Iterator[str]:
    for image in article.select("img, source"):
        source = image.get("src") or image.get("srcset") or ""
        if image.name == "img" and not image.get("alt", "").strip():
            yield f"the image {source} has no alt text"
        address = urlsplit(source)
        if not address.scheme and not (path.parent / unquote(address.path)).exists():
            yield f"the image {source} does not exist"
    for figure in article.select("figure:not(:has(img, svg, table, div))"):
        yield f"the figure {figure.get('id')} is empty"


def _links(path: Path, page: _Page, pages: Mapping[Path, _Page]) -> Iterator[str]:
    """Links to files of the site that do not exist, or to anchors that their page does not have.

    An address that ends in a choice (`#paper=gu2025`) is read by the page's script and is no
    anchor.
    """
    for link in page.links:
        address = urlsplit(link)
        if address.scheme or address.netloc or link == "#":
            continue
        target = (path.parent / unquote(address.path)).resolve() if address.path else path
        if target.is_dir():
            target = target / "index.html"
        anchor = unquote(address.fragment)
        if not target.exists():
            yield f"the link {link} leads nowhere"
            continue
        known = pages[target].anchors if target in pages else {anchor}
        if anchor and "=" not in anchor and anchor not in known:
            yield f"the link {link} leads to an anchor that is not there"
