"""Slides of a chapter from its page in the built site: reveal.js in one file, with notes for the
speaker.

On a slide stand a heading, a figure with the first sentence of its caption, equations with the
sentence before them, a theorem, a small table, exercises or a question; the paragraphs beside them
are the notes. Figures that are moved by hand work as they do on the page. What the page shows
first, its figure and its answer, comes after the first prediction and after all sections that lead
to it.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.page.markup import rendered
from companion.site import policy, standalone
from companion.teach.pages import sentences
from grokbook.errors import ChapterError

MOST_ROWS = 8
MOST_LINES = 5
"""Rows of a table, and sentences of a list, that can be read from the last row of a lecture
hall."""

TOGETHER = {"mathematics": 3, "exercises": 2}
"""How many of a kind, one after the other, share a slide."""

PREDICT = "Predict first"
CLOSING = {
    "What the papers say, and what we found",
    "What was shown, what was not",
    "Rival explanations",
    "Exercises",
}
"""Headings of the sections before which the answer stands."""

_SKIPPED = {"Further reading"}


@dataclass
class Slide:
    """What is seen of a slide, as HTML under a heading, and the paragraphs that a speaker sees."""

    heading: str
    body: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    kind: str = "text"

    def has_room_for(self, other: Slide) -> bool:
        """Whether another of its kind can share it."""
        return self.kind == other.kind and len(self.body) < TOGETHER.get(self.kind, 0)


def slides(page: Path, mathjax: Path) -> str:
    """The slides of a chapter's page as one HTML file that loads nothing.

    Args:
        page: the chapter's page in the built site.
        mathjax: the folder of MathJax in the site.

    Raises ChapterError when something that the page loads is not there, or it has no heading.
    """
    from bs4 import BeautifulSoup

    soup: Any = BeautifulSoup(standalone.inlined(page, mathjax), "html.parser")
    top = soup.select_one("article section")
    if top is None or top.h1 is None:
        raise ChapterError(
            f"the page {page.name} has no heading, so there is nothing to make slides of."
        )
    for tag in top.select(".headerlink, .section-number, .eqno"):
        tag.decompose()
    for link in top.select('a[href^="#"]'):  # to a place on the page that need not be on a slide
        link.unwrap()
    drawn = []
    for one in soup.select("head script, body > script") if top.select(".math") else ():
        text = one.string or ""
        if "MathJax" in text[:40] or len(text) > 1_000_000:
            drawn.append(str(one))
    notes = _vendor("notes.js")
    text = rendered(
        "slides",
        title=top.h1.get_text(" ", strip=True),
        slides=of_chapter(top),
        look=_vendor("reveal.css"),
        reveal=_vendor("reveal.js"),
        notes=notes,
        mathematics="\n".join(drawn),
    )
    return policy.protected(text, own="", more=[_of_the_window(notes)], frames="'self' file:")


def _vendor(name: str) -> str:
    return Path(__file__).with_name("vendor").joinpath(name).read_text(encoding="utf-8")


def _of_the_window(notes: str) -> str:
    """The script of the speaker's window, which stands as a string in reveal.js' own plugin."""
    written = re.search(r'document\.write\((".*?(?<!\\)")\)', notes)
    text = written[1].replace("\\x3c", "<").replace("\\x3e", ">").replace("\\'", "'")
    return json.loads(text).partition("<script>")[2].partition("</script>")[0]


def of_chapter(top: Any) -> list[Slide]:
    """The slides of a chapter's outermost section: title, then those of its sections.

    Its lead figure follows the first slide that asks for a prediction, its answer the sections that
    lead to it.
    """
    title = f"<h1>{top.h1.decode_contents()}</h1>"
    if dek := top.select_one(".gb-dek p"):
        title += f"<p>{dek.decode_contents()}</p>"
    lead = top.select_one(".tag_gb-lead figure")
    answer = top.select_one("blockquote p")
    made: list[Slide] = []
    ends: list[Slide] = []
    for section in top.find_all("section", recursive=False):
        slides = ends if _title(section) in CLOSING else made
        slides += of_section(section)
    if lead:
        kinds = [slide.kind for slide in made]
        made.insert(kinds.index("question") + 1 if "question" in kinds else 0, _figure("", lead))
    if answer:
        if answer.strong:
            answer.strong.decompose()
        made.append(Slide("Answer", [_listed(sentences(answer))], kind="answer"))
    return [Slide("", [title], kind="title"), *made, *ends]


def _title(section: Any) -> str:
    heading = section.find(["h2", "h3", "h4"], recursive=False)
    return heading.get_text(strip=True) if heading else ""


def of_section(section: Any) -> Iterator[Slide]:
    """The slides of a section and of those inside it; of one of words alone, how its first
    paragraphs begin."""
    heading = section.find(["h2", "h3", "h4"], recursive=False)
    if heading is None or _title(section) in _SKIPPED:
        return
    name = heading.decode_contents()
    made: list[Slide] = []
    waiting: list[str] = []
    for child in section.find_all(True, recursive=False):
        drawer = child.select_one(":scope > details.gb-drawer")
        if child is heading or child.name == "section" or drawer:
            continue
        slide = _item(name, child)
        if slide is None:
            if child.name in ("p", "ul", "ol"):
                notes = made[-1].notes if made else waiting
                notes.append(child.decode_contents())
        elif made and made[-1].has_room_for(slide):
            made[-1].body += slide.body
        else:
            made.append(slide)
    if made:
        made[0].notes[:0] = waiting
    elif first := _first_sentences(section):
        made.append(Slide(name, [_listed(first[:MOST_LINES])], waiting))
    yield from made
    for inner in section.find_all("section", recursive=False):
        yield from of_section(inner)


def _first_sentences(section: Any) -> list[str]:
    """How the paragraphs and the items of lists of a section begin."""
    found = []
    for tag in section.select(":scope > p, :scope > :is(ul, ol) > li"):
        found += sentences(tag.p or tag)[:1]
    return found


def _item(heading: str, tag: Any) -> Slide | None:
    """A slide of what one element shows; None of words, code and what is folded."""
    classes = set(tag.get("class", []))
    if tag.name == "p" and tag.get_text().startswith(PREDICT):
        return Slide(heading, [f'<p class="question">{tag.decode_contents()}</p>'], kind="question")
    if "math" in classes:
        return Slide(heading, [_before(tag) + str(tag)], kind="mathematics")
    if "proof" in classes and "dropdown" not in classes:
        for inner in tag.select("section"):  # to reveal.js a section is a slide
            inner.name = "div"
            inner.attrs = {}
        return Slide(
            heading, [f'<div class="theorem">{tag.decode_contents()}</div>'], kind="theorem"
        )
    if "exercise" in classes:
        return Slide(heading, [exercise(tag)], kind="exercises")
    for figure in [tag, *tag.find_all("figure")]:
        if figure.name == "figure" and not figure.find_parent("details"):
            return _figure(heading, figure)
    table = tag if tag.name == "table" else tag.select_one("table")
    if table is None or table.find_parent("details") or len(table.find_all("tr")) > MOST_ROWS + 1:
        return None
    caption = _caption(table.caption or tag.select_one(".gb-caption"))
    return Slide(heading, [_said(caption[:1]), str(table)], kind="table")


def _caption(tag: Any) -> list[str]:
    return sentences(tag) if tag else []


def _said(first: list[str]) -> str:
    return f'<p class="said">{first[0]}</p>' if first else ""


def _before(formula: Any) -> str:
    """The sentence that leads to a formula: the last one of the paragraph right before it."""
    before = formula.find_previous_sibling(True)
    if before is None or before.name != "p":
        return ""
    return _said(sentences(before)[-1:])


def exercise(tag: Any) -> str:
    """An exercise: its name, its words up to the code, and the values that the code gives to what
    they name."""
    name = tag.select_one(".admonition-title").get_text(" ", strip=True)
    words = tag.select_one(":scope > section > p, :scope > p:not(.admonition-title)")
    head = f"<p><strong>{html.escape(name)}</strong></p>"
    if words is None:
        return head
    given = "; ".join(f"<code>{html.escape(one)}</code>" for one in _given(tag, words))
    return f"{head}<p>{words.decode_contents()}{f' Given: {given}.' if given else ''}</p>"


def _given(tag: Any, words: Any) -> list[str]:
    """The plain values that the code of an exercise gives to names of its words, such as `few =
    11`."""
    named = {code.get_text() for code in words.find_all("code")}
    code = tag.find("pre")
    found = []
    for line in code.get_text().splitlines() if code else ():
        assigned = re.match(r'([\w, ]+) = ([-\d._e(), ]*\d\)?|"\w*")(?= *(?:#|$))', line)
        if assigned and named & set(re.findall(r"\w+", assigned[1])):
            found.append(re.sub(r"(?<=\d)_(?=\d)", "", assigned[0]))
    return found


def _figure(heading: str, figure: Any) -> Slide:
    """A figure with the first sentence of its caption; the others are quiet, the alternative text
    is a note."""
    caption = _caption(figure.select_one("figcaption .caption-text") or figure.figcaption)
    for tag in figure.select("figcaption, source"):
        tag.extract()
    notes = caption[1:]
    image = figure.find("img")
    if image and image.get("alt"):
        notes.append(html.escape(image["alt"]))
    kind = "moved" if figure.select_one("[data-options]") else "figure"
    return Slide(heading, [_said(caption[:1]), str(figure)], notes, kind)


def _listed(said: list[str]) -> str:
    return f"<ul><li>{'</li><li>'.join(said)}</li></ul>"
