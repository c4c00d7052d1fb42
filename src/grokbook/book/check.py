"""Is the built site in order? Figures present and drawn, nothing broken in the text, every local link alive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

MIN_IMAGE_BYTES = 400
BAD_TEXT = (
    "Traceback (most recent call last)",
    "could not be found",
    "No key ",
    "{glue:",
    "{{ ",
)
"""Texts that no page may contain."""


def problems(html: Path, figures: Mapping[str, Sequence[str]]) -> list[str]:
    """What is wrong with the pages under `html`, one sentence each; `figures` are the expected names by chapter."""
    pages = {path: _soup(path) for path in sorted(html.rglob("*.html"))}
    anchors = {path: _anchors(soup) for path, soup in pages.items()}
    found = []
    for path, soup in pages.items():
        name = path.relative_to(html).as_posix()
        local = [*_texts(soup), *_images(path, soup), *_links(html, path, soup, anchors)]
        found += [f"{name}: {sentence}" for sentence in local]
    for chapter, names in figures.items():
        page = html / "chapters" / f"{chapter}.html"
        if page not in pages:
            found.append(f"chapter {chapter} has no page")
            continue
        shown = anchors[page]
        found += [f"chapters/{chapter}.html: the figure {n} is missing" for n in names if n not in shown]
    return found


def _soup(path: Path) -> Any:
    from bs4 import BeautifulSoup

    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def _anchors(soup: Any) -> set[str]:
    return {tag[name] for name in ("id", "name") for tag in soup.find_all(attrs={name: True})}


def _texts(soup: Any) -> Iterator[str]:
    """Signs of something that failed, in the article (code that the reader wrote is not searched)."""
    article = soup.find("article") or soup
    prose = "\n".join(text for text in article.find_all(string=True) if not _within_input(text))
    for bad in BAD_TEXT:
        if bad in prose:
            yield f"contains {bad!r}"


def _within_input(text: Any) -> bool:
    return any("cell_input" in (parent.get("class") or []) or parent.name == "code" for parent in text.parents)


def _images(path: Path, soup: Any) -> Iterator[str]:
    article = soup.find("article") or soup
    for image in article.find_all("img"):
        source = image.get("src", "")
        if not (image.get("alt") or "").strip():
            yield f"the image {source} has no alt text"
        if not urlsplit(source).scheme:
            file = (path.parent / unquote(urlsplit(source).path)).resolve()
            if not file.exists():
                yield f"the image {source} does not exist"
            elif is_empty_image(file):
                yield f"the image {source} is empty"
    for figure in article.find_all("figure"):
        if figure.find(["img", "svg", "table", "div"]) is None:
            yield f"the figure {figure.get('id')} is empty"


def is_empty_image(path: Path) -> bool:
    """Whether an image file shows nothing: too few bytes, a single colour, an SVG without a drawn shape."""
    if path.stat().st_size < MIN_IMAGE_BYTES:
        return path.suffix != ".svg" or not _drawn(path)
    if path.suffix == ".svg":
        return not _drawn(path)
    from PIL import Image

    with Image.open(path) as image:
        extrema: Any = image.convert("RGB").getextrema()
        return all(low == high for low, high in extrema)


def _drawn(path: Path) -> bool:
    """Whether an SVG holds more than its background: at least two shapes with an outline or a fill, or a text."""
    import xml.etree.ElementTree as tree

    shapes = {"path", "use", "image", "line", "rect", "circle", "polyline", "polygon", "text"}
    drawn = [node for node in _visible(tree.parse(path).getroot()) if node.tag.rpartition("}")[2] in shapes]
    return len(drawn) >= 2


def _visible(node: Any) -> Iterator[Any]:
    """The elements of an SVG that are drawn where they stand (definitions are not)."""
    for child in node:
        if child.tag.rpartition("}")[2] not in ("defs", "clipPath", "metadata"):
            yield child
            yield from _visible(child)


def _links(html: Path, path: Path, soup: Any, anchors: Mapping[Path, set[str]]) -> Iterator[str]:
    """Links to files of the site that do not exist, or to anchors that their page does not have."""
    for tag in soup.find_all("a", href=True):
        address = urlsplit(tag["href"])
        if address.scheme or address.netloc or tag["href"] in ("#", ""):
            continue
        target = (path.parent / unquote(address.path)).resolve() if address.path else path
        target = target / "index.html" if target.is_dir() else target
        if not target.exists():
            yield f"the link {tag['href']} leads nowhere"
        elif address.fragment and target in anchors and unquote(address.fragment) not in anchors[target]:
            yield f"the link {tag['href']} leads to an anchor that is not there"
