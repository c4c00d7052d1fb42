"""The picture on the README: `python .ci/picture.py` takes it of the front page of the built site,
in Chromium."""

from __future__ import annotations

import sys

from companion.page.sources import FRONT, page_of
from companion.site.browser import chromium
from grokbook.paths import project_root

SIZE = {"width": 1280, "height": 900}
HIDDEN = (
    ".bd-sidebar-primary, .bd-sidebar-secondary, .bd-header-article { display: none !important; }"
)
HALF_WAY = "[...document.querySelectorAll('.gb-begun')].every((one) => one.dataset.test > 0.4)"
"""What is waited for: the network that the page trains answers some of the held-out pairs."""

if __name__ == "__main__":
    page = project_root() / "site" / f"{page_of(FRONT)}.html"
    target = project_root() / "book" / "_static" / "front.png"
    if not page.is_file():
        sys.exit(f"{page} is not there; `make book` builds the site.")
    with chromium() as browser:
        opened = browser.new_page(viewport=SIZE, color_scheme="light", bypass_csp=True)
        opened.goto(page.as_uri())
        opened.add_style_tag(content=HIDDEN)
        opened.wait_for_function(HALF_WAY, timeout=300_000)
        opened.screenshot(path=target)
    print(target)
