"""The built book as one PDF: its pages as Chromium prints them, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from operator import itemgetter
from pathlib import Path
from typing import Any

from companion.project import read_yaml
from companion.site.browser import chromium
from grokbook.errors import GrokbookError

LONGEST = 300_000
"""Milliseconds that a page may take to be drawn on a busy machine."""

READY = Path(__file__).with_name("paper.js").read_text(encoding="utf-8")
"""Opens what folds, but code and the drawer; puts solutions at the end, away from what they solve;
waits for pictures and formulas; then lets links lead to the site where readers have it, else
nowhere."""

FOOT = '<p style="width:100%;font:8px sans-serif;text-align:center" class="title"></p>'


def pages_in_order(root: Path, site: Path) -> list[str]:
    """The pages of the book that the site has, in the order of the table of contents, without
    `.html`."""
    toc = read_yaml(root / "book" / "_toc.yml")
    names = [toc["root"]]
    for part in toc["parts"]:
        for chapter in part["chapters"]:
            names += map(itemgetter("file"), (chapter, *chapter.get("sections", ())))
    return [name for name in names if (site / f"{name}.html").is_file()]


PRINTED = {"prefer_css_page_size": True, "print_background": True, "tagged": True}
"""How whatever is handed out is printed: with the colours behind words, which a figure's legend
consists of."""


@contextmanager
def printer() -> Iterator[Any]:
    """A page of Chromium that looks as it prints.

    Raises GrokbookError where playwright or pypdf is not installed.
    """
    try:
        import pypdf  # noqa: F401
        from playwright import sync_api  # noqa: F401
    except ImportError as error:
        raise GrokbookError(f"printing needs {error.name}; `make setup-dev` installs it.") from None
    with chromium() as browser:
        page = browser.new_page(color_scheme="light")
        page.emulate_media(media="print")
        yield page


def printed(site: Path, names: Sequence[str], address: str | None = None) -> bytes:
    """A PDF of some pages of a site, each with a bookmark.

    Args:
        site: the folder of the built site.
        names: pages without `.html`, such as `chapters/01_what_is_grokking`.
        address: where readers find the site, for the links.

    Raises GrokbookError where playwright or pypdf is not installed.
    """
    here = f"{site.resolve().as_uri()}/"
    there = f"{address.rstrip('/')}/" if address else ""
    with printer() as page:
        from pypdf import PdfWriter

        joined = PdfWriter()
        for name in names:
            page.goto(f"{here}{name}.html", timeout=LONGEST)
            page.evaluate(READY, [here, there])
            made = page.pdf(
                **PRINTED,
                outline=True,
                display_header_footer=True,
                header_template="<p></p>",
                footer_template=FOOT,
                margin={"top": "18mm", "bottom": "18mm", "left": "15mm", "right": "15mm"},
                format="A4",
            )
            joined.append(BytesIO(made), outline_item=page.title())
    stream = BytesIO()
    joined.write(stream)
    return stream.getvalue()
