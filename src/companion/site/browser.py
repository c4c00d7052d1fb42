"""Chromium, which prints what is handed out and takes pictures; pages do not need it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu")
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Names that Chromium is installed by; the first has no window, and a page of it costs a second
less than others."""


def chromium_path() -> str | None:
    """Where Chromium is: $GROKBOOK_CHROMIUM, else the system's; None where there is none."""
    for path in (os.environ.get("GROKBOOK_CHROMIUM"), *map(shutil.which, CHROMIUM)):
        if path:
            return path
    return None


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
