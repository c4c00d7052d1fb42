"""The handout of a session: one page of A4 from a chapter's page, for the desk and for notes."""

from __future__ import annotations

import html
from io import BytesIO
from pathlib import Path
from typing import Any

from grokbook.errors import ChapterError
from grokbook.teach.pages import sentences
from grokbook.teach.paper import load, served
from grokbook.teach.slides import of_chapter

_STYLE = """
@page { size: A4; margin: 13mm 15mm; }
body { font: 9.6pt/1.35 system-ui, sans-serif; color: #222; margin: 0; }
h1 { font-size: 16pt; margin: 0 0 1.5mm; } h2 { font-size: 11pt; margin: 3mm 0 1mm; color: #0b5394; }
p { margin: 1mm 0; } ul, ol { margin: 1mm 0; padding-left: 5mm; } li { margin: .6mm 0; }
figure { margin: 2mm 0; } figure img { display: block; width: 100%; max-height: 62mm; object-fit: contain; }
.said { font-weight: 600; } .eqno, .headerlink, .section-number { display: none; }
.math { margin: .5mm 0; } .two { display: grid; grid-template-columns: 1fr 1fr; gap: 0 8mm; }
.lines { border-bottom: .3mm solid #aaa; height: 8mm; } .where { color: #555; font-size: 8.5pt; }
"""

_PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title><base href="{base}">
<style>{style}</style>{mathematics}</head><body><main>
<h1>{title}</h1><p>{question}</p>{picture}
<div class="two"><section><h2>You can, after this session</h2><ul>{goals}</ul></section>
<section><h2>Exercises</h2><ol>{exercises}</ol></section></div>
<section class="formulas"><h2>Formulas</h2>{formulas}</section>
<section><h2>Before the answer is shown</h2>{questions}</section>
<p class="where">{where}</p></main></body></html>"""

MOST = 4
"""Formulas on the page; as many as fit of these."""


def handout(browser: Any, page: Path, site: Path, address: str | None = None) -> bytes:
    """The PDF of a chapter's handout, one page.

    Args:
        browser: what `grokbook.teach.paper.printer` gives.
        page: the chapter's page in the built site.
        site: the folder of that site.
        address: where readers find it.

    Raises ChapterError when the page has no objectives, or the handout does not fit on one page.
    """
    import pypdf

    name = page.relative_to(site).as_posix()
    with served(site) as base:
        for formulas in range(MOST, -1, -1):
            load(browser, f"{base}handout.html", written(page, name, f"{base}{name}", formulas, address))
            made = browser.pdf(prefer_css_page_size=True, tagged=True)
            if len(pypdf.PdfReader(BytesIO(made)).pages) == 1:
                return made
    raise ChapterError(f"the handout of {page.stem} does not fit on one page: what it lists is too long.")


def written(page: Path, name: str, base: str, formulas: int, address: str | None) -> str:
    """The handout as HTML: question, picture, objectives, exercises, formulas, questions with room to write."""
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
    tasks = [one.select_one(".admonition-title") for one in top.select(".exercise") if not one.find_parent("details")]
    told = "".join(f"<li>{one.get_text(' ', strip=True)}</li>" for one in tasks)
    mathematics = "".join(str(s) for s in soup.select("head script") if "MathJax = " in s.get_text())
    drawn = '<script defer src="../mathjax/startup.js"></script>' if mathematics else ""
    title, question = top.h1.get_text(" ", strip=True), top.select_one(".gb-dek p")
    shown = of_chapter(top)
    picture = next((s for s in shown if s.kind == "figure"), None)
    equations = [body for s in shown if s.kind == "mathematics" for body in s.body][:formulas]
    asked = [body for s in shown if s.kind == "question" for body in s.body][:2]
    where = f"{address.rstrip('/')}/{name}" if address else name
    return _PAGE.format(
        title=html.escape(title), base=base, style=_STYLE, mathematics=mathematics + drawn,
        question=sentences(question)[0] if question else "", picture="".join(picture.body) if picture else "",
        goals="".join(f"<li>{goal}</li>" for goal in goals), exercises=told, formulas="".join(equations),
        questions="".join(f'{one}<div class="lines"></div><div class="lines"></div>' for one in asked) or
        '<div class="lines"></div>' * 2,
        where=f"The chapter: {html.escape(where)}",
    )  # fmt: skip


def _goals(top: Any) -> list[Any]:
    """The items of "After this chapter you can", which stand in the drawer at the foot of the page."""
    head = next((p for p in top.find_all(["p", "strong"]) if "After this chapter you can" in p.get_text()), None)
    found = head.find_next("ul") if head else None
    return found.find_all("li", recursive=False) if found else []
