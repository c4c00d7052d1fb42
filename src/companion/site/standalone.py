"""One chapter as one HTML file: styles, scripts, fonts and pictures within it, mathematics drawn
without network."""

from __future__ import annotations

import base64
import mimetypes
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from companion.page.sources import page_of
from companion.site import policy
from companion.site import staging as site
from grokbook.errors import ChapterError
from grokbook.files import temporary_folder, written

_DROPPED = (
    ".bd-sidebar-primary",
    ".overlay-primary",
    ".primary-toggle",
    ".search-button",
    ".search-button__wrapper",
    ".prev-next-footer",
    ".dropdown-download-buttons",
    ".dropdown-launch-buttons",
    "link[rel=search]",
    "link[rel=index]",
    "link[rel=next]",
    "link[rel=prev]",
    "link[rel=preload]",
    "meta[http-equiv=Content-Security-Policy]",
)
"""What has no use on a page that stands alone."""

_FONT_TYPES = {
    ".woff2": "font/woff2",
    ".woff": "font/woff",
    ".ttf": "font/ttf",
    ".svg": "image/svg+xml",
}


def page(root: Path, name: str, notebook: Any) -> str:
    """The HTML of an executed notebook of the chapter `name` as the book would look, as one file.

    Raises RecordError where the disk is full.
    """
    import nbformat

    with written(f"the page of {name}"), temporary_folder() as work:
        (work / f"{name}.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")
        site.stage(root, work, [name], work)
        html = site.sphinx(work, strict=False)
        return inlined(html / f"{page_of(name)}.html", work / "extra" / "mathjax")


def inlined(page: Path, mathjax: Path) -> str:
    """The HTML of a built page with everything that it loads put into it, and its policy.

    Raises ChapterError when something it loads is not there.
    """
    from bs4 import BeautifulSoup

    soup: Any = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    for tag in soup.select(", ".join(_DROPPED)):
        tag.decompose()
    for script in soup.find_all("script", src=False):
        if "search-button" in script.get_text():
            script.decompose()
    for root in soup.select("html[data-content_root]"):  # where the book is: not here
        del root["data-content_root"]
    for link in soup.select("link[rel~=stylesheet]"):
        path = _file(page, link["href"])
        style = soup.new_tag("style")
        style.string = css_inlined(path.read_text(encoding="utf-8"), path.parent)
        link.replace_with(style)
    _inline_scripts(soup, page, mathjax)
    places = {"img[src]": "src", "picture > source": "srcset", "link[rel~=icon]": "href"}
    for selector, attribute in places.items():
        for tag in soup.select(selector):
            if not urlsplit(tag[attribute]).scheme:
                tag[attribute] = _data(_file(page, tag[attribute]))
    _append_references(soup, page)
    for link in soup.find_all("a", href=True):
        address = urlsplit(link["href"])
        # another page of the book: not in this file
        if not address.scheme and not address.netloc and address.path:
            link.name = "span"
            link["title"] = "in the book"
            del link["href"]
    return policy.protected(str(soup), own="")


def _file(page: Path, address: str) -> Path:
    path = (page.parent / unquote(urlsplit(address).path)).resolve()
    if not path.is_file():
        raise ChapterError(f"the page {page.name} loads {address}, which is not there.")
    return path


def _data(path: Path) -> str:
    """The file as a data: address."""
    kind = _FONT_TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    content = base64.b64encode(path.read_bytes()).decode()
    return f"data:{kind or 'application/octet-stream'};base64,{content}"


def css_inlined(text: str, folder: Path) -> str:
    """Style text with its fonts and pictures as data: addresses; of each font only the smallest
    format stays."""

    def included(match: re.Match[str]) -> str:
        path = folder / match[1]
        return css_inlined(path.read_text(encoding="utf-8"), path.parent) if path.is_file() else ""

    text = re.sub(r"@import\s+(?:url\()?['\"]([^'\"]+)['\"]\)?;", included, text)
    text = re.sub(r",\s*url\([^)]+\)\s*format\(['\"]?truetype['\"]?\)", "", text)

    def replace(match: re.Match[str]) -> str:
        address = match[1].strip("'\"")
        path = folder / unquote(urlsplit(address).path)
        is_elsewhere = address.startswith(("data:", "#")) or not path.is_file()
        return match[0] if is_elsewhere else f"url({_data(path)})"

    return re.sub(r"url\(([^)]+)\)", replace, text)


def _inline_scripts(soup: Any, page: Path, mathjax: Path) -> None:
    for script in soup.find_all("script", src=True):
        # of MathJax the part that draws glyphs as paths: no font files to load
        address = script["src"]
        path = mathjax / "tex-svg-full.js" if "/mathjax/" in address else _file(page, address)
        code = path.read_text(encoding="utf-8")  # an HTML parser looks for these two in a script
        script.string = code.replace("</script", "\\x3c/script").replace("<!--", "\\x3c!--")
        del script["src"]
        if script.has_attr("defer"):  # which a script in the page is not
            soup.body.append(script.extract())
    for script in soup.find_all("script", src=False):
        # all its parts are in that file
        if script.string and script.string.lstrip().startswith("window.MathJax"):
            script.string = re.sub(r'"loader": \{[^{}]*\},?\s*', "", script.string)


def _append_references(soup: Any, page: Path) -> None:
    """The works that the page cites, taken from the book's page of references, at the end of the
    article."""
    from bs4 import BeautifulSoup

    links = soup.select('a[href*="references.html#"]')
    if not links:
        return
    folder = page.parent if (page.parent / "references.html").is_file() else page.parent.parent
    text = (folder / "references.html").read_text(encoding="utf-8")
    entries = BeautifulSoup(text, "html.parser")
    section: Any = soup.new_tag("section", id="references")
    heading = soup.new_tag("h2")
    heading.string = "References"
    section.append(heading)
    for link in links:
        name = link["href"].partition("#")[2]
        link["href"] = f"#{name}"
        if entry := entries.find(id=name):  # moved, and so found only once
            section.append(entry)
    soup.find("article").append(section)
