"""Is the built site in order? Figures present and drawn, nothing broken in the text, every local
link alive."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from companion.page.sources import page_of

_DEFINED = re.compile(r"(?s)<(defs|clipPath|metadata)\b.*?</\1>")
_SHAPE = re.compile(r"<(?:path|use|image|line|rect|circle|polyline|polygon|text)\b")
"""What an SVG defines and does not draw by that; what draws something."""

BAD_TEXT = ("Traceback (most recent call last)", "could not be found", "No key ", "{glue:", "{{ ")
"""Texts that no page may contain."""


def problems(html: Path, figures: Mapping[str, Sequence[str]]) -> list[str]:
    """What is wrong with the pages under `html`, one sentence each; `figures` are the expected
    names by chapter."""
    from bs4 import BeautifulSoup

    anchors: dict[Path, set[str]] = {}
    links: dict[Path, list[str]] = {}
    said: dict[Path, list[str]] = {}
    for path in sorted(html.rglob("*.html")):
        soup = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        anchors[path] = {tag[n] for n in ("id", "name") for tag in soup.find_all(attrs={n: True})}
        links[path] = [tag["href"] for tag in soup.find_all("a", href=True)]
        prose = "\n".join(_prose(soup.find("article") or soup))
        # signs of something that failed
        said[path] = [f"contains {bad!r}" for bad in BAD_TEXT if bad in prose]
        said[path] += _images(path, soup)
    found = []
    for path, sentences in said.items():
        sentences += _links(html, path, links[path], anchors)
        found += [f"{path.relative_to(html).as_posix()}: {sentence}" for sentence in sentences]
    for chapter, names in figures.items():
        page = html / f"{page_of(chapter)}.html"
        if page not in said:
            found.append(f"chapter {chapter} has no page")
            continue
        missing = [name for name in names if name not in anchors[page]]
        found += [f"{page_of(chapter)}.html: the figure {name} is missing" for name in missing]
    return found


def _prose(tag: Any) -> Iterator[str]:
    """The texts below a tag, but for code that the reader wrote."""
    for child in tag.children:
        if isinstance(child, str):
            yield child
        elif child.name != "code" and "cell_input" not in child.get("class", ()):
            yield from _prose(child)


def _images(path: Path, soup: Any) -> Iterator[str]:
    article = soup.find("article") or soup
    for image in article.find_all(["img", "source"]):
        source = image.get("src") or image.get("srcset") or ""
        if image.name == "img" and not (image.get("alt") or "").strip():
            yield f"the image {source} has no alt text"
        if not urlsplit(source).scheme:
            file = (path.parent / unquote(urlsplit(source).path)).resolve()
            if not file.exists() or is_empty_image(file):
                yield f"the image {source} {'is empty' if file.exists() else 'does not exist'}"
    for figure in article.find_all("figure"):
        if figure.find(["img", "svg", "table", "div"]) is None:
            yield f"the figure {figure.get('id')} is empty"


def is_empty_image(path: Path) -> bool:
    """Whether an image file shows nothing: no picture, a single colour, or an SVG with at most its
    background."""
    if path.suffix == ".svg":
        drawn = _DEFINED.sub("", path.read_text(encoding="utf-8"))
        return len(_SHAPE.findall(drawn)) < 2
    from PIL import Image

    try:
        with Image.open(path) as image:
            extrema: Any = image.convert("RGB").getextrema()
    except OSError:
        return True
    return all(low == high for low, high in extrema)


def _links(
    html: Path, path: Path, links: Sequence[str], anchors: Mapping[Path, set[str]]
) -> Iterator[str]:
    """Links to files of the site that do not exist, or to anchors that their page does not have.

    An address that ends in a choice (`#paper=gu2025`) is read by the page's script and is no
    anchor.
    """
    for link in links:
        address = urlsplit(link)
        if address.scheme or address.netloc or link in ("#", ""):
            continue
        target = (path.parent / unquote(address.path)).resolve() if address.path else path
        target = target / "index.html" if target.is_dir() else target
        anchor = "" if "=" in address.fragment else unquote(address.fragment)
        if not target.exists():
            yield f"the link {link} leads nowhere"
        elif anchor and target in anchors and anchor not in anchors[target]:
            yield f"the link {link} leads to an anchor that is not there"
