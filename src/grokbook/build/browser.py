"""The picture on the README: `python -m grokbook.build.picture` takes it of the front page of the built site."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grokbook.errors import ChapterError
from grokbook.page.sources import FRONT, page_of
from grokbook.paths import project_root

PICTURE = "book/_static/front.png"
SIZE = {"width": 1280, "height": 900}
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu")
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Names that Chromium is installed by; the first has no window, and a page of it costs a second less than others."""
HIDDEN = ".bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article { display: none !important; }"
HALF_WAY = "[...document.querySelectorAll('.gb-begun')].every((one) => one.dataset.test > 0.4)"
"""What is waited for: the network that the page trains answers some of the held-out pairs."""


def chromium_path() -> str | None:
    """Where Chromium is: $GROKBOOK_CHROMIUM, else the system's; None where there is none."""
    return os.environ.get("GROKBOOK_CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)


@contextmanager
def chromium() -> Iterator[Any]:
    """A Chromium without a window: that of `chromium_path`, else playwright's own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def take(page: Path | None = None, target: Path | None = None) -> Path:
    """Open the front page (default: of `site/`) in Chromium and write what is seen of it first as PNG; returns where.

    Raises ChapterError when the site has not been built.
    """
    page = page or project_root() / "site" / f"{page_of(FRONT)}.html"
    if not page.is_file():
        raise ChapterError(f"{page} is not there; `make book` builds the site.")
    target = target or project_root() / PICTURE
    with chromium() as browser:
        opened = browser.new_page(viewport=SIZE, color_scheme="light", bypass_csp=True)
        opened.goto(page.as_uri())
        opened.add_style_tag(content=HIDDEN)
        opened.wait_for_load_state("networkidle")
        opened.wait_for_function(HALF_WAY, timeout=300_000)
        opened.screenshot(path=target)
    return target


if __name__ == "__main__":
    print(take())
