"""Pages of the built site, to be made into something else; their sentences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from companion.page import sources
from companion.page.sources import page_of
from companion.project import urls
from grokbook.errors import GrokbookError
from grokbook.paths import checkout, project_root


def site_folder(site: Path | None = None) -> Path:
    """The folder of the built site: `site`, else that of the checkout.

    Raises GrokbookError when no site was built there.
    """
    folder = site or checkout() / "site"
    if not (folder / "index.html").is_file():
        raise GrokbookError(f"there is no built site in {folder}; `grokbook build` makes it.")
    return folder


def chapter_page(chapter: str, site: Path) -> Path:
    """The page of a chapter, by number or name, in a built site.

    Raises ParameterError for an unknown chapter, GrokbookError when the site does not have it.
    """
    name = sources.find(project_root(), chapter).name
    page = site / f"{page_of(name)}.html"
    if not page.is_file():
        raise GrokbookError(
            f"chapter {name} is not in the built site {site}; `grokbook build` adds it."
        )
    return page


def address(page: str = "") -> str | None:
    """Where readers find the site, or a page of it; None where nobody has said."""
    site = urls(project_root()).get("Documentation")
    return site and f"{site.rstrip('/')}/{page}"


def sentences(tag: Any) -> list[str]:
    """The sentences of an element of a page, as HTML; one ends at a full stop before a capital, or
    at the end.

    >>> from bs4 import BeautifulSoup
    >>> sentences(BeautifulSoup("<p>See Fig. 2. It <b>rises</b>. No more.</p>", "html.parser").p)
    ['See Fig. 2.', 'It <b>rises</b>.', 'No more.']
    """
    found = [""]
    for child in tag.contents:
        parts = [str(child)]
        if isinstance(child, str):
            parts = re.split(r"(?<=[.!?])\s+(?=[A-Z])", child)
        found[-1] += parts[0]
        found += parts[1:]
    return [text.strip() for text in found if text.strip()]
