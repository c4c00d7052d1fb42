"""The handout of a session: one page of A4 from a chapter's page, for the desk and for notes."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from companion.page.markup import rendered
from companion.teach.pages import sentences
from companion.teach.paper import LONGEST, PRINTED, READY, printer
from companion.teach.slides import exercise, of_chapter
from grokbook.errors import ChapterError
from grokbook.files import temporary_folder

TRIED = ((4, 1.0), (3, 1.0), (2, 1.0), (1, 1.0), (0, 1.0), (0, 0.9), (0, 0.8))
"""Formulas on the page and the size of what is printed, until all fits."""
HEIGHTS = ("130mm", "100mm", "70mm")
"""How high the picture may be, where the page has room left beside the usual 45 mm, in which a
forest of forty rows cannot be read."""
TALLER = "height => document.documentElement.style.setProperty('--height', height)"


def handout(page: Path, address: str | None = None) -> bytes:
    """The PDF of a chapter's handout, one page.

    Args:
        page: the chapter's page in the built site.
        address: where readers find it.

    Raises ChapterError when the page has no objectives, or the handout does not fit on one page;
    GrokbookError where playwright or pypdf is not installed.
    """
    with printer() as browser, temporary_folder() as folder:
        file = folder / "handout.html"
        for formulas, scale in TRIED:
            file.write_text(written(page, formulas, address), encoding="utf-8")
            browser.goto(file.as_uri(), timeout=LONGEST)
            browser.evaluate(READY, ["file:", ""])
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


def written(page: Path, formulas: int, address: str | None) -> str:
    """The handout as HTML: question, predictions with room to write, objectives, exercises,
    formulas; the picture last.

    The picture shows the answer, so it stands below all that is asked.
    """
    from bs4 import BeautifulSoup

    soup: Any = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    top = soup.select_one("article section")
    goals = _goals(top)
    if not goals:
        raise ChapterError(f"the page {page.stem} has no list of what a reader can do after it.")
    for tag in top.select(".headerlink, .section-number, .eqno, source"):
        tag.decompose()
    for link in top.select('a[href]:not([href^="http"])'):  # what it leads to is not on this page
        link.unwrap()
    tasks = [exercise(one) for one in top.select(".exercise") if not one.find_parent("details")]
    question = top.select_one(".gb-dek p")
    bodies: dict[str, list[str]] = {}
    for slide in of_chapter(top):
        bodies.setdefault(slide.kind, []).extend(slide.body)
    return rendered(
        "handout",
        title=top.h1.get_text(" ", strip=True),
        base=page.resolve().as_uri(),
        mathematics=_mathematics(soup),
        question=sentences(question)[0] if question else "",
        picture=bodies.get("figure", [])[:2],
        goals=[goal.decode_contents() for goal in goals],
        exercises=tasks,
        formulas=bodies.get("mathematics", [])[:formulas],
        questions=bodies.get("question", [])[:2],
        where=address or "",
    )


def _goals(top: Any) -> list[Any]:
    """The items of "After this chapter you can", which stand in the drawer at the foot of the
    page."""
    for tag in top.find_all(["p", "strong"]):
        if "After this chapter you can" in tag.get_text():
            found = tag.find_next("ul")
            return found.find_all("li", recursive=False) if found else []
    return []


def _mathematics(soup: Any) -> str:
    """The scripts that draw the formulas of a page; none where it has none."""
    for script in soup.select("head script"):
        if "MathJax = " in script.get_text():
            return f'{script}<script defer src="../mathjax/startup.js"></script>'
    return ""
