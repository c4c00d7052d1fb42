"""The table of all pages of the built site: `python benchmarks/pages.py [SITE]` prints it, with
what is over a limit.

Words are those that a reader sees, without code, the choices of lists and what is folded. A slab is
a figure whose corners do not have the colour of the dark page; a small formula is one that is drawn
below 11 pixels on a phone.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser

from companion.site.browser import chromium

LIMITS = {"words": 4_500, "numbers": 10.0, "phone": 20_000, "first": 260, "slabs": 0, "formulas": 0}
"""The most that a page should have."""
COLUMNS = ("words", "numbers", "desk", "phone", "first", "share", "slabs", "formulas", "widths")
SMALLEST = 11
BESIDE = ("404", "class", "index", "search")
"""Pages that are no reading."""
MEASURED = """least => {
  const article = document.querySelector('article') || document.body, box = e => e.getBoundingClientRect();
  const high = document.documentElement.scrollHeight, code = [...article.querySelectorAll('.highlight, select')];
  code.forEach(e => { e.style.display = 'none'; });
  const words = article.innerText.split(/\\s+/).filter(Boolean);
  code.forEach(e => { e.style.display = ''; });
  const numbers = words.filter(word => /^[-−+(]?[0-9][0-9.,×^–-]*[%)\\].,;:]*$/.test(word)).length;
  const figures = [...article.querySelectorAll('img, svg, canvas, [data-options]')].map(box)
    .filter(one => one.height > 60 && one.width > 150);
  const widths = {};
  figures.forEach(({ width }) => { const near = 20 * Math.round(width / 20); widths[near] = (widths[near] || 0) + 1; });
  const formulas = [...article.querySelectorAll('mjx-container')].filter(e => e.checkVisibility());
  return {
    words: words.length, numbers: 100 * numbers / Math.max(1, words.length), high, widths,
    first: figures.length ? Math.round(Math.min(...figures.map(one => one.top + scrollY))) : null,
    share: 100 * figures.reduce((sum, one) => sum + one.height, 0) / high,
    corners: figures.map(one => [one.left, one.top + scrollY, one.right - 1, one.bottom + scrollY - 1].map(Math.round)),
    formulas: formulas.filter(e => parseFloat(getComputedStyle(e).fontSize) < least)
      .map(e => e.textContent.slice(0, 40)),
  };
}"""
SCHEME = "scheme => { document.documentElement.dataset.theme = scheme; }"
READY = "window.MathJax && MathJax.startup ? MathJax.startup.promise.then(() => true) : true"


def measured(browser: Browser, page: Path) -> dict[str, Any]:
    """What the table says of a page, by column."""
    found = {}
    for name, width in (("desk", 1280), ("phone", 390)):
        tab = browser.new_page(viewport={"width": width, "height": 900})
        tab.goto(page.as_uri())
        tab.evaluate(READY)
        tab.wait_for_timeout(400)  # formulas are fitted, pictures laid out
        found[name] = tab.evaluate(MEASURED, SMALLEST)
        if name == "desk":
            tab.evaluate(SCHEME, "dark")
            picture = Image.open(io.BytesIO(tab.screenshot(full_page=True))).convert("RGB")
            found["slabs"] = slabs(picture, found[name]["corners"])
        tab.close()
    desk, phone = found["desk"], found["phone"]
    sizes = {"desk": desk["high"], "phone": phone["high"], "formulas": len(phone["formulas"])}
    return desk | sizes | {"slabs": found["slabs"], "small": phone["formulas"]}


def slabs(picture: Image.Image, boxes: list[list[int]]) -> int:
    """The figures of which no corner has the ground of the page, which is that of its most frequent
    colour."""
    colours = picture.resize((64, 256), Image.Resampling.NEAREST).getcolors(64 * 256)
    ground = max(colours)[1]
    inside = [
        box for box in boxes if box[0] >= 0 and box[2] < picture.width and box[3] < picture.height
    ]
    corners = [[picture.getpixel((x, y)) for x in box[::2] for y in box[1::2]] for box in inside]
    return sum(
        all(max(abs(a - b) for a, b in zip(one, ground, strict=True)) > 24 for one in four)
        for four in corners
    )


if __name__ == "__main__":
    site = Path(sys.argv[1] if len(sys.argv) > 1 else "site").resolve()
    print("page", *COLUMNS, sep=" | ")
    with chromium() as browser:
        for page in sorted(
            p for p in [*site.glob("*.html"), *site.glob("chapters/*.html")] if p.stem not in BESIDE
        ):
            row = measured(browser, page)
            over = [name for name, most in LIMITS.items() if (row[name] or 0) > most]
            said = [
                f"{row[name]:.1f}" if isinstance(row[name], float) else row[name]
                for name in COLUMNS
            ]
            print(
                page.stem,
                *said,
                *([f"over: {', '.join(over)}"] if over else []),
                sep=" | ",
                flush=True,
            )
            for formula in row["small"]:
                print("    small:", formula)
