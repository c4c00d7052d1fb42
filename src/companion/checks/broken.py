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


@dataclass
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
        wrong = [*page.wrong, *_links(path, page, pages)]
        found += [f"{name}: {sentence}" for sentence in wrong]
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

    soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
    article = soup.find("article") or soup
    anchors = {str(tag["id"]) for tag in soup.find_all(id=True)}
    anchors |= {str(tag["name"]) for tag in soup.find_all(attrs={"name": True})}
    prose = "\n".join(_prose(article))
    wrong = [f"contains {bad!r}" for bad in BAD_TEXT if bad in prose]
    links = [str(tag["href"]) for tag in soup.find_all("a", href=True)]
    return _Page(anchors, links, wrong + list(_images(path, article)))


def _prose(tag: Any) -> Iterator[str]:
    """The texts below a tag, but for code that the reader wrote."""
    for child in tag.children:
        if isinstance(child, str):
            yield child
        elif child.name != "code" and "cell_input" not in child.get("class", ()):
            yield from _prose(child)


def _images(path: Path, article: Any) -> Iterator[str]:
    for image in article.find_all(["img", "source"]):
        source = image.get("src") or image.get("srcset") or ""
        if image.name == "img" and not (image.get("alt") or "").strip():
            yield f"the image {source} has no alt text"
        address = urlsplit(source)
        file = path.parent / unquote(address.path)
        if address.scheme:
            continue
        if not file.exists():
            yield f"the image {source} does not exist"
    for figure in article.find_all("figure"):
        if figure.find(["img", "svg", "table", "div"]) is None:
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
        if not target.exists():
            yield f"the link {link} leads nowhere"
            continue
        anchor = unquote(address.fragment)
        known = pages[target].anchors if target in pages else {anchor}
        if anchor and "=" not in anchor and anchor not in known:
            yield f"the link {link} leads to an anchor that is not there"
