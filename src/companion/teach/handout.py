"""The handout of a session: one page of A4 from a chapter's page, for the desk and for notes."""

from __future__ import annotations

import html
from io import BytesIO
from pathlib import Path
from typing import Any

from companion.teach.pages import sentences
from companion.teach.paper import PRINTED, load, online, served
from companion.teach.slides import exercise, of_chapter
from grokbook.errors import ChapterError
from grokbook.files import filled

TRIED = ((4, 1.0), (3, 1.0), (2, 1.0), (1, 1.0), (0, 1.0), (0, 0.9), (0, 0.8))
"""Formulas on the page and the size of what is printed, until all fits."""
HEIGHTS = ("130mm", "100mm", "70mm")
"""How high the picture may be, where the page has room left beside the usual 45 mm, in which a
forest of forty rows cannot be read."""
TALLER = "height => document.documentElement.style.setProperty('--height', height)"


def handout(browser: Any, page: Path, site: Path, address: str | None = None) -> bytes:
    """The PDF of a chapter's handout, one page.

    Args:
        browser: what `companion.teach.paper.printer` gives.
        page: the chapter's page in the built site.
        site: the folder of that site.
        address: where readers find it.

    Raises ChapterError when the page has no objectives, or the handout does not fit on one page.
    """
    name = page.relative_to(site).as_posix()
    with served(site) as base:
        for formulas, scale in TRIED:
            load(
                browser,
                f"{base}handout.html",
                written(page, name, f"{base}{name}", formulas, address),
            )
            usual = _on_one_page(browser, scale)
            if usual is None:
                continue
            for height in HEIGHTS:
                browser.evaluate(TALLER, height)
                if (taller := _on_one_page(browser, scale)) is not None:
                    return taller
            return usual
    raise ChapterError(
        f"the handout of {page.stem} does not fit on one page: what it lists is too long."
    )


def _on_one_page(browser: Any, scale: float) -> bytes | None:
    """What is loaded as a PDF; None where it is more than a page."""
    import pypdf

    made: bytes = browser.pdf(scale=scale, **PRINTED)
    return made if len(pypdf.PdfReader(BytesIO(made)).pages) == 1 else None


def written(page: Path, name: str, base: str, formulas: int, address: str | None) -> str:
    """The handout as HTML: question, predictions with room to write, objectives, exercises,
    formulas; the picture last.

    The picture shows the answer, so it stands below all that is asked.
    """
    from bs4 import BeautifulSoup

    soup: Any = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    top = soup.select_one("article section")
    goals = [li.decode_contents() for li in _goals(top)]
    if not goals:
        raise ChapterError(f"the page {page.stem} has no list of what a reader can do after it.")
    for tag in top.select(".headerlink, .section-number, .eqno, source"):
        tag.decompose()
    for link in top.select('a[href]:not([href^="http"])'):  # what it leads to is not on this page
        link.unwrap()
    tasks = [exercise(one) for one in top.select(".exercise") if not one.find_parent("details")]
    mathematics = "".join(
        str(s) for s in soup.select("head script") if "MathJax = " in s.get_text()
    )
    drawn = '<script defer src="../mathjax/startup.js"></script>' if mathematics else ""
    title = top.h1.get_text(" ", strip=True)
    question = top.select_one(".gb-dek p")
    shown = of_chapter(top)
    picture = next((s for s in shown if s.kind == "figure"), None)
    equations = [body for s in shown if s.kind == "mathematics" for body in s.body][:formulas]
    asked = [body for s in shown if s.kind == "question" for body in s.body][:2]
    room = '<div class="lines"></div>' * 2
    words = {
        "TITLE": html.escape(title),
        "BASE": base,
        "MATHEMATICS": mathematics + drawn,
        "QUESTION": sentences(question)[0] if question else "",
        "PICTURE": "".join(picture.body) if picture else "",
        "GOALS": "".join(f"<li>{goal}</li>" for goal in goals),
        "EXERCISES": "".join(tasks),
        "FORMULAS": "".join(equations),
        "QUESTIONS": "".join(one + room for one in asked),
        "WHERE": f"The chapter: {html.escape(online(address, name))}" if address else "",
    }
    return filled(Path(__file__).with_suffix(".html"), words)


def _goals(top: Any) -> list[Any]:
    """The items of "After this chapter you can", which stand in the drawer at the foot of the
    page."""
    head = next(
        (p for p in top.find_all(["p", "strong"]) if "After this chapter you can" in p.get_text()),
        None,
    )
    found = head.find_next("ul") if head else None
    return found.find_all("li", recursive=False) if found else []
