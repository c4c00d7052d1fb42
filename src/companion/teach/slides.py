"""Slides of a chapter from its page in the built site: reveal.js in one file, with notes for the
speaker.

On a slide stand a heading, a figure with the first sentence of its caption, equations with the
sentence before them, a theorem, a small table, exercises or a question; the paragraphs beside them
are the notes. Figures that are moved by hand work as they do on the page. What the page shows
first, its figure and its answer, comes after the first prediction and after all sections that lead
to it.
"""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.python_source import parsed
from companion.site import policy, standalone
from companion.teach.pages import sentences
from grokbook.errors import ChapterError
from grokbook.files import filled

VENDOR = Path(__file__).with_name("vendor")
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

    def markup(self) -> str:
        """The slide for reveal.js."""
        said = "".join(f"<p>{note}</p>" for note in self.notes)
        head = f"<h2>{self.heading}</h2>" if self.heading else ""
        aside = f'<aside class="notes">{said}</aside>' if said else ""
        return f'<section data-kind="{self.kind}">{head}{"".join(self.body)}{aside}</section>'


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
    title = top.h1.get_text(" ", strip=True)
    made = "\n".join(slide.markup() for slide in of_chapter(top))
    scripts = soup.select("head script, body > script")
    drawn = [
        one
        for one in scripts
        if "MathJax" in (one.string or "")[:40] or len(one.string or "") > 1_000_000
    ]
    texts = {
        name: (VENDOR / name).read_text(encoding="utf-8")
        for name in ("reveal.js", "reveal.css", "notes.js")
    }
    words = {
        "TITLE": html.escape(title),
        "SLIDES": made,
        "LOOK": texts["reveal.css"],
        "REVEAL": texts["reveal.js"],
    }
    words |= {
        "NOTES": texts["notes.js"],
        "MATHEMATICS": "\n".join(map(str, drawn)) if top.select(".math") else "",
    }
    text = filled(Path(__file__).with_suffix(".html"), words)
    return policy.protected(
        text, own="", more=[_of_the_window(texts["notes.js"])], frames="'self' file:"
    )


def _of_the_window(notes: str) -> str:
    """The script of the speaker's window, which stands as a string in reveal.js' own plugin."""
    written = re.search(r'document\.write\((".*?(?<!\\)")\)', notes)
    page = json.loads(
        re.sub(r"\\x3[ce]|\\'", lambda m: {"c": "<", "e": ">", "'": "'"}[m[0][-1]], written[1])
    )
    return page.partition("<script>")[2].partition("</script>")[0]


def of_chapter(top: Any) -> list[Slide]:
    """The slides of a chapter's outermost section: title, then those of its sections.

    Its lead figure follows the first slide that asks for a prediction, its answer the sections that
    lead to it.
    """
    dek = top.select_one(".gb-dek p")
    lead = top.select_one(".tag_gb-lead figure")
    answer = top.select_one("blockquote p")
    opening = [
        f"<h1>{top.h1.decode_contents()}</h1>",
        f"<p>{dek.decode_contents()}</p>" if dek else "",
    ]
    sections = top.find_all("section", recursive=False)
    closing = [section for section in sections if _title(section) in CLOSING]
    made = [
        slide for section in sections if section not in closing for slide in of_section(section)
    ]
    if lead:
        asked = [number for number, slide in enumerate(made, 1) if slide.kind == "question"]
        made.insert(asked[0] if asked else 0, _figure("", lead))
    if answer:
        answer.strong.decompose() if answer.strong else None
        made.append(Slide("Answer", [_listed(sentences(answer))], kind="answer"))
    ends = [slide for section in closing for slide in of_section(section)]
    return [Slide("", opening, kind="title"), *made, *ends]


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
    made = []
    waiting = []
    for child in section.find_all(True, recursive=False):
        if (
            child is heading
            or child.name == "section"
            or child.select_one(":scope > details.gb-drawer")
        ):
            continue
        item = _item(name, child)
        if item is None:
            if child.name in ("p", "ul", "ol"):
                (made[-1].notes if made else waiting).append(child.decode_contents())
        elif (
            made and made[-1].kind == item.kind and len(made[-1].body) < TOGETHER.get(item.kind, 0)
        ):
            made[-1].body += item.body
        else:
            made.append(item)
    if made:
        made[0].notes[:0] = waiting
    elif told := section.select(":scope > p, :scope > :is(ul, ol) > li"):
        first = [sentences(tag.p or tag)[0] for tag in told if sentences(tag.p or tag)]
        made = [Slide(name, [_listed(first[:MOST_LINES])], waiting)] if first else []
    yield from made
    for inner in section.find_all("section", recursive=False):
        yield from of_section(inner)


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
    figures = [
        one
        for one in [tag, *tag.find_all("figure")]
        if one.name == "figure" and not one.find_parent("details")
    ]
    if figures:
        return _figure(heading, figures[0])
    table = tag if tag.name == "table" else tag.select_one("table")
    if table is None or table.find_parent("details") or len(table.find_all("tr")) > MOST_ROWS + 1:
        return None
    caption = table.caption or tag.select_one(".gb-caption")
    said = f'<p class="said">{sentences(caption)[0]}</p>' if caption and sentences(caption) else ""
    return Slide(heading, [said, str(table)], kind="table")


def _before(formula: Any) -> str:
    """The sentence that leads to a formula: the last one of the paragraph right before it."""
    before = formula.find_previous_sibling(True)
    told = sentences(before) if before is not None and before.name == "p" else []
    return f'<p class="said">{told[-1]}</p>' if told else ""


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
    found: list[str] = []
    try:
        statements = parsed(code.get_text() if code else "").body
    except SyntaxError:  # a command, say
        return found
    for statement in statements:
        if isinstance(statement, ast.Assign) and not _is_open(statement):
            told = {one.id for one in ast.walk(statement.targets[0]) if isinstance(one, ast.Name)}
            found += [ast.unparse(statement)] if told & named else []
    return found


def _is_open(statement: ast.Assign) -> bool:
    """Whether a statement says no value: it has `...`, which a reader fills in, or computes."""
    try:
        return ast.literal_eval(statement.value) is ...
    except ValueError:
        return True


def _figure(heading: str, figure: Any) -> Slide:
    """A figure with the first sentence of its caption; the others are quiet, the alternative text
    is a note."""
    caption = figure.select_one("figcaption .caption-text") or figure.figcaption
    told = sentences(caption) if caption else []
    if figure.figcaption:
        figure.figcaption.extract()
    for source in figure.select("source"):
        source.decompose()
    body = [f'<p class="said">{told[0]}</p>'] if told else []
    image = figure.find("img")
    notes = [*told[1:], *([html.escape(image["alt"])] if image and image.get("alt") else [])]
    kind = "moved" if figure.select_one("[data-options]") else "figure"
    return Slide(heading, [*body, str(figure)], notes, kind)


def _listed(said: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{one}</li>' for one in said)}</ul>"
