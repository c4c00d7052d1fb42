"""The page for a class: one file, no server; groups train in their browsers and bring their numbers
together."""

from __future__ import annotations

from pathlib import Path

from companion.page import tables
from companion.page.markup import rendered

NAME = "class.html"
"""Where it stands in the site."""


def class_page() -> str:
    """The HTML of the page: the page that trains in large type, a link and QR code to join, the
    plot of the class.

    >>> text = class_page()
    >>> "GrokbookClass.mount" in text and "Kazuhiko Arase" in text
    True
    """
    code = Path(__file__).with_name("scripts").joinpath("vendor", "qrcode.js")
    return rendered(
        "class_page", code=code.read_text(encoding="utf-8"), scripts=tables.script("class_page")
    )
