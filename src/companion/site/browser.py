"""Chromium, which prints what is handed out and takes pictures; pages do not need it."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu")
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Names that Chromium is installed by; the first has no window, and a page of it costs a second
less than others."""


def chromium_path() -> str | None:
    """Where Chromium is: $GROKBOOK_CHROMIUM, else the system's; None where there is none."""
    return os.environ.get("GROKBOOK_CHROMIUM") or next(
        filter(None, map(shutil.which, CHROMIUM)), None
    )


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


class Requests:
    """The requests that a page has sent and that no answer has come to, and when the last of them
    began or ended."""

    def __init__(self, page: Any) -> None:
        self.open: set[Any] = set()
        self.last = time.monotonic()
        page.on("request", self._begun)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)

    def _begun(self, request: Any) -> None:
        self.open.add(request)
        self.last = time.monotonic()

    def _ended(self, request: Any) -> None:
        self.open.discard(request)
        self.last = time.monotonic()

    def wait(self, page: Any, quiet: float = 0.5, lost: float = 5.0) -> None:
        """Wait until a page that has loaded asks for nothing more.

        That is when no request is open and none began or ended for `quiet` seconds. Chromium does
        not report the end of every request (a worker's script, an answer out of the cache), and
        playwright's own `networkidle` then waits for ever: after `lost` seconds without a report
        an open request counts as ended.
        """
        while True:
            silence = time.monotonic() - self.last
            if silence >= lost or (silence >= quiet and not self.open):
                return
            page.wait_for_timeout(50)
